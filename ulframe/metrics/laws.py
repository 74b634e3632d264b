"""The laws of metrics, and the only place where they stand.

What a term reads decides how its expectation under a random ranking is had (`expectation_of`); what
an operator needs of a metric decides whether there is one of it (`refusal`); and what bounds rest
on (`LAWS`) is held against every order of a few short label lists before bounds are given out
(`ulframe.evaluation.trial`), since a declaration is only a claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl

from ulframe.metrics.declaration import LINEAR, Approximate, Form, Linear, Refused
from ulframe.metrics.inputs import RunningSum
from ulframe.metrics.parameters import by_label

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure

TOLERANCE = 1e-9
"""Relative: in floats, what is equal in theory rarely cancels."""

MEMORY = 4096  # measures of which it is known what they keep


# ---------------------------------------------------------------- how an expectation is had
@dataclass(frozen=True)
class Spread:
    """An expectation by the exact distribution of what `count` has above a document."""

    count: RunningSum


How: TypeAlias = Form | Linear | Spread | Refused


@lru_cache(maxsize=MEMORY)
def expectation_of(measure: Measure) -> How:
    """How the expectation under a random ranking is had: by the declaration, or by what is read.

    Affine in running sums: by linearity. Any function of rank, label and one count: by the
    distribution of that count given rank and label, which is hypergeometric. Both where all else
    is constant for a query, and the value affine in the sum of its terms. Anything else needs a
    form of its own, or is refused.

    >>> import ulframe as ul
    >>> expectation_of(ul.AP)
    Linear()
    """
    base = measure.base
    declared = base.declared_expectation
    if isinstance(declared, Form | Refused):
        return declared
    if isinstance(base.metric.ideal, Refused):
        return base.metric.ideal
    if reason := _unsteady(base):
        return Refused(reason)
    if is_affine(base):
        return LINEAR
    if declared is LINEAR:
        return Refused("it is declared LINEAR, but its term is not affine in what it reads")
    sums = _sums(base)
    counts = [sums[name] for name in sorted(_names(base.term) & sums.keys())]
    if len(counts) == 1 and _counts_by_ones(counts[0]):
        return Spread(counts[0])
    together = " and ".join(state.name for state in counts)
    return Refused(f"its term is not affine in {together}; give it a form (`expected=Form(...)`)")


def _unsteady(base: Measure) -> str:
    """Why neither linearity nor a distribution could tell the expectation; empty if one can."""
    constant = _constants(base)
    if unknown := _names(base.term) - {"rank", "label"} - constant - _sums(base).keys():
        return (
            f"its term reads {', '.join(sorted(unknown))}, of which it is not known what a random "
            "ranking has; give it a form (`expected=Form(...)`)"
        )
    for what, part in (("per", base.divisor), ("depth", base.depth), ("finish", base.finish)):
        names = set() if part is None else _names(part) - {"total"}
        if varying := names - constant:
            return f"its `{what}` reads {', '.join(sorted(varying))}, no constant of a query"
    if not is_affine_finish(base):
        return "what it is made of its sum (`finish`) is not affine, so that means do not follow"
    return ""


def is_compared(measure: Measure) -> bool:
    """Whether there is an expectation of it under a random ranking."""
    return not isinstance(expectation_of(measure), Refused)


def reads_ranking_alone(base: Measure) -> bool:
    """Whether a term reads rank, label and running sums only, so that all queries share it."""
    return _names(base.term) <= {"rank", "label", *_sums(base)}


def by_hits(base: Measure) -> bool:
    """Whether a term reads rank, label and hits only, of documents as they are judged."""
    plain = not base.view.judged_only and not base.view.gains
    return plain and _names(base.term) <= {"rank", "label", base.column("hits")}


def is_affine(base: Measure) -> bool:
    """Whether a term is a straight line in the running sums that it reads: tried on a grid."""
    return _is_affine(base.uncut)


@lru_cache(maxsize=MEMORY)
def _is_affine(base: Measure) -> bool:
    return _is_straight(base.term, sorted(_names(base.term) & _sums(base).keys()))


def is_affine_finish(base: Measure) -> bool:
    """Whether the value is a straight line in the sum of the terms."""
    return base.finish is None or _is_straight(base.finish, ["total"])


def is_straight_in_value(score: pl.Expr) -> bool:
    """Whether an operator's score is a straight line in the value, given the bounds."""
    values = {"upper": [1.0], "expected": [0.3], "worst": [0.0], "spread": [0.1]}
    return _is_straight(score, ["value"], values, [step / 20 for step in range(21)])


def _is_straight(
    line: pl.Expr,
    along: list[str],
    fixed: dict[str, list[float]] | None = None,
    steps: list[float] | None = None,
) -> bool:
    """Whether there is no second difference along a column, nor along all of them together.

    They are tried at every whole number that they could have at the ranks of a grid, so that what
    bends at one number only (`hits == 7`) is seen.
    """
    names = _names(line)
    if not names & set(along):
        return True
    ranks = [1.0, 2.0, 3.0, 10.0, 100.0, 1000.0] if "rank" in names else [1000.0]
    fixed = {"rank": ranks, "label": [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 5.0]} | (fixed or {})
    others = {name: fixed.get(name, [5.0, 2.0]) for name in sorted(names - set(along))}
    grid = pl.DataFrame(list(product(*others.values())), schema=list(others), orient="row")
    steps = steps or [float(step) for step in range(1001)]
    for direction in _directions(along):
        moved = pl.DataFrame({"step": steps}).with_columns(
            (1 + pl.col("step") * slope if slope != 1 else pl.col("step")).alias(name)
            for name, slope in direction.items()
        )
        rows = grid.join(moved, how="cross") if others else moved
        bend = pl.col("y").diff().diff().abs()
        scale = pl.col("y").abs().max().clip(lower_bound=1e-300)
        found = (
            rows.with_columns(y=line.cast(pl.Float64))
            .group_by([*others] or pl.lit(0))
            .agg(bend=bend.max() / scale, odd=(~pl.col("y").is_finite()).any())
        )
        if found["odd"].any() or (found["bend"].fill_null(0.0) > TOLERANCE).any():
            return False
    return True


def _directions(along: list[str]) -> Iterator[dict[str, float]]:
    """One column at a time, the others at 1; then all together, each at a pace of its own."""
    for moving in along:
        yield {name: 1.0 if name == moving else 0.0 for name in along}
    if len(along) > 1:
        yield {name: float(place + 2) for place, name in enumerate(along)}


def _counts_by_ones(state: RunningSum) -> bool:
    labels = pl.DataFrame({"label": [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0]})
    return bool(labels.select(state.each).to_series().is_in([0, 1]).all())


def _names(part: pl.Expr) -> set[str]:
    return set(part.meta.root_names())


def _sums(base: Measure) -> dict[str, RunningSum]:
    return {state.name: state for state in base.states if isinstance(state, RunningSum)}


def _constants(base: Measure) -> set[str]:
    """What is one number for a query, or for a rank and label of it."""
    ladder = {f"ideal:{state.name}" for state in base.ladder}
    return {"retrieved", "place", *(total.name for total in base.totals), *ladder}


# ---------------------------------------------------------------- what operators need
Need: TypeAlias = Literal["bounds", "ideal", "chance", "zero"]


def _why(declared: object, kind: type[Refused] | type[Approximate]) -> str:
    return declared.why if isinstance(declared, kind) else ""


NEEDS: dict[Need, Callable[[Measure], str]] = {
    "bounds": lambda m: _why(m.metric.ideal, Refused),
    "zero": lambda m: _why(m.metric.zero, Refused),
    "chance": lambda m: _why(expectation_of(m), Refused),
    "ideal": lambda m: _why(m.metric.ideal, Approximate),
}
"""Why a metric does not have what an operator needs; empty where it does."""


def refusal(measure: Measure, needs: Iterable[Need]) -> str:
    """Why there is no operator with these needs of a measure; empty where there is one.

    >>> import ulframe as ul
    >>> refusal(ul.unj @ 5, ["bounds"])
    'it counts what was not judged, of which less is better'
    """
    asked = set(needs)
    return next((why for need, of in NEEDS.items() if need in asked and (why := of(measure))), "")


# ---------------------------------------------------------------- what bounds rest on
@dataclass(frozen=True)
class Law:
    """A law as it stands in the rows of a trial: `broken` where it is, and what is said then.

    A row is one order of a label list, cut off somewhere: `value, upper, expected, worst`;
    `beside`, what documents add that `adds` excludes; `highest`, of all rows with these bounds;
    `mean` and `lowest`, over all orders of the whole list; `whole`, whether the row is one of
    these; `nothing`, whether no document that adds anything was returned; `enough`, whether so
    many were that the run could have been the ideal one; `zero`, 0.
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


def _is_form_near(m: Measure) -> bool:
    how = expectation_of(m)
    return isinstance(how, Form) and not how.exact


def _is_exact(m: Measure) -> bool:
    return is_compared(m) and not _is_form_near(m)


def _from_zero(m: Measure) -> bool:
    return "zero" in m.operator.needs


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
    Law(_is_form_near, WHOLE & (_beyond("expected", "highest") | _beyond("lowest", "expected")),
        "its expectation is {0}, beyond the best or worst order, {1}", ("expected", "highest")),
    Law(_from_zero, NOTHING & (_beyond("value", "zero") | _beyond("zero", "value")),
        "scores {0} where nothing that adds is returned; V1 and V2 need {1}", ("value", "zero")),
    Law(_from_zero, _beyond("zero", "value"), "scores {0}, below {1}", ("value", "zero")),
    Law(_worst_first, WHOLE & (_beyond("worst", "lowest") | _beyond("lowest", "worst")),
        "its worst value is {0}, but the lowest of all orders {1}", ("worst", "lowest")),
)  # fmt: skip
"""What is held against the rows of a trial, the first that breaks first."""


def labels_tried(base: Measure) -> list[float]:
    """Labels on both sides of every threshold that the settings name, negative and fractional."""
    settings = base.parameters
    named = {base.rel, *by_label(base["gains"] if "gains" in settings else "")}
    limit = base.number("max") if "max" in settings else float("inf")
    around = {near for one in named for near in (one - 1, one, one + 1)}
    tried = {-1.0, 0.0, 0.5, 1.0, 2.0, *around, *({limit, limit - 1} - {float("inf")})}
    return sorted(float(label) for label in tried if label <= limit)
