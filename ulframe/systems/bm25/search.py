"""From an index and queries to a run: queries are split into terms, their documents ranked."""

from __future__ import annotations

import numpy as np
import polars as pl

from ulframe.frames.columns import RUNS
from ulframe.frames.errors import BadData, BadUsage
from ulframe.systems.bm25.index import Index
from ulframe.systems.bm25.retrieval import Asked, answers, asked_of
from ulframe.systems.bm25.scoring import BM25
from ulframe.systems.bm25.steps import whole
from ulframe.systems.bm25.texts import Texts, scan_queries
from ulframe.systems.bm25.tokens import tokenised

PLAIN = BM25()


def search(
    index: Index, queries: Texts, scoring: BM25 = PLAIN, *, depth: int = 1000, run: str = "bm25"
) -> pl.LazyFrame:
    """Rank the documents that hold a term of the query and score anything but 0.

    In: `queries`, what `scan_queries` takes. Out, lazily: `run, query_id, doc_id: String, score:
    Float64`, at most `depth` documents of each query, best first, equal scores by doc_id as an
    evaluation orders them; queries in their order. A query without a term that the index knows has
    no rows (see `unanswered`).

    Raises `BadUsage` for `depth` below 1, for texts where the index was made of `terms` and, when
    collected, for a weight of the prior where no document has one; `BadData`, when collected, for
    a query id that occurs twice.

    >>> from ulframe.systems.bm25.index import build_index
    >>> index = build_index({"1": "wing flutter", "2": "heat flow", "3": "wing wing"})
    >>> search(index, {"q": "a wing"}).collect().select("doc_id", pl.col("score").round(3)).rows()
    [('3', 0.858), ('1', 0.585)]
    """
    if depth < 1:
        raise BadUsage(f"depth={depth} must be at least 1")

    def ranked(terms: pl.DataFrame) -> pl.DataFrame:
        return rank_asked(asked_of(index, terms), scoring, depth, run)

    return whole(query_terms(index, queries), ranked, RUNS)


def unanswered(index: Index, queries: Texts) -> pl.LazyFrame:
    """The queries without a term that the index knows: `query_id: String`, in their order.

    >>> from ulframe.systems.bm25.index import build_index
    >>> unanswered(build_index({"1": "wing"}), {"q": "wings", "r": "wing"}).collect().rows()
    [('q',)]
    """
    known = query_terms(index, queries).join(index.terms, on="term")
    ids = scan_queries(queries).select("query_id")
    return ids.join(known, on="query_id", how="anti", maintain_order="left")


def query_terms(index: Index, queries: Texts) -> pl.LazyFrame:
    """Split queries as the index's documents were.

    Out: `query_id, term: String, times: UInt32, words: UInt32`, the query's number of distinct
    terms; a row for each, queries in their order, terms in theirs.
    """
    texts = scan_queries(queries)
    body = "terms" if index.tokens is None else "text"
    have = texts.collect_schema().names()
    if body not in have:
        raise BadUsage(f"the index was made of {body!r}: queries must have them, not {have}")
    schema = {"query_id": pl.String, "term": pl.String, "times": pl.UInt32, "words": pl.UInt32}

    def split(batch: pl.DataFrame) -> pl.DataFrame:
        if batch["query_id"].is_duplicated().any():
            twice = batch.filter(pl.col("query_id").is_duplicated())["query_id"][0]
            raise BadData(f"the query id {twice!r} occurs more than once")
        return (
            tokenised(batch.with_row_index("place"), index.tokens)
            .group_by("place", "query_id", "term")
            .agg(times=pl.len().cast(pl.UInt32))
            .with_columns(words=pl.len().over("place").cast(pl.UInt32))
            .sort("place", "term")
            .select(*schema)
        )

    return whole(texts, split, schema)


def rank_asked(asked: Asked, scoring: BM25, depth: int, run: str) -> pl.DataFrame:
    """The run of queries whose postings are read: `run, query_id, doc_id, score`."""
    found = list(answers(asked, scoring, depth))
    if not found:
        return pl.DataFrame(schema=RUNS)
    docs, scores = zip(*found, strict=True)
    places = pl.Series(np.repeat(np.arange(len(docs)), [len(some) for some in docs]))
    return pl.DataFrame(
        {
            "query_id": asked.queries.gather(places),
            "doc_id": asked.documents["doc_id"].gather(np.concatenate(docs)),
            "score": np.concatenate(scores),
        }
    ).select(pl.lit(run).alias("run"), "query_id", "doc_id", "score")
