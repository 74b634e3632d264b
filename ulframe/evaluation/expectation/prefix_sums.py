"""Sums of terms down to a rank, which all queries share.

A term affine in `hits` is `at + per_hit * hits`; its values at 0 and at 1 hits tell both `PARTS`,
and with `per_hit * rank` beside them the sum for any hits that are a straight line in the rank.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics import inputs
from ulframe.metrics.measure import Measure

RANK = pl.col("rank")
PARTS = ("at", "per_hit", "per_hit_rank")

AT_ONCE = 1_000_000  # ranks that are laid out at once
TOO_DEEP = 1_000_000_000  # ranks that would take minutes and more


def prefix_sums(
    bases: Sequence[Measure], labels: pl.LazyFrame, deepest: pl.LazyFrame
) -> pl.LazyFrame:
    """`label, rank`, and the sums down to that rank of each term's `PARTS`.

    In: the labels there are, and rows whose `m` says how deep.
    """
    ranks = deepest.select(rank=pl.int_range(1, pl.col("m").max() + 1))
    return _parts(bases, labels.join(ranks, how="cross")).with_columns(
        _every(bases).cum_sum().over("label", order_by="rank")
    )


def prefix_sums_at(bases: Sequence[Measure], labels: pl.DataFrame, ends: pl.Series) -> pl.DataFrame:
    """The same for some ranks only, from slices of the ranks: for depths that memory cannot hold.

    Raises `BadUsage` for a depth that would take too long.
    """
    ends = ends.unique().sort()
    deepest = int(ends[-1])
    if deepest > TOO_DEEP:
        raise BadUsage(
            f"the expectation of {bases[0]} in a pool of {deepest} documents is a sum over as many "
            f"ranks: give a cutoff, as in {bases[0].metric.name}@1000"
        )
    slices = []
    for start in range(1, deepest + 1, AT_ONCE):
        stop = min(start + AT_ONCE, deepest + 1)
        ranks = pl.LazyFrame({"rank": pl.int_range(start, stop, eager=True)})
        rows = _parts(bases, labels.lazy().join(ranks, how="cross"))
        block = pl.lit(ends).search_sorted(RANK).alias("block")
        sums = rows.group_by("label", block).agg(_every(bases).sum())
        slices.append(sums.collect(engine="in-memory"))
    return (
        pl.concat(slices)
        .group_by("label", "block")
        .agg(_every(bases).sum())
        .with_columns(_every(bases).cum_sum().over("label", order_by="block"))
        .with_columns(rank=pl.lit(ends).gather(pl.col("block")))
        .drop("block")
    )


def _every(bases: Sequence[Measure]) -> pl.Expr:
    return pl.col(f"{part}:{base}" for base in bases for part in PARTS)


def _parts(bases: Sequence[Measure], rows: pl.LazyFrame) -> pl.LazyFrame:
    """`label, rank` and the `PARTS` of each term there."""
    hits = {inputs.hits(base).name for base in bases}
    term = {base: base.metric.term(base).cast(pl.Float64) for base in bases}
    return (
        rows.with_columns(pl.lit(0.0).alias(column) for column in hits)
        .with_columns(term[base].alias(f"at:{base}") for base in bases)
        .with_columns(pl.lit(1.0).alias(column) for column in hits)
        .with_columns(
            (term[base] - pl.col(f"at:{base}")).alias(f"per_hit:{base}") for base in bases
        )
        .with_columns(
            (pl.col(f"per_hit:{base}") * RANK).alias(f"per_hit_rank:{base}") for base in bases
        )
    )
