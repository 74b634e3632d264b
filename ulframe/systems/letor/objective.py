"""A measure as a quick function of scores: what methods maximise and stop early by.

The measure stays the one that the catalogue declares: its terms are laid out once as a table over
rank, label and hits, and looked up there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np
import polars as pl

from ulframe.evaluation.evaluate import evaluate
from ulframe.frames.errors import BadUsage
from ulframe.metrics.laws import by_hits
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import A, U
from ulframe.systems.letor.queries import Array, Queries

T = TypeVar("T")
Objective = Callable[[Array], Array]
"""Scores of all documents in, the measure of every query out."""


def objective(measure: Measure, queries: Queries) -> Objective:
    """The measure of these queries as a function of their documents' scores.

    Ties, of scores as Float32, rank by doc_id descending, as in `evaluate`; a query without
    relevant documents has 0. Raises `BadUsage` for a measure that is neither a metric nor U of
    one, or that needs more than rank, label and hits.

    >>> import ulframe as ul
    >>> from ulframe.systems.letor.queries import as_queries
    >>> rows = {"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "label": [1, 0, 1], "f1": 0}
    >>> objective(ul.P @ 2, as_queries(pl.DataFrame(rows)))(np.array([0.1, 0.3, 0.2])).tolist()
    [0.5]
    """
    base = measure.base
    if measure.operator not in (A, U) or not by_hits(base):
        raise BadUsage(f"{measure} cannot be learnt for; nDCG@10, AP, P@10 or U(SP@10) can")
    relevant = np.arange(int(queries.labels.max()) + 1) >= base.rel
    first, sizes = queries.starts[:-1], queries.sizes
    counts = np.add.reduceat(relevant[queries.labels].astype(np.int64), first)
    depth, divisor = _constants(base, counts, sizes)
    table = _terms(base, int(min(depth.max(), sizes.max())), len(relevant), int(counts.max()))
    if measure.operator is U:
        divisor = divisor * np.maximum(_upper(base, queries), np.finfo(float).tiny)
    owner = queries.owner
    rank = np.arange(len(owner)) - np.repeat(first, sizes)
    counted = np.flatnonzero(rank < depth[owner])
    before = np.concatenate([[0], np.cumsum(counts)[:-1]])[owner]

    def value(scores: Array) -> Array:
        labels = queries.labels[ranked(scores, owner)]
        hits = np.cumsum(relevant[labels]) - before
        terms = table[rank[counted], labels[counted], hits[counted]]
        return np.bincount(owner[counted], terms, len(queries)) / divisor

    return value


def ranked(scores: Array, owner: Array) -> Array:
    """The documents' numbers by query and score, the best first, ties as they stand.

    Scores are compared as Float32: with the query's number in front they are one integer each,
    which sorts in a fourth of the time that two keys take.

    >>> ranked(np.array([0.5, -1, 0.5, 2]), np.array([0, 0, 0, 1])).tolist()
    [0, 2, 1, 3]
    """
    bits = (-scores.astype(np.float32)).view(np.int32).astype(np.int64)
    key = np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)  # floats are sign and magnitude
    order: Array = np.argsort((owner << 33) + key, kind="stable")
    return order


def best_of(rounds: Iterable[T], score: Callable[[T], float], patience: int) -> T:
    """The round of the highest score, until `patience` rounds in a row have not raised it.

    >>> best_of([3, 1, 4, 1, 5, 9], lambda n: -abs(n - 4), patience=3)
    4
    """
    best, highest, waited = None, -np.inf, 0
    for one in rounds:
        if (reached := score(one)) > highest:
            best, highest, waited = one, reached, 0
        elif (waited := waited + 1) >= patience:
            break
    assert best is not None, "there was no round"
    return best


def _constants(base: Measure, counts: Array, sizes: Array) -> tuple[Array, Array]:
    """Down to which rank, and divided by what, each query is summed."""
    frame = pl.DataFrame({base.column("r"): counts, "n": sizes})
    depth = pl.col("n") if base.depth is None else base.depth
    both = frame.with_columns(depth=depth.cast(pl.Int64), divisor=base.divisor.cast(pl.Float64))
    return both["depth"].to_numpy(), both["divisor"].to_numpy()


def _terms(base: Measure, ranks: int, labels: int, hits: int) -> Array:
    """What a document adds, by rank (from 0), label and hits."""
    cells = np.indices((ranks, labels, hits + 1)).reshape(3, -1)
    frame = pl.DataFrame({"rank": cells[0] + 1, "label": cells[1], base.column("hits"): cells[2]})
    terms = frame.select(base.term.alias("term"))["term"]
    return terms.to_numpy().reshape(ranks, labels, hits + 1)


def _upper(base: Measure, queries: Queries) -> Array:
    """The best possible value of every query."""
    qrels = queries.ids.with_columns(label=pl.Series(queries.labels, dtype=pl.Int32))
    runs = queries.ids.with_columns(score=0.0)
    scores = evaluate(qrels, runs, base).select("query_id", "upper").collect()
    order = queries.ids.select("query_id").unique(maintain_order=True)
    return order.join(scores, on="query_id", how="left", maintain_order="left")["upper"].to_numpy()
