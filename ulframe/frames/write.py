"""Frames to disk: parquet, csv, tsv, jsonl, arrow and TREC text, and from any format to any other.

Every output appears whole or not at all: it is written beside its place under another name and
moved there when done.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, RUN, SCORE
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.sniff import FORMATS, split_ending
from ulframe.frames.sources import Columns, Duplicates, holds_runs, scan_qrels, scan_runs, spread

Packing = Literal["uncompressed", "gzip", "zstd"]
PACKINGS: dict[str, Packing] = {".gz": "gzip", ".zst": "zstd"}
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

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with appearing(Path(folder) / "out.txt") as unfinished:
    ...         _ = unfinished.write_text("done")
    ...     [file.name for file in Path(folder).iterdir()]
    ['out.txt']
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise BadUsage(f"{path}: there is no folder {str(path.parent)!r} to write to")
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_table(
    frame: pl.LazyFrame, path: str | Path, metadata: dict[str, str] | None = None
) -> None:
    """Run a plan into a table whose format its name tells: `.parquet .csv .tsv .jsonl .arrow`.

    The text formats may end in `.gz` or `.zst` too. Rows keep their order. `metadata` goes into
    the footer of parquet; other formats have no place for it. `BadUsage` for any other name,
    before anything is run.
    """
    kind, packing = _target(Path(path))
    if kind == "trec":
        raise BadUsage(f"{path}: a table's name ends in one of {', '.join(FORMATS)}")
    _write(frame, Path(path), kind, packing, metadata)


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
    _write(_trec_lines(frame, str(path)) if kind == "trec" else frame, Path(path), kind, packing)


def _target(path: Path) -> tuple[str, Packing]:
    kind = FORMATS.get(split_ending(path.name)[1], "trec")
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
