"""The operators: what is made of a triple (value, upper, expected), alike for every metric.

`upper` is the best possible value, `expected` what a uniformly random ranking is expected to
score. An operator is one expression over the three, and over `worst`, the value of the worst
ranking, and `spread`, the standard deviation over random rankings, where it asks for them; a new
normalisation is one more line here.

Sources beside the paper's: Hubert and Arabie 1985, Comparing partitions (`Adjusted`); Hoyt,
Berrendorf, Galkin, Tresp and Gyori 2022, A unified framework for rank-based evaluation metrics for
link prediction in knowledge graphs (`Adjusted`, `Z`); Gienapp et al. 2020 (`WLB`, `MinMax`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.laws import TOLERANCE, Need, refusal

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure

__all__ = [
    "IUB",
    "RLB",
    "SD",
    "V1",
    "V2",
    "WLB",
    "Adjusted",
    "MinMax",
    "Operator",
    "Ratio",
    "U",
    "Z",
]


TRIPLE = ["value", "upper", "expected"]
VALUE, UPPER, EXPECTED = pl.col("value"), pl.col("upper"), pl.col("expected")
WORST, SPREAD = pl.col("worst"), pl.col("spread")
ON_REQUEST = [WORST, SPREAD]
"""What is computed only where a measure asks for it."""


@dataclass(frozen=True)
class Operator:
    """A normalisation: called with a measure, it gives that measure normalised.

    `score` is its expression over the triple, null where the measure is undefined; `needs` is what
    a metric must have for it (see `ulframe.metrics.laws`). Raises `BadUsage` for a metric that has
    not, and for a measure that has an operator already: only those that are `scale_free` are
    accepted of U(A), since they are the same of A.

    >>> import ulframe as ul
    >>> ul.V2(ul.nDCG @ 10) == ul.V2(ul.DCG @ 10)
    True
    """

    name: str
    score: pl.Expr = field(compare=False, repr=False)
    range: str = field(compare=False)
    doc: str = field(compare=False, repr=False)
    needs: tuple[Need, ...] = field(default=("bounds",), compare=False, repr=False)
    scale_free: bool = field(default=False, compare=False, repr=False)

    def __repr__(self) -> str:
        return self.name

    def __call__(self, measure: Measure) -> Measure:
        """The measure normalised so."""
        inner = getattr(measure, "operator", None)
        if inner is None:
            raise BadUsage(f"{self.name}({measure!r}): {measure!r} is no measure, as ulframe.AP is")
        if inner is not A and not (inner is U and self.scale_free):
            raise BadUsage(
                f"{self.name}({measure}) nests two operators; {self.name} takes a metric, "
                f"as in {self.name}({measure.base})"
            )
        if reason := refusal(measure, self.needs):
            raise BadUsage(f"no {self.name} of {measure.base}: {reason}")
        return replace(measure, operator=self)

    def reads(self, column: pl.Expr) -> bool:
        """Whether the score depends on that column."""
        return column.meta.output_name() in self.score.meta.root_names()


PAPER = "Karmaker Santu and Feng 2022, Joint Upper & Lower Bound Normalization for IR Evaluation"
"""The paper that V1 and V2 are from, and the one meant wherever "the paper" is said."""

AGAINST_CHANCE: tuple[Need, ...] = ("bounds", "ideal", "chance", "zero")
EXACTLY: tuple[Need, ...] = ("bounds", "chance", "exact")

# A `when` without `otherwise` is null: means skip it or count it as 0, while NaN would poison them.
_possible = UPPER > 0
_below_chance = VALUE < EXPECTED * (1 - TOLERANCE)
_gap_to_best = UPPER - EXPECTED
_scale = pl.max_horizontal(UPPER.abs(), EXPECTED.abs())
_room_above_chance = UPPER - EXPECTED > TOLERANCE * UPPER

A = Operator("", VALUE, "the metric's own", "The value itself.")
U = Operator(
    "U",
    pl.when(_possible).then(VALUE / UPPER),
    "0 to 1",
    "Divided by the best possible: nDCG is U(DCG). Undefined where nothing is relevant.",
)
V1 = Operator(
    "V1",
    pl.when(_possible & (VALUE + EXPECTED > 0))
    .then(VALUE / UPPER * (VALUE / (VALUE + EXPECTED)))
    .when(_possible)
    .then(0.0),
    "0 to 1",
    "A/IUB * A/(A + RLB): U, and half of it where A is RLB, so that a random ranking has about "
    "RLB/(2 IUB), which is another value on every query. Undefined where nothing is relevant. "
    f"{PAPER}.",
    needs=AGAINST_CHANCE,
    scale_free=True,
)
V2 = Operator(
    "V2",
    pl.when(_possible & _below_chance)
    .then((VALUE - EXPECTED) / EXPECTED)
    .when(_possible & _room_above_chance)
    .then((VALUE - EXPECTED) / (UPPER - EXPECTED)),
    "-1 to 1",
    "(A - RLB)/(IUB - RLB) at or above RLB, (A - RLB)/RLB below it: 1 perfect, 0 where A is RLB, "
    "-1 nothing relevant found. It is steeper below wherever RLB < IUB/2, so that random rankings "
    "have a mean below 0 there (one of three documents relevant, DCG@1: -1/3): a mean V2 below 0 "
    "does not say worse than chance. Undefined where nothing is relevant, or where every ranking "
    f"is as good as any other. {PAPER}.",
    needs=AGAINST_CHANCE,
    scale_free=True,
)
Adjusted = Operator(
    "Adjusted",
    pl.when(_gap_to_best > TOLERANCE * _scale).then((VALUE - EXPECTED) / (UPPER - EXPECTED)),
    "1 at most",
    "(A - RLB)/(IUB - RLB), not clipped: 1 perfect; its mean over random rankings is exactly 0. "
    "Undefined where every ranking is as good as any other. The form of the adjusted Rand index "
    "(Hubert and Arabie 1985) and of adjusted ranks (Hoyt et al. 2022).",
    needs=(*EXACTLY, "ideal"),
    scale_free=True,
)
SD = Operator(
    "SD",
    SPREAD,
    "the metric's own",
    "The exact standard deviation of A over uniformly random rankings.",
    needs=(*EXACTLY, "spread"),
)
Z = Operator(
    "Z",
    pl.when(SPREAD > 0).then((VALUE - EXPECTED) / SPREAD),
    "any number",
    "(A - RLB)/SD: how many standard deviations above chance. Over random rankings its mean is 0 "
    "and its variance 1. Undefined where every ranking scores the same (Hoyt et al. 2022).",
    needs=(*EXACTLY, "ideal", "spread"),
    scale_free=True,
)
IUB = Operator("IUB", UPPER, "the metric's own", "The ideal upper bound: the best possible value.")
RLB = Operator(
    "RLB",
    EXPECTED,
    "the metric's own",
    "The randomised lower bound: the exact expectation under a uniformly random ranking.",
    needs=("bounds", "chance"),
)
WLB = Operator(
    "WLB",
    WORST,
    "the metric's own",
    "The worst lower bound: the value of the worst ranking, that of the pool's documents from the "
    "lowest label up. Gienapp et al. 2020.",
)
MinMax = Operator(
    "MinMax",
    pl.when(TOLERANCE * UPPER.abs() < UPPER - WORST).then((VALUE - WORST) / (UPPER - WORST)),
    "0 to 1 for a ranking of the whole pool",
    "(A - WLB)/(IUB - WLB): 1 for the best ranking of the pool, 0 for the worst. Undefined where "
    "they are equal. Gienapp et al. 2020.",
    scale_free=True,
)
Ratio = Operator(
    "Ratio",
    pl.when(EXPECTED > 0).then(VALUE / EXPECTED),
    "0 upwards",
    "A/RLB: how many times as good as chance. Undefined where nothing is relevant. Of DCG, it is "
    "the RNDCG of Gienapp et al. 2020.",
    needs=("bounds", "chance", "zero"),
    scale_free=True,
)

OPERATORS = {
    operator.name: operator
    for operator in (U, V1, V2, Adjusted, Z, IUB, RLB, SD, WLB, MinMax, Ratio)
}
