"""The value of each measure: what the judged documents that a run returned add up to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import polars as pl

from ulframe.evaluation.ranking import KEYS
from ulframe.frames.errors import BadData
from ulframe.metrics.inputs import RunningSum, State
from ulframe.metrics.measure import Measure, View

Frame = TypeVar("Frame", pl.LazyFrame, pl.DataFrame)

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
    rows = judged_rows(judgements, ranked, view, bases)
    values = tally(rows, KEYS, bases).rename({str(base): f"value:{base}" for base in bases})
    if not view.judged_only:
        return values
    return values.join(rows.group_by(KEYS).agg(pl.col("retrieved").first()), on=KEYS)


def judged_rows(
    judgements: pl.LazyFrame, ranked: pl.LazyFrame, view: View, bases: Sequence[Measure]
) -> pl.LazyFrame:
    """The documents that terms are summed over: judged and ranked, with all that terms read."""
    rows = ranked.join(judgements, on=["query_id", "doc_id"])
    if view.judged_only:
        rows = _without_unjudged(rows)
    rows = with_ladder(rows, _ideal(judgements), ["query_id"], bases)
    return with_states(rows, KEYS, states_of(bases))


def judgements_of(judged: pl.LazyFrame, view: View, bases: Sequence[Measure]) -> pl.LazyFrame:
    """The qrels as the view sees them, with the totals of each query on every row."""
    totals = {total.name: total.each for base in bases for total in base.totals}
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
    return judged.with_columns(
        LABEL.map_batches(check, return_dtype=pl.self_dtype(), is_elementwise=True)
    )


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


def with_states(frame: Frame, keys: Sequence[str], states: Iterable[State | RunningSum]) -> Frame:
    """Add what terms read beside rank and label: the states, in rank order of each ranking."""
    return frame.with_columns([_over(keys, state) for state in dict.fromkeys(states)])


def _over(keys: Sequence[str], state: State | RunningSum) -> pl.Expr:
    return state.seen.over([*keys, *state.within], order_by="rank").alias(state.name)


def states_of(bases: Iterable[Measure]) -> list[State | RunningSum]:
    """The states that the terms read of the ranking itself."""
    return [state for base in bases for state in base.states]


def with_ladder(frame: Frame, ideal: Frame, keys: list[str], bases: Iterable[Measure]) -> Frame:
    """Add `ideal:STATE`, what the ideal ranking's states are at the rank of a row, or at its end.

    In: `frame` with `rank` and `gaining`, the last rank of the ideal ranking; `ideal` with
    `rank`, `label`, its documents that gain anything.
    """
    states = [state for base in bases for state in base.ladder]
    if not states:
        return frame
    names = {state.name: f"ideal:{state.name}" for state in states}
    ladder = with_states(ideal.select(*keys, "rank", "label"), keys, states)
    steps = ladder.select(*keys, pl.col(names).name.prefix("ideal:"), step="rank")
    at = pl.min_horizontal("rank", "gaining").cast(pl.Int64)
    return frame.with_columns(step=at).join(steps, on=[*keys, "step"], how="left").drop("step")


def tally(frame: Frame, keys: Sequence[str], bases: Iterable[Measure]) -> Frame:
    """A row per ranking and a Float64 column per measure, named by it: the sum of its terms.

    In: rows of judged documents with `rank`, `label`, the states and the totals.
    """
    return _with_terms(frame, bases).group_by(keys).agg(_total(b, pl.Expr.sum) for b in bases)


def tally_in_order(frame: Frame, keys: Sequence[str], bases: Iterable[Measure]) -> Frame:
    """As `tally`, summing from the first rank down, so that the last bits are always the same."""
    ordered = _with_terms(frame, bases).sort(*keys, "rank").group_by(keys, maintain_order=True)
    return ordered.agg(_total(base, lambda term: term.cum_sum().last()) for base in bases)


def _with_terms(frame: Frame, bases: Iterable[Measure]) -> Frame:
    """Add `term:NAME`, once for all measures that differ in their cutoff alone."""
    terms = {str(base.uncut): base.uncut.term for base in bases}
    return frame.with_columns(term.alias(f"term:{name}") for name, term in terms.items())


def finished(frame: Frame, base: Measure, column: str) -> Frame:
    """Make of the sum of terms in a column the measure's value."""
    if base.finish is None:
        return frame
    summed = frame.with_columns(total=pl.col(column).fill_null(0.0))
    return summed.with_columns(base.finish.cast(pl.Float64).alias(column)).drop("total")


def _total(base: Measure, add: Callable[[pl.Expr], pl.Expr]) -> pl.Expr:
    term = pl.col(f"term:{base.uncut}")
    if base.depth is not None:
        # A `when` keeps one group-by for all cutoffs, where `filter` would fork the plan for each.
        term = pl.when(base.depth >= RANK).then(term).otherwise(0.0)
    # Dividing once is exact where terms are whole numbers; `per` is one number a ranking.
    return (add(term) / base.divisor.first()).cast(pl.Float64).alias(str(base))
