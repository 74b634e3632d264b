"""How a metric is declared, and what several families declare with."""

from __future__ import annotations

import re
from typing import Any

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.inputs import LABEL, Total
from ulframe.metrics.measure import Measure, Metric
from ulframe.metrics.parameters import choice, number

REL = number(1, above=0)
"""The smallest label that counts as relevant."""

LABEL_GAIN = LABEL.cast(pl.Float64).clip(lower_bound=0)
GAINS = {"exp": 2.0**LABEL_GAIN - 1, "linear": LABEL_GAIN}
"""What a label is worth; nothing where it is negative."""


def declare(name: str, **declaration: Any) -> Measure:
    """A new metric as a measure to go on from; takes what `Metric` takes.

    Its parameters are `rel` unless others are given. Raises `BadUsage` for a name that could not
    be written in a measure's name.

    >>> import ulframe as ul
    >>> best = ul.declare("Best", term=lambda m: m.relevant / (1 + ul.RANK))
    >>> str(ul.V2(best(rel=2) @ 5))
    'V2(Best(rel=2)@5)'
    """
    if not re.fullmatch(r"[A-Za-z]\w*", name):
        raise BadUsage(f"{name!r} cannot name a metric: take letters and digits, a letter first")
    return Measure(Metric(name, **({"parameters": {"rel": REL}} | declaration)))


def gain_parameter(default: str) -> dict[str, Any]:
    """The parameter that says what a label is worth."""
    return {"gain": choice(default, GAINS)}


def gaining(_: Measure) -> Total:
    """Documents that gain anything."""
    return Total("gaining", (LABEL > 0).cast(pl.Int64))


def gain(_: Measure) -> Total:
    """The sum of all labels above 0."""
    return Total("gain", LABEL_GAIN)
