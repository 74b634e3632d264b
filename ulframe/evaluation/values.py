"""The value of each measure: what the judged documents that a run returned add up to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from ulframe.evaluation.ranking import KEYS
from ulframe.evaluation.tally import states_of, with_ladder, with_states
from ulframe.frames.errors import BadData
from ulframe.metrics.metric import Measure, View

LABEL, RANK = pl.col("label"), pl.col("rank")


Tally = Callable[[pl.LazyFrame, Sequence[str], Sequence[Measure]], pl.LazyFrame]


def values_of(
    judged: pl.LazyFrame,
    ranked: pl.LazyFrame,
    tally: Tally,
    view: View,
    bases: Sequence[Measure],
) -> pl.LazyFrame:
    """`run, query_id` and `value:NAME` of each measure, where the run has a judged document.

    In: qrels, the ranked runs, how terms are summed, and measures of one view. Where the view has
    judged documents only, also `retrieved`, how many these are.
    """
    judgements = judgements_of(judged, view, bases)
    rows = ranked.join(judgements, on=["query_id", "doc_id"])
    if view.judged_only:
        rows = _without_unjudged(rows)
    rows = with_ladder(rows, _ideal(judgements), ["query_id"], bases)
    rows = with_states(rows, KEYS, states_of(bases))
    values = tally(rows, KEYS, bases).rename({str(base): f"value:{base}" for base in bases})
    if not view.judged_only:
        return values
    return values.join(rows.group_by(KEYS).agg(pl.col("retrieved").first()), on=KEYS)


def judgements_of(judged: pl.LazyFrame, view: View, bases: Sequence[Measure]) -> pl.LazyFrame:
    """The qrels as the view sees them, with the totals of each query on every row."""
    totals = {total.name: total.each for base in bases for total in base.metric.totals(base)}
    columns = {name: each.sum().over("query_id") for name, each in totals.items()}
    if any("place" in base.reads for base in bases):
        columns["place"] = LABEL.rank("min", descending=True).over("query_id").cast(pl.Int64)
    return within_limits(judged, bases).with_columns(label=view.label).with_columns(**columns)


def _without_unjudged(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Ranks and numbers of documents as they are when unjudged ones are taken out."""
    rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int64)
    return rows.filter(LABEL >= 0).with_columns(
        rank=rank.over(KEYS, order_by="rank"), retrieved=pl.len().over(KEYS).cast(pl.Int64)
    )


def _ideal(judgements: pl.LazyFrame) -> pl.LazyFrame:
    """`query_id, rank, label`: what gains anything, best first."""
    rank = LABEL.rank("ordinal", descending=True).over("query_id").cast(pl.Int64)
    return judgements.filter(LABEL > 0).select("query_id", "label", rank=rank)


def within_limits(judged: pl.LazyFrame, bases: Sequence[Measure]) -> pl.LazyFrame:
    """Raise `BadData`, when collected, for labels above a measure's `max`."""
    limits = {base.number("max"): base for base in bases if "max" in base.parameters}
    if not limits:
        return judged
    limit = min(limits)
    check = _refuse_above(limit, limits[limit])
    return judged.with_columns(LABEL.map_batches(check, is_elementwise=True))


def _refuse_above(limit: float, base: Measure) -> Callable[[pl.Series], pl.Series]:
    def check(labels: pl.Series) -> pl.Series:
        highest = labels.max()
        if isinstance(highest, int | float) and highest > limit:
            raise BadData(
                f"{base}: the qrels have the label {highest:g}, above max={limit:g}; ask for "
                f"{base.metric.name}(max={highest:g})"
            )
        return labels

    return check
