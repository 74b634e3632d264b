"""Several scores of each (query, document): features for the methods that learn to rank.

A feature is one expression: a part per term of the query that the document holds, which is summed,
or a number of the document.
"""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl

from ulframe.frames.atomic import appearing
from ulframe.frames.errors import BadData
from ulframe.frames.intake import FramesLike, as_lazy
from ulframe.frames.sources import scan_qrels
from ulframe.systems.bm25.index import Index
from ulframe.systems.bm25.scoring import BM25, saturated
from ulframe.systems.bm25.search import query_terms
from ulframe.systems.bm25.texts import Texts

TF, IDF, RELATIVE = pl.col("tf"), pl.col("idf"), pl.col("relative_length")
PAIR = ["query_id", "doc_id"]


def _score(scoring: BM25) -> pl.Expr:
    part: pl.Expr = saturated(scoring, TF, RELATIVE)
    return pl.col("times") * IDF * part


SUMS: dict[str, pl.Expr] = {
    "words": TF > 0,
    "covered": 1 / pl.col("words_asked"),
    "tf": TF,
    "tf_relative": TF / RELATIVE,
    "idf": _score(BM25(k=0.0, b=0.0)),
    "tf_idf": _score(BM25(k=math.inf, b=0.0)),
    "bm25": _score(BM25()),
    "bm25_flat": _score(BM25(b=0.0)),
}
"""By the feature's name, what is summed over the distinct terms that query and document share."""

NUMBERS: dict[str, pl.Expr] = {
    "length": pl.col("length"),
    "prior": pl.col("prior"),
    "log_prior": (1 + pl.col("prior")).log(2),
}
"""By the feature's name, what is the document's own."""

FEATURES = [*SUMS, *NUMBERS]


def features(index: Index, queries: Texts, pairs: FramesLike) -> pl.LazyFrame:
    """Score pairs of query and document in several ways.

    In: `pairs`, a frame with `query_id` and `doc_id`, such as a run or qrels. Out, lazily and in
    their order: `query_id, doc_id: String`, and a Float64 for each of `FEATURES`:

    - `words`, `covered`: how many of the query's distinct terms the document holds, and what part;
    - `tf`, `tf_relative`: the sum of their frequencies, and of these over DL / AVDL;
    - `idf`, `tf_idf`, `bm25`, `bm25_flat`: `BM25` with k = 0 and b = 0, with k infinite and b = 0,
      with the defaults, and with b = 0;
    - `length`, `prior`, `log_prior`: the document's tokens, prior p, and log2(1 + p).

    A document that the index does not hold has 0 in all.

    >>> from ulframe.systems.bm25.index import build_index
    >>> index = build_index({"1": "wing flutter", "2": "heat flow"})
    >>> found = features(index, {"q": "wing heat"}, pl.DataFrame({"query_id": "q", "doc_id": "1"}))
    >>> found.select("covered", "tf", "idf", "length").collect().row(0)
    (0.5, 1.0, 1.0, 2.0)
    """
    wanted = as_lazy(pairs, "score").select(pl.col(PAIR).cast(pl.String))
    documents = index.documents.with_row_index("doc").with_columns(
        relative_length=pl.col("length") / pl.col("length").mean()
    )
    asked = wanted.join(documents, on="doc_id", how="left", maintain_order="left")
    sums = (
        asked.unique(PAIR)
        .join(_terms(index, queries), on="query_id")
        .join(index.postings, left_on=["number", "doc"], right_on=["term", "doc"])
        .group_by(PAIR)
        .agg(part.cast(pl.Float64).sum().alias(name) for name, part in SUMS.items())
    )
    return asked.join(sums, on=PAIR, how="left", maintain_order="left").select(
        *PAIR,
        *(pl.col(name).fill_null(0.0) for name in SUMS),
        *(number.cast(pl.Float64).fill_null(0.0).alias(name) for name, number in NUMBERS.items()),
    )


def _terms(index: Index, queries: Texts) -> pl.LazyFrame:
    """`query_id, number, times, words_asked, idf`, a row per known term of a query."""
    total = index.documents.select(total=pl.len())
    return (
        query_terms(index, queries)
        .join(index.terms.with_row_index("number"), on="term")
        .join(total, how="cross")
        .select(
            "query_id",
            "number",
            "times",
            words_asked="words",
            idf=(pl.col("total") / pl.col("df")).log(2),
        )
    )


def write_letor(features: pl.LazyFrame, qrels: FramesLike, path: str | Path) -> None:
    """Write features as LETOR text: `label qid:Q 1:value 2:value ... #docid = D`.

    The features are the frame's columns after `query_id, doc_id`, numbered from 1; a pair that is
    not in `qrels` has label 0. Raises `BadData` for an id with a blank, which the format cannot
    hold. Lines are grouped by query.
    """
    names = features.drop(PAIR).collect_schema().names()
    values = [pl.format(f"{number}:{{}}", name) for number, name in enumerate(names, start=1)]
    rows = (
        features.join(scan_qrels(qrels), on=PAIR, how="left", maintain_order="left")
        .with_columns(pl.col("label").fill_null(0))
        .with_row_index("row")
        .sort(pl.col("row").min().over("query_id"), "row")
        .collect()
    )
    bad = rows.filter(pl.any_horizontal(pl.col(PAIR).str.contains(r"\s"))).select(PAIR)
    if bad.height:
        raise BadData(f"{path}: LETOR text holds no id with a blank, but there is {bad.row(0)}")
    lines = rows.select(
        pl.concat_str(
            "label",
            pl.format("qid:{}", "query_id"),
            *values,
            pl.format("#docid = {}", "doc_id"),
            separator=" ",
        )
    )
    with appearing(path) as unfinished:
        lines.write_csv(unfinished, include_header=False, quote_style="never")
