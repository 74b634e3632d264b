"""What bounds rest on: held against every order of short label lists (see `evaluation.trial`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from ulframe.metrics.laws.expectation import is_compared, is_near_only
from ulframe.metrics.laws.reading import TOLERANCE
from ulframe.metrics.parameters import by_label

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure


@dataclass(frozen=True)
class Law:
    """A law as it stands in the rows of a trial: `broken` where it is, and what is said then.

    A row is one order of a label list, cut off somewhere: `value, upper, expected, worst, spread`;
    `beside`, what documents add that `adds` excludes; `highest`, of all rows with these bounds;
    `mean`, `lowest` and `deviation` (the population's), over all orders of the whole list; `whole`,
    whether the row is one of these; `nothing`, whether no document that adds anything was returned;
    `enough`, whether so many were that the run could have been the ideal one; `zero`, 0.
    """

    of: Callable[[Measure], bool] = field(repr=False)
    broken: pl.Expr = field(repr=False)
    says: str
    shows: tuple[str, str]


def _beyond(one: str, other: str) -> pl.Expr:
    """Whether one column is above another, by more than floats explain."""
    scale = pl.max_horizontal(pl.col(one).abs(), pl.col(other).abs(), pl.lit(1e-3))
    return (pl.col(one) - pl.col(other)).fill_null(0.0) > TOLERANCE * scale


def _bounded(m: Measure) -> bool:
    return m.metric.ideal is None


def _is_exact(m: Measure) -> bool:
    return is_compared(m) and not is_near_only(m)


def _from_zero(m: Measure) -> bool:
    return "zero" in m.operator.needs


def _is_spread(m: Measure) -> bool:
    return "spread" in m.operator.score.meta.root_names()


def _worst_first(m: Measure) -> bool:
    return "worst" in m.operator.score.meta.root_names() and m.metric.worst is None


WHOLE, NOTHING, ENOUGH = pl.col("whole"), pl.col("nothing"), pl.col("enough")

LAWS = (
    Law(lambda _: True, _beyond("beside", "zero"), "what `adds` excludes adds {0}",
        ("beside", "beside")),
    Law(_bounded, _beyond("value", "upper"), "scores {0}, above its upper bound {1}",
        ("value", "upper")),
    Law(_bounded, ENOUGH & _beyond("upper", "highest"),
        "its upper bound is {0}, but no order is above {1}", ("upper", "highest")),
    Law(_is_exact, WHOLE & (_beyond("expected", "mean") | _beyond("mean", "expected")),
        "its expectation is {0}, but the mean of all orders {1}", ("expected", "mean")),
    Law(is_near_only, WHOLE & (_beyond("expected", "highest") | _beyond("lowest", "expected")),
        "its expectation is {0}, beyond the best or worst order, {1}", ("expected", "highest")),
    Law(_from_zero, NOTHING & (_beyond("value", "zero") | _beyond("zero", "value")),
        "scores {0} where nothing that adds is returned; V1 and V2 need {1}", ("value", "zero")),
    Law(_from_zero, _beyond("zero", "value"), "scores {0}, below {1}", ("value", "zero")),
    Law(_worst_first, WHOLE & (_beyond("worst", "lowest") | _beyond("lowest", "worst")),
        "its worst value is {0}, but the lowest of all orders {1}", ("worst", "lowest")),
    Law(_is_spread, WHOLE & (_beyond("spread", "deviation") | _beyond("deviation", "spread")),
        "its standard deviation is {0}, but that of all orders {1}", ("spread", "deviation")),
)  # fmt: skip
"""What is held against the rows of a trial, the first that breaks first."""


def labels_tried(base: Measure) -> tuple[float, ...]:
    """Labels on both sides of every threshold that the settings name, negative and fractional."""
    settings = base.parameters
    named = {base.rel, *by_label(base["gains"] if "gains" in settings else "")}
    limit = base.number("max") if "max" in settings else float("inf")
    around = {near for one in named for near in (one - 1, one, one + 1)}
    tried = {-1.0, 0.0, 0.5, 1.0, 2.0, *around, *({limit, limit - 1} - {float("inf")})}
    return tuple(sorted(float(label) for label in tried if label <= limit))
