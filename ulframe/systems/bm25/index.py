"""The inverted index as three frames, and how they are made of documents.

Terms and documents are numbered in the order of their bytes, so that postings hold two small whole
numbers, and equal scores are ordered as an evaluation orders them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.systems.bm25.texts import Texts, scan_documents
from ulframe.systems.bm25.tokens import Tokens, tokenised

CHUNK = 5_000  # documents that are split into tokens at a time
SHOWN = 3


@dataclass(frozen=True)
class Index:
    """A collection, ready to be searched.

    - `terms`: `term: String, df: UInt32`, in order of the term; its place is its number.
    - `documents`: `doc_id: String, length: UInt32` (tokens), `prior: Float64` (0 if there are
      none), in order of the id; its place is its number.
    - `postings`: `term, doc, tf: UInt32`, numbers for the first two, in their order.
    - `tokens`: how texts are split; None if documents came with their `terms`.
    """

    terms: pl.LazyFrame
    documents: pl.LazyFrame
    postings: pl.LazyFrame
    tokens: Tokens | None


def build_index(
    documents: Texts, tokens: Tokens | None = None, *, where: str = "the documents"
) -> Index:
    """Index a collection, reading it now: documents in chunks, postings in memory.

    In: what `scan_documents` takes; `tokens` tells how texts are split (the default: lower-cased
    runs of letters and digits), and is not used for documents with `terms`. A document without a
    token is one of the N, of length 0. Raises `BadData` for an id that occurs twice; `where` names
    the collection in the message.

    >>> index = build_index({"1": "to be or not to be", "2": "to do"})
    >>> postings(index).collect().rows()[-3:]
    [('or', '1', 1), ('to', '1', 2), ('to', '2', 1)]
    """
    texts = scan_documents(documents)
    split = None if "terms" in texts.collect_schema() else (tokens or Tokens())
    numbers = _numbered(texts, where)
    found = pl.concat([_no_postings(), *_counted(texts, numbers, split)])
    terms = _vocabulary(found)
    number = (
        pl.col("term")
        .to_physical()
        .replace_strict(terms["term"].to_physical(), terms["number"], return_dtype=pl.UInt32)
    )
    lengths = found.group_by("doc").agg(length=pl.col("tf").sum())
    return Index(
        terms.select(pl.col("name").alias("term"), "df").lazy(),
        _described(numbers, lengths).lazy(),
        found.with_columns(number).sort("term", "doc").lazy(),
        split,
    )


def postings(index: Index) -> pl.LazyFrame:
    """The postings with names for numbers: `term, doc_id: String, tf: UInt32`, in order."""
    terms = index.terms.with_row_index("number").select("number", name="term")
    documents = index.documents.with_row_index("doc").select("doc", "doc_id")
    return (
        index.postings.rename({"term": "number"})
        .join(terms, on="number", maintain_order="left")
        .join(documents, on="doc", maintain_order="left")
        .select(pl.col("name").alias("term"), "doc_id", "tf")
    )


def _numbered(texts: pl.LazyFrame, where: str) -> pl.DataFrame:
    """`doc: UInt32, doc_id, prior`, a row per document."""
    prior = pl.col("prior") if "prior" in texts.collect_schema() else pl.lit(0.0)
    rows = texts.select("doc_id", prior=prior).sort("doc_id").collect()
    twice = rows.filter(pl.col("doc_id") == pl.col("doc_id").shift())["doc_id"].unique().sort()
    if twice.len():
        raise BadData(
            f"{where}: {twice.len()} document ids occur more than once: "
            f"{twice.head(SHOWN).to_list()}"
        )
    return rows.with_row_index("doc")


def _no_postings() -> pl.DataFrame:
    return pl.DataFrame(schema={"term": pl.Categorical, "doc": pl.UInt32, "tf": pl.UInt32})


def _counted(
    texts: pl.LazyFrame, numbers: pl.DataFrame, tokens: Tokens | None
) -> Iterator[pl.DataFrame]:
    """`term: Categorical, doc, tf`, chunk by chunk: all texts' tokens at once would be too many."""
    body = "terms" if tokens is None else "text"
    joined = texts.join(numbers.lazy().select("doc_id", "doc"), on="doc_id").select("doc", body)
    for chunk in joined.collect_batches(chunk_size=CHUNK, maintain_order=False):
        yield (
            tokenised(chunk, tokens)
            .with_columns(pl.col("term").cast(pl.Categorical))
            .group_by("term", "doc")
            .agg(tf=pl.len().cast(pl.UInt32))
        )


def _vocabulary(found: pl.DataFrame) -> pl.DataFrame:
    """`number: UInt32, name: String, term: Categorical, df: UInt32`, in order of the name."""
    return (
        found.group_by("term")
        .agg(df=pl.len().cast(pl.UInt32))
        .with_columns(name=pl.col("term").cast(pl.String))
        .sort("name")
        .with_row_index("number")
    )


def _described(numbers: pl.DataFrame, lengths: pl.DataFrame) -> pl.DataFrame:
    return numbers.join(lengths, on="doc", how="left", maintain_order="left").select(
        "doc_id", pl.col("length").fill_null(0), "prior"
    )
