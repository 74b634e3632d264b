"""What runs would score, were documents that nobody judged judged so and so.

A *filling* gives labels to a run's unjudged documents: those of `marks`, and 0 to the others. Each
is scored as a query of its own, by what scores every query: see `ulframe.evaluation.triples`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import polars as pl

from ulframe.analysis.unjudged.rankings import UNJUDGED, Rankings
from ulframe.evaluation.evaluate import tidy
from ulframe.evaluation.ranking import KEYS
from ulframe.evaluation.triples import Sources, triples
from ulframe.evaluation.values import states_of, tally, with_ladder, with_states, within_limits
from ulframe.metrics.measure import Measure, View

LABEL, JUDGED = pl.col("label"), pl.col("judged")
MARKS = {"filling": pl.UInt32(), "doc_id": pl.String(), "label": pl.Float64()}
ZERO = pl.DataFrame({"label": [0.0]})


@dataclass(frozen=True)
class Fillings:
    """Fillings, and the runs that are scored with them.

    - `cases`: `case, filling: UInt32, run, query_id: String, filled: Int64`: a number, that of the
      filling, and how many documents of the query it gives a label to, 0 or another.
    - `marks`: `filling, doc_id, label: Float64`, the labels above 0.
    """

    cases: pl.DataFrame
    marks: pl.DataFrame


def scores_of(known: Rankings, fillings: Fillings, measures: Mapping[str, Measure]) -> pl.DataFrame:
    """`case, measure, score, value, upper, expected` of each filling and measure."""
    cases, marks = fillings.cases, fillings.marks
    bases = list(dict.fromkeys(measure.base for measure in measures.values()))
    rows = _rows(known, cases, marks, lean=not any(map(_reads_zeros, bases)))
    counts = _counts(known, cases, marks).lazy()
    sizes = known.rows.select(*KEYS, "retrieved").unique()
    grid = cases.join(sizes, on=KEYS, how="left").select(
        "run", query_id="case", retrieved=pl.col("retrieved").fill_null(0)
    )
    sources = Sources(
        values=partial(_values, rows.lazy(), counts),
        judged=counts,
        counts=counts.with_columns(count=JUDGED),
        keys=["query_id"],
        grid=grid.lazy(),
    )
    wide = triples(sources, [*measures.values()])
    scored = tidy(wide, measures).rename({"query_id": "case"}).drop("run")
    return scored.with_columns(pl.col("case").cast(pl.UInt32)).collect(engine="in-memory")


def _rows(known: Rankings, cases: pl.DataFrame, marks: pl.DataFrame, *, lean: bool) -> pl.DataFrame:
    """`run, query_id` (the case's number), `rank, retrieved, label` of what is judged then.

    `lean`, of labels other than 0 only.
    """
    judged = known.rows.filter(~UNJUDGED & (LABEL != 0) if lean else ~UNJUDGED)
    wanted = ["case", "run", "rank", "retrieved", "label"]
    parts = [cases.join(judged, on=KEYS).select(wanted)]
    places = known.rows.filter(UNJUDGED).drop("label")
    marked = marks.join(cases, on="filling").join(places, on=[*KEYS, "doc_id"])
    parts.append(marked.select(wanted))
    if not lean:
        others = cases.join(places, on=KEYS).join(marks, on=["filling", "doc_id"], how="anti")
        parts.append(others.with_columns(label=pl.lit(0.0)).select(wanted))
    return pl.concat(parts).rename({"case": "query_id"})


def _counts(known: Rankings, cases: pl.DataFrame, marks: pl.DataFrame) -> pl.DataFrame:
    """`query_id` (the case's number), `label, judged`: the histogram with what is filled."""
    before = cases.join(known.counts, on="query_id").select("case", "label", "judged")
    labels = marks.group_by("filling", "label").agg(judged=pl.len().cast(pl.Int64))
    filled = cases.join(labels, on="filling").select("case", "label", "judged")
    many = labels.group_by("filling").agg(n=JUDGED.sum())
    rest = cases.join(many, on="filling", how="left").select(
        "case", label=pl.lit(0.0), judged=pl.col("filled") - pl.col("n").fill_null(0)
    )
    return (
        pl.concat([before, filled, rest])
        .group_by(query_id="case", label="label")
        .agg(JUDGED.sum())
        .filter(JUDGED > 0)
    )


def _values(
    rows: pl.LazyFrame, counts: pl.LazyFrame, view: View, bases: list[Measure]
) -> pl.LazyFrame:
    """As `ulframe.evaluation.values.values_of`, of rows whose labels are known already."""
    seen = within_limits(rows, bases).with_columns(label=view.label)
    histogram = counts.group_by("query_id", label=view.label).agg(JUDGED.sum())
    totals = {total.name: (total.each * JUDGED).sum() for base in bases for total in base.totals}
    if totals:
        seen = seen.join(histogram.group_by("query_id").agg(**totals), on="query_id", how="left")
    if any("place" in base.reads for base in bases):
        seen = seen.join(_places(histogram), on=["query_id", "label"], how="left")
    if any(base.ladder for base in bases):
        seen = with_ladder(seen, _ideal(histogram), ["query_id"], bases)
    seen = with_states(seen, KEYS, states_of(bases))
    return tally(seen, KEYS, bases).rename({str(base): f"value:{base}" for base in bases})


def _places(histogram: pl.LazyFrame) -> pl.LazyFrame:
    above = JUDGED.sum().over("query_id") - JUDGED.cum_sum().over("query_id", order_by="label")
    return histogram.select("query_id", "label", place=above + 1)


def _ideal(histogram: pl.LazyFrame) -> pl.LazyFrame:
    gaining = histogram.filter(LABEL > 0).sort("query_id", "label", descending=[False, True])
    return (
        gaining.select("query_id", LABEL.repeat_by(JUDGED))
        .explode("label")
        .with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query_id"))
    )


def _reads_zeros(base: Measure) -> bool:
    """Whether a document of label 0 adds anything, or is counted by a state that a term reads."""
    read = base.reads | {state.name for state in base.ladder}
    each = [getattr(state, "each", None) for state in base.states if state.name in read]
    if any(part is None for part in each) or base.view.gains:
        return True
    adding = [base.metric.adds, *(part != 0 for part in each if part is not None)]
    return bool(ZERO.select(pl.any_horizontal(adding)).item())
