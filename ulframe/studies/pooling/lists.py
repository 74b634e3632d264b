"""Judging lists that need no judgements: Depth-n, and any order that a user brings.

A list has a row per query and document, `query_id, doc_id, place, training`, in the order in which
they are judged; a pool is the first rows of every query.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ulframe.evaluation.ranking import KEYS, rank
from ulframe.frames.columns import no_column
from ulframe.frames.contract import conform_runs
from ulframe.frames.errors import BadData
from ulframe.frames.intake import FramesLike, as_lazy
from ulframe.frames.sources import scan_runs
from ulframe.studies.pooling.columns import DEPTH, DOC, PLACE, QUERY, TRAINING

PRIORITY = "priority"
SCORED = {PRIORITY: "score"}
RANK = pl.col("rank")
TURN = pl.col("run").rank("dense").cast(pl.Int64)  # runs take turns by name


def depth_n(runs: FramesLike) -> pl.LazyFrame:
    """Depth-n pooling as a list: round robin over the runs, rank by rank.

    In: runs as `scan_runs` takes frames. Out: `query_id, doc_id: String, place: Int64, training:
    Boolean` (false) and `depth: Int64`, the best rank that any run gives the document, by query and
    place. At one rank the runs take turns by name. So the union of the top n is the rows with
    `depth <= n`, and they come first. A run that misses a query, or is shorter, has no turn.

    Raises `BadData`, when collected, where a run returns a document twice.

    >>> runs = {"a": {"1": {"x": 2, "y": 1}}, "b": {"1": {"z": 2, "x": 1}}}
    >>> depth_n(runs).select("doc_id", "place", "depth").collect().rows()
    [('x', 1, 1), ('z', 2, 1), ('y', 3, 2)]
    """
    turn = RANK * pl.col("run").n_unique().cast(pl.Int64) + TURN
    met = ranked(runs).with_columns(met=turn).group_by(QUERY, DOC)
    best = met.agg(pl.col("met").min(), RANK.min().alias(DEPTH))
    return best.sort(QUERY, "met").select(QUERY, DOC, _numbered(), _untrained(), DEPTH)


def as_list(order: FramesLike, *, where: str = "the order") -> pl.LazyFrame:
    """Take any order of documents as a judging list, a user's own as well.

    In: a frame with `query_id, doc_id` and `priority`, a number, of which the highest is judged
    first; or with `place`, of which the lowest is; or a dict `{query: {doc: priority}}`. Out:
    `query_id, doc_id, place, training`, by query and place from 1 on; what is equal is judged by
    doc_id descending, as in a ranking. `training` tells, where the frame has it, which documents
    were judged to make the order. `where` names the order in messages.

    Raises `BadData` for a missing column and, when collected, for a priority that is no number or a
    document that is there twice.

    >>> order = pl.DataFrame({"query_id": "1", "doc_id": ["x", "y"], "priority": [0.1, 0.7]})
    >>> as_list(order).select("doc_id", "place").collect().rows()
    [('y', 1), ('x', 2)]
    """
    given = as_lazy(order, PRIORITY)
    names = given.collect_schema().names()
    if PRIORITY not in names and PLACE not in names:
        advice = f"An order has {PRIORITY}, the highest first, or {PLACE}, the lowest first"
        raise no_column([PRIORITY], names, where, advice)
    by, sign = (PRIORITY, 1) if PRIORITY in names else (PLACE, -1)
    given = given.map_batches(_numbers(by, where), streamable=True)
    first = pl.col(by).cast(pl.Float64, strict=False) * sign
    trained = pl.col(TRAINING) if TRAINING in names else pl.lit(False)
    frame = given.with_columns(first.alias(PRIORITY), trained.alias(TRAINING))
    scores = conform_runs(frame.drop("run", strict=False), columns=SCORED, where=where)
    needed = conform_runs(frame.filter(TRAINING).drop("run", strict=False), columns=SCORED)
    return (
        rank(scores)
        .map_batches(_no_repeats(where), streamable=True)
        .join(needed.select(QUERY, DOC, training=pl.lit(True)), on=[QUERY, DOC], how="left")
        .select(QUERY, DOC, RANK.alias(PLACE), pl.col(TRAINING).fill_null(False))
        .sort(QUERY, PLACE)
    )


def ranked(runs: FramesLike) -> pl.LazyFrame:
    """The runs as ranked: `run, query_id, doc_id: String, rank: Int64`.

    Raises `BadData`, when collected, where a run returns a document twice.
    """

    def check(rows: pl.DataFrame) -> pl.DataFrame:
        if rows["repeated"].any():
            name, query = rows.filter("repeated").select(KEYS).sort(KEYS).row(0)
            raise BadData(f"a run returns a document twice: {name!r}, query {query!r}")
        return rows

    ranking = rank(scan_runs(runs)).map_batches(check, streamable=True)
    return ranking.select(*KEYS, DOC, "rank")


def _no_repeats(where: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    def check(rows: pl.DataFrame) -> pl.DataFrame:
        if rows["repeated"].any():
            query = rows.filter("repeated")[QUERY].min()
            raise BadData(f"{where} lists a document twice in query {query!r}")
        return rows

    return check


def _numbers(name: str, where: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """A check that this column holds numbers, which gives the rows as they are."""

    def check(rows: pl.DataFrame) -> pl.DataFrame:
        numbers = rows[name].cast(pl.Float64, strict=False)
        if (bad := rows.filter(numbers.is_null() | numbers.is_nan())).height:
            raise BadData(
                f"{where}: {name} must be a number, but there is {bad.row(0, named=True)}"
            )
        return rows

    return check


def _numbered() -> pl.Expr:
    return pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(QUERY).alias(PLACE)


def _untrained() -> pl.Expr:
    return pl.lit(False).alias(TRAINING)
