"""Documents with one score: values averaged over all their orders, without laying any out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import polars as pl

from ulframe.evaluation.expectation.linearity import running_sums
from ulframe.evaluation.expectation.prefix_sums import part_names, prefix_sums
from ulframe.evaluation.ranking import KEYS
from ulframe.evaluation.values import judgements_of
from ulframe.frames.errors import BadUsage
from ulframe.metrics.laws import (
    is_affine,
    is_affine_finish,
    is_straight_in_value,
    reads_ranking_alone,
)
from ulframe.metrics.measure import Measure, View

LABEL, FIRST, LAST, SIZE = pl.col("label"), pl.col("first"), pl.col("last"), pl.col("size")


def averages_of(
    judged: pl.LazyFrame,
    ranked: pl.LazyFrame,
    depth: int | None,
    view: View,
    bases: Sequence[Measure],
) -> pl.LazyFrame:
    """`run, query_id` and `value:NAME` of each measure, where the run has a judged document.

    In: qrels, the ranks that documents share (`ranking.judged_ranks`), down to which rank they
    count, and measures of one view, affine in the running sums that they read. A document stands at
    each rank of its group alike. Above it is what the groups before add, and a share of what its
    own adds that grows with the rank.
    """
    judgements = judgements_of(judged, view, bases)
    rows = ranked.join(judgements, on=["query_id", "doc_id"]).with_columns(
        pl.col("retrieved").clip(upper_bound=depth), size=LAST - FIRST + 1
    )
    rows = _with_sums(rows, bases)
    table = prefix_sums(bases, rows.select("label").unique(), rows.select(m=LAST))
    values = rows.select(KEYS).unique()
    for _, alike in groupby(sorted(bases, key=_end), _end):
        values = values.join(_sums(rows, table, list(alike)), on=KEYS, how="left")
    return values


def _end(base: Measure) -> str:
    return str(base.depth)


def _with_sums(rows: pl.LazyFrame, bases: Sequence[Measure]) -> pl.LazyFrame:
    """Add, for each running sum, `before:`, what the groups above add, and `tied:`, the own one."""
    for state in running_sums(bases):
        tied, before = f"tied:{state.name}", f"before:{state.name}"
        groups = rows.group_by(*KEYS, "first").agg(state.each.sum().alias(tied))
        through = pl.col(tied).cum_sum().over(KEYS, order_by="first") - pl.col(tied)
        rows = rows.join(groups.with_columns(through.alias(before)), on=[*KEYS, "first"])
    return rows


def _sums(rows: pl.LazyFrame, table: pl.LazyFrame, bases: Sequence[Measure]) -> pl.LazyFrame:
    """What the documents add at the ranks of their groups down to the measures' depth."""
    deepest = pl.col("retrieved") if bases[0].depth is None else bases[0].depth
    end = pl.min_horizontal("last", "retrieved", deepest).cast(pl.Int64)
    parts = pl.col(part_names(bases))
    ends = table.select("label", parts, end="rank")
    starts = table.select("label", parts.name.prefix("start:"), start="rank")
    return (
        rows.with_columns(end=end, start=FIRST - 1)
        .filter(pl.col("end") >= FIRST)
        .join(ends, on=["label", "end"])
        .join(starts, on=["label", "start"], how="left")
        .group_by(KEYS)
        .agg(_average(base).sum().alias(f"value:{base}") for base in bases)
    )


def _average(base: Measure) -> pl.Expr:
    total = _between(f"at:{base}")
    for state in running_sums([base]):
        growth = (pl.col(f"tied:{state.name}") - state.each) / (SIZE - 1).clip(lower_bound=1)
        # E[sum] = before + own + growth * (rank - first)
        constant = pl.col(f"before:{state.name}") + state.each - growth * FIRST
        slope, slope_rank = (
            _between(f"{part}:{state.name}:{base}") for part in ("per", "per_rank")
        )
        total += constant * slope + growth * slope_rank
    return total / SIZE / base.divisor


def _between(name: str) -> pl.Expr:
    """The sum over a document's ranks: that down to the last, less that above the first."""
    return pl.col(name) - pl.col(f"start:{name}").fill_null(0.0)


def refuse_what_ties_bend(asked: Mapping[str, Measure]) -> None:
    """Raise `BadUsage` for measures whose mean does not follow from that of the running sums."""
    bent = [name for name, measure in asked.items() if not _is_straight(measure)]
    if bent:
        raise BadUsage(
            f'ties="average" is exact for what is affine in the hits, not for {", ".join(bent)}; '
            "DCG, AP, SP, P, R, F, Rprec, RBP and the Set measures are, and U, Adjusted, "
            "Z, MinMax and Ratio of them"
        )


def _is_straight(measure: Measure) -> bool:
    base = measure.base
    return (
        not base.view.judged_only
        and reads_ranking_alone(base)
        and is_affine(base)
        and is_affine_finish(base)
        and is_straight_in_value(measure.operator.score)
    )
