"""Queries with their documents' features and labels as arrays: what every method learns from."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ulframe.frames.columns import DOC, LABEL, QUERY
from ulframe.frames.errors import BadData
from ulframe.frames.features import LARGEST

Array = NDArray[Any]
HIGHEST = 30  # the gain of a label is 2^label - 1, as in LightGBM: 31 labels at most


@dataclass(frozen=True)
class Queries:
    """Documents in order of their queries; within a query by `doc_id` descending, as ties rank.

    - `ids`: `query_id, doc_id`, a row per document.
    - `features`: documents x features, Float32, NaN where a value is missing.
    - `labels`: whole numbers from 0 to 30.
    - `starts`: where each query's documents begin, and at last how many documents there are.
    """

    ids: pl.DataFrame
    features: Array
    labels: Array
    starts: Array

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Array:
        """How many documents each query has."""
        return np.diff(self.starts)

    @property
    def owner(self) -> Array:
        """The number of each document's query."""
        return np.repeat(np.arange(len(self)), self.sizes)


def as_queries(frame: pl.DataFrame, where: str = "the documents") -> Queries:
    """Take a frame as `scan_letor` gives it, of `query_id, doc_id, label` and features.

    Raises `BadData` where there is no document, a document stands twice, a label is not a whole
    number from 0 to 30, or a feature is infinite or beyond 1e38; `where` names the frame in
    messages.

    >>> rows = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "label": [1, 0], "f1": [0.5, 2]}
    >>> as_queries(pl.DataFrame(rows)).features.tolist()
    [[2.0], [0.5]]
    """
    if frame.is_empty():
        raise BadData(f"{where}: there are no documents")
    _check_labels(frame, where)
    order = frame.select(pl.arg_sort_by(QUERY, DOC, descending=[False, True])).to_series()
    ids = frame.select(QUERY, DOC)[order]
    if (again := ids.filter(ids.is_duplicated())).height:
        raise BadData(f"{where}: query and document {again.row(0)} stand there twice")
    sizes = ids.group_by(QUERY, maintain_order=True).len()["len"].to_numpy()
    names = [name for name in frame.columns if name not in (QUERY, DOC, LABEL)]
    # Column by column: sorting the frame would make one more copy of all features.
    features = np.empty((len(order), len(names)), np.float32)
    for at, name in enumerate(names):
        values = frame[name].cast(pl.Float32)[order]
        if (beyond := values.fill_nan(None).abs() > LARGEST).any():
            pair = ids.row(beyond.arg_max() or 0)
            raise BadData(f"{where}: {name} of {pair} is infinite or beyond {LARGEST:g}")
        features[:, at] = values.to_numpy()
    return Queries(
        ids,
        features,
        frame[LABEL].cast(pl.Int64)[order].to_numpy(),
        np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]),
    )


def _check_labels(frame: pl.DataFrame, where: str) -> None:
    label = pl.col(LABEL)
    wrong = frame.filter((label.floor() != label) | (label < 0) | (label > HIGHEST))
    if wrong.height:
        query, doc, given = wrong.select(QUERY, DOC, LABEL).row(0)
        raise BadData(
            f"{where}: labels to learn from are whole numbers from 0 to {HIGHEST}, but document "
            f"{doc!r} of query {query!r} has {given}"
            f"{'; --least-label 0 leaves such out' if given < 0 else ''}"
        )


def subset(queries: Queries, chosen: Array) -> Queries:
    """Some of the queries: `chosen` is their numbers, or a Boolean for each."""
    numbers = np.arange(len(queries))[chosen]
    sizes = queries.sizes[numbers]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    rows = np.repeat(queries.starts[numbers] - starts[:-1], sizes) + np.arange(starts[-1])
    return Queries(queries.ids[rows], queries.features[rows], queries.labels[rows], starts)


def instructive(queries: Queries) -> Queries:
    """The queries with more than one label: in the others every order is as good.

    Raises `BadData` if there is none, or if no feature tells documents of a query apart.
    """
    first = queries.starts[:-1]
    low, high = (f.reduceat(queries.labels, first) for f in (np.minimum, np.maximum))
    if not (low < high).any():
        raise BadData("nothing can be learnt: no query has documents with different labels")
    learnt = queries if (low < high).all() else subset(queries, low < high)
    if not _differ(learnt):
        raise BadData(
            "nothing can be learnt: within every query each feature has one value, so that none "
            "tells its documents apart"
        )
    return learnt


def _differ(queries: Queries) -> bool:
    first = queries.starts[:-1]
    return any(
        (np.fmin.reduceat(column, first) < np.fmax.reduceat(column, first)).any()
        for column in queries.features.T
    )


def normalised(queries: Queries) -> Array:
    """The features scaled to 0 ... 1 within each query, as LETOR does it (QueryLevelNorm).

    What is constant in a query becomes 0, and so does a missing value, the query's lowest.

    >>> rows = {"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "label": 0, "f1": [8.0, 4, 5]}
    >>> normalised(as_queries(pl.DataFrame(rows))).T.tolist()
    [[0.25, 0.0, 1.0]]
    """
    scaled = np.zeros_like(queries.features)
    for start, end in pairwise(queries.starts):
        given = queries.features[start:end]
        low, high = np.fmin.reduce(given, axis=0), np.fmax.reduce(given, axis=0)
        np.divide(given - low, high - low, out=scaled[start:end], where=high > low)
    return np.nan_to_num(scaled, copy=False, nan=0.0)
