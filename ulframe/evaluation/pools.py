"""Label histograms: all that a query's bounds depend on.

A random ranking shuffles a *pool* of documents, and what it is expected to score follows from how
many of them carry which label. Which documents those are is the pool policy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import polars as pl

from ulframe.evaluation.ranking import KEYS, coded, judged_ranks
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike, as_lazy
from ulframe.frames.sources import scan_qrels, scan_runs

LABEL, COUNT, JUDGED = pl.col("label"), pl.col("count"), pl.col("judged")

Pool: TypeAlias = Literal["judged", "retrieved"] | int | str
"""What a random ranking shuffles; any other word names a column of the qrels."""

ONE = pl.lit(1, pl.Int64)

LARGEST = 10**15

UNJUDGED = -1.0
"""The label under which documents that nobody judged are counted: like every negative label it
gains nothing, is not relevant, and is not a judgement."""


def histogram(
    qrels: FramesLike, *, pool: Pool = "judged", runs: FramesLike | None = None, rel: float = 1
) -> pl.LazyFrame:
    """How many documents of a query's pool carry which label.

    In: qrels, and runs where the pool is `"retrieved"`, as any frame that `scan_qrels` and
    `scan_runs` take. Out: `query_id, label: Float64, count: Int64, n: Int64` (the pool's size),
    `r: Int64` (its documents of label `rel` or above), and `run` where the pool is the run's own.
    Documents that nobody judged stand under label -1.

    `pool`: `"judged"`, all documents in the query's qrels; `"retrieved"`, what the run returned;
    a number, or the name of a column of `qrels`, how many documents the collection has. Raises
    `BadData`, on collecting, where that is fewer than are judged, `BadUsage` for another word.

    >>> qrels = {"q": {"a": 0, "b": 2, "c": 0}}
    >>> histogram(qrels).sort("label").collect().rows()
    [('q', 0.0, 2, 3, 1), ('q', 2.0, 1, 3, 1)]
    >>> histogram(qrels, pool=100).sort("label").collect().rows()[0]
    ('q', -1.0, 97, 100, 1)
    """
    judged = coded(scan_qrels(qrels))
    ranked = None if runs is None else judged_ranks(coded(scan_runs(runs)), judged)
    counts, keys = pools(judged, pool, ranked, qrels)
    return (
        counts.filter(COUNT > 0)
        .with_columns(
            n=COUNT.sum().over(keys),
            r=pl.when(rel <= LABEL).then(COUNT).otherwise(0).sum().over(keys),
        )
        .select(pl.col(keys).cast(pl.String), "label", "count", "n", "r")
    )


def pools(
    qrels: pl.LazyFrame,
    pool: Pool,
    ranked: pl.LazyFrame | None,
    source: FramesLike,
    names: pl.LazyFrame | None = None,
) -> tuple[pl.LazyFrame, list[str]]:
    """The counts that bounds are made of, and the columns that tell the pools apart.

    A row per pool and label: `count`, how many documents of the pool carry it, and `judged`, how
    many of the query's qrels do. `source` is the qrels as given, for a column of theirs; `names`
    has a column `run` of all runs, where `ranked` may lack one.
    """
    judged = label_counts(qrels)
    if pool == "judged":
        return judged.with_columns(count=JUDGED), ["query_id"]
    if pool == "retrieved":
        if ranked is None:
            raise BadUsage('pool="retrieved" needs the runs')
        return _retrieved(judged, qrels, ranked, names), KEYS
    size = _sizes(qrels, pool, source)
    return _collection(judged, size, pool, ranked), ["query_id"]


def label_counts(qrels: pl.LazyFrame) -> pl.LazyFrame:
    """`query_id, label: Float64, judged: Int64`: how many documents are judged so."""
    label = LABEL.cast(pl.Float64)
    # len is UInt32, and what is subtracted from it would wrap below 0
    return qrels.group_by("query_id", label).agg(judged=pl.len().cast(pl.Int64))


def _retrieved(
    judged: pl.LazyFrame, qrels: pl.LazyFrame, ranked: pl.LazyFrame, names: pl.LazyFrame | None
) -> pl.LazyFrame:
    """A pool per run and query; what the run returned and nobody judged counts as unjudged.

    That of a query that the run misses is empty, but the best ranking of it is as of any. Of
    negative labels only what was returned is `judged` here: no best ranking needs the others, and
    in the pool they are not.
    """
    labels = qrels.with_columns(LABEL.cast(pl.Float64))
    found = ranked.join(labels, on=["query_id", "doc_id"]).select(
        *KEYS, "label", count=ONE, judged=pl.when(LABEL < 0).then(ONE).otherwise(0)
    )
    queries = ranked.filter(pl.col("rank") == 1)
    others = queries.select(*KEYS, label=pl.lit(UNJUDGED), count="retrieved")
    not_others = found.select(*KEYS, label=pl.lit(UNJUDGED), count=-COUNT)
    runs = ranked.select("run").unique() if names is None else names.select("run")
    wanted = runs.join(judged.filter(LABEL >= 0), how="cross")
    return (
        pl.concat([found, others, not_others, wanted], how="diagonal")
        .group_by(*KEYS, "label")
        .agg(COUNT.sum(), JUDGED.sum())
    )


def _sizes(qrels: pl.LazyFrame, pool: Pool, source: FramesLike) -> pl.LazyFrame:
    if isinstance(pool, int) and not isinstance(pool, bool):
        if pool > LARGEST:
            raise BadUsage(f"pool={pool}: no collection has more than {LARGEST} documents")
        return qrels.select("query_id").unique().with_columns(size=pl.lit(pool, pl.Int64))
    given = as_lazy(source, "label")
    names = given.collect_schema().names()
    if pool not in names:
        raise BadUsage(
            f'pool={pool!r} is not "judged", "retrieved", a number of documents, or one of the '
            f"qrels' columns ({', '.join(names)})"
        )
    size = pl.col(str(pool)).cast(pl.Float64)
    sized = pl.concat([qrels.select("query_id"), given.select(size=size)], how="horizontal")
    one = sized.group_by("query_id").agg(
        pl.col("size").first(), several=pl.col("size").n_unique() > 1
    )
    checked = one.map_batches(_is_one_size(pool), schema=one.collect_schema())
    return checked.select("query_id", pl.col("size").cast(pl.Int64))


def _is_one_size(pool: Pool) -> Callable[[pl.DataFrame], pl.DataFrame]:
    def check(sizes: pl.DataFrame) -> pl.DataFrame:
        size = pl.col("size")
        bad = sizes.filter(pl.col("several") | (size != size.floor()).fill_null(True))
        if bad.height:
            query = bad.sort("query_id")["query_id"][0]
            raise BadData(
                f"pool={pool!r}: the size of a query's collection must be one whole number on all "
                f"of its rows, but that of query {query!r} is not"
            )
        return sizes

    return check


def _collection(
    judged: pl.LazyFrame, size: pl.LazyFrame, pool: Pool, ranked: pl.LazyFrame | None
) -> pl.LazyFrame:
    """The judged documents, and as many unjudged ones as the collection has beside them."""
    known = judged.group_by("query_id").agg(n=JUDGED.sum())
    sizes = size.join(known, on="query_id").with_columns(returned=pl.lit(0, pl.Int64))
    if ranked is not None:
        firsts = ranked.filter(pl.col("rank") == 1)
        most = firsts.group_by("query_id").agg(returned=pl.col("retrieved").max())
        sizes = sizes.drop("returned").join(most, on="query_id", how="left")
    rest = sizes.map_batches(_fits(pool), schema=sizes.collect_schema())
    unjudged = rest.select(
        "query_id",
        label=pl.lit(UNJUDGED),
        judged=pl.lit(0, pl.Int64),
        count=pl.col("size") - pl.col("n"),
    )
    counted = judged.with_columns(count=JUDGED)
    return (
        pl.concat([counted, unjudged], how="diagonal")
        .group_by("query_id", "label")
        .agg(COUNT.sum(), JUDGED.sum())
    )


def _fits(pool: Pool) -> Callable[[pl.DataFrame], pl.DataFrame]:
    def check(sizes: pl.DataFrame) -> pl.DataFrame:
        for column, what in (("n", "judged"), ("returned", "returned")):
            small = sizes.filter(pl.col("size").fill_null(0) < pl.col(column)).sort("query_id")
            if small.height:
                query, size, most = small.select("query_id", "size", column).row(0)
                raise BadData(
                    f"pool={pool!r}: {small.height} queries have more {what} documents than their "
                    f"collection has, query {query!r} first: {most} {what}, {size} in all"
                )
        return sizes

    return check
