"""Take what callers hold in memory - frames of any library, nested dicts - as a LazyFrame."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, RUN, SCORE
from ulframe.frames.errors import BadData, BadUsage


class ArrowStream(Protocol):
    """A table of any library that Polars can take over Arrow: pandas, pyarrow, DuckDB, ..."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class Interchange(Protocol):
    """A table of a library that speaks the older interchange protocol."""

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> object: ...


FrameLike: TypeAlias = (
    pl.LazyFrame
    | pl.DataFrame
    | ArrowStream
    | Interchange
    | Mapping[Any, Any]
    | str
    | os.PathLike[str]
)
"""What can become a frame: a frame of any library, a dict of dicts, or the path of a file."""


def as_lazy(source: Any, number: str) -> pl.LazyFrame:
    """Take a LazyFrame, DataFrame, Arrow or pandas table, or nested dict as a LazyFrame.

    A nested dict becomes the columns (`run`,) `query_id`, `doc_id` and `number`. Nothing that is
    lazy is collected. Raises `BadUsage` for anything else.

    >>> as_lazy({"q1": {"d1": 1}}, "label").collect().rows(named=True)
    [{'query_id': 'q1', 'doc_id': 'd1', 'label': 1}]
    """
    if isinstance(source, pl.LazyFrame):
        return source
    if isinstance(source, pl.DataFrame):
        return source.lazy()
    if isinstance(source, Mapping):
        return _from_dict(source, number)
    if isinstance(source, str | os.PathLike):
        raise BadUsage(f"{source} is a path: read it with scan_qrels or scan_runs")
    if not (hasattr(source, "__arrow_c_stream__") or hasattr(source, "__dataframe__")):
        raise BadUsage(
            f"cannot take a {type(source).__name__} as a frame: give a Polars, pandas or "
            "Arrow table, or a dict {query: {doc: number}}"
        )
    try:
        return pl.DataFrame(source).lazy()
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise BadData(f"cannot take this {type(source).__name__} over Arrow: {error}") from error


def require(frame: pl.LazyFrame, wanted: Iterable[str], where: str) -> pl.LazyFrame:
    """The frame, if it has these columns; `BadData` that lists what is missing and there if not.

    >>> require(pl.LazyFrame({"a": [1]}), ["a"], "the frame").collect().height
    1
    """
    have = frame.collect_schema().names()
    if missing := [name for name in wanted if name not in have]:
        raise BadData(
            f"{where}: no column {', '.join(map(repr, missing))}; there are "
            f"{', '.join(map(repr, have)) or 'no columns'}"
        )
    return frame


def _from_dict(source: Mapping[Any, Any], number: str) -> pl.LazyFrame:
    rows: list[tuple[Any, ...]] = list(_walk(source, ()))
    names = [RUN, QUERY, DOC, number] if number == SCORE else [QUERY, DOC, number]
    depth = {len(row) for row in rows} or {3}
    if depth not in ({3}, {len(names)}):
        raise BadUsage(f"a dict must be {{query: {{doc: {number}}}}}, nested evenly")
    columns = zip(*rows, strict=True) if rows else [()] * 3
    return pl.LazyFrame(
        _column(name, values) for name, values in zip(names[-depth.pop() :], columns, strict=True)
    )


def _walk(node: Any, above: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if not isinstance(node, Mapping):
        yield (*above, node)
        return
    for key, inner in node.items():
        yield from _walk(inner, (*above, key))


def _column(name: str, values: Sequence[Any]) -> pl.Series:
    if name in (LABEL, SCORE):
        return pl.Series(name, values, strict=False)
    return pl.Series(name, [None if value is None else str(value) for value in values], pl.String)
