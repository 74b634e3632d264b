"""Take what callers hold in memory - frames of any library, nested dicts - as a LazyFrame."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeGuard

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, RUN, SCORE, meant
from ulframe.frames.errors import BadData, BadUsage


class ArrowStream(Protocol):
    """A table of any library that Polars can take over Arrow: pandas, pyarrow, DuckDB, ..."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class Interchange(Protocol):
    """A table of a library that speaks the older interchange protocol."""

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> object: ...


class WithPolars(Protocol):
    """A table of a library that makes one of Polars of it itself: Hugging Face's datasets."""

    def to_polars(self) -> pl.DataFrame | pl.LazyFrame:
        """The same as a frame of Polars."""
        ...


Table: TypeAlias = pl.LazyFrame | pl.DataFrame | ArrowStream | Interchange | WithPolars
"""A frame of any library."""

InMemory: TypeAlias = Table | Mapping[Any, Any]
"""A frame of any library, or a dict of dicts, of ranked lists, or of frames."""


def is_table(value: object) -> TypeGuard[Table]:
    """Whether this is a frame of some library.

    >>> is_table(pl.DataFrame()), is_table({})
    (True, False)
    """
    return isinstance(value, pl.LazyFrame) or any(
        hasattr(value, protocol)
        for protocol in ("__arrow_c_stream__", "__dataframe__", "to_polars")
    )


def from_memory(source: InMemory, number: str) -> pl.LazyFrame:
    """Take a LazyFrame, DataFrame, Arrow or pandas table, or nested dict as a LazyFrame.

    A nested dict becomes the columns (`run`,) `query_id`, `doc_id` and `number`; so does a list of
    documents in the place of the innermost dict, best first, the last with score 1. Nothing that
    is lazy is collected. Raises `BadUsage` for anything else.

    >>> from_memory({"q1": {"d1": 1}}, "label").collect().rows(named=True)
    [{'query_id': 'q1', 'doc_id': 'd1', 'label': 1}]
    >>> from_memory({"q1": ["d7", "d1"]}, "score").collect().rows()
    [('q1', 'd7', 2), ('q1', 'd1', 1)]
    """
    if isinstance(source, pl.LazyFrame):
        return source
    if isinstance(source, Mapping):
        return _from_dict(source, number)
    if isinstance(source, str | os.PathLike):
        raise BadUsage(f"{source} is a path: read it with scan_qrels or scan_runs")
    if not is_table(source):
        raise BadUsage(
            f"cannot take a {type(source).__name__} as a frame: give a Polars, pandas or Arrow "
            "table, the path of a file, or a dict {query: {doc: number}}"
        )
    if hasattr(source, "to_polars"):
        return source.to_polars().lazy()
    try:
        return pl.DataFrame(source).lazy()  # type: ignore[arg-type]  # of an older protocol
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise BadData(f"cannot take this {type(source).__name__} over Arrow: {error}") from error


def refuse_columns(source: Mapping[Any, Any]) -> None:
    """Raise `BadUsage` for a dict of columns: as a dict of ranked lists it would be wrong."""
    names = [key for key, value in source.items() if not isinstance(value, Mapping)]
    if {QUERY, DOC} <= {meant(str(name)) for name in names}:
        raise BadUsage(
            f"a dict with the columns {', '.join(map(repr, names))}: make a frame of it, as by "
            "polars.DataFrame(columns)"
        )


def _from_dict(source: Mapping[Any, Any], number: str) -> pl.LazyFrame:
    refuse_columns(source)
    rows: list[tuple[Any, ...]] = list(_walk(source, (), number))
    names = [RUN, QUERY, DOC, number] if number == SCORE else [QUERY, DOC, number]
    depth = {len(row) for row in rows} or {3}
    if depth not in ({3}, {len(names)}):
        others = ", or {query: [doc, ...]}, best first, or {run: one of these}"
        raise BadUsage(
            f"a dict must be {{query: {{doc: {number}}}}}, nested evenly"
            f"{others if number == SCORE else ''}"
        )
    columns = zip(*rows, strict=True) if rows else [()] * 3
    return pl.LazyFrame(
        _column(name, values) for name, values in zip(names[-depth.pop() :], columns, strict=True)
    )


def _walk(node: Any, above: tuple[Any, ...], number: str) -> Iterator[tuple[Any, ...]]:
    if isinstance(node, list | tuple):
        yield from _ranked(node, above, number)
    elif isinstance(node, Mapping):
        for key, inner in node.items():
            yield from _walk(inner, (*above, key), number)
    else:
        yield (*above, node)


def _ranked(docs: Sequence[Any], above: tuple[Any, ...], number: str) -> Iterator[tuple[Any, ...]]:
    """The documents of a list, best first, with scores that fall to 1."""
    if number != SCORE:
        raise BadUsage(
            f"of {above[-1]!r} there is a list, which holds no {number}s: give {{doc: {number}}}, "
            f"for relevant documents alone dict.fromkeys(docs, 1)"
        )
    for place, doc in enumerate(docs):
        if not isinstance(doc, str | int) or isinstance(doc, bool):
            raise BadUsage(
                f"a ranked list holds ids of documents, best first, but that of {above[-1]!r} has "
                f"{doc!r}; with scores give {{doc: score}}"
            )
        yield (*above, doc, len(docs) - place)


def _column(name: str, values: Sequence[Any]) -> pl.Series:
    if name in (LABEL, SCORE):
        return pl.Series(name, values, strict=False)
    return pl.Series(name, [None if value is None else str(value) for value in values], pl.String)
