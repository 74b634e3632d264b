"""Qrels by subtopic and runs in, a row a run, query and measure out."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from ulframe.evaluation.diversity.best import best_ranking
from ulframe.evaluation.diversity.chance import POOL, expected_of
from ulframe.evaluation.diversity.measures import Best, Diverse, parse
from ulframe.evaluation.ranking import rank
from ulframe.frames.columns import DOC, LABEL, QUERY, RUN
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.frames.repeats import refuse_repeats
from ulframe.frames.sources import scan_runs
from ulframe.frames.subtopics import SUBTOPIC, scan_subtopics
from ulframe.metrics.operators import TRIPLE

KEYS = [RUN, QUERY]


def diversity(
    qrels: FramesLike, runs: FramesLike, measures: str | Iterable[str], *, rel: float = 1
) -> pl.LazyFrame:
    """Score every query of every run by the subtopics that it answers, as ndeval does.

    In: `qrels` as of `scan_subtopics`, `runs` as of `scan_runs`; `measures`, names as of `parse`:
    alpha_DCG, alpha_nDCG, ERR_IA, nERR_IA, StRecall, P_IA with a cutoff, NRBP, nNRBP, MAP_IA
    without; `rel`, the least label that is relevant. Out: as of `evaluate`, a LazyFrame of `run,
    query_id, measure, score, value, upper, expected`, ordered by run and query, measures as asked.
    `upper` is the value of the greedy ranking, the best only for P_IA, and null for MAP_IA;
    `expected` is exact, of random rankings of all that is judged for the query. A query that a run
    misses has value 0; one of which nothing is relevant is undefined, null.

    At cutoff 1 ndeval does not divide alpha_DCG and ERR_IA by the number of subtopics, here it is
    done at every cutoff. Raises `BadUsage` for a measure that there is not; `BadData` for what
    breaks a contract, a document twice, or no query in common.

    >>> qrels = {"q": {"1": {"a": 1, "b": 0}, "2": {"c": 1}}}
    >>> found = diversity(qrels, {"q": ["a", "b", "c"]}, ["StRecall@2", "P_IA@2"])
    >>> found.select("measure", "value", "upper", "expected").collect().rows()
    [('StRecall@2', 0.5, 1.0, 0.6666666666666666), ('P_IA@2', 0.25, 0.5, 0.3333333333333333)]
    """
    names = [measures] if isinstance(measures, str) else measures
    asked = [parse(name) for name in dict.fromkeys(names)]
    if not asked:
        raise BadUsage("no measure was asked for")
    judged, given = scan_subtopics(qrels), scan_runs(runs)
    relevant = judged.filter(pl.col(LABEL) >= rel).select(QUERY, SUBTOPIC, DOC)
    queries = _queries(judged, relevant)
    listed = rank(given).map_batches(lambda batch: _usable(given, queries, batch))
    everywhere = given.select(RUN).unique().join(queries.lazy(), how="cross")
    values = _sums(listed.select(*KEYS, DOC, "rank"), relevant, asked)
    upper = _uppers(relevant, asked)
    expected = _expected(relevant, queries, asked)
    parts = [
        everywhere.join(values.select(*KEYS, value=one.name), on=KEYS, how="left")
        .join(upper.select(QUERY, upper=one.name).lazy(), on=QUERY, how="left")
        .join(expected.select(QUERY, expected=one.name).lazy(), on=QUERY, how="left")
        .with_columns(pl.col("value").fill_null(0.0))
        .with_columns(pl.col(TRIPLE) / _per(one))
        .with_columns(score=one.operator.score, measure=pl.lit(one.name), at=pl.lit(at))
        for at, one in enumerate(asked)
    ]
    defined = pl.when(pl.col("subtopics") > 0).then(pl.col("score")).alias("score")
    zeros = pl.col("value", "expected").fill_nan(0.0).fill_null(0.0)
    return (
        pl.concat(parts).sort(*KEYS, "at")
        .with_columns(zeros, pl.col("upper").fill_nan(0.0))
        .select(*KEYS, "measure", defined, *TRIPLE)
    )  # fmt: skip


def _per(measure: Diverse) -> pl.Expr:
    return measure.metric.per(int(measure.cutoff) if measure.metric.cut else 0).cast(pl.Float64)


def _queries(judged: pl.DataFrame, relevant: pl.DataFrame) -> pl.DataFrame:
    """`query_id, n, subtopics`: documents that are judged, and subtopics with a relevant one."""
    answered = relevant.group_by(QUERY).agg(subtopics=pl.col(SUBTOPIC).n_unique())
    pools = judged.group_by(QUERY).agg(n=pl.col(DOC).n_unique().cast(pl.Int64))
    counted = pl.col("subtopics").fill_null(0).cast(pl.Int64)
    return pools.join(answered, on=QUERY, how="left").with_columns(counted)


def _sums(ranked: pl.LazyFrame, relevant: pl.DataFrame, asked: list[Diverse]) -> pl.LazyFrame:
    """The sum of each measure's terms: `run, query_id`, and a column a measure."""
    of_subtopic = pl.len().over(QUERY, SUBTOPIC).cast(pl.Int64)
    hits = pl.int_range(1, pl.len() + 1).over(*KEYS, SUBTOPIC, order_by="rank")
    rows = ranked.join(
        relevant.with_columns(relevant=of_subtopic).lazy(), on=[QUERY, DOC]
    ).with_columns(hits=hits)
    return rows.group_by(KEYS).agg(
        pl.when(pl.col("rank") <= one.cutoff)
        .then(one.metric.term)
        .otherwise(0.0)
        .sum()
        .alias(one.name)
        for one in asked
    )


def _uppers(relevant: pl.DataFrame, asked: list[Diverse]) -> pl.DataFrame:
    """The sums of the best ranking that is known: `query_id`, and a column a measure."""
    found = relevant.select(QUERY).unique()
    for best in dict.fromkeys(one.metric.best for one in asked):
        some = [one for one in asked if one.metric.best == best]
        if isinstance(best, Best):
            ranking = best_ranking(relevant, best).lazy().with_columns(run=pl.lit("best"))
            sums = _sums(ranking, relevant, some).drop(RUN).collect()
            found = found.join(sums, on=QUERY, how="left")
        else:
            none = (pl.lit(None, pl.Float64).alias(one.name) for one in some)
            found = found.with_columns(none)
    return found


def _expected(relevant: pl.DataFrame, queries: pl.DataFrame, asked: list[Diverse]) -> pl.DataFrame:
    """The sums that chance is expected to have: `query_id`, and a column a measure."""
    of_subtopics = relevant.group_by(QUERY, SUBTOPIC).agg(relevant=pl.len().cast(pl.Int64))
    pools = of_subtopics.join(queries.select(QUERY, "n"), on=QUERY)
    sums = pools.join(expected_of(pools, asked), on=POOL)
    return sums.group_by(QUERY).agg(pl.col(one.name).sum() for one in asked)


def _usable(runs: pl.LazyFrame, queries: pl.DataFrame, batch: pl.DataFrame) -> pl.DataFrame:
    if batch["repeated"].any():
        refuse_repeats(runs)
    if batch.join(queries, on=QUERY, how="semi").is_empty():
        raise BadData("qrels by subtopic and runs have no query in common")
    return batch
