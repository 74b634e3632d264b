"""The operators: what is made of a triple (value, upper, expected), alike for every metric.

`upper` is the best possible value, `expected` what a uniformly random ranking is expected to
score. An operator is one expression over the three; a new normalisation is one more line here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import polars as pl

from ulframe.frames.errors import BadUsage

if TYPE_CHECKING:
    from ulframe.metrics.metric import Measure

TRIPLE = ["value", "upper", "expected"]
VALUE, UPPER, EXPECTED = pl.col("value"), pl.col("upper"), pl.col("expected")

TOLERANCE = 1e-9
"""Relative: in floats a value and an expectation that are equal in theory rarely cancel."""


@dataclass(frozen=True)
class Operator:
    """A normalisation: called with a measure, it gives that measure normalised.

    `score` is its expression over the triple, null where the measure is undefined.
    `against_chance` says that it compares with the expectation, which a metric may not have.
    Raises `BadUsage` for such a metric, and for a measure that has an operator already: only
    V1 and V2 of U(A) are accepted, since they equal V1 and V2 of A.

    >>> import ulframe as ul
    >>> ul.V2(ul.nDCG @ 10) == ul.V2(ul.DCG @ 10)
    True
    """

    name: str
    score: pl.Expr = field(compare=False, repr=False)
    range: str = field(compare=False)
    doc: str = field(compare=False, repr=False)
    against_chance: bool = field(default=False, compare=False)

    def __call__(self, measure: Measure) -> Measure:
        """The measure normalised so."""
        inner = measure.operator
        if inner is not A and not (inner is U and self in (V1, V2)):
            raise BadUsage(
                f"{self.name}({measure}) nests two operators; {self.name} takes a metric, "
                f"as in {self.name}({measure.base})"
            )
        if self.against_chance and measure.metric.refuses:
            raise BadUsage(f"no {self.name} of {measure.base}: {measure.metric.refuses}")
        return replace(measure, operator=self)


# A `when` without `otherwise` is null: means skip it or count it as 0, while NaN would poison them.
_possible = UPPER > 0
_below_chance = VALUE < EXPECTED * (1 - TOLERANCE)
_room_above_chance = UPPER - EXPECTED > TOLERANCE * UPPER

A = Operator("", VALUE, "the metric's own", "The value itself.")
U = Operator(
    "U",
    pl.when(_possible).then(VALUE / UPPER),
    "0 to 1",
    "Divided by the best possible: nDCG is U(DCG), the paper's MAP@k is U(SP@k). Undefined where "
    "nothing is relevant.",
)
V1 = Operator(
    "V1",
    pl.when(_possible).then(VALUE / UPPER * (VALUE / (VALUE + EXPECTED))),
    "0 to 1",
    "A/IUB * A/(A + RLB): near 1/2 of U for a ranking no better than chance. Undefined where "
    "nothing is relevant.",
    against_chance=True,
)
V2 = Operator(
    "V2",
    pl.when(_possible & _below_chance)
    .then((VALUE - EXPECTED) / EXPECTED)
    .when(_possible & _room_above_chance)
    .then((VALUE - EXPECTED) / (UPPER - EXPECTED)),
    "-1 to 1",
    "(A - RLB)/(IUB - RLB) at or above chance, (A - RLB)/RLB below it: 1 perfect, 0 random, -1 "
    "nothing relevant found. Undefined where nothing is relevant, or where every ranking is as "
    "good as any other.",
    against_chance=True,
)
IUB = Operator("IUB", UPPER, "the metric's own", "The ideal upper bound: the best possible value.")
RLB = Operator(
    "RLB",
    EXPECTED,
    "the metric's own",
    "The randomised lower bound: the exact expectation under a uniformly random ranking.",
    against_chance=True,
)

OPERATORS = {operator.name: operator for operator in (U, V1, V2, IUB, RLB)}
