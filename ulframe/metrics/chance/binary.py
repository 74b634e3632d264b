"""Expectations of metrics of binary relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ulframe.metrics.chance.sums import RANK, down_to, drawn

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure

N, M = pl.col("n"), pl.col("m")


def independent_precisions(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[SP@k] as the paper's equations have it, m (r/n)^2, over what the measure divides by.

    They take a precision and the relevance at its rank as independent, which they are not.
    """
    p = measure.of("pool_r") / N
    return pools.select(M * p**2 / measure.divisor).to_series()


def reciprocal_rank(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[RR] = sum of (q_{i-1} - q_i) / i, with q_i the chance that the first i hold nothing."""
    if measure.k is None:
        return _reciprocal_rank_of_all(measure, pools)
    first_here = pl.col("before") - pl.col("none_yet")
    return _by_rank(pools, measure.of("pool_r"), (first_here / RANK).sum()).fill_null(0.0)


def _reciprocal_rank_of_all(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """Down to rank n the sum is r / (n - r + 1) (H_n - H_{r-1}), H the harmonic numbers."""
    r = measure.of("pool_r")
    upper, lower = (down_to(pools, last.clip(lower_bound=0), 1 / RANK) for last in (N, r - 1))
    return pools.select(
        pl.when(r > 0).then(r / (N - r + 1) * (upper - lower)).otherwise(0.0)
    ).to_series()


def reciprocal_rank_variance(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[RR^2] - E[RR]^2, both of the distribution of the first relevant document's rank."""
    first_here = pl.col("before") - pl.col("none_yet")
    square = _by_rank(pools, measure.of("pool_r"), (first_here / RANK**2).sum()).fill_null(0.0)
    return square - reciprocal_rank(measure, pools) ** 2


def success(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[Success@k] = 1 - q_m, the chance that the first m hold something relevant."""
    return 1 - _none_of(pools, measure.of("pool_r"))


def success_variance(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """That of an event: q_m (1 - q_m)."""
    none = _none_of(pools, measure.of("pool_r"))
    return none * (1 - none)


def accuracy(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """Of the first m any pair is in order with chance 1/2; where all are relevant it is 1."""
    r = measure.of("pool_r")
    all_relevant, none = _none_of(pools, N - r), _none_of(pools, r)
    mixed = 1 - all_relevant - none
    return pools.select(pl.when(M > 0).then(all_relevant + mixed / 2).otherwise(0.0)).to_series()


def accuracy_variance(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """That of Mann and Whitney's U (1947) given f relevant among the first m, spread over f.

    Over the pairs in order it is (m + 1) / (12 f (m - f)), about a mean of 1/2; f is
    hypergeometric, and 0 or all relevant score 0 or 1.
    """
    keys = pools.select(n=N, m=M, r=measure.of("pool_r"))
    known = {key: _accuracy_variance(*key) for key in keys.unique().iter_rows()}
    return pl.Series([known[key] for key in keys.iter_rows()], dtype=pl.Float64)


def _accuracy_variance(n: int, m: int, r: int) -> float:
    import numpy as np

    if m == 0:
        return 0.0
    chances = drawn(n, r, np.array([m]))[0]
    found = np.arange(r + 1)
    mixed = (found > 0) & (found < m)
    pairs = np.where(mixed, found * (m - found), 1)
    mean = np.where(mixed, 0.5, found == m)
    within = np.where(mixed, (m + 1) / (12 * pairs), 0.0)
    return float(chances @ (within + (mean - chances @ mean) ** 2))


def _none_of(pools: pl.DataFrame, kind: pl.Expr) -> pl.Series:
    """The chance that the first m hold none of so many documents."""
    return _by_rank(pools, kind, pl.col("none_yet").last()).fill_null(1.0)


def _by_rank(pools: pl.DataFrame, kind: pl.Expr, total: pl.Expr) -> pl.Series:
    """Made of `before` and `none_yet`, the chance of none of a kind above and at ranks 1..m.

    Pools of one size and as many documents of the kind share a ladder. Null where m is 0.
    """
    keys = pools.select("m", n=N, r=kind)
    ladders = (
        keys.unique()
        .with_columns(rank=pl.int_ranges(1, M + 1))
        .explode("rank")
        .drop_nulls("rank")
        .with_columns(miss=((N - pl.col("r") - RANK + 1) / (N - RANK + 1)).clip(0, 1))
        .sort("rank")
        .with_columns(none_yet=pl.col("miss").cum_prod().over("m", "n", "r"))
        .with_columns(before=pl.col("none_yet").shift(1, fill_value=1.0).over("m", "n", "r"))
        .group_by("m", "n", "r", maintain_order=True)
        .agg(total=total)
    )
    return keys.join(ladders, on=["m", "n", "r"], how="left", maintain_order="left")["total"]


def preferred_wrongly(measure: Measure, misses: pl.Expr) -> pl.Expr:
    """The share of the first b = min(r, N) judged non-relevant documents that stand above."""
    most = pl.min_horizontal(measure.r, measure.of("nonrel"))
    return pl.min_horizontal(misses, most) / most.clip(lower_bound=1)


def bpref(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """A relevant document has 0..N of the pool's N judged non-relevant above it, all alike likely.

    So E[min(misses, b)] = (c (c + 1) / 2 + b (N - c)) / (N + 1), with c = min(b, N).
    """
    b = pl.min_horizontal(measure.r, measure.of("nonrel"))
    above = measure.of("pool_nonrel")
    c = pl.min_horizontal(b, above)
    misses = (c * (c + 1) / 2 + b * (above - c)) / (above + 1)
    kept = 1 - misses / b.clip(lower_bound=1)
    return pools.select(measure.of("pool_r") * kept / measure.r_at_least_1).to_series()


def bpref_variance(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """That of a sum over relevant documents of what the judged non-relevant ones above leave."""
    b = pl.min_horizontal(measure.r, measure.of("nonrel")).clip(lower_bound=1)
    above = measure.of("pool_nonrel")
    c = pl.min_horizontal(b, above)  # numbers above that leave anything, 0 among them
    first = c + 1 - c * (c + 1) / 2 / b
    second = c + 1 - c * (c + 1) / b + c * (c + 1) * (2 * c + 1) / 6 / b**2
    return pools.select(_variance_over_others(measure, above, first, second)).to_series()


def _variance_over_others(
    measure: Measure, others: pl.Expr, first: pl.Expr, second: pl.Expr
) -> pl.Expr:
    """Of the mean over relevant documents of f(i), with i of the `others` above, 0 to all.

    Each i is alike likely, and so are i <= j of two relevant documents; `first` and `second` are
    the sums of f(i) and of its square. So E[f(i) f(j)] = (first^2 + second)/((N + 1)(N + 2)).
    """
    r = measure.of("pool_r").cast(pl.Float64)
    both = (first**2 + second) / ((others + 1.0) * (others + 2.0))
    square = r * second / (others + 1) + r * (r - 1) * both
    return (square - (r * first / (others + 1)) ** 2) / measure.r_at_least_1**2


def bin_g(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """As for bpref: 0..N others above, all alike likely, of which each number has its discount."""
    others = N - measure.of("pool_r")
    discounts = down_to(pools, others + 1, 1 / (RANK + 1).log(2))
    return pools.select(
        measure.of("pool_r") / measure.r_at_least_1 * discounts / (others + 1)
    ).to_series()


def bin_g_variance(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """That of a sum over relevant documents of the discounts of all others above."""
    others = N - measure.of("pool_r")
    discount = 1 / (RANK + 1).log(2)
    sums = pools.with_columns(
        first=down_to(pools, others + 1, discount), second=down_to(pools, others + 1, discount**2)
    )
    first, second = pl.col("first"), pl.col("second")
    return sums.select(_variance_over_others(measure, others, first, second)).to_series()


def set_ap_variance(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """That of hits^2, by the factorial moments of the hypergeometric number of hits."""
    r, moment, moments = measure.of("pool_r"), pl.lit(1.0), []
    for taken in range(4):
        left = (N - taken).clip(lower_bound=1)
        moment *= (M - taken).clip(lower_bound=0) * (r - taken).clip(lower_bound=0) / left
        moments.append(moment)
    once, twice, thrice, four_times = moments
    square, fourth = twice + once, four_times + 6 * thrice + 7 * twice + once
    return pools.select((fourth - square**2) / measure.divisor**2).to_series()
