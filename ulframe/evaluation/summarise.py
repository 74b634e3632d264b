"""From scores to a summary: means over queries, how many of them count, how sure the mean is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import polars as pl

from ulframe.evaluation.intervals import bootstrap
from ulframe.evaluation.query_sets import as_sets, refuse_empty
from ulframe.evaluation.ranking import KEYS
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike, as_lazy, require
from ulframe.metrics.grammar import aggregate_of

SCORE, AGGREGATE, N = pl.col("score"), pl.col("aggregate"), pl.col("n_queries")
GROUP = ["run", "set", "measure"]

Undefined: TypeAlias = Literal["zero", "skip"]

UNDEFINED: dict[Undefined, pl.Expr] = {"zero": SCORE.fill_null(0.0), "skip": SCORE}
"""What a mean makes of a query where the measure is undefined, by the name of the option."""


@dataclass(frozen=True)
class Aggregate:
    """How queries become one number: `after` of the mean of `before(score)`, and of how many."""

    before: Callable[[pl.Expr], pl.Expr]
    after: Callable[[pl.Expr, pl.Expr], pl.Expr]


AGGREGATES = {
    "mean": Aggregate(lambda score: score, lambda mean, n: mean),
    "sum": Aggregate(lambda score: score, lambda mean, n: mean * n),
    # The floor is trec_eval's: one query with 0 would make the whole product 0.
    "geometric mean": Aggregate(lambda score: score.clip(1e-5).log(), lambda mean, n: mean.exp()),
}
"""By the word with which a metric declares its own."""


def summarise(
    scores: FramesLike,
    *,
    sets: FramesLike | None = None,
    undefined: Undefined = "zero",
    coverage: pl.LazyFrame | None = None,
) -> pl.LazyFrame:
    """Aggregate scores over all queries, or over each set of queries.

    In: `scores` as `evaluate` gives them; `sets`, any frame that `as_sets` takes, for a row per
    set instead of one for `all`; `coverage` (see `examine`), without which missing
    queries cannot be told from those scored 0.

    Out: `run, set, measure: String, mean: Float64, n_queries` (the mean's denominator),
    `n_undefined, n_missing: Int64` (null without `coverage`), `ci_low, ci_high: Float64`, the 95 %
    percentile interval of 1,000 bootstrap resamples of the queries, seed 0. `mean` is the sum for
    counts and the geometric mean for `gm_*`. Rows come by set, in the order
    of `sets`, then as the scores do; a set without any query of the scores has none.

    `undefined="zero"` takes an undefined score as 0, as trec_eval and LETOR do; `"skip"` leaves it
    out. Raises `BadUsage` for another word, `BadData` where a column is missing or, when collected,
    where no query of the sets is in the scores.

    >>> import polars as pl
    >>> scores = pl.DataFrame(
    ...     {"run": "a", "query_id": ["1", "2"], "measure": "P@2", "score": [0.5, None]}
    ... )
    >>> summarise(scores, undefined="skip").select(
    ...     "mean", "n_queries", "n_undefined"
    ... ).collect().row(0)
    (0.5, 1, 1)
    """
    rows = _counted(scores, sets, undefined, coverage)
    summary = _means(rows).join(_intervals(rows), on=GROUP, how="left", maintain_order="left")
    return _by_set(summary, sets).select(
        *GROUP, "mean", "n_queries", "n_undefined", "n_missing", "ci_low", "ci_high"
    )


def means(
    scores: FramesLike,
    *,
    sets: FramesLike | None = None,
    undefined: Undefined = "zero",
    coverage: pl.LazyFrame | None = None,
) -> pl.LazyFrame:
    """What `summarise` gives, from the same, without the confidence intervals, which cost more."""
    summary = _means(_counted(scores, sets, undefined, coverage))
    return _by_set(summary, sets).select(*GROUP, "mean", "n_queries", "n_undefined", "n_missing")


def _by_set(summary: pl.LazyFrame, sets: FramesLike | None) -> pl.LazyFrame:
    """Rows in the order of the sets."""
    if sets is None:
        return summary
    order = as_sets(sets).select("set").unique(maintain_order=True)
    return order.join(summary, on="set", maintain_order="left_right").map_batches(refuse_empty)


def _counted(
    scores: FramesLike, sets: FramesLike | None, undefined: Undefined, coverage: pl.LazyFrame | None
) -> pl.LazyFrame:
    """A row per run, set, measure and query: `counted`, what enters the mean, and `missing`."""
    if undefined not in UNDEFINED:
        raise BadUsage(f"undefined={undefined!r} is not one of {', '.join(UNDEFINED)}")
    wanted = [*KEYS, "measure", "score"]
    rows = require(as_lazy(scores, "score"), wanted, "the scores")
    if sets is None:
        rows = rows.with_columns(set=pl.lit("all"))
    else:
        rows = rows.join(as_sets(sets), on="query_id", maintain_order="left")
    if coverage is None:
        rows = rows.with_columns(missing=pl.lit(None, pl.Boolean))
    else:
        missing = coverage.select(*KEYS, missing=~pl.col("in_run"))
        rows = rows.join(missing, on=KEYS, how="left", maintain_order="left")
    return rows.with_columns(
        counted=UNDEFINED[undefined],
        aggregate=pl.col("measure").map_batches(_aggregates, pl.String),
    )


def _aggregates(measures: pl.Series) -> pl.Series:
    words = {name: aggregate_of(name) for name in measures.unique()}
    return measures.replace_strict(words, return_dtype=pl.String)


def _chosen(choose: Callable[[Aggregate], pl.Expr]) -> pl.Expr:
    """The expression of each row's own aggregate."""
    return pl.coalesce(
        pl.when(word == AGGREGATE).then(choose(aggregate)) for word, aggregate in AGGREGATES.items()
    )


def _means(rows: pl.LazyFrame) -> pl.LazyFrame:
    before = _chosen(lambda aggregate: aggregate.before(pl.col("counted")))
    missing = pl.col("missing")
    return (
        rows.with_columns(counted=before)
        .group_by(*GROUP, "aggregate", maintain_order=True)
        .agg(
            mean=pl.col("counted").mean(),
            n_queries=pl.col("counted").count().cast(pl.Int64),
            n_undefined=SCORE.null_count().cast(pl.Int64),
            n_missing=pl.when(missing.count() > 0).then(missing.sum()).cast(pl.Int64),
        )
        .with_columns(_finished("mean"))
    )


def _finished(mean: str) -> pl.Expr:
    return _chosen(lambda aggregate: aggregate.after(pl.col(mean), N)).alias(mean)


def _intervals(rows: pl.LazyFrame) -> pl.LazyFrame:
    """`run, set, measure, ci_low, ci_high` of what `_counted` gives."""
    before = _chosen(lambda aggregate: aggregate.before(pl.col("counted")))
    ends = ["ci_low", "ci_high"]
    schema = {**dict.fromkeys([*GROUP, "aggregate"], pl.String), "n_queries": pl.Int64}
    return (
        rows.select(*GROUP, "aggregate", "query_id", counted=before)
        .drop_nulls("counted")
        .group_by(*GROUP, "aggregate", maintain_order=True)  # sorts less, and at once, by group
        .agg(pl.col("counted").sort_by("query_id"), n_queries=pl.len().cast(pl.Int64))
        .map_batches(bootstrap, schema=schema | dict.fromkeys(ends, pl.Float64))
        .with_columns(_finished(end) for end in ends)
        .select(*GROUP, *ends)
    )
