"""The door: what callers give - paths, frames of any library, dicts, lists of these - as frames."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias, cast

import polars as pl
import polars.selectors as cs

from ulframe.frames.columns import is_id, no_column
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.files import File, files_at
from ulframe.frames.formats import TABLES
from ulframe.frames.memory import InMemory, from_memory
from ulframe.frames.sniff import sniff

TRUTHS = {"true": True, "false": False}

FrameLike: TypeAlias = InMemory | str | os.PathLike[str] | File
"""What can become a frame: a frame of any library, a dict of dicts, or the path of a file."""

FramesLike: TypeAlias = FrameLike | Sequence[FrameLike]
"""What can become a frame, or a list of it; a path may be a glob or a folder."""


def spread(source: FramesLike) -> list[File | InMemory]:
    """Spread a source into files and frames; a file that is met twice is read once.

    What comes out can be given to all that take `FramesLike` again, standard input included.
    """
    sources = source if isinstance(source, list | tuple) else [cast(FrameLike, source)]
    found: dict[object, File | InMemory] = {}
    for one in sources:
        if isinstance(one, str | os.PathLike):
            for same, file in files_at(Path(one)).items():
                found.setdefault(same, file)
        else:
            found[id(one)] = one
    if not found:
        raise BadUsage("nothing to read: the list of sources is empty")
    return list(found.values())


def as_lazy(source: FramesLike, number: str) -> pl.LazyFrame:
    """Take a table of any kind, or a nested dict, as a LazyFrame.

    A file is a table (parquet, csv, tsv, jsonl, arrow). In text, whose values have no types, what
    is a number everywhere in its column is one, except in columns of ids; such text is read at
    once. A nested dict becomes the columns (`run`,) `query_id`, `doc_id` and `number`. Several are
    put together if they have the same columns.

    Raises `BadUsage` for what can be no frame, `BadData` for a file that is no table.

    >>> as_lazy({"q1": {"d1": 1}}, "label").collect().rows(named=True)
    [{'query_id': 'q1', 'doc_id': 'd1', 'label': 1}]
    """
    return _together(source, number, _typed)


def as_written(source: FramesLike, number: str) -> pl.LazyFrame:
    """As `as_lazy`, but what text holds stays text, as it is written."""
    return _together(source, number, _table)


def require(
    frame: pl.LazyFrame, wanted: Iterable[str], where: str, advice: str = ""
) -> pl.LazyFrame:
    """The frame, if it has these columns; `BadData` that lists what is missing and there if not.

    >>> require(pl.LazyFrame({"a": [1]}), ["a"], "the frame").collect().height
    1
    """
    have = frame.collect_schema().names()
    if missing := [name for name in wanted if name not in have]:
        raise no_column(missing, have, where, advice)
    return frame


def _table(file: File) -> pl.LazyFrame:
    return sniff(file, among=TABLES).read.table(file)


def _typed(file: File) -> pl.LazyFrame:
    form = sniff(file, among=TABLES)
    table = form.read.table(file)
    if form.typed:
        return table
    try:
        return _with_numbers(table)
    except pl.exceptions.PolarsError as error:
        raise BadData(f"{file.where}: cannot be read as {form.name}: {error}") from error


def _with_numbers(text: pl.LazyFrame) -> pl.LazyFrame:
    """Numbers and truths in the place of text where a column holds nothing else, but for ids."""
    found = text.collect()
    plain = [column for column in found.select(cs.string()) if not is_id(column.name)]
    return found.with_columns(map(_read, plain)).lazy()


def _read(text: pl.Series) -> pl.Series:
    truths = text.replace_strict(TRUTHS, default=None, return_dtype=pl.Boolean)
    for read in (text.cast(pl.Float64, strict=False), truths):
        if read.null_count() == text.null_count():
            return read
    return text


def _together(
    source: FramesLike, number: str, read: Callable[[File], pl.LazyFrame]
) -> pl.LazyFrame:
    """The frames and files of a source as one, if each has all the columns that any has."""
    first, *others = [
        read(item) if isinstance(item, File) else from_memory(item, number)
        for item in spread(source)
    ]
    if not others:
        return first
    names = [*dict.fromkeys(name for one in (first, *others) for name in one.collect_schema())]
    parts = [require(one, names, "one of several tables").select(names) for one in (first, *others)]
    return pl.concat(parts, how="vertical_relaxed")
