"""Frames to disk: parquet, csv, tsv, jsonl, arrow and TREC text, and from any format to any other.

Every output appears whole or not at all: it is written beside its place under another name and
moved there when done.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, RUN, SCORE
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.repeats import refuse_repeats
from ulframe.frames.sniff import FORMATS, split_ending
from ulframe.frames.sources import Columns, Duplicates, holds_runs, scan_qrels, scan_runs, spread

Packing = Literal["uncompressed", "gzip", "zstd"]
PACKINGS: dict[str, Packing] = {".gz": "gzip", ".zst": "zstd"}
OTHERS = (".json", ".xlsx", ".xls", ".html", ".pdf", ".sqlite", ".db")  # not to be TREC text
WRITERS: dict[str, Callable[[pl.LazyFrame, Path, Packing], Any]] = {
    "csv": lambda frame, path, packing: frame.sink_csv(
        path, compression=packing, check_extension=False
    ),
    "tsv": lambda frame, path, packing: frame.sink_csv(
        path, separator="\t", compression=packing, check_extension=False
    ),
    "jsonl": lambda frame, path, packing: frame.sink_ndjson(
        path, compression=packing, check_extension=False
    ),
    "trec": lambda frame, path, packing: frame.sink_csv(
        path,
        separator=" ",
        include_header=False,
        quote_style="never",
        compression=packing,
        check_extension=False,
    ),
}
BINARY_WRITERS: dict[str, Callable[[pl.LazyFrame, Path, dict[str, str] | None], Any]] = {
    "parquet": lambda frame, path, metadata: frame.sink_parquet(path, metadata=metadata),
    "arrow": lambda frame, path, _: frame.sink_ipc(path),
}


@contextmanager
def appearing(path: str | Path) -> Iterator[Path]:
    """Give a path to write to; `path` appears, or is replaced, only if the block succeeds.

    A link stays one and its target is replaced, with the rights that it had. What is no regular
    file, `/dev/stdout` or a named pipe, is written to when all is there.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with appearing(Path(folder) / "out.txt") as unfinished:
    ...         _ = unfinished.write_text("done")
    ...     [file.name for file in Path(folder).iterdir()]
    ['out.txt']
    """
    if str(path) == "-":
        raise BadUsage("-: to write to standard output, name /dev/stdout")
    special = Path(path).exists() and not Path(path).is_file()
    path = Path(path) if special else Path(path).resolve()
    _refuse_no_folder(path)
    folder = Path(tempfile.gettempdir()) if special else path.parent
    unfinished = folder / f".{path.name}.{os.getpid()}.unfinished"
    try:
        yield unfinished
        if special:
            _pour(unfinished, path)
        else:
            if path.exists():
                shutil.copymode(path, unfinished)
            unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _refuse_no_folder(path: Path) -> None:
    if not path.parent.is_dir():
        raise BadUsage(f"{path}: there is no folder {str(path.parent)!r} to write to")


def _pour(source: Path, target: Path) -> None:
    with source.open("rb") as whole, target.open("wb") as pipe:
        shutil.copyfileobj(whole, pipe)


def refuse_file(path: str | Path | None, sources: Iterable[str]) -> None:
    """Raise `BadUsage` where no file could be written, or where it would replace what is read.

    For commands to call before the work, so that hours are not lost at its end; no path is no
    output.
    """
    if path is None:
        return
    if Path(path).is_dir():
        raise BadUsage(f"{path} is a folder: name a file to write to")
    _refuse_no_folder(Path(path))
    for source in sources:
        if Path(path).is_file() and Path(path).resolve() in _files(source):
            raise BadUsage(f"{path} is read as well: write to another file")


def refuse_table(path: str | Path | None, sources: Iterable[str]) -> None:
    """As `refuse_file`, and a name that `write_table` would refuse."""
    refuse_file(path, sources)
    if path is not None:
        _table_target(Path(path))


def refuse_run(path: str | Path | None, sources: Iterable[str]) -> None:
    """As `refuse_file`, and a name that `convert` would refuse."""
    refuse_file(path, sources)
    if path is not None:
        _target(Path(path))


def _files(source: str) -> set[Path]:
    path = Path(source)
    matched = Path(path.anchor or ".").glob(str(path.relative_to(path.anchor)))
    listed = path.iterdir() if path.is_dir() else [path, *matched]
    return {file.resolve() for file in listed}


def write_table(
    frame: pl.LazyFrame, path: str | Path, metadata: dict[str, str] | None = None
) -> None:
    """Run a plan into a table whose format its name tells: `.parquet .csv .tsv .jsonl .arrow`.

    The text formats may end in `.gz` or `.zst` too. Rows keep their order. `metadata` goes into
    the footer of parquet; other formats have no place for it. `BadUsage` for any other name,
    before anything is run.
    """
    _write(frame, Path(path), *_table_target(Path(path)), metadata)


def convert(
    source: Any,
    path: str | Path,
    *,
    columns: Columns | None = None,
    duplicates: Duplicates = "error",
) -> None:
    """Write qrels or runs of any source and format in the format that `path` tells by its name.

    Names without a table's ending (`.parquet .csv .tsv .jsonl .arrow`) mean TREC text, in which a
    run's ranks follow its scores, equal ones in the source's order. Whether `source` is qrels or
    runs is seen in its first lines or its columns: TREC text with four fields, LETOR text and
    tables without `score` are qrels. Raises what `scan_qrels` and `scan_runs` raise, and `BadData`
    for ids that TREC text cannot hold.
    """
    kind, packing = _target(Path(path))
    items = spread(source)  # once: standard input cannot be read again
    scan = scan_runs if holds_runs(items, columns) else scan_qrels
    frame = scan(items, columns=columns, duplicates=duplicates)
    if duplicates == "error":
        refuse_repeats(frame)
    _write(_trec_lines(frame, str(path)) if kind == "trec" else frame, Path(path), kind, packing)


def _table_target(path: Path) -> tuple[str, Packing]:
    kind, packing = _target(path)
    if kind == "trec":
        raise BadUsage(f"{path}: a table's name ends in one of {', '.join(FORMATS)}")
    return kind, packing


def _target(path: Path) -> tuple[str, Packing]:
    kind = FORMATS.get(split_ending(path.name)[1], "trec")
    if path.suffix in OTHERS:
        raise BadUsage(
            f"{path}: cannot write {path.suffix}, only {', '.join(FORMATS)} or TREC text"
        )
    packing = PACKINGS.get(path.suffix, "uncompressed")
    if kind in BINARY_WRITERS and packing != "uncompressed":
        raise BadUsage(f"{path}: {kind} is compressed inside; leave {path.suffix!r} out")
    return kind, packing


def _write(
    frame: pl.LazyFrame,
    path: Path,
    kind: str,
    packing: Packing,
    metadata: dict[str, str] | None = None,
) -> None:
    with appearing(path) as unfinished:
        if kind in BINARY_WRITERS:
            BINARY_WRITERS[kind](frame, unfinished, metadata)
        else:
            WRITERS[kind](frame, unfinished, packing)


def _trec_lines(frame: pl.LazyFrame, where: str) -> pl.LazyFrame:
    """Lay a frame out as TREC text does; refuse ids that would not be read back as they are."""
    names = frame.collect_schema().names()
    ids = pl.col(*(name for name in names if name not in (LABEL, SCORE)))
    bad = pl.any_horizontal(ids.str.contains(r"^$|\s"), pl.col(QUERY).str.starts_with("#"))

    def check(batch: pl.DataFrame) -> pl.DataFrame:
        if batch.select(bad.any()).item():
            row = batch.filter(bad).row(0, named=True)
            raise BadData(
                f"{where}: TREC text holds no empty id, no id with a blank and no query that "
                f"begins with '#', but there is {row}"
            )
        return batch

    checked = frame.map_batches(check, streamable=True)
    if LABEL in names:
        return checked.select(QUERY, pl.lit(0), DOC, LABEL)
    rank = pl.col(SCORE).rank("ordinal", descending=True).over(RUN, QUERY)
    return checked.select(QUERY, pl.lit("Q0"), DOC, rank.alias("rank"), SCORE, RUN)
