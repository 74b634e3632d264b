"""Expectations by the exact distribution of a count, of terms that bend in it.

Given a document at rank i, the i - 1 above it are drawn of the other n - 1; how many of these the
count has is hypergeometric. So the expectation is the sum over ranks i, labels and numbers h of
P(label at i, count = h) * term(i, label, h), laid out row by row. Terms that are affine, but read
what differs from query to query (totals, the ideal ranking), need no numbers but the mean.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from ulframe.evaluation.expectation.linearity import density, running_sums, with_pool_sums
from ulframe.evaluation.expectation.ranks import ranks, slices
from ulframe.evaluation.ladders import LISTS, ladder
from ulframe.evaluation.values import with_ladder
from ulframe.metrics.inputs import RunningSum
from ulframe.metrics.laws import Distributed, expectation_of
from ulframe.metrics.measure import Measure

RANK, COUNT, JUDGED, N = pl.col("rank"), pl.col("count"), pl.col("judged"), pl.col("n")


def by_distribution(base: Measure, cells: pl.LazyFrame, pools: pl.DataFrame) -> pl.LazyFrame:
    """The sum over ranks, labels and numbers of their chance times the term there.

    In: as of `by_linearity`. Out: `pool` and `expected:NAME`, over what divides it. Raises
    `BadUsage` where a pool is too large for that.
    """
    rows = cells_of(base, cells, pools)
    distinct = rows.select(_keys(base, rows)).unique().with_row_index("cell")
    each = [_expected_there(base, some, pools) for some in _slices(base, distinct)]
    known = distinct.join(pl.concat(each), on="cell", how="left").drop("cell")
    return (
        rows.join(known, on=_keys(base, rows), how="left")
        .group_by("pool")
        .agg((pl.col("each").fill_null(0.0) * COUNT / N / base.divisor).sum())
        .rename({"each": f"expected:{base}"})
        .lazy()
    )


def cells_of(base: Measure, cells: pl.LazyFrame, pools: pl.DataFrame) -> pl.DataFrame:
    """A row per pool and label that adds anything, with all that is constant for a query."""
    sized = pools.lazy().drop(LISTS).with_columns(ranks(base))
    return (
        cells.drop("retrieved", strict=False)
        .with_columns(place=JUDGED.cum_sum().over("pool") - JUDGED + 1)
        .filter(COUNT > 0, base.metric.adds)
        .join(sized, on="pool")
        .join(with_pool_sums(cells, [base]), on="pool")
        .collect(engine="in-memory")
    )


def _keys(base: Measure, rows: pl.DataFrame) -> list[str]:
    """What the expected terms depend on: pools that are alike in it share them."""
    sums = [f"all:{state.name}" for state in running_sums([base])]
    read = [name for name in rows.columns if name in base.reads - {"label"}]
    own = ["pool", "gaining"] if base.ladder else []
    return list(dict.fromkeys(["label", "n", "m", *sums, *read, *own]))


def _counted(base: Measure) -> RunningSum | None:
    """The count whose distribution is needed; None where means will do."""
    how = expectation_of(base)
    return how.count if isinstance(how, Distributed) else None


def _above(count: RunningSum | None) -> pl.Expr:
    """How many of the other documents have what is counted."""
    if count is None:
        return pl.lit(0)
    return (pl.col(f"all:{count.name}") - count.each).cast(pl.Int64)


def _slices(base: Measure, distinct: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The cells in slices that can be laid out at once."""
    wide = 1 + pl.min_horizontal(_above(_counted(base)), "m")
    most = distinct.select(pl.col("n").max()).item()
    what = f"the expectation of {base} in a pool of {most} documents takes"
    return slices(distinct, pl.col("m") * wide, base, what)


def _expected_there(base: Measure, cells: pl.DataFrame, pools: pl.DataFrame) -> pl.DataFrame:
    """`cell, each`: the sum over ranks of the term expected of a document of that label there."""
    laid_out = (
        cells.lazy()
        .with_columns(rank=pl.int_ranges(1, pl.col("m") + 1))
        .explode("rank")
        .drop_nulls("rank")
    )
    if base.ladder:
        laid_out = with_ladder(laid_out, ladder(pools.lazy()), ["pool"], [base])
    count = _counted(base)
    if count is None:
        means = (s.each + (RANK - 1) * density(s) for s in running_sums([base]))
        names = (s.name for s in running_sums([base]))
        spread = laid_out.with_columns(chance=1.0, **dict(zip(names, means, strict=True)))
    else:
        spread = _spread(laid_out, count)
    summed = spread.group_by("cell").agg(each=(base.term * pl.col("chance")).sum())
    return summed.collect(engine="in-memory")


def _spread(rows: pl.LazyFrame, count: RunningSum) -> pl.LazyFrame:
    """A row for each number that the count may have there, and its hypergeometric `chance`."""
    drawn, others, marked, h = RANK - 1, N - 1, pl.col("marked"), pl.col("h")
    fewest = (drawn - (others - marked)).clip(lower_bound=0)
    most = pl.min_horizontal(drawn, marked)
    log = (
        _log_choose(marked, h)
        + _log_choose(others - marked, drawn - h)
        - _log_choose(others, drawn)
    )
    return (
        rows.with_columns(marked=_above(count))
        .with_columns(h=pl.int_ranges(fewest, most + 1))
        .explode("h")
        .with_columns(chance=log.exp(), **{count.name: h + count.each})
    )


def _log_choose(n: pl.Expr, k: pl.Expr) -> pl.Expr:
    return _log_factorial(n) - _log_factorial(k) - _log_factorial(n - k)


def _log_factorial(n: pl.Expr) -> pl.Expr:
    def look_up(numbers: pl.Series) -> pl.Series:
        last = numbers.max()
        steps = pl.int_range(0, (int(last) if isinstance(last, int) else 0) + 1, eager=True)
        return steps.clip(lower_bound=1).log().cum_sum().gather(numbers)

    return n.map_batches(look_up, pl.Float64, is_elementwise=True)
