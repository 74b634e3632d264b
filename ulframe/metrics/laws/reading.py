"""What the formulas of a declaration read, and whether they are straight lines in it: by trial."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

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
    """What is one number for a query, or for a rank and label of it."""
    ladder = {f"ideal:{state.name}" for state in base.ladder}
    return {"retrieved", "place", *(total.name for total in base.totals), *ladder}


def reads_ranking_alone(base: Measure) -> bool:
    """Whether a term reads rank, label and running sums only, so that all queries share it."""
    return names_in(base.term) <= {"rank", "label", *sums_of(base)}


def by_hits(base: Measure) -> bool:
    """Whether a term reads rank, label and hits only, of documents as they are judged."""
    plain = not base.view.judged_only and not base.view.gains
    return plain and names_in(base.term) <= {"rank", "label", base.column("hits")}


@lru_cache(maxsize=MEMORY)
def is_affine(base: Measure) -> bool:
    """Whether a term is a straight line in the running sums that it reads: tried on a grid."""
    return is_straight(base.term, sorted(names_in(base.term) & sums_of(base).keys()))


def is_affine_finish(base: Measure) -> bool:
    """Whether the value is a straight line in the sum of the terms."""
    return base.finish is None or is_straight(base.finish, ["total"])


def is_straight_in_value(score: pl.Expr) -> bool:
    """Whether an operator's score is a straight line in the value, given the bounds."""
    values = {"upper": [1.0], "expected": [0.3], "worst": [0.0], "spread": [0.1]}
    return is_straight(score, ["value"], values, [step / 20 for step in range(21)])


def is_straight(
    line: pl.Expr,
    along: list[str],
    fixed: dict[str, list[float]] | None = None,
    steps: list[float] | None = None,
) -> bool:
    """Whether there is no second difference along a column, nor along all of them together.

    They are tried at every whole number that they could have at the ranks of a grid, so that what
    bends at one number only (`hits == 7`) is seen.
    """
    names = names_in(line)
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
