"""What several families of metrics declare with: gains, totals, and formulas that are one word."""

from __future__ import annotations

from operator import attrgetter

import polars as pl

from ulframe.metrics.declaration import OfMeasure
from ulframe.metrics.inputs import LABEL, Total
from ulframe.metrics.parameters import Parameter, choice

RELEVANT: OfMeasure[pl.Expr] = attrgetter("relevant")
"""1 where the label is at least `rel`, else 0."""

CUTOFF: OfMeasure[pl.Expr] = attrgetter("k")
"""The cutoff."""

CUTOFF_OR_ALL: OfMeasure[pl.Expr] = attrgetter("cutoff_or_all")
"""The cutoff, or as many documents as the run returned where that is less."""

R_AT_LEAST_1: OfMeasure[pl.Expr] = attrgetter("r_at_least_1")
"""The query's relevant documents, 1 where there are none."""

LABEL_GAIN = LABEL.cast(pl.Float64).clip(lower_bound=0)
GAINS = {"exp": 2.0**LABEL_GAIN - 1, "linear": LABEL_GAIN}
"""What a label is worth; nothing where it is negative."""

GAIN = Total("gain", LABEL_GAIN)
"""The sum of all labels above 0."""

NO_FORM = "its expectation under a random ranking has no closed form"
FLOORED = "it is averaged geometrically, with a floor of 0.00001, so that its worst is not 0"


def gain_parameter(default: str) -> dict[str, Parameter]:
    """The parameter that says what a label is worth."""
    return {"gain": choice(default, GAINS)}
