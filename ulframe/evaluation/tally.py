"""Sum a metric's terms over a ranking, whether a system made it or it is the ideal one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import polars as pl

from ulframe.metrics.metric import Measure
from ulframe.metrics.states import State

Frame = TypeVar("Frame", pl.LazyFrame, pl.DataFrame)

RANK = pl.col("rank")


def with_states(frame: Frame, keys: Sequence[str], states: Iterable[State]) -> Frame:
    """Add what terms read beside rank and label: the states, in rank order of each ranking."""
    return frame.with_columns([_over(keys, state) for state in dict.fromkeys(states)])


def _over(keys: Sequence[str], state: State) -> pl.Expr:
    return state.seen.over([*keys, *state.within], order_by="rank").alias(state.name)


def states_of(bases: Iterable[Measure]) -> list[State]:
    """The states that the terms read of the ranking itself."""
    return [state for base in bases for state in base.metric.states(base)]


def with_ladder(frame: Frame, ideal: Frame, keys: list[str], bases: Iterable[Measure]) -> Frame:
    """Add `ideal:STATE`, what the ideal ranking's states are at the rank of a row, or at its end.

    In: `frame` with `rank` and `gaining`, the last rank of the ideal ranking; `ideal` with
    `rank`, `label`, its documents that gain anything.
    """
    states = [state for base in bases for state in base.metric.ladder(base)]
    if not states:
        return frame
    names = {state.name: f"ideal:{state.name}" for state in states}
    ladder = with_states(ideal.select(*keys, "rank", "label"), keys, states)
    steps = ladder.select(*keys, pl.col(names).name.prefix("ideal:"), step="rank")
    at = pl.min_horizontal("rank", "gaining").cast(pl.Int64)
    return frame.with_columns(step=at).join(steps, on=[*keys, "step"], how="left").drop("step")


def tally(frame: Frame, keys: Sequence[str], bases: Iterable[Measure]) -> Frame:
    """A row per ranking and a Float64 column per measure, named by it: the sum of its terms.

    In: rows of judged documents with `rank`, `label`, the states and the totals.
    """
    return frame.group_by(keys).agg(_total(base, pl.Expr.sum) for base in bases)


def tally_in_order(frame: Frame, keys: Sequence[str], bases: Iterable[Measure]) -> Frame:
    """As `tally`, summing from the first rank down, so that the last bits are always the same."""
    ordered = frame.sort(*keys, "rank").group_by(keys, maintain_order=True)
    return ordered.agg(_total(base, lambda term: term.cum_sum().last()) for base in bases)


def _total(base: Measure, add: Callable[[pl.Expr], pl.Expr]) -> pl.Expr:
    term = base.metric.term(base).cast(pl.Float64)
    if base.depth is not None:
        # A `when` keeps one group-by for all cutoffs, where `filter` would fork the plan for each.
        term = pl.when(base.depth >= RANK).then(term).otherwise(0.0)
    # Dividing once is exact where terms are whole numbers; `per` is one number a ranking.
    return (add(term) / base.divisor.first()).cast(pl.Float64).alias(str(base))
