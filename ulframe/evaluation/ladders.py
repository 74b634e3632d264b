"""Rankings laid out from label histograms: the ideal and the worst. No document is sorted."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ulframe.evaluation.values import states_of, with_ladder, with_states
from ulframe.metrics.measure import Measure

LABEL, COUNT, JUDGED = pl.col("label"), pl.col("count"), pl.col("judged")
LISTS = ("labels", "counts", "judged")
LAST, FIRST = pl.col("last"), pl.col("first")


def ideal(cells: pl.LazyFrame, pools: pl.LazyFrame, bases: Sequence[Measure]) -> pl.LazyFrame:
    """The best ranking of each pool's judged documents.

    Rows: `pool, rank, label, place`, the states and the totals; ranks below the last document that
    adds anything, or below the deepest cutoff, are left out.
    """
    deepest = max((base.k or 0 for base in bases), default=0)
    whole = any(base.k is None for base in bases)
    last = JUDGED.cum_sum().over("pool")
    slots = (
        cells.filter(pl.any_horizontal(base.metric.adds for base in bases))
        .with_columns(last=last)
        .with_columns(first=LAST - JUDGED + 1, place=LAST - JUDGED + 1)
    )
    if not whole:
        slots = slots.with_columns(LAST.clip(upper_bound=deepest))
    return _laid_out(slots, pools, bases)


def worst(cells: pl.LazyFrame, pools: pl.LazyFrame, bases: Sequence[Measure]) -> pl.LazyFrame:
    """The worst ranking of each pool: unjudged documents first, then from the lowest label up.

    Rows: as of `ideal`. Documents that are not in the qrels only push the others down.
    """
    last = pl.col("n") - (COUNT.cum_sum().over("pool") - COUNT)
    laid_out = pl.when(LABEL < 0).then(pl.min_horizontal(COUNT, JUDGED)).otherwise(COUNT)
    place = JUDGED.cum_sum().over("pool") - JUDGED + 1
    slots = (
        cells.join(pools.select("pool", "n"), on="pool", maintain_order="left")
        .with_columns(last=last, place=place)
        .with_columns(first=LAST - laid_out + 1)
    )
    return _laid_out(slots, pools, bases)


def _laid_out(slots: pl.LazyFrame, pools: pl.LazyFrame, bases: Sequence[Measure]) -> pl.LazyFrame:
    rows = (
        slots.filter(FIRST <= LAST)
        .with_columns(rank=pl.int_ranges("first", LAST + 1))
        .explode("rank")
        .select("pool", "rank", "label", "place")
        .join(pools.drop(LISTS), on="pool")
    )
    if any(base.ladder for base in bases):
        rows = with_ladder(rows, ladder(pools), ["pool"], bases)
    return with_states(rows, ["pool"], states_of(bases))


def ladder(pools: pl.LazyFrame) -> pl.LazyFrame:
    """`pool, rank, label` of the documents that gain anything, best first."""
    return (
        pools.select("pool", label="labels", judged="judged")
        .explode("label", "judged")
        .filter(LABEL > 0, JUDGED > 0)
        .with_columns(last=JUDGED.cum_sum().over("pool"))
        .with_columns(rank=pl.int_ranges(LAST - JUDGED + 1, LAST + 1))
        .explode("rank")
        .select("pool", "rank", "label")
    )
