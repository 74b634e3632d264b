"""Queries against the postings of their terms: sparse products, and the best of each query.

A block of queries is a sparse matrix of queries by terms, the postings one of terms by documents;
their product has the sum of every document that holds a term. The join of all queries with all
postings, summed by a group-by, took many times as long on 200,000 documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ulframe.frames.errors import BadUsage
from ulframe.systems.bm25.index import Index
from ulframe.systems.bm25.scoring import BM25, boost, saturated

Array = NDArray[Any]

BLOCK = 32  # queries whose sums are held at once


@dataclass(frozen=True)
class Asked:
    """All that a search needs and that no scoring changes: queries, and their terms' postings.

    - `queries`: their ids, of those that have a known term; `words`: how many terms each has.
    - `weights`: queries by terms, the idf as often as the query has the term.
    - `postings`: terms by documents, the documents' frequencies.
    - `relative`: of each posting, how long its document is beside the mean.
    - `documents`: `doc_id, prior`, by number.
    """

    queries: pl.Series
    words: Array
    weights: csr_array
    postings: csr_array
    relative: Array
    documents: pl.DataFrame


def asked_of(index: Index, terms: pl.DataFrame) -> Asked:
    """Read the postings of the terms that are asked for, and only these.

    In: `query_id, term, times, words`, the queries split as the index's documents were.
    """
    known = terms.join(
        index.terms.with_row_index("number").collect(), on="term", maintain_order="left"
    )
    documents = index.documents.collect()
    rows = (
        known.select("number", pl.col("df").cast(pl.Int64))
        .unique()
        .sort("number")
        .with_columns(idf=(documents.height / pl.col("df")).log(2))
        .with_row_index("row")
    )
    spans = known.drop("df").join(rows, on="number", maintain_order="left")
    queries = spans["query_id"].unique(maintain_order=True)
    sizes = spans.group_by("query_id", maintain_order=True).agg(pl.len(), pl.col("words").first())
    found = index.postings.filter(pl.col("term").is_in(rows["number"].implode())).collect()
    docs = found["doc"].to_numpy().astype(np.int64)
    length = documents["length"].cast(pl.Float64)
    return Asked(
        queries=queries,
        words=sizes["words"].to_numpy(),
        weights=_matrix(
            (spans["times"] * spans["idf"]).to_numpy(), spans["row"], sizes["len"], rows.height
        ),
        postings=_matrix(found["tf"].to_numpy(), docs, rows["df"], documents.height),
        relative=(length / length.mean()).to_numpy()[docs],
        documents=documents,
    )


def _matrix(values: Array, columns: pl.Series | Array, sizes: pl.Series, width: int) -> csr_array:
    """A sparse matrix of rows that stand one after another, each of its size."""
    starts = np.concatenate([[0], np.cumsum(sizes.to_numpy(), dtype=np.int64)])
    shape = (len(sizes), width)
    return csr_array((values.astype(float), np.asarray(columns, np.int64), starts), shape=shape)


def answers(asked: Asked, scoring: BM25, depth: int) -> Iterator[tuple[Array, Array]]:
    """The best documents of each query, as numbers, and their scores, the best first.

    Raises `BadUsage` for a weight of the prior where no document has one.
    """
    if (scoring.prior or scoring.log_prior) and not (asked.documents["prior"] > 0).any():
        raise BadUsage(
            "a weight of the prior needs documents that have one, and none in this index has: "
            "index a table with a column `prior`"
        )
    boosts = boost(scoring, asked.documents["prior"]).to_numpy()
    scored = _with(asked.postings, saturated(scoring, asked.postings.data, asked.relative))
    held = _with(asked.postings, np.ones(asked.postings.nnz))
    for start in range(0, len(asked.queries), BLOCK):
        weights = asked.weights[start : start + BLOCK]
        sums = weights @ scored
        # A product drops sums of 0, as of a term that every document holds; more may be added.
        counts = (
            _with(weights, np.ones(weights.nnz)) @ held
            if scoring.every or not weights.data.all()
            else None
        )
        for row, words in enumerate(asked.words[start : start + BLOCK]):
            docs, scores = _row(sums, row)
            if counts is not None:
                found, lists = _row(counts, row)
                scores = _spread(docs, scores, found) + scoring.every * (lists == words)
                docs = found
            totals = scores + boosts[docs]
            some = totals != 0  # what every document holds finds none
            yield best(docs[some], totals[some], depth)


def _with(matrix: csr_array, values: Array) -> csr_array:
    """A matrix of the same places with other values."""
    return csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)


def _row(matrix: csr_array, row: int) -> tuple[Array, Array]:
    part = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return matrix.indices[part], matrix.data[part]


def _spread(docs: Array, scores: Array, found: Array) -> Array:
    """The scores of the found documents, 0 of those that have none."""
    whole = np.zeros(int(found.max(initial=0)) + 1)
    whole[docs] = scores
    return np.asarray(whole[found])


def best(docs: Array, scores: Array, depth: int) -> tuple[Array, Array]:
    """The `depth` highest scores, best first, equal ones by the higher number; by a partial sort.

    >>> docs, scores = best(np.array([3, 5, 7, 9]), np.array([0.5, 0.9, 0.5, 0.1]), 2)
    >>> docs.tolist(), scores.tolist()
    ([5, 7], [0.9, 0.5])
    """
    if len(scores) > depth:
        least = np.partition(scores, -depth)[-depth]
        docs, scores = docs[scores >= least], scores[scores >= least]
    order = np.lexsort((-docs, -scores))[:depth]
    return docs[order], scores[order]
