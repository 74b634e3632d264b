"""Qrels and runs in, one row per run, query and measure out: the main job, as one lazy plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ulframe.evaluation.bounds import bounds_of
from ulframe.evaluation.coverage import covered
from ulframe.evaluation.histogram import pools
from ulframe.evaluation.ranking import KEYS, rank
from ulframe.evaluation.tally import tally, with_states
from ulframe.frames.contract import conform_qrels, conform_runs
from ulframe.frames.errors import BadUsage
from ulframe.metrics.grammar import Asked, named
from ulframe.metrics.metric import Measure
from ulframe.metrics.variants import TRIPLE

LABEL = pl.col("label")

QUERIES = {"qrels": pl.col("in_qrels"), "both": pl.col("in_qrels") & pl.col("in_run")}
"""Which queries are scored, by the name of the option `queries`."""


@dataclass(frozen=True)
class Evaluation:
    """The plans that one pass over the input serves; collect them together.

    - `scores`: `run, query_id, measure, score, value, upper, expected`, ordered by run and query,
      measures as asked.
    - `coverage`: `run, query_id, in_qrels, in_run`, a row for each run and each query that either
      has: what was missing from a run, and what was dropped for want of qrels.
    """

    scores: pl.LazyFrame
    coverage: pl.LazyFrame


def evaluate(qrels: Any, runs: Any, measures: Asked, **options: Any) -> pl.LazyFrame:
    """Score every query of every run.

    In: `qrels` and `runs` as any frame or dict (see `scan_qrels`, `scan_runs`); `measures`, one or
    several, as objects or names. Out: a LazyFrame of `run, query_id, measure: String, score,
    value, upper, expected: Float64`, ordered by run and query, measures as asked: `score` is what
    the measure says, the others the triple (value, best possible, expected by chance) of its
    metric. `score` is null where the measure is undefined.

    Options:
    - `queries`: `"qrels"`, every query of the qrels, value 0 where the run misses it; `"both"`,
      only those that the run has too.
    - `pool`: what a random ranking shuffles (see `histogram`).
    - `ties`, `depth`: how a ranking is made of scores, and how far down it is read (see `rank`).

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
    qrels: Any,
    runs: Any,
    measures: Asked,
    *,
    queries: str = "qrels",
    pool: str | int = "judged",
    ties: str = "score",
    depth: int | None = None,
    names: pl.LazyFrame | None = None,
) -> Evaluation:
    """As `evaluate`, with the coverage that `summarise` counts missing queries from.

    `names`, with a column `run`, is for those who evaluate a part of the queries at a time: it
    names all the runs, also those that have no query in this part.
    """
    if queries not in QUERIES:
        raise BadUsage(f"queries={queries!r} is not one of {', '.join(QUERIES)}")
    asked = named(measures)
    bases = list(dict.fromkeys(measure.base for measure in asked.values()))
    judged, listed = _coded(conform_qrels(qrels)), _coded(conform_runs(runs))
    ranked = rank(listed, ties, depth)
    counts, keys = pools(judged, pool, ranked, qrels)
    bounds = bounds_of(counts, keys, bases)
    values = _values(judged, ranked, bases)
    coverage = covered(judged, listed, ranked, None if names is None else _coded(names))
    wide = (
        coverage.filter(QUERIES[queries])
        .join(values, on=KEYS, how="left")
        .join(bounds, on=keys, how="left")
        .with_columns(pl.col("^(value|upper|expected):.*$").fill_null(0.0))
    )
    return Evaluation(_tidy(wide, asked), coverage.with_columns(pl.col(KEYS).cast(pl.String)))


def _coded(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Runs and queries as categories while they are keys: a fourth of the memory, and faster."""
    return frame.with_columns(pl.col("^(run|query_id)$").cast(pl.Categorical))


def _values(judged: pl.LazyFrame, ranked: pl.LazyFrame, bases: Sequence[Measure]) -> pl.LazyFrame:
    """`run, query_id` and `value:NAME` of each measure, where the run has a judged document."""
    judgements = judged.filter(LABEL >= 0).with_columns(**_constants(bases))
    rows = with_states(ranked.join(judgements, on=["query_id", "doc_id"]), KEYS, bases)
    return tally(rows, KEYS, bases).rename({str(base): f"value:{base}" for base in bases})


def _constants(bases: Iterable[Measure]) -> dict[str, pl.Expr]:
    constants: dict[str, pl.Expr] = {}
    for base in bases:
        constants[base.column("r")] = base.relevant.sum().over("query_id")
        constants[base.column("nonrel")] = (1 - base.relevant).sum().over("query_id")
    return constants


def _tidy(wide: pl.LazyFrame, asked: Mapping[str, Measure]) -> pl.LazyFrame:
    """From a column per measure to a row per measure, and from the triple to the score."""
    measures = list(asked.values())
    triples = {
        kind: pl.concat_list(f"{kind}:{measure.base}" for measure in measures) for kind in TRIPLE
    }
    operators = [measure.operator.name for measure in measures]
    long = (
        wide.with_columns(pl.col(KEYS).cast(pl.String))
        .sort(KEYS)
        .select(*KEYS, measure=pl.lit([*asked]), operator=pl.lit(operators), **triples)
        .explode("measure", "operator", *TRIPLE)
    )
    used = {measure.operator.name: measure.operator.score for measure in measures}
    score = pl.coalesce(
        pl.when(pl.col("operator") == name).then(score) for name, score in used.items()
    )
    return long.select(*KEYS, "measure", score.alias("score"), *TRIPLE)
