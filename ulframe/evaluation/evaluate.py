"""Qrels and runs in, one row per run, query and measure out: the main job, as one lazy plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias, TypedDict, Unpack

import polars as pl

from ulframe.evaluation.pools import Pool, label_counts, pools
from ulframe.evaluation.query_coverage import covered
from ulframe.evaluation.ranking import AVERAGE, KEYS, coded, cut, judged_ranks
from ulframe.evaluation.ties import averages_of, refuse_what_ties_bend
from ulframe.evaluation.trial import require_laws, within_bounds
from ulframe.evaluation.triples import Sources, triples
from ulframe.evaluation.values import Tally, tally, tally_in_order, values_of
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.frames.sources import scan_qrels, scan_runs
from ulframe.metrics.grammar import Asked, named
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import ON_REQUEST, TRIPLE, A

Queries: TypeAlias = Literal["qrels", "both", "relevant"]
Ties: TypeAlias = Literal["score", "input", "average"]


class Options(TypedDict, total=False):
    """The options of `evaluate`, which says what they are."""

    queries: Queries
    pool: Pool
    ties: Ties
    depth: int | None


QUERIES: dict[Queries, pl.Expr] = {
    "qrels": pl.col("in_qrels"),
    "both": pl.col("in_qrels") & pl.col("in_run"),
    "relevant": pl.col("has_relevant"),
}
"""Which queries are scored, by the name of the option `queries`."""


@dataclass(frozen=True)
class Evaluation:
    """The plans that one pass over the input serves; collect them together.

    - `scores`: `run, query_id, measure, score, value, upper, expected`, ordered by run and query,
      measures as asked.
    - `coverage`: `run, query_id, in_qrels, in_run, has_relevant`, a row for each run and each query
      that either has: what was missing from a run, dropped for want of qrels, or has nothing
      relevant.
    """

    scores: pl.LazyFrame
    coverage: pl.LazyFrame


def evaluate(
    qrels: FramesLike, runs: FramesLike, measures: Asked, **options: Unpack[Options]
) -> pl.LazyFrame:
    """Score every query of every run.

    In: `qrels` and `runs` as any frame or dict (see `scan_qrels`, `scan_runs`); `measures`, one or
    several, as objects or names. Out: a LazyFrame of `run, query_id, measure: String, score,
    value, upper, expected: Float64`, ordered by run and query, measures as asked: `score` is what
    the measure says, the others the triple (value, best possible, expected by chance) of its
    metric. `score` is null where the measure is undefined: what divides by the number of relevant
    documents or by the best value (AP, R, nDCG, V2 ...), where nothing is relevant.

    Options:
    - `queries`: `"qrels"`, every query of the qrels, value 0 where the run misses it; `"both"`,
      only those that the run has too; `"relevant"`, those of the qrels that have something
      relevant, from `least_rel` of the measures on, by which all are evaluated on the same queries.
    - `pool`: what a random ranking shuffles (see `histogram`).
    - `ties`, `depth`: how a ranking is made of scores, and how far down it is read (see `rank`);
      `ties="average"` takes the mean over all orders of documents with one score, exactly
      (McSherry and Najork 2008), of measures that are affine in the hits.

    Raises `BadUsage` at once for a measure or option that there is not; `BadData`, when
    collected, for what breaks the frames' contract, a document twice in a query, or no query in
    common.

    >>> import ulframe as ul
    >>> qrels = {"q": {"a": 0, "b": 2, "c": 1}}
    >>> runs = {"q": {"a": 0.9, "b": 0.8, "c": 0.1}}
    >>> ul.evaluate(qrels, runs, ul.P @ 2).collect().rows()
    [('run', 'q', 'P@2', 0.5, 0.5, 1.0, 0.6666666666666666)]
    """
    return examine(qrels, runs, measures, **options).scores


def examine(
    qrels: FramesLike,
    runs: FramesLike,
    measures: Asked,
    *,
    names: pl.LazyFrame | None = None,
    in_order: bool = False,
    **options: Unpack[Options],
) -> Evaluation:
    """As `evaluate`, with the coverage that `summarise` counts missing queries from.

    `in_order` sums from the first rank down, as trec_eval does, so that the last bits of values
    are always the same; it takes longer.

    `names`, with a column `run`, is for those who evaluate a part of the queries at a time: it
    names all the runs, also those that have no query in this part.
    """
    asked = named(measures)
    in_turn = tally_in_order if in_order else tally
    sources, coverage = sources_of(qrels, runs, asked, names, in_turn, **options)
    wide = within_bounds(triples(sources, [*asked.values()]), asked.values())
    return Evaluation(tidy(wide, asked), coverage.with_columns(pl.col(KEYS).cast(pl.String)))


def sources_of(
    qrels: FramesLike,
    runs: FramesLike,
    asked: Mapping[str, Measure],
    names: pl.LazyFrame | None = None,
    tally: Tally = tally,
    *,
    queries: Queries = "qrels",
    pool: Pool = "judged",
    ties: Ties = "score",
    depth: int | None = None,
) -> tuple[Sources, pl.LazyFrame]:
    """What all is computed from, runs and queries as categories, and the coverage.

    Refuses the measures and options that `evaluate` does.
    """
    if queries not in QUERIES:
        raise BadUsage(f"queries={queries!r} is not one of {', '.join(QUERIES)}")
    require_laws(asked.values())
    judged = coded(scan_qrels(qrels)).cache()
    listed = coded(scan_runs(runs, documents=qrels))
    whole = judged_ranks(listed, judged, "score" if ties == AVERAGE else ties)
    ranked = cut(whole, depth)
    if ties == AVERAGE:
        values = partial(averages_of, judged, whole, depth)
        refuse_what_ties_bend(asked)
    else:
        values = partial(values_of, judged, ranked, tally)
    runs_named = None if names is None else coded(names)
    counts, keys = pools(judged, pool, ranked, qrels, runs_named)
    coverage = covered(judged, listed, ranked, runs_named, least_rel(asked))
    grid = coverage.filter(QUERIES[queries])
    return Sources(values, label_counts(judged), counts, keys, grid), coverage


def least_rel(measures: Mapping[str, Measure]) -> float:
    """The label from which a query has something relevant: the lowest `rel`, 1 as a rule.

    >>> import ulframe as ul
    >>> least_rel({"AP": ul.AP(rel=4), "P": ul.P(rel=3) @ 10}), least_rel({"nDCG": ul.nDCG})
    (3.0, 1.0)
    """
    return min(measure.rel for measure in measures.values())


def tidy(wide: pl.LazyFrame, asked: Mapping[str, Measure]) -> pl.LazyFrame:
    """From a column per measure to a row per measure, and from the triple to the score."""
    measures = list(asked.values())
    asked_for = [kind for kind in ON_REQUEST if any(m.operator.reads(kind) for m in measures)]
    kinds = [*TRIPLE, *(kind.meta.output_name() for kind in asked_for)]
    several = {
        kind: pl.concat_arr(*(pl.col(f"{kind}:{m.base}").fill_nan(None) for m in measures))
        for kind in kinds
    }
    several["defined"] = pl.concat_arr(*(_is_defined(measure) for measure in measures))
    operators = [measure.operator.name for measure in measures]
    long = (
        wide.with_columns(pl.col(KEYS).cast(pl.String))
        .sort(KEYS)
        .select(*KEYS, measure=pl.lit([*asked]), operator=pl.lit(operators), **several)
        .explode("measure", "operator", *several)
    )
    used = {measure.operator.name: measure.operator.score for measure in measures}
    score = pl.coalesce(
        pl.when(pl.col("operator") == name).then(score) for name, score in used.items()
    )
    return long.select(*KEYS, "measure", pl.when("defined").then(score).alias("score"), *TRIPLE)


def _is_defined(measure: Measure) -> pl.Expr:
    """Whether the metric is not 0/0; bounds never are, and an operator's own score says it."""
    return pl.col(f"defined:{measure.base}") if measure.operator is A else pl.lit(True)
