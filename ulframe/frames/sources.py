"""Where qrels and runs come from: files, globs, folders, standard input, frames, lists of these.

What a source is made of is decided in `intake`, what a file is in `formats`, what its rows must
look like in `contract`, and how runs of several files are called in `naming`.
"""

from collections.abc import Mapping
from functools import partial
from os import PathLike
from typing import Any, Literal, TypeGuard

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, RUN, SCORE, Columns
from ulframe.frames.contract import conform_qrels, conform_runs, conformed, has_scores
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.files import File
from ulframe.frames.formats import LETOR, OF_QRELS, OF_RUNS
from ulframe.frames.intake import FrameLike, FramesLike, spread
from ulframe.frames.memory import InMemory, from_memory, is_table, refuse_columns
from ulframe.frames.naming import name_runs, names_of_files
from ulframe.frames.readers import Asked, RunFile
from ulframe.frames.sniff import sniff

Duplicates = Literal["error", "max", "first"]
SHOWN = 3  # runs that a message names


def scan_qrels(
    source: FramesLike, *, columns: Columns | None = None, duplicates: Duplicates = "error"
) -> pl.LazyFrame:
    """Read judgements: `query_id: String, doc_id: String, label: Int32 | Float64`.

    `source` is a path (TREC text, LETOR text, `query TAB relevant ids`, parquet, csv, tsv, jsonl,
    json or arrow, also as `.gz`, `.zst`, `.bz2`, `.xz` or `.zip`), a glob, a folder, `-` for
    standard input, a frame of any library, a dict `{query: {doc: label}}`, or a list of these.
    `columns` maps their column names to ours, or the places of the fields of a text without a
    header, `{"1": "query_id", ...}`. What this function gave before is taken as it is.

    Text is read at once, since whether `label` is Int32 shows only at the end; tables and frames
    stay lazy. `duplicates="max"` keeps a document's highest label, `"first"` its first; with
    `"error"` the rows are left for the evaluation to refuse.

    Raises `BadUsage` or `BadData` where nothing is found, a column is missing or a line or value
    is none; see `conform_qrels`.

    >>> scan_qrels({"q1": {"d1": 2}}).collect().rows()
    [('q1', 'd1', 2)]
    """
    parts = [_qrels(item, columns) for item in spread(source)]
    return conformed(_deduplicated(_concat(parts), [QUERY, DOC], LABEL, duplicates), LABEL)


def scan_runs(
    source: FramesLike,
    *,
    columns: Columns | None = None,
    duplicates: Duplicates = "error",
    documents: FramesLike | None = None,
) -> pl.LazyFrame:
    """Read what systems retrieved: `run: String, query_id: String, doc_id: String, score: Float64`.

    `source` is as in `scan_qrels`, a dict being `{query: {doc: score}}`, or `{query: [doc, ...]}`,
    a ranked list, best first; or a dict of these, or of frames or paths, by the names of their
    runs. Everything stays lazy and in the source's order. Where there are ranks and no scores, the
    lowest rank is first. `documents` is the LETOR text that predictions, one number a line, or
    RankLib's scores are of; as a rule the qrels.

    A `run` column is taken as it stands, and so is a folder `run=...`; TREC text names its runs by
    their tags; a table without the column is named by its file, its folder if the file is a part
    (`part-0001.parquet`), a frame `run`. Where two files would share a name, all are named by file,
    without endings, with as many parent folders as tell them apart.

    Raises `BadUsage` or `BadData` where nothing is found or a column is missing; when collected,
    where a line cannot be read, an id or score is null or a score is NaN.

    >>> scan_runs({"bm25": {"q1": {"d1": 0.5}}}).collect().rows()
    [('bm25', 'q1', 'd1', 0.5)]
    >>> scan_runs({"q1": ["d7", "d1"]}).collect().rows()
    [('run', 'q1', 'd7', 2.0), ('run', 'q1', 'd1', 1.0)]
    """
    items = spread(source)
    files = [item for item in items if isinstance(item, File)]
    text = partial(_letor_text, documents)
    named = [
        _runs(file, Asked(name, columns, text))
        for file, name in zip(files, names_of_files([file.where for file in files]), strict=True)
    ]
    frames = [_in_memory(item, columns) for item in items if not isinstance(item, File)]
    parts = _concat([*name_runs(named), *frames])
    return conformed(_deduplicated(parts, [RUN, QUERY, DOC], SCORE, duplicates), SCORE)


def holds_runs(source: FramesLike, columns: Columns | None = None) -> bool:
    """Whether the first file or frame of a source is runs, not qrels, by its columns or fields.

    >>> holds_runs({"run": {"q1": {"d1": 0.5}}}), holds_runs(pl.DataFrame({"relevance": [1]}))
    (True, False)
    """
    first = spread(source)[0]
    if isinstance(first, File):
        return sniff(first, columns or ()).read.has_runs(first, columns)
    return isinstance(first, Mapping) or has_scores(from_memory(first, SCORE), columns)


def _qrels(item: File | InMemory, columns: Columns | None) -> pl.LazyFrame:
    if isinstance(item, File):
        return sniff(item, columns or (), OF_QRELS).read.qrels(item, columns)
    return conform_qrels(item, columns=columns)


def _runs(file: File, asked: Asked) -> RunFile:
    return sniff(file, asked.columns or (), OF_RUNS).read.runs(file, asked)


def _letor_text(documents: FramesLike | None) -> File | None:
    """The first LETOR text among files, if there is one; standard input was read before."""
    if documents is None or documents == "-":
        return None
    files = (item for item in spread(documents) if isinstance(item, File))
    return next((file for file in files if sniff(file) is LETOR), None)


def _in_memory(item: InMemory, columns: Columns | None) -> pl.LazyFrame:
    if not _is_by_run(item):
        return conform_runs(item, columns=columns)
    refuse_columns(item)
    return _concat([_called(str(name), given, columns) for name, given in item.items()])


def _is_by_run(item: InMemory) -> TypeGuard[Mapping[Any, FrameLike]]:
    """Whether this is a dict of frames and paths, each a run."""
    return isinstance(item, Mapping) and any(
        is_table(given) or isinstance(given, str | PathLike) for given in item.values()
    )


def _called(name: str, source: FrameLike, columns: Columns | None) -> pl.LazyFrame:
    """One run under a name of the caller's, whatever it is called in the source."""
    where = f"the run {name!r}"
    frame = _concat([
        _runs(item, Asked(name, columns)).frame
        if isinstance(item, File)
        else conform_runs(item, columns=columns, where=where, run=name)
        for item in spread(source)
    ])  # fmt: skip
    seen: set[str] = set()

    def check(batch: pl.DataFrame) -> pl.DataFrame:
        seen.update(batch[RUN].unique())
        if len(seen) > 1:
            some = ", ".join(map(repr, sorted(seen)[:SHOWN]))
            raise BadData(f"{where} holds several, as {some}. Give it by itself, not under a name")
        return batch

    return frame.map_batches(check, streamable=True).with_columns(pl.lit(name).alias(RUN))


def _concat(parts: list[pl.LazyFrame]) -> pl.LazyFrame:
    return parts[0] if len(parts) == 1 else pl.concat(parts, how="vertical_relaxed")


def _deduplicated(
    frame: pl.LazyFrame, keys: list[str], number: str, duplicates: Duplicates
) -> pl.LazyFrame:
    """Keep one row per key, in the first's place: the first one's number or the highest."""
    numbers = {"error": None, "first": pl.col(number), "max": pl.col(number).max().over(keys)}
    if duplicates not in numbers:
        raise BadUsage(f"duplicates={duplicates!r}: it is one of {list(numbers)}")
    kept = numbers[duplicates]
    if kept is None:
        return frame
    return frame.with_columns(kept).unique(keys, keep="first", maintain_order=True)
