"""Terms laid out by rank: what documents of one label add at each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from ulframe.evaluation.ladders import ladder
from ulframe.evaluation.values import with_ladder
from ulframe.frames.errors import BadUsage
from ulframe.metrics.laws import names_in
from ulframe.metrics.measure import Measure

if TYPE_CHECKING:
    from ulframe.metrics.chance.sums import Array

AT_ONCE = 4_000_000  # rows that are laid out at once
TOO_MANY = 500_000_000  # rows that would take minutes and more


def terms_by_rank(
    base: Measure, rows: pl.DataFrame, pools: pl.DataFrame
) -> tuple[pl.DataFrame, list[Array]]:
    """The rows with `cell`, the place of their terms in the list: an array by rank, to m at least.

    In: rows of pools and labels with their `m` and the constants of the query, of a measure that
    reads these, rank and label alone. Rows that are alike in what it reads share their terms.
    """
    import numpy as np

    read = [name for name in rows.columns if name in names_in(base.term) - {"label"}]
    keys = ["label", *read, *(["pool", "gaining"] if base.ladder else [])]
    keys = list(dict.fromkeys(keys))
    distinct = rows.group_by(keys).agg(deepest=pl.col("m").max()).with_row_index("cell")
    terms: list[Array] = []
    for some in slices(base, distinct, pl.col("deepest")):
        laid_out = (
            some.lazy()
            .with_columns(rank=pl.int_ranges(1, pl.col("deepest") + 1))
            .explode("rank")
            .drop_nulls("rank")
        )
        if base.ladder:
            laid_out = with_ladder(laid_out, ladder(pools.lazy()), ["pool"], [base])
        each = laid_out.sort("cell", "rank").select(base.term).collect(engine="in-memory")
        ends = some["deepest"].cum_sum().to_numpy()
        terms += np.split(each.to_series().to_numpy(), ends[:-1])
    return rows.join(distinct.drop("deepest"), on=keys), terms


def slices(base: Measure, distinct: pl.DataFrame, size: pl.Expr) -> Iterator[pl.DataFrame]:
    """The rows in slices of which as many as `size` says may be laid out for each.

    Raises `BadUsage` where that is too many.
    """
    sized = distinct.with_columns(size=size.cast(pl.Int64))
    if (sized["size"] > TOO_MANY).any():
        raise BadUsage(
            f"the spread of {base} in a pool of so many documents takes too many steps: give a "
            f"cutoff, as in {base.metric.name}@1000"
        )
    block = pl.col("size").cum_sum() // AT_ONCE
    yield from sized.with_columns(block=block).partition_by("block", include_key=False)
