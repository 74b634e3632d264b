"""What the formulas of a declaration read, and whether they are straight lines in it: by trial."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from ulframe.metrics.inputs import RunningSum

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure

TOLERANCE = 1e-9
"""Relative: in floats, what is equal in theory rarely cancels."""

MEMORY = 4096  # measures of which it is known what they keep


def counts_by_ones(state: RunningSum) -> bool:
    """Whether it counts documents, so that it grows by 0 or 1."""
    labels = pl.DataFrame({"label": [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0]})
    return bool(labels.select(state.each.cast(pl.Float64)).to_series().is_in([0.0, 1.0]).all())


def names_in(part: pl.Expr) -> set[str]:
    """The columns that an expression reads."""
    return set(part.meta.root_names())


def sums_of(base: Measure) -> dict[str, RunningSum]:
    """The running sums among a measure's states, by name."""
    return {state.name: state for state in base.states if isinstance(state, RunningSum)}


def constants_of(base: Measure) -> set[str]:
    """What is one number for a query."""
    return {"retrieved", *(total.name for total in base.totals)}


def given_there(base: Measure) -> set[str]:
    """What is one number for a query, or for a rank and label of it."""
    return {*constants_of(base), "place", *(f"ideal:{state.name}" for state in base.ladder)}


def reads_ranking_alone(base: Measure) -> bool:
    """Whether a term reads rank, label and running sums only, so that all queries share it."""
    return names_in(base.term) <= {"rank", "label", *sums_of(base)}


def by_hits(base: Measure) -> bool:
    """Whether a term reads rank, label and hits only, of documents as they are judged."""
    plain = not base.view.judged_only and not base.view.gains
    return plain and names_in(base.term) <= {"rank", "label", base.column("hits")}


def is_affine(base: Measure) -> bool:
    """Whether a term is a straight line in the running sums that it reads: tried on a grid."""
    return _is_affine(base.uncut)


@lru_cache(maxsize=MEMORY)
def _is_affine(base: Measure) -> bool:
    return is_straight(base.term, sorted(names_in(base.term) & sums_of(base).keys()))


def is_affine_finish(base: Measure) -> bool:
    """Whether the value is a straight line in the sum of the terms."""
    return base.finish is None or is_straight(base.finish, ["total"])


def is_straight_in_value(score: pl.Expr) -> bool:
    """Whether an operator's score is a straight line in the value, given the bounds."""
    bounds = {"upper": [1.0], "expected": [0.3], "worst": [0.0], "spread": [0.1]}
    return is_straight(score, ["value"], [(bounds, [step / 20 for step in range(21)])])


Grid: TypeAlias = tuple[dict[str, list[float]], list[float]]
"""Values of what is fixed, and the steps along what moves."""


def _numbers(*some: range) -> list[float]:
    return [float(number) for numbers in some for number in numbers]


GRIDS: tuple[Grid, ...] = (
    ({"rank": _numbers(range(1, 65)), "label": [0.0, 1.0, 2.0]}, _numbers(range(65))),
    ({"rank": [1.0, 2.0, 10.0], "label": [-1.0, 0.5, 3.0, 4.0, 5.0]}, _numbers(range(21))),
    ({"rank": [100.0, 1000.0], "label": [0.0, 1.0, 2.0]}, _numbers(range(1001))),
)
"""Every rank and number near the top, so that what bends at one place only (`hits == 7`, or where
hits and rank are both 8) is seen; other labels; and far down."""


def is_straight(line: pl.Expr, along: list[str], grids: Iterable[Grid] = GRIDS) -> bool:
    """Whether an expression has no second difference along each of some columns, and all of them.

    Tried at every step, the other columns being fixed at each point of a grid.
    """
    names = names_in(line)
    if not names & set(along):
        return True
    for fixed, steps in grids:
        others = {name: fixed.get(name, [5.0, 2.0]) for name in sorted(names - set(along))}
        # The column of zeros lets there be a grid, and groups, where nothing else is read.
        points = list(product([0.0], *others.values()))
        grid = pl.DataFrame(points, schema=["zero", *others], orient="row")
        moving = pl.DataFrame({"step": steps})
        for path in _paths(along):
            rows = grid.join(moving.select(**path), how="cross")
            if not _is_straight_on(rows, line, others):
                return False
    return True


def _is_straight_on(rows: pl.DataFrame, line: pl.Expr, others: Iterable[str]) -> bool:
    y = pl.col("y")
    bend = (y.diff().diff().abs().max() / y.abs().max().clip(lower_bound=1e-300)).fill_null(0.0)
    found = (
        rows.with_columns(y=line.cast(pl.Float64))
        .group_by("zero", *others)
        .agg(straight=y.is_finite().all() & (bend <= TOLERANCE))
    )
    return bool(found["straight"].all())


def _paths(along: list[str]) -> Iterator[dict[str, pl.Expr]]:
    """One column at a time, the others at 1; then all together, each at a pace of its own."""
    step = pl.col("step")
    for moving in along:
        yield {name: step if name == moving else pl.lit(1.0) for name in along}
    if len(along) > 1:
        yield {name: step * pace for pace, name in enumerate(along, start=2)}
