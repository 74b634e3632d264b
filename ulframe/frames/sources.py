"""Where qrels and runs come from: files, globs, folders, standard input, frames, lists of these.

What a source is made of is decided here, what its rows must look like in `contract`, and how runs
of several files are called in `naming`.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import polars as pl

from ulframe.frames.benchmark import holds_benchmark, scan_benchmark_qrels
from ulframe.frames.columns import DOC, LABEL, QUERY, RUN, SCORE
from ulframe.frames.contract import conform_qrels, conform_runs, has_run, has_scores, whole_labels
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import as_lazy
from ulframe.frames.letor import scan_letor_labels
from ulframe.frames.naming import RunFile, distinct_names, name_runs
from ulframe.frames.sniff import first_line, sniff
from ulframe.frames.tables import scan_table
from ulframe.frames.trec import QRELS_LINE, RUN_LINE, scan_tags, scan_trec, separator

Columns = Mapping[str, str]
Duplicates = Literal["error", "max", "first"]
WILD = frozenset("*?[")


@dataclass(frozen=True)
class File:
    """One file to read: its path or, for standard input, its bytes."""

    source: Path | bytes
    where: str  # what messages call it


def scan_qrels(
    source: Any, *, columns: Columns | None = None, duplicates: Duplicates = "error"
) -> pl.LazyFrame:
    """Read judgements: `query_id: String, doc_id: String, label: Int32 | Float64`.

    `source` is a path (TREC text, LETOR text, `query TAB relevant ids`, parquet, csv, tsv, jsonl
    or arrow, also as `.gz` or `.zst`), a glob, a folder, `-` for standard input, a frame of any
    library, a dict `{query: {doc: label}}`, or a list of these. `columns` maps their column names
    to ours.

    Text is read at once, since whether `label` is Int32 shows only at the end; tables and frames
    stay lazy. `duplicates="max"` keeps a document's highest label, `"first"` its first; with
    `"error"` the rows are left for the evaluation to refuse.

    Raises `BadUsage` or `BadData` where nothing is found, a column is missing or a line or value
    is none; see `conform_qrels`.

    >>> scan_qrels({"q1": {"d1": 2}}).collect().rows()
    [('q1', 'd1', 2)]
    """
    parts = [_qrels(item, columns) for item in spread(source)]
    return _deduplicated(_concat(parts), [QUERY, DOC], LABEL, duplicates)


def scan_runs(
    source: Any, *, columns: Columns | None = None, duplicates: Duplicates = "error"
) -> pl.LazyFrame:
    """Read what systems retrieved: `run: String, query_id: String, doc_id: String, score: Float64`.

    `source` is as in `scan_qrels`, a dict being `{query: {doc: score}}` or
    `{run: {query: {doc: score}}}`. Everything stays lazy and in the source's order.

    A `run` column is taken as it stands; TREC text names its runs by their tags; a table without
    the column is named by its file, a frame `run`. Where two files would share a name, all are
    named by file, without endings, with as many parent folders as tell them apart.

    Raises `BadUsage` or `BadData` where nothing is found or a column is missing; when collected,
    where a line cannot be read, an id or score is null or a score is NaN.

    >>> scan_runs({"bm25": {"q1": {"d1": 0.5}}}).collect().rows()
    [('bm25', 'q1', 'd1', 0.5)]
    """
    items = spread(source)
    files = [item for item in items if isinstance(item, File)]
    stems = distinct_names([file.where for file in files])
    named = [_run_file(file, stem, columns) for file, stem in zip(files, stems, strict=True)]
    frames = [conform_runs(item, columns=columns) for item in items if not isinstance(item, File)]
    parts = [*name_runs(named), *frames]
    return _deduplicated(_concat(parts), [RUN, QUERY, DOC], SCORE, duplicates)


def holds_runs(source: Any, columns: Columns | None = None) -> bool:
    """Whether the first file or frame of a source is runs, not qrels, by its columns or fields.

    >>> holds_runs({"run": {"q1": {"d1": 0.5}}}), holds_runs(pl.DataFrame({"relevance": [1]}))
    (True, False)
    """
    first = spread(source)[0]
    if not isinstance(first, File):
        return has_scores(as_lazy(first, SCORE), columns)
    if holds_benchmark(first.source, first.where):
        return False
    match sniff(first.source, first.where, columns or ()):
        case "trec":
            return len(first_line(first.source, first.where).split()) != len(QRELS_LINE.fields)
        case "letor":
            return False
        case kind:
            return has_scores(scan_table(first.source, kind, first.where), columns)


def spread(source: Any) -> list[Any]:
    """Spread a source into files and frames; a file that is met twice is read once.

    What comes out can be given to `scan_qrels` and `scan_runs` again, standard input included.
    """
    sources = source if isinstance(source, list | tuple) else [source]
    spread: dict[Any, Any] = {}
    for one in sources:
        if not isinstance(one, str | os.PathLike):
            spread[id(one)] = one
        elif os.fspath(one) == "-":
            spread["-"] = File(sys.stdin.buffer.read(), "stdin")
        else:
            for path in _paths(Path(one)):
                content = path if path.is_file() else _drained(path)
                spread.setdefault(path.resolve(), File(content, str(path)))
    if not spread:
        raise BadUsage("nothing to read: the list of sources is empty")
    return list(spread.values())


@cache
def _drained(pipe: Path) -> bytes:
    """What is in a pipe, which can be read only once."""
    return pipe.read_bytes()


def _paths(path: Path) -> list[Path]:
    """One path, or the files in a folder or of a glob, by name; hidden ones are left out."""
    if path.is_file() or (path.exists() and not path.is_dir()):  # a pipe is read as a file
        return [path]
    if path.is_dir():
        found, what = list(path.iterdir()), "folder holds no files"
    elif WILD & set(str(path)):
        anchor = Path(path.anchor or ".")
        found, what = list(anchor.glob(str(path.relative_to(path.anchor)))), "glob matches no files"
    else:
        raise BadData(f"{path}: no such file or folder")
    files = sorted(one for one in found if one.is_file() and not one.name.startswith("."))
    if not files:
        raise BadData(f"{path}: this {what} (hidden files and subfolders do not count)")
    return files


def _qrels(item: Any, columns: Columns | None) -> pl.LazyFrame:
    if not isinstance(item, File):
        return conform_qrels(item, columns=columns)
    if holds_benchmark(item.source, item.where):
        return scan_benchmark_qrels(item.source, where=item.where)
    match sniff(item.source, item.where, columns or ()):
        case "trec":
            between = separator(first_line(item.source, item.where))
            text = scan_trec(item.source, QRELS_LINE, between=between, where=item.where)
            return whole_labels(text)
        case "letor":
            return whole_labels(scan_letor_labels(item.source, where=item.where))
        case kind:
            table = scan_table(item.source, kind, item.where)
            return whole_labels(conform_qrels(table, columns=columns, where=item.where))


def _run_file(file: File, name: str, columns: Columns | None) -> RunFile:
    match sniff(file.source, file.where, columns or ()):
        case "trec":
            return _tagged(file, name)
        case "letor":
            raise BadUsage(
                f"{file.where}: LETOR text has labels and features, but no run. Make one with "
                "scan_feature_run(path, feature) or scan_score_run(path, scores)."
            )
        case kind:
            table = scan_table(file.source, kind, file.where)
            frame = conform_runs(table, columns=columns, where=file.where, run=name)
            by_file = None if has_run(table, columns) else pl.LazyFrame({RUN: [name]})
            return RunFile(frame, name, by_file)


def _tagged(file: File, name: str) -> RunFile:
    line = first_line(file.source, file.where)
    between = separator(line)
    frame = scan_trec(file.source, RUN_LINE, between=between, where=file.where)
    tag = ([*line.split()[5:6], ""])[0]  # none: reading the frame says what is wrong
    tags = scan_tags(file.source, between=between, where=file.where, tag=tag)
    return RunFile(frame, name, tags)


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
