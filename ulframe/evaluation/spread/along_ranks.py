"""Variances rank by rank, of terms that read the rank and one count and see two kinds of documents.

Of the first i - 1 documents h are counted, which is all that matters for what comes next: the next
is counted with chance (marked - h) / (n - i + 1). So for each h the chance of it, and what the sum
of terms and its square are there, go down the ranks together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import polars as pl

from ulframe.evaluation.expectation.linearity import with_pool_sums
from ulframe.evaluation.expectation.ranks import ranks
from ulframe.evaluation.ladders import LISTS
from ulframe.evaluation.spread.terms import slices, terms_by_rank
from ulframe.metrics.laws import AlongRanks, names_in, spread_of
from ulframe.metrics.measure import Measure

if TYPE_CHECKING:
    from ulframe.metrics.chance.sums import Array


def along_ranks(base: Measure, cells: pl.LazyFrame, pools: pl.DataFrame) -> pl.DataFrame:
    """`pool, variance` of the sum of the terms.

    Raises `BadUsage` where a pool is too large for that.
    """
    how = cast(AlongRanks, spread_of(base))
    rows = (
        pools.lazy()
        .drop(LISTS)
        .with_columns(ranks(base))
        .join(with_pool_sums(cells, [base]), on="pool")
        .rename({f"all:{how.count.name}": "marked"})
        .collect(engine="in-memory")
    )
    read = [name for name in rows.columns if name in names_in(base.term)]
    keys = list(dict.fromkeys(["m", "marked", "n", *read]))
    distinct = rows.select(keys).unique().sort(keys)
    width = pl.min_horizontal("m", "marked") + 1
    known = [
        some.with_columns(variance=pl.Series(_variances(base, some, _kinds(how, cells))))
        for some in slices(base, distinct, pl.col("m") * width)
    ]
    return rows.join(pl.concat(known), on=keys).select("pool", "variance")


def _kinds(how: AlongRanks, cells: pl.LazyFrame) -> pl.DataFrame:
    """`counted`, 0 or 1, and `label`, any that is of that kind."""
    kinds = cells.select("label", counted=how.count.each.cast(pl.Int64))
    return kinds.collect(engine="in-memory").unique("counted", keep="any")


def _variances(base: Measure, pools: pl.DataFrame, kinds: pl.DataFrame) -> Array:
    """The variance of each of the pools, which go down the ranks together."""
    import numpy as np

    n, marked, m = (pools[name].to_numpy()[:, None] for name in ("n", "marked", "m"))
    terms = _terms(base, pools, kinds)
    h = np.arange(terms.shape[-1])
    moments = np.zeros((3, len(n), len(h)))  # chance, and with it the sum and its square
    moments[0, :, 0] = 1
    for above, (uncounted, counted) in enumerate(terms):
        share = np.clip((marked - h) / np.maximum(n - above, 1), 0, 1)
        stay, move = (1 - share) * _added(moments, uncounted), share * _added(moments, counted)
        stay[:, :, 1:] += move[:, :, :-1]
        moments = np.where(above < m, stay, moments)
    _, first, second = moments.sum(axis=2)
    return np.asarray(second - first**2)


def _added(moments: Array, term: Array) -> Array:
    """The moments after a term is added."""
    import numpy as np

    chance, first, second = moments
    return np.stack([chance, first + term * chance, second + term * (2 * first + term * chance)])


def _terms(base: Measure, pools: pl.DataFrame, kinds: pl.DataFrame) -> Array:
    """The terms by rank, kind, pool, and how many documents above are counted."""
    import numpy as np

    count = cast(AlongRanks, spread_of(base)).count
    rows = pools.with_row_index("place").join(kinds, how="cross")
    rows, tables = terms_by_rank(base, rows, pools, count)
    deepest, widest = (max(table.shape[axis] for table in tables) for axis in (0, 1))
    terms = np.zeros((deepest, 2, pools.height, widest))
    for place, kind, cell in rows.select("place", "counted", "cell").iter_rows():
        table = tables[cell]
        terms[: len(table), kind, place, : table.shape[1]] = table
    return terms
