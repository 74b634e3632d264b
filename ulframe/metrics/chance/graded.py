"""Expectations of metrics of graded relevance, most of them along the ideal ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ulframe.metrics.chance.sums import RANK, back, down_to, of_each

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure

N, M = pl.col("n"), pl.col("m")
LABEL, COUNT, JUDGED = pl.col("label"), pl.col("count"), pl.col("judged")
DISCOUNT = 1 / (RANK + 1).log(2)
GAIN, GAINING = pl.col("pool_gain"), pl.col("pool_gaining")


def rbp(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """(1 - p^m) times the mean gain."""
    highest = pl.col("labels").list.max().clip(lower_bound=1)
    reading = 1 - measure.number("p") ** M.cast(pl.Float64)
    return pools.select(reading * GAIN / N / highest).to_series()


def ndcg_rel(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """What `ndcg_rel`'s term is expected to be at each rank, given the label there.

    Above rank i, a gain is (G - g)/(n - 1) in expectation and a document gains with chance
    (R - 1)/(n - 1). Below rank R, where nDCG and the rest divide alike, little remains.
    """
    above = (GAINING - 1).clip(lower_bound=0) / (N - 1).clip(lower_bound=1)
    ladder = _ideal_ladder(pools, n=N, above=above, gain=GAIN / N)
    before = pl.col("discount").cum_sum().over("pool") - pl.col("discount")
    here = pl.col("gain") * (pl.col("discount") + pl.col("above") * before)
    inverse = 1 / pl.col("idcg") - 1 / pl.col("idcg").last().over("pool")
    at_ideal = ladder.with_columns(part=here * inverse).filter(RANK <= N)
    sums = at_ideal.group_by("pool").agg(part=pl.col("part").sum())
    all_idcg = back(pools, ladder.group_by("pool").agg(pl.col("idcg").max()))
    plain, falling = (down_to(pools, N, each) for each in (DISCOUNT, (RANK - 1) * DISCOUNT))
    frame = pools.with_columns(part=back(pools, sums), idcg=all_idcg, plain=plain, falling=falling)
    missing = GAIN / N * (pl.col("gaining") * pl.col("plain") - above * pl.col("falling"))
    total = (pl.col("part") + missing / pl.col("idcg")) / pl.col("gaining")
    return frame.select(pl.when(pl.col("idcg") > 0).then(total).otherwise(0.0)).to_series()


def rndcg(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[DCG@b] is the mean gain times the discounts down to b."""
    ladder = _ideal_ladder(pools, n=N)
    ends = ladder.filter(LABEL.shift(-1).over("pool").fill_null(-1.0) != LABEL)
    ends = ends.with_columns(reach=down_to(ends, pl.min_horizontal("rank", "n"), DISCOUNT))
    levels = ends.group_by("pool").agg(part=(pl.col("reach") / pl.col("idcg")).sum())
    frame = pools.with_columns(
        part=back(pools, levels),
        levels=back(pools, ends.group_by("pool").agg(pl.len().cast(pl.Float64))),
        idcg=back(pools, ends.group_by("pool").agg(pl.col("idcg").max())),
        all=down_to(pools, N, DISCOUNT),
    )
    goes_on = (pl.col("gaining") + 1 < pl.col("retrieved")).cast(pl.Int64)
    total = pl.col("part") + goes_on * pl.col("all") / pl.col("idcg")
    score = GAIN / N * total / (pl.col("levels") + goes_on)
    something = (pl.col("idcg") > 0) & (measure.r > 0)
    return frame.select(pl.when(something).then(score).otherwise(0.0)).to_series()


def _ideal_ladder(pools: pl.DataFrame, **columns: pl.Expr) -> pl.DataFrame:
    """The ranks of the ideal ranking that gain anything: `pool, rank, label, discount, idcg`."""
    return (
        of_each(pools, **columns)
        .filter(LABEL > 0, JUDGED > 0)
        .with_columns(last=JUDGED.cum_sum().over("pool"))
        .with_columns(rank=pl.int_ranges(pl.col("last") - JUDGED + 1, pl.col("last") + 1))
        .explode("rank")
        .with_columns(discount=DISCOUNT)
        .with_columns(idcg=(LABEL * pl.col("discount")).cum_sum().over("pool"))
    )
