"""The one shape of all methods: `fit(train, valid, measure, seed) -> scorer`."""

from __future__ import annotations

from collections.abc import Callable

from ulframe.systems.letor.queries import Array, Queries

Scorer = Callable[[Queries], Array]
"""Any queries in, a score for each of their documents out: the higher, the better."""

Fit = Callable[..., Scorer]
"""`fit(train: Queries, valid: Queries, measure: Measure, seed: int) -> Scorer`.

It learns from `train` and stops where `measure` is best on `valid`. The same input and seed give
the same scorer. Further parameters of a method have defaults and are keywords. Raises `BadData`
where no query of `train` has documents with different labels.
"""
