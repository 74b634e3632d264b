"""From scores to ranks: one ranking, computed once, serves every metric.

A run mostly stands as its system wrote it: query by query, best score first. Then a rank is a
position, and no row is moved; any other run is sorted once. Document ids are compared only where
scores tie, and only where the tie holds a document that is wanted.
"""

from __future__ import annotations

from functools import partial

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.measure import DEEPEST

KEYS = ["run", "query_id"]

RUN, QUERY, DOC, SCORE = (pl.col(name) for name in (*KEYS, "doc_id", "score"))
AT, START, TOP, END = (pl.col(name) for name in ("at", "start", "top", "end"))

TIES: dict[str, pl.Expr] = {
    # descending as bytes, as trec_eval
    "score": pl.int_range(pl.len()).over("top", order_by="doc_id", descending=True),
    "input": AT - TOP,
}
"""The place of a document among those with its score, by the name of the option `ties`."""

AVERAGE = "average"
"""The value of that option that breaks no tie: it reads `first` and `last`."""

CODED = {"run": pl.Categorical(), "query_id": pl.Categorical(), "doc_id": pl.String()}
NUMBERS = dict.fromkeys(["rank", "first", "last", "retrieved"], pl.Int64())
RANKED = pl.Schema({**CODED, **NUMBERS, "repeated": pl.Boolean()})

CODES = pl.col(KEYS).to_physical()
NEW, BEFORE = pl.any_horizontal(CODES.ne_missing(CODES.shift())), SCORE.shift()
MARKS = {"new": NEW, "above": (BEFORE < SCORE) & ~NEW, "tied": (BEFORE == SCORE) & ~NEW}
"""Whether a row is the first of its query, or `above` the one before it, or `tied` with it."""

PAIR = DOC.hash() ^ QUERY.hash(1)
"""A query's document as a number; who finds two alike looks at the ids."""

BLOCK = RUN.to_physical().cast(pl.UInt64) * 2**32 + QUERY.to_physical()
"""A run and query as one number: what is ranked together."""


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
    _require(ties)
    given = pl.Schema(
        (name, dtype) for name, dtype in runs.collect_schema().items() if name in CODED
    )
    rows = coded(runs.select(*CODED, "score")).with_columns(pair=PAIR, wanted=True, **MARKS)
    ranked = rows.map_batches(partial(_ranked, ties=ties), schema=RANKED).cast(given)
    return cut(ranked.drop("first", "last"), depth)


def judged_ranks(runs: pl.LazyFrame, qrels: pl.LazyFrame, ties: str = "score") -> pl.LazyFrame:
    """As `rank`, but of the judged documents only: all that values are made of.

    In: runs, and `query_id, doc_id` of the qrels, as `coded` makes them. Out: as of `rank`, and
    `first, last: Int64`, the ranks that a document shares with those of its score. A few documents
    that are not judged stay: one at rank 1 of each query, by which it is counted.

    >>> run = pl.LazyFrame(
    ...     {"run": "a", "query_id": "1", "doc_id": ["x", "y", "z"], "score": [1.0, 1.0, 2.0]}
    ... )
    >>> ranked = judged_ranks(coded(run), coded(run.select("query_id", "doc_id").head(1)))
    >>> ranked.select("doc_id", "rank", "first", "last").sort("rank").collect().rows()
    [('z', 1, 1, 1), ('y', 2, 2, 3), ('x', 3, 2, 3)]
    """
    _require(ties)
    # A map takes one frame, so the qrels stand before the run; they have no score.
    wanted = qrels.select(pl.lit(None, pl.Categorical).alias("run"), QUERY, DOC, score=pl.lit(None))
    listed = runs.select(*CODED, SCORE.cast(pl.Float64))
    both = pl.concat([wanted.cast({"score": pl.Float64}), listed]).with_columns(pair=PAIR, **MARKS)
    return both.map_batches(partial(_judged, ties=ties), schema=RANKED).cache()


def coded(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Runs and queries as categories while they are keys: a fourth of the memory, and faster."""
    return frame.with_columns(pl.col("^(run|query_id)$").cast(pl.Categorical))


def cut(ranked: pl.LazyFrame, depth: int | None) -> pl.LazyFrame:
    """The ranks that a run would have, had it returned `depth` documents of each query at most.

    Raises `BadUsage` for a depth below 1.
    """
    if depth is None:
        return ranked
    if depth < 1:
        raise BadUsage(f"depth={depth} is below 1")
    depth = min(depth, DEEPEST)
    return ranked.filter(pl.col("rank") <= depth).with_columns(
        pl.col("retrieved").clip(upper_bound=depth)
    )


def _require(ties: str) -> None:
    if ties not in TIES:
        raise BadUsage(f"ties={ties!r} is not one of {', '.join([*TIES, AVERAGE])}")


def _judged(both: pl.DataFrame, ties: str) -> pl.DataFrame:
    many = both["score"].null_count()
    judged, listed = both.head(many), both.slice(many)
    return _ranked(listed.with_columns(wanted=pl.col("pair").is_in(judged["pair"].implode())), ties)


def _ranked(listed: pl.DataFrame, ties: str) -> pl.DataFrame:
    """Rank the `wanted` rows, those that tie with them, and the first of each query."""
    if listed.is_empty():
        return RANKED.to_frame()
    if not _is_in_order(listed):
        listed = _in_order(listed).with_columns(**MARKS)
    blocks, groups = _blocks(listed), _groups(listed)
    kept = listed["wanted"] | listed["new"] | _within(groups, listed.height)
    rows = (
        listed.select(*CODED)
        .filter(kept)
        .with_columns(kept.arg_true().cast(pl.Int64).alias("at").set_sorted())
        .join_asof(blocks, left_on="at", right_on="start", coalesce=False)
        .join_asof(groups, left_on="at", right_on="top", coalesce=False)
    )
    tied = rows.filter(AT < END).with_columns(place=TIES[ties])
    alone = rows.filter((AT < END).not_().fill_null(True)).with_columns(
        top=AT, end=AT + 1, place=pl.lit(0, pl.Int64)
    )
    first = TOP - START + 1
    return pl.concat([alone, tied]).select(
        *CODED,
        rank=first + pl.col("place"),
        first=first,
        last=END - START,
        retrieved="retrieved",
        repeated="repeated",
    )


# ---------------------------------------------------------------- the order in which rows stand
def _is_in_order(listed: pl.DataFrame) -> bool:
    heads = listed.select(pl.col(KEYS).filter("new")).select(BLOCK).to_series()
    return not listed["above"].any() and heads.n_unique() == heads.len()


def _in_order(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of each run and query together, best score first, else as they stand."""
    best_first = pl.col("row").sort_by(SCORE, descending=True, maintain_order=True)
    keys = rows.select(SCORE, block=BLOCK).with_row_index("row")
    order = keys.group_by("block").agg(best_first)["row"].explode()
    # of many chunks, picking rows here and there takes five times as long
    return pl.DataFrame([column.rechunk().gather(order) for column in rows.iter_columns()])


def _blocks(listed: pl.DataFrame) -> pl.DataFrame:
    """`start, retrieved, repeated` of each run and query, in the order of `start`.

    `repeated` is whether a document stands twice, or two that are alike in 64 bits.
    """
    # told that numbers rise, Polars slices where it would hash
    pairs = listed.select("pair", block=pl.col("new").cum_sum().set_sorted())
    twice = pl.col("pair").n_unique() < pl.len()
    blocks = pairs.group_by("block", maintain_order=True).agg(
        retrieved=pl.len().cast(pl.Int64), repeated=twice
    )
    start = (pl.col("retrieved").cum_sum() - pl.col("retrieved")).set_sorted()
    return blocks.select("retrieved", "repeated", start=start)


def _groups(listed: pl.DataFrame) -> pl.DataFrame:
    """`top, end` of the rows of one score, where there are several and one of them is wanted."""
    at = listed["tied"].arg_true().cast(pl.Int64)
    first = at.diff().ne_missing(1)
    top, end = at.filter(first) - 1, at.filter(first.shift(-1, fill_value=True)) + 1
    places = listed["wanted"].arg_true()
    held = places.search_sorted(top) < places.search_sorted(end)
    return pl.DataFrame({"top": top, "end": end}).filter(held).with_columns(TOP.set_sorted())


def _within(groups: pl.DataFrame, height: int) -> pl.Series:
    """Whether a row is in one of the groups."""
    rows = groups.select(pl.int_ranges(TOP, END).explode()).to_series()
    return pl.repeat(False, height, eager=True).scatter(rows, True)
