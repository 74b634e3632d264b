"""Query sets: which queries tell a system from a random ranking, and any other slices of queries.

A query set is a frame with `set` and `query_id`; slicing by it is a join, and a query may be in
several sets. What a query is worth is told by two numbers between 0 and 1: real, the share of the
best possible that systems reach, and expected, the share that a random ranking does.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike, as_lazy, require
from ulframe.metrics.laws import TOLERANCE
from ulframe.metrics.operators import EXPECTED as BY_CHANCE
from ulframe.metrics.operators import TRIPLE, UPPER, VALUE

REAL, EXPECTED, GAP = pl.col("real"), pl.col("expected"), pl.col("gap")
COLUMNS = ["query_id", "real", "expected", "gap"]
DECIMALS = 12
"""Gaps that agree to so many decimals are ties: the last bits of a mean differ between repeats."""

PAPER_SIZES = {"mslr": 1000, "mq2007": 500, "across": 500}
"""How many queries the paper's uninformative and ideal sets hold: 1,000 of MSLR-WEB30K's 10,000,
500 of MQ2007's 1,000, and 500 of each for the swap rate across data sets."""

Gap = Literal["absolute", "signed"]
GAPS: dict[Gap, pl.Expr] = {"absolute": GAP.abs(), "signed": GAP}
"""What is smallest on uninformative queries: systems nearest to chance, or furthest below it."""

LOW, HIGH = 0.25, 0.5
"""Both scores at most `LOW`: hard; both at least `HIGH`: easy."""

SETS = ("all", "uninformative", "ideal", "hard", "easy", "distractive", "informative")
"""The names of the sets, in their order."""


def real_and_expected(scores: FramesLike, *, include_undefined: bool = False) -> pl.LazyFrame:
    """What systems reach on each query, and what a random ranking is expected to.

    In: `scores` as `evaluate` gives them, of the runs, measures and cutoffs that are to count
    (choose them with `filter`). Out, ordered by `query_id`: `query_id: String, real, expected,
    gap: Float64`, the means over these runs and measures of value/upper and expected/upper, both
    in [0, 1], and real - expected.

    Where nothing is relevant (`upper` is 0) all three are null, so that `null_count` counts these
    queries; no set takes them in. With `include_undefined=True` all three are 0 instead. Raises
    `BadData` where a column is missing.

    >>> import ulframe as ul
    >>> scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), ["nDCG@5", "nDCG@10"])
    >>> queries = real_and_expected(scores).collect()
    >>> queries.height, queries["real"].null_count()
    (200, 5)
    """
    frame = require(as_lazy(scores, "score"), ["query_id", *TRIPLE], "the scores")
    possible = UPPER > 0
    instead = pl.lit(0.0 if include_undefined else None)
    return (
        frame.group_by(pl.col("query_id").cast(pl.String))
        .agg(
            real=pl.when(possible).then(VALUE / UPPER).mean(),
            expected=pl.when(possible).then(BY_CHANCE / UPPER).mean(),
        )
        .with_columns(pl.col("real", "expected").fill_null(instead))
        .select(*COLUMNS[:3], gap=REAL - EXPECTED)
        .sort("query_id")
    )


def uninformative(queries: pl.LazyFrame, n: int, *, gap: Gap = "absolute") -> pl.LazyFrame:
    """The `n` queries where systems are nearest to chance: the smallest |real - expected|.

    In: what `real_and_expected` gives. Out: `set, query_id: String, real, expected, gap: Float64`,
    nearest first, ties by `query_id`; all queries where there are fewer than `n`. `gap="signed"`
    takes the smallest real - expected, so that queries far below chance come first. Raises
    `BadUsage` for another word, and for an `n` below 1.
    """
    if gap not in GAPS:
        raise BadUsage(f"gap={gap!r} is not one of {', '.join(GAPS)}")
    return _named("uninformative", _first(queries, n, GAPS[gap], descending=False))


def ideal(queries: pl.LazyFrame, n: int) -> pl.LazyFrame:
    """The `n` queries where systems are furthest above chance; otherwise as `uninformative`."""
    return _named("ideal", _first(queries, n, GAP, descending=True))


def hard(queries: pl.LazyFrame, n: int, *, low: float = LOW) -> pl.LazyFrame:
    """Those of the `n` uninformative queries where real and expected are at most `low`."""
    return _named("hard", uninformative(queries, n).filter((low >= REAL) & (low >= EXPECTED)))


def easy(queries: pl.LazyFrame, n: int, *, high: float = HIGH) -> pl.LazyFrame:
    """Those of the `n` uninformative queries where real and expected are at least `high`."""
    return _named("easy", uninformative(queries, n).filter((high <= REAL) & (high <= EXPECTED)))


def distractive(queries: pl.LazyFrame) -> pl.LazyFrame:
    """The queries where a random ranking is expected to do better, furthest below chance first."""
    below = queries.filter(_BELOW_CHANCE).sort(GAP.round(DECIMALS), "query_id")
    return _named("distractive", below)


def informative(queries: pl.LazyFrame, n: int) -> pl.LazyFrame:
    """The rest: neither among the `n` uninformative queries nor distractive."""
    rest = queries.filter(GAP.is_not_null() & ~_BELOW_CHANCE)
    kept = rest.join(uninformative(queries, n), on="query_id", how="anti")
    return _named("informative", kept.sort("query_id"))


def query_sets(
    queries: pl.LazyFrame,
    *,
    uninformative_n: int,
    ideal_n: int,
    low: float = LOW,
    high: float = HIGH,
) -> pl.LazyFrame:
    """All these sets as one frame, and `all` with every query, undefined ones included.

    In: what `real_and_expected` gives. Out: `set, query_id: String, real, expected, gap: Float64`
    in the order of `SETS`. Raises `BadUsage` for a size below 1, or unless `low` <= `high`.

    >>> import ulframe as ul
    >>> scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), "nDCG@10")
    >>> sets = query_sets(real_and_expected(scores), uninformative_n=50, ideal_n=50)
    >>> sets.collect()["set"].value_counts(sort=True).row(0)
    ('all', 200)
    """
    if not low <= high:
        raise BadUsage(f"low={low}, high={high}: hard is up to low, easy from high on, low <= high")
    return pl.concat(
        [
            _named("all", queries),
            uninformative(queries, uninformative_n),
            ideal(queries, ideal_n),
            hard(queries, uninformative_n, low=low),
            easy(queries, uninformative_n, high=high),
            distractive(queries),
            informative(queries, uninformative_n),
        ]
    )


_BELOW_CHANCE = EXPECTED - REAL > TOLERANCE * EXPECTED


def _first(queries: pl.LazyFrame, n: int, by: pl.Expr, *, descending: bool) -> pl.LazyFrame:
    if n < 1:
        raise BadUsage(f"a set of {n} queries: it takes at least 1")
    order = queries.drop_nulls("gap").sort(
        by.round(DECIMALS), "query_id", descending=[descending, False]
    )
    return order.head(n)


def _named(name: str, queries: pl.LazyFrame) -> pl.LazyFrame:
    return queries.select(pl.lit(name).alias("set"), *COLUMNS)
