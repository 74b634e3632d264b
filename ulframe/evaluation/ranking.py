"""From scores to ranks: one ranking, computed once, serves every metric.

Rows are ranked inside their query by streaming windows; nothing is sorted globally, and document
ids are compared only where scores tie.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.measure import DEEPEST

KEYS = ["run", "query_id"]

SCORE, FIRST, LAST = pl.col("score"), pl.col("first"), pl.col("last")


def _place_by_doc_id() -> pl.Expr:
    """Documents with one score: doc_id descending as bytes, as trec_eval."""
    return pl.int_range(pl.len(), dtype=pl.UInt32).over(
        *KEYS, "first", order_by="doc_id", descending=True
    )


def _place_by_input() -> pl.Expr:
    """Documents with one score: in the order in which the run lists them."""
    return pl.int_range(pl.len(), dtype=pl.UInt32).over(*KEYS, "first")


TIES: dict[str, Callable[[], pl.Expr]] = {"score": _place_by_doc_id, "input": _place_by_input}
"""How a tie is broken, by the name of the option `ties`."""

AVERAGE = "average"
"""The value of that option that breaks no tie: see `spans`."""

_SPAN = {
    "first": SCORE.rank("min", descending=True).over(KEYS),
    "last": SCORE.rank("max", descending=True).over(KEYS),
}


def rank(runs: pl.LazyFrame, ties: str = "score", depth: int | None = None) -> pl.LazyFrame:
    """Rank the documents of every run and query, best score first.

    In: `run, query_id, doc_id, score`. Out: `run, query_id, doc_id, rank: Int64` (from 1),
    `retrieved: Int64`, how many documents the run returned for the query, and `repeated: Boolean`,
    whether one of them stands twice. With `depth`, only that many documents of each query.

    `ties="score"` breaks a tie by doc_id descending, as trec_eval does; `"input"` keeps the order
    of the rows. Raises `BadUsage` for any other, and for a depth below 1.

    >>> import polars as pl
    >>> run = pl.LazyFrame(
    ...     {"run": "a", "query_id": "1", "doc_id": ["x", "y", "z"], "score": [1.0, 1.0, 2.0]}
    ... )
    >>> rank(run).select("doc_id", "rank").sort("rank").collect().rows()
    [('z', 1), ('y', 2), ('x', 3)]
    """
    if ties not in TIES:
        raise BadUsage(f"ties={ties!r} is not one of {', '.join(TIES)}")
    placed = runs.with_columns(
        **_SPAN,
        retrieved=pl.len().over(KEYS),
        # Counting 64-bit hashes costs a third of counting ids; who finds fewer looks at the ids.
        distinct=pl.col("doc_id").hash().n_unique().over(KEYS),
    ).cache()
    tied = placed.filter(FIRST < LAST).with_columns(first=FIRST + TIES[ties]())
    ranked = pl.concat([placed.filter(FIRST == LAST), tied]).select(
        *KEYS,
        "doc_id",
        rank=FIRST.cast(pl.Int64),
        retrieved=pl.col("retrieved").cast(pl.Int64),
        repeated=pl.col("distinct") < pl.col("retrieved"),
    )
    return ranked if depth is None else _cut(ranked, depth)


def spans(runs: pl.LazyFrame, depth: int | None = None) -> pl.LazyFrame:
    """The ranks that each document shares with those of the same score.

    In: as of `rank`. Out: `run, query_id, doc_id, first, last: Int64`, and `retrieved`, how many
    documents the run returned for the query, or `depth` where that is less; no rank below that
    counts.

    >>> run = pl.LazyFrame(
    ...     {"run": "a", "query_id": "1", "doc_id": ["x", "y", "z"], "score": [1.0, 1.0, 2.0]}
    ... )
    >>> spans(run).select("doc_id", "first", "last").collect().rows()
    [('x', 2, 3), ('y', 2, 3), ('z', 1, 1)]
    """
    counted = pl.len().over(KEYS).clip(upper_bound=depth)
    columns = {**_SPAN, "retrieved": counted}
    return runs.select(*KEYS, "doc_id", **{name: e.cast(pl.Int64) for name, e in columns.items()})


def _cut(ranked: pl.LazyFrame, depth: int) -> pl.LazyFrame:
    if depth < 1:
        raise BadUsage(f"depth={depth} is below 1")
    depth = min(depth, DEEPEST)
    return ranked.filter(pl.col("rank") <= depth).with_columns(
        pl.col("retrieved").clip(upper_bound=depth)
    )
