"""Sums over ranks that pools share, and the hypergeometric distribution."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]

RANK = pl.col("rank")
CELLS = 4_000_000  # numbers of a distribution that are held at once


def down_to(pools: pl.DataFrame, last: pl.Expr, each: pl.Expr) -> pl.Series:
    """The sum of `each`, an expression over `rank`, from rank 1 to `last`: one number a pool."""
    ends = pools.select(last.cast(pl.Int64)).to_series()
    deepest = int(ends.max() or 0)  # type: ignore[arg-type]
    found, above = {0: 0.0}, 0.0
    for start in range(1, deepest + 1, CELLS):
        ranks = pl.int_range(start, min(start + CELLS, deepest + 1), eager=True)
        each_rank = pl.DataFrame({"rank": ranks}).select(each.cast(pl.Float64))
        sums = each_rank.to_series().cum_sum() + above
        here = ends.filter(ends.is_between(start, start + len(ranks) - 1)).unique()
        found |= zip(here, sums.gather(here - start), strict=True)
        above = sums[-1]
    return ends.replace_strict(found, return_dtype=pl.Float64)


def of_each(pools: pl.DataFrame, **columns: pl.Expr) -> pl.DataFrame:
    """A row per pool and label: `pool, label, count, judged`, and columns."""
    lists = {"label": "labels", "count": "counts", "judged": "judged"}
    return pools.select("pool", **lists, **columns).explode(*lists)


def back(pools: pl.DataFrame, sums: pl.DataFrame) -> pl.Series:
    """The second column of `sums` in the order of the pools, by `pool`; 0 where one is missing."""
    joined = pools.select("pool").join(sums, on="pool", how="left", maintain_order="left")
    return joined.to_series(1).fill_null(0.0)


def drawn(n: int, marked: int, draws: Array, most: int | None = None) -> Array:
    """P(t of the `marked` documents among that many drawn of n), a row per number of draws.

    A column for each t down to `most`, by default to all that are marked.
    """
    import numpy as np

    log = log_factorials(n)
    last = marked if most is None else min(most, marked)
    t, j = np.arange(last + 1), draws[:, None].astype(int)
    fits = (t <= j) & (j - t <= n - marked)
    rest = np.where(fits, j - t, 0)
    left = np.where(fits, n - marked - rest, 0)
    ways = log[marked] - log[t] - log[marked - t] + log[n - marked] - log[rest] - log[left]
    return np.exp(np.where(fits, ways - (log[n] - log[j] - log[n - j]), -np.inf))


@lru_cache(maxsize=8)
def log_factorials(n: int) -> Array:
    """log(0!), log(1!), ... log(n!)."""
    import numpy as np

    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])


def in_slices(first: int, last: int, width: int) -> Iterator[Array]:
    """The whole numbers from first to last, as arrays that together with `width` fit in memory."""
    import numpy as np

    step = max(1, CELLS // max(width, 1))
    for start in range(first, last + 1, step):
        yield np.arange(start, min(start + step, last + 1))
