"""Expectations under a uniformly random ranking that do not follow from a term by linearity.

Each function takes a measure and the frame of pools, and gives one expectation a row (Float64).
A pool is the set of documents that a random ranking shuffles; a row of that frame has

- `n`: how many documents the pool holds, and `m`: how many ranks of it count, min(depth, n);
- `labels`, `counts`: its histogram, two lists of one length;
- `pool_r[rel]`, `pool_nonrel[rel]`: its relevant, and its judged but not relevant, documents;
- `r[rel]`, `nonrel[rel]`: the same of the qrels, by which values are normalised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from ulframe.metrics.metric import Measure

RANK = pl.col("rank")


def independent_precisions(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[SP@k] as the paper's equations have it, m (r/n)^2, over what the measure divides by.

    They take a precision and the relevance at its rank as independent, which they are not.
    """
    p = measure.of("pool_r") / pl.col("n")
    return pools.select(pl.col("m") * p**2 / measure.divisor).to_series()


def reciprocal_rank(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[RR] = sum of (q_{i-1} - q_i) / i, with q_i the chance that the first i hold nothing."""
    if measure.k is None:
        return _reciprocal_rank_of_all(measure, pools)
    first_here = pl.col("before") - pl.col("none_yet")
    return _by_rank(measure, pools, (first_here / RANK).sum())


def _reciprocal_rank_of_all(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """Down to rank n the sum is r / (n - r + 1) (H_n - H_{r-1}), H the harmonic numbers."""
    n, r = pl.col("n"), measure.of("pool_r")
    harmonic = pools.select(
        (1 / pl.int_range(0, n.max() + 1).replace(0, None)).fill_null(0).cum_sum()
    ).to_series()
    upper, lower = (harmonic.gather(pools.select(i.clip(0)).to_series()) for i in (n, r - 1))
    return pools.select(
        pl.when(r > 0).then(r / (n - r + 1) * (upper - lower)).otherwise(0.0)
    ).to_series()


def success(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[Success@k] = 1 - q_m, the chance that the first m hold something relevant."""
    return _by_rank(measure, pools, 1 - pl.col("none_yet").last())


def _by_rank(measure: Measure, pools: pl.DataFrame, total: pl.Expr) -> pl.Series:
    """Sum over the ranks 1..m of each pool, given q before and at each rank.

    Pools of one size and as many relevant documents share a ladder.
    """
    n, r = pl.col("n"), measure.of("pool_r")
    keys = pools.select("m", n=n, r=r)
    ladders = (
        keys.unique()
        .with_columns(rank=pl.int_ranges(1, pl.col("m") + 1))
        .explode("rank")
        .with_columns(miss=((n - pl.col("r") - RANK + 1) / (n - RANK + 1)).clip(0, 1))
        .sort("rank")
        .with_columns(none_yet=pl.col("miss").cum_prod().over("m", "n", "r"))
        .with_columns(before=pl.col("none_yet").shift(1, fill_value=1.0).over("m", "n", "r"))
        .group_by("m", "n", "r", maintain_order=True)
        .agg(total=total)
    )
    joined = keys.join(ladders, on=["m", "n", "r"], how="left", maintain_order="left")
    return joined["total"].fill_null(0.0)


def preferred_wrongly(measure: Measure, misses: pl.Expr) -> pl.Expr:
    """The share of the first b = min(r, N) judged non-relevant documents that stand above."""
    most = pl.min_horizontal(measure.of("r"), measure.of("nonrel"))
    return pl.min_horizontal(misses, most) / most.clip(lower_bound=1)


def bpref(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """A relevant document has 0..N of the pool's N judged non-relevant above it, all alike likely.

    So E[min(misses, b)] = (c (c + 1) / 2 + b (N - c)) / (N + 1), with c = min(b, N).
    """
    b = pl.min_horizontal(measure.of("r"), measure.of("nonrel"))
    above = measure.of("pool_nonrel")
    c = pl.min_horizontal(b, above)
    misses = (c * (c + 1) / 2 + b * (above - c)) / (above + 1)
    kept = 1 - misses / b.clip(lower_bound=1)
    return pools.select(measure.of("pool_r") * kept / measure.r).to_series()
