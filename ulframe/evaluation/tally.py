"""Sum a metric's terms over a ranking, whether a system made it or it is the ideal one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import polars as pl

from ulframe.metrics.metric import Measure

Frame = TypeVar("Frame", pl.LazyFrame, pl.DataFrame)

RANK = pl.col("rank")


def with_states(frame: Frame, keys: Sequence[str], bases: Iterable[Measure]) -> Frame:
    """Add what the terms read beside rank and label: the states, in rank order of each ranking."""
    columns = {
        base.column(state.name): state.seen(base).over(keys, order_by="rank")
        for base in bases
        for state in base.metric.states
    }
    return frame.with_columns(**columns)


def tally(frame: Frame, keys: Sequence[str], bases: Iterable[Measure]) -> Frame:
    """A row per ranking and a Float64 column per measure, named by it: the sum of its terms.

    In: rows of judged documents with `rank`, `label`, the states and the query's constants.
    """
    return frame.group_by(keys).agg(_total(base).alias(str(base)) for base in bases)


def _total(base: Measure) -> pl.Expr:
    share = (base.metric.term(base) / base.divisor).cast(pl.Float64)
    if base.depth is None:
        return share.sum()
    # A `when` keeps one group-by for all cutoffs, where `filter` would fork the plan for each.
    return pl.when(base.depth >= RANK).then(share).otherwise(0.0).sum()
