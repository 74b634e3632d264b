"""The one shape of all methods: `fit(train, valid, measure, seed) -> scorer`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypedDict, Unpack

from ulframe.metrics.measure import Measure
from ulframe.systems.letor.queries import Array, Queries

Scorer = Callable[[Queries], Array]
"""Any queries in, a score for each of their documents out: the higher, the better."""


class Options(TypedDict, total=False):
    """What a method may be told beside; each takes some, and `settings` tells its defaults."""

    most_epochs: int
    most_rounds: int
    most_trees: int
    most_passes: int
    most_iterations: int
    patience: int
    rate: float
    batch: int
    hidden: int
    thresholds: int
    leaves: int
    smallest_leaf: int
    documents: float
    features: float
    restarts: int
    tolerance: float


class Fit(Protocol):
    """What a method is.

    It learns from `train` and stops where `measure` is best on `valid`. The same input and seed
    give the same scorer. Raises `BadData` where no query of `train` has documents with different
    labels.
    """

    def __call__(
        self,
        train: Queries,
        valid: Queries,
        measure: Measure,
        seed: int,
        **options: Unpack[Options],
    ) -> Scorer:
        """Learn."""
        ...
