"""Which documents to judge next: those whose label could move the difference of runs most.

The idea is that of minimal test collections (Carterette, Allan and Sitaraman 2006): a document
that all runs rank alike decides nothing, whatever it is. Here the effect of a document is the score
that it alone would add, so that any measure will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from ulframe.analysis.unjudged.draws import QUERY_DOC, documents
from ulframe.analysis.unjudged.rankings import Rankings
from ulframe.analysis.unjudged.scoring import MARKS, Fillings, scores_of
from ulframe.evaluation.ranking import KEYS
from ulframe.metrics.measure import Measure

AT_ONCE = 100_000  # documents of runs

ELSEWHERE = ""  # a document that no run returned; an id is never empty

EFFECT, RATE = pl.col("effect"), pl.col("rate")


def next_documents(
    known: Rankings, measures: Mapping[str, Measure], label: float, baseline: str | None = None
) -> pl.DataFrame:
    """`query_id, doc_id: String, influence, rate: Float64, runs, best_rank: Int64`, first to last.

    `influence` is the standard deviation that the document's label, `label` at the rate of the runs
    that returned it and else 0, gives to the difference of two runs in the query's score: the root
    mean square over the pairs of runs, or those with the baseline, then the mean over measures.

    Of one query the most influential come first. Among queries a document stands by its influence
    over its place in its own query: once one is judged, the others move the query's score less.
    """
    spread = pl.concat(
        _spread(_effects(known, holes, measures, label), known.runs, baseline)
        for holes in _blocks(known.holes)
    )
    rated = documents(known).with_columns(rate=pl.sum_horizontal("^rate:.*$"))
    places = known.holes.group_by(QUERY_DOC).agg(
        runs=pl.len().cast(pl.Int64), best_rank=pl.col("rank").min()
    )
    return (
        rated.select(*QUERY_DOC, "rate")
        .join(spread, on=QUERY_DOC)
        .join(places, on=QUERY_DOC)
        .select(
            *QUERY_DOC,
            influence=pl.col("apart") * (RATE * (1 - RATE)).sqrt(),
            rate="rate",
            runs="runs",
            best_rank="best_rank",
        )
        .sort("influence", "best_rank", *QUERY_DOC, descending=[True, False, False, False])
        .with_columns(place=pl.int_range(1, pl.len() + 1).over("query_id"))
        .sort(pl.col("influence") / pl.col("place"), descending=True, maintain_order=True)
        .drop("place")
    )


def _blocks(holes: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Some queries at a time."""
    many = holes.group_by("query_id").len().sort("query_id")
    block = many.select("query_id", block=pl.col("len").cum_sum() // AT_ONCE)
    parts = holes.join(block, on="query_id").partition_by("block", include_key=False)
    yield from parts or [holes]


def _effects(
    known: Rankings, holes: pl.DataFrame, measures: Mapping[str, Measure], label: float
) -> pl.DataFrame:
    """`query_id, doc_id, run, measure, effect`: what a run gains by this document alone.

    Of each document that nobody judged, every run, also those that did not return it: they lose by
    it where scores are divided by what is relevant.
    """
    asked = holes.select("query_id").unique()
    runs = pl.DataFrame({"run": known.runs})
    others = asked.join(runs, how="cross").select(*KEYS, doc_id=pl.lit(ELSEWHERE))
    nothing = others.with_columns(doc_id=pl.lit(None, pl.String))
    cases = pl.concat([holes.select(*KEYS, "doc_id"), others, nothing]).with_row_index("case")
    cases = cases.with_columns(filling="case", filled=pl.lit(1, pl.Int64))
    marks = cases.drop_nulls("doc_id").with_columns(label=pl.lit(label)).select([*MARKS])
    wanted = Fillings(cases.select("case", "filling", *KEYS, "filled"), marks)
    scored = scores_of(known, wanted, measures).with_columns(pl.col("score").fill_null(0.0))
    found = scored.join(cases, on="case").select(*KEYS, "doc_id", "measure", "score")
    keys = [*KEYS, "measure"]
    today = found.filter(pl.col("doc_id").is_null()).select(*keys, today="score")
    alone = found.drop_nulls("doc_id").join(today, on=keys)
    alone = alone.select(*keys, "doc_id", effect=pl.col("score") - pl.col("today"))
    elsewhere = alone.filter(doc_id=ELSEWHERE).select(*keys, elsewhere="effect")
    every = holes.select(QUERY_DOC).unique().join(elsewhere, on="query_id")
    return every.join(alone, on=[*keys, "doc_id"], how="left").select(
        *QUERY_DOC, "run", "measure", effect=pl.coalesce("effect", "elsewhere")
    )


def _spread(effects: pl.DataFrame, runs: list[str], baseline: str | None) -> pl.DataFrame:
    """`query_id, doc_id, apart`: the root mean square of how far runs are apart in an effect."""
    keys = [*QUERY_DOC, "measure"]
    if baseline is None:
        # the mean square over pairs is twice the variance over runs
        apart = 2 * EFFECT.var()
    else:
        is_base = pl.col("run") == baseline
        apart = (EFFECT - EFFECT.filter(is_base).first()).pow(2).sum() / (len(runs) - 1)
    each = effects.group_by(keys).agg(apart=apart.sqrt())
    return each.group_by(QUERY_DOC).agg(pl.col("apart").mean())
