"""Labels and scores as arrays - lists, numpy, PyTorch - taken as qrels and a run."""

from __future__ import annotations

from typing import Any, NamedTuple

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, RUN, SCORE
from ulframe.frames.contract import conform_qrels, conform_runs
from ulframe.frames.errors import BadData, BadUsage

Array = Any
"""What has numbers: a list, a numpy array, a Series, a tensor of PyTorch (also on a device)."""


class Pair(NamedTuple):
    """What `ulframe.evaluate` takes first and second."""

    qrels: pl.LazyFrame
    runs: pl.LazyFrame


def from_arrays(
    labels: Array,
    scores: Array,
    groups: Array | None = None,
    *,
    sizes: Array | None = None,
    run: str = "run",
) -> Pair:
    """Take a label and a score for each document as qrels and a run.

    In: arrays of one length with, for each document, `groups`, the id of its query; or `sizes`, how
    many documents each query has, as LightGBM's `group`, the documents of a query standing
    together. Or arrays of two dimensions, a row a query, without either. Or neither: one query.
    Out: qrels and a run, named `run`. Documents are called by their place in their query, from 1,
    with zeros before, so that of equal scores the later is ranked first; `ties="average"` of
    `evaluate` takes the mean over all orders.

    Raises `BadUsage` where it is not clear which documents belong together, `BadData` where
    lengths differ, a label is not a finite number or a score is none.

    >>> import ulframe as ul
    >>> pair = from_arrays([0, 1, 1], [0.9, 0.5, 0.7], groups=["a", "a", "b"])
    >>> ul.evaluate(*pair, "RR").select("query_id", "score").collect().rows()
    [('a', 0.5), ('b', 1.0)]
    >>> from_arrays([[0, 1], [1, 0]], [[0.9, 0.5], [0.7, 0.1]]).runs.collect().rows()
    [('run', '1', '1', 0.9), ('run', '1', '2', 0.5), ('run', '2', '1', 0.7), ('run', '2', '2', 0.1)]
    """
    given = {LABEL: _series(labels), SCORE: _series(scores)}
    nested = [name for name, values in given.items() if values.dtype.is_nested()]
    if nested and (len(nested) < len(given) or groups is not None or sizes is not None):
        raise BadUsage("labels and scores have a row a query both, or neither; then without groups")
    if nested:
        sizes = given[LABEL].list.len()
        if not given[SCORE].list.len().equals(sizes):
            raise BadData("the rows of labels and of scores differ in length")
        given = {name: values.explode() for name, values in given.items()}
    lengths = {name: len(values) for name, values in given.items()}
    if len({*lengths.values()}) > 1:
        raise BadData(f"there are {lengths[LABEL]} labels and {lengths[SCORE]} scores")
    queries = _queries(groups, sizes, lengths[LABEL])
    place = pl.int_range(1, pl.len() + 1).over(QUERY).cast(pl.String)
    width = pl.len().over(QUERY).cast(pl.String).str.len_chars()
    rows = pl.DataFrame({QUERY: queries, **given}).with_columns(
        place.str.pad_start(width, "0").alias(DOC)
    )
    return Pair(
        conform_qrels(rows.select(QUERY, DOC, LABEL), where="labels"),
        conform_runs(rows.select(pl.lit(run).alias(RUN), QUERY, DOC, SCORE), where="scores"),
    )


def _series(values: Array) -> pl.Series:
    """An array of one or two dimensions as a Series, of numbers or of lists of these."""
    if hasattr(values, "detach"):  # a tensor, maybe on another device, maybe with gradients
        values = values.detach().cpu().numpy()
    series = pl.Series(values=values, strict=False)
    if isinstance(series.dtype, pl.Array):
        series = series.arr.to_list()
    inner = series.dtype.inner if isinstance(series.dtype, pl.List) else series.dtype
    if not (inner.is_numeric() or inner in (pl.Boolean, pl.Null)):
        raise BadUsage(f"cannot take values of {series.dtype}: one or two dimensions of numbers")
    return series


def _queries(groups: Array | None, sizes: Array | None, documents: int) -> pl.Series:
    """The query of each document, as text."""
    if groups is not None and sizes is not None:
        raise BadUsage(
            "groups are a query's id for each document, sizes a number for each query: one"
        )
    if groups is not None:
        ids = pl.Series(values=groups)
        if len(ids) != documents:
            hint = "; sizes=, for a number of documents a query" if _adds_up(ids, documents) else ""
            raise BadUsage(f"{len(ids)} groups of {documents} documents: one for each{hint}")
        return ids.cast(pl.String)
    counted = pl.Series(values=[documents] if sizes is None else sizes).cast(pl.Int64)
    if counted.sum() != documents or (counted < 0).any():
        raise BadData(f"sizes add up to {counted.sum()} documents; there are {documents}")
    numbers = pl.int_range(1, len(counted) + 1, eager=True)
    named = numbers.cast(pl.String).str.pad_start(len(str(len(counted))), "0")
    return pl.DataFrame({QUERY: named, "size": counted}).select(
        pl.col(QUERY).repeat_by("size").explode(empty_as_null=False)
    )[QUERY]


def _adds_up(ids: pl.Series, documents: int) -> bool:
    return ids.dtype.is_integer() and ids.sum() == documents
