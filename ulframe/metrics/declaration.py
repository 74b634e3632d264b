"""What a metric says of itself: `Metric`, and the small objects that its fields hold.

A declaration is a formula and what may be set about it. Which laws it keeps, and so what may be
made of it, is decided in `ulframe.metrics.laws`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

import polars as pl

from ulframe.metrics import inputs
from ulframe.metrics.inputs import LABEL, RunningSum, State, Total
from ulframe.metrics.parameters import Given, Parameter

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure

__all__ = [
    "LINEAR",
    "About",
    "Approximate",
    "Form",
    "Metric",
    "Refused",
    "Spelling",
]


T = TypeVar("T")

OfMeasure: TypeAlias = "Callable[[Measure], T]"
Formula: TypeAlias = "OfMeasure[pl.Expr] | pl.Expr | float"
"""An expression, a constant, or a function of the measure (with its settings) that gives one."""

States: TypeAlias = tuple[State | RunningSum, ...]
Cutoff: TypeAlias = Literal["none", "optional", "required"]
Aggregation: TypeAlias = Literal["mean", "sum", "geometric mean"]
Spelled: TypeAlias = "Callable[[Measure, Given], Measure]"

FormFunction: TypeAlias = "Callable[[Measure, pl.DataFrame], pl.Series]"


@dataclass(frozen=True)
class Form:
    """An expectation or a variance in closed form.

    `of` takes a measure and pools (see `ulframe.metrics.chance`).

    The first line of its docstring is what `explain` says. `exact` is False of a form that is known
    to come near only, as the paper's own does.
    """

    of: FormFunction = field(repr=False)
    exact: bool = True

    @property
    def says(self) -> str:
        """The form in words."""
        return (self.of.__doc__ or "a form of its own").strip().splitlines()[0]


@dataclass(frozen=True)
class Linear:
    """An expectation that follows by linearity: the term is affine in the hits."""


LINEAR = Linear()


@dataclass(frozen=True)
class Refused:
    """What there is not, and why, as the end of "no V2 of X: ..."."""

    why: str


@dataclass(frozen=True)
class Approximate:
    """What is near the truth only, and why; nothing that needs the truth is made of it."""

    why: str


Expectation: TypeAlias = Form | Linear | Refused | None
Variance: TypeAlias = Form | Refused | None


@dataclass(frozen=True)
class About:
    """What `explain` says: the metric in a sentence or two, its formula, range and source.

    `trec_eval` and `ir_measures` are what these tools call it.
    """

    doc: str = ""
    formula: str = ""
    range: str = "0 to 1"
    source: str = ""
    trec_eval: str = ""
    ir_measures: str = ""


@dataclass(frozen=True)
class Spelling:
    """What the grammar has to know to read and write a measure of the metric.

    - `at`: the parameter that stands behind `@` where that is not the cutoff;
    - `dot`: the share that stands behind a dot, as .95 does in `RBP.95`, where that is no cutoff;
    - `settings`: other ways to set something, as other tools have them;
    - `normalised`: what the field calls U of the metric.
    """

    at: str = ""
    dot: str = ""
    settings: Mapping[str, Spelled] = field(default_factory=dict)
    normalised: str = ""


@dataclass(frozen=True, eq=False)
class Metric:
    """The declaration of a metric: its value is the sum of `term` down to `depth`, over `per`.

    Every field that is a formula may be an expression, a constant, or a function of the measure.

    - `term`: what one retrieved document adds; over `rank`, `label`, the states, the totals and
      `retrieved`; 0 where `adds` does not hold.
    - `cutoff`: whether there is one: "none", "optional" or "required".
    - `parameters`: what may be set; by default `rel`, where a formula is a function of the measure
      (an expression cannot follow it).
    - `adds`: the labels that add anything; those above 0 by default.
    - `states`: what `term` reads of the ranking. Of running sums it is known what a random ranking
      has above a document, so that the expectation follows from the term (see `laws`).
    - `ladder`: what it reads of the ideal ranking at this rank (see `Measure.ideal`).
    - `totals`: what is counted over the query's judgements; relevant and not relevant by default.
    - `per`: divides the sum; over totals and `retrieved`.
    - `depth`: the last rank that counts, where the query decides it (R-precision: r).
    - `finish`: what the value is made of that sum, over `TOTAL`, totals and `retrieved`, where it
      is not the sum itself.
    - `expected`: nothing or `LINEAR`, where the expectation under a random ranking is to follow
      from the term; a `Form`; or `Refused`.
    - `spread`: nothing where the variance under a random ranking is to follow from the term; a
      `Form` that gives it; or `Refused`.
    - `ideal`: nothing where the best ranking is that of the labels in falling order;
      `Approximate` where that only comes near; `Refused` where there are no bounds at all.
    - `worst`: `Approximate` where the ranking from the lowest label up is not quite the worst.
    - `zero`: `Refused` where a run that returns nothing relevant does not score 0.
    - `aggregate`: how queries become one number.
    - `about`, `spelling`: what `explain` says, and what the grammar has to know.
    """

    name: str
    term: Formula = field(repr=False)
    cutoff: Cutoff = "optional"
    parameters: Mapping[str, Parameter] | None = field(default=None, repr=False)
    adds: pl.Expr = field(default=LABEL > 0, repr=False)
    states: OfMeasure[States] | States = field(default=lambda m: (inputs.hits(m),), repr=False)
    ladder: OfMeasure[States] | States = field(default=(), repr=False)
    totals: OfMeasure[tuple[Total, ...]] | tuple[Total, ...] = field(
        default=lambda m: (inputs.r(m), inputs.nonrel(m)), repr=False
    )
    per: Formula | None = field(default=None, repr=False)
    depth: Formula | None = field(default=None, repr=False)
    finish: Formula | None = field(default=None, repr=False)
    expected: OfMeasure[Expectation] | Expectation = field(default=None, repr=False)
    spread: OfMeasure[Variance] | Variance = field(default=None, repr=False)
    ideal: Approximate | Refused | None = field(default=None, repr=False)
    worst: Approximate | None = field(default=None, repr=False)
    zero: Refused | None = field(default=None, repr=False)
    aggregate: Aggregation = field(default="mean", repr=False)
    about: About = field(default=About(), repr=False)
    spelling: Spelling = field(default=Spelling(), repr=False)
