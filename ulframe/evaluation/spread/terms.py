"""Terms as tables: what documents of one label add at each rank, by how many stand above."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from ulframe.evaluation.expectation.ranks import slices as in_slices
from ulframe.evaluation.ladders import ladder
from ulframe.evaluation.values import with_ladder
from ulframe.metrics.inputs import RunningSum
from ulframe.metrics.laws import names_in
from ulframe.metrics.measure import Measure

if TYPE_CHECKING:
    from ulframe.metrics.chance.sums import Array


def terms_by_rank(
    base: Measure, rows: pl.DataFrame, pools: pl.DataFrame, count: RunningSum | None = None
) -> tuple[pl.DataFrame, list[Array]]:
    """The rows with `cell`, the place of their terms in the list.

    In: rows of pools and labels with `m`, how many ranks count, the constants of the query, and
    `marked`, how many documents the pool has that `count` counts; of a measure whose term reads no
    other state. Terms are an array by rank, to m at least, and by how many documents above are
    counted (one column where there is no count). Rows alike in what is read share their terms.
    """
    import numpy as np

    own = ["pool", "gaining"] if base.ladder else []
    read = [name for name in rows.columns if name in names_in(base.term)]
    keys = list(dict.fromkeys(["label", *read, *own]))
    most = pl.lit(0) if count is None else pl.col("marked").max()
    distinct = (
        rows.group_by(keys)
        .agg(deepest=pl.col("m").max(), most=pl.min_horizontal(pl.col("m").max(), most))
        .with_row_index("cell")
    )
    terms: list[Array] = []
    for some in slices(base, distinct, pl.col("deepest") * (1 + pl.col("most"))):
        laid_out = _laid_out(base, some, pools, count).collect(engine="in-memory")
        by_cell = laid_out.partition_by("cell", as_dict=True, include_key=False)
        for cell, deepest, most_here in some.select("cell", "deepest", "most").iter_rows():
            table = np.zeros((deepest, most_here + 1))
            if deepest:
                rank, above, term = by_cell[(cell,)].to_numpy().T
                table[rank.astype(int) - 1, above.astype(int)] = term
            terms.append(table)
    return rows.join(distinct.drop("deepest", "most"), on=keys), terms


def _laid_out(
    base: Measure, cells: pl.DataFrame, pools: pl.DataFrame, count: RunningSum | None
) -> pl.LazyFrame:
    """`cell, rank, above, term`."""
    rows = (
        cells.lazy()
        .with_columns(rank=pl.int_ranges(1, pl.col("deepest") + 1))
        .explode("rank")
        .drop_nulls("rank")
    )
    if base.ladder:
        rows = with_ladder(rows, ladder(pools.lazy()), ["pool"], [base])
    if count is None:
        rows = rows.with_columns(above=0)
    else:
        fewest = pl.min_horizontal(pl.col("rank") - 1, "most")
        rows = rows.with_columns(above=pl.int_ranges(0, fewest + 1)).explode("above")
        rows = rows.with_columns((pl.col("above") + count.each).alias(count.name))
    return rows.select("cell", "rank", "above", term=base.term)


def slices(base: Measure, distinct: pl.DataFrame, size: pl.Expr) -> Iterator[pl.DataFrame]:
    """The rows in slices of which as many as `size` says may be laid out for each."""
    what = f"how far chance takes {base} in pools of so many documents needs"
    return in_slices(distinct, size, base, what)
