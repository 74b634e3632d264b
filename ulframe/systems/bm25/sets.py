"""Which queries are meant: a set of their ids, from a list, a frame or a file."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ulframe.frames.columns import no_column
from ulframe.frames.files import File
from ulframe.frames.intake import FramesLike, as_written, spread
from ulframe.systems.bm25.kinds import READERS, query_kind
from ulframe.systems.bm25.texts import QUERIES

QuerySet = FramesLike | Sequence[str]
"""A frame or the path of a file; or ids."""

NAMES = ("query_id", *QUERIES["query_id"])


def query_set(source: QuerySet) -> pl.LazyFrame:
    """Read a set of queries: `query_id: String`, each once, in order.

    `source` is a list of ids, a frame with `query_id`, or the path of a file: a table with that
    column, a benchmark, `id TAB text`, or one id a line.

    >>> query_set(["q2", "q1", "q2"]).collect()["query_id"].to_list()
    ['q2', 'q1']
    """
    if isinstance(source, list | tuple):
        return pl.LazyFrame({"query_id": map(str, source)}).unique(maintain_order=True)
    frames = [_from_file(one) if isinstance(one, File) else _ids(one) for one in spread(source)]
    return pl.concat(frames).unique(maintain_order=True)


def _from_file(file: File) -> pl.LazyFrame:
    kind = query_kind(file, {*NAMES})
    frame = READERS[kind](file, "")
    if kind == "lines":
        frame = frame.select(query_id=pl.col("text").str.strip_chars("\ufeff \t"))
    return _ids(frame, file.where).filter(pl.col("query_id") != "")


def _ids(source: FramesLike, where: str = "the set of queries") -> pl.LazyFrame:
    frame = as_written(source, "label")
    have = frame.collect_schema().names()
    if not (found := [name for name in NAMES if name in have]):
        raise no_column(["query_id"], have, where)
    return frame.select(query_id=pl.col(found[0]).cast(pl.String))
