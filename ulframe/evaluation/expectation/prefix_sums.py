"""Sums of terms down to a rank, which all queries share.

A term affine in running sums is `at + per * sum + ...`; its values with all of them at 0, and with
one of them at 1, tell the parts. With `per * rank` beside them (`per_rank`) they give the sum of
the term for running sums that are a straight line in the rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.measure import Measure

RANK = pl.col("rank")

AT_ONCE = 1_000_000  # ranks that are laid out at once
TOO_DEEP = 1_000_000_000  # ranks that would take minutes and more


def prefix_sums(
    bases: Sequence[Measure], labels: pl.LazyFrame, deepest: pl.LazyFrame
) -> pl.LazyFrame:
    """`label, rank`, and the sums down to that rank of each term's parts.

    In: the labels there are, and rows whose `m` says how deep.
    """
    ranks = deepest.select(rank=pl.int_range(1, pl.col("m").max() + 1))
    return _parts(bases, labels.join(ranks, how="cross")).with_columns(
        pl.col(*part_names(bases)).cum_sum().over("label", order_by="rank")
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
    every = pl.col(*part_names(bases))
    slices = []
    for start in range(1, deepest + 1, AT_ONCE):
        stop = min(start + AT_ONCE, deepest + 1)
        ranks = pl.LazyFrame({"rank": pl.int_range(start, stop, eager=True)})
        rows = _parts(bases, labels.lazy().join(ranks, how="cross"))
        block = pl.lit(ends).search_sorted(RANK).alias("block")
        sums = rows.group_by("label", block).agg(every.sum())
        slices.append(sums.collect(engine="in-memory"))
    return (
        pl.concat(slices)
        .group_by("label", "block")
        .agg(every.sum())
        .with_columns(every.cum_sum().over("label", order_by="block"))
        .with_columns(rank=pl.lit(ends).gather(pl.col("block")))
        .drop("block")
    )


def part_names(bases: Sequence[Measure]) -> list[str]:
    """The columns of each term's parts."""
    return [name for base in bases for name in _part_names(base)]


def _part_names(base: Measure) -> Iterator[str]:
    yield f"at:{base}"
    for state in _sums(base):
        yield f"per:{state}:{base}"
        yield f"per_rank:{state}:{base}"


def _sums(base: Measure) -> list[str]:
    return [state.name for state in base.states if state.name in base.reads]


def _parts(bases: Sequence[Measure], rows: pl.LazyFrame) -> pl.LazyFrame:
    """`label, rank` and the parts of each term there."""
    sums = dict.fromkeys(name for base in bases for name in _sums(base))
    rows = rows.with_columns(pl.lit(0.0).alias(name) for name in sums)
    rows = rows.with_columns(base.term.alias(f"at:{base}") for base in bases)
    for name in sums:
        reading = [base for base in bases if name in _sums(base)]
        rows = (
            rows.with_columns(pl.lit(1.0).alias(name))
            .with_columns(
                (base.term - pl.col(f"at:{base}")).alias(f"per:{name}:{base}") for base in reading
            )
            .with_columns(
                (pl.col(f"per:{name}:{base}") * RANK).alias(f"per_rank:{name}:{base}")
                for base in reading
            )
            .with_columns(pl.lit(0.0).alias(name))
        )
    return rows
