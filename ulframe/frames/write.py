"""Frames to disk: parquet, csv, tsv, jsonl, arrow and TREC text, and from any format to any other.

Every output appears whole or not at all.
"""

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from ulframe.frames.atomic import appearing, refuse_no_folder
from ulframe.frames.columns import Columns
from ulframe.frames.endings import OTHER_ENDINGS
from ulframe.frames.errors import BadUsage
from ulframe.frames.formats import TABLE_ENDINGS, TABLES, TREC, Format
from ulframe.frames.intake import FramesLike, spread
from ulframe.frames.made import refuse_foreign
from ulframe.frames.packings import Word, split_packing
from ulframe.frames.repeats import refuse_repeats
from ulframe.frames.sniff import named_format
from ulframe.frames.sources import Duplicates, holds_runs, scan_qrels, scan_runs
from ulframe.frames.writers import Target


def refuse_file(
    path: str | Path | None, sources: Iterable[str] = (), *, force: bool = False
) -> None:
    """Raise `BadUsage` where no file could be written, or where it would replace what is read.

    Or, without `force`, what somebody else made (see `refuse_foreign`). For commands to call before
    the work, so that hours are not lost at its end; no path is no output.
    """
    if path is None:
        return
    if Path(path).is_dir():
        raise BadUsage(f"{path} is a folder: name a file to write to")
    refuse_no_folder(Path(path))
    for source in sources:
        if Path(path).is_file() and Path(path).resolve() in _files(source):
            raise BadUsage(f"{path} is read as well: write to another file")
    refuse_foreign(path, force=force)


def refuse_table(path: str | Path | None, sources: Iterable[str], *, force: bool = False) -> None:
    """As `refuse_file`, and a name that `write_table` would refuse."""
    refuse_file(path, sources, force=force)
    if path is not None:
        _table_target(Path(path))


def refuse_run(path: str | Path | None, sources: Iterable[str], *, force: bool = False) -> None:
    """As `refuse_file`, and a name that `convert` would refuse."""
    refuse_file(path, sources, force=force)
    if path is not None:
        _target(Path(path))


def _files(source: str) -> set[Path]:
    path = Path(source)
    matched = Path(path.anchor or ".").glob(str(path.relative_to(path.anchor)))
    listed = path.iterdir() if path.is_dir() else [path, *matched]
    return {file.resolve() for file in listed}


def write_table(
    frame: pl.LazyFrame,
    path: str | Path,
    metadata: dict[str, str] | None = None,
    comment: str | None = None,
) -> None:
    """Run a plan into a table whose format its name tells: `.parquet .csv .tsv .jsonl .arrow`.

    The text formats may end in `.gz` or `.zst` too. Rows keep their order. `metadata` goes into
    the footer of parquet and the schema of Arrow; other formats have no place for it. `BadUsage`
    for any other name, before anything is run. `comment` is a line above the header of csv or tsv,
    behind `# ulframe: `, where it is not packed.
    """
    if comment is not None and split_packing(str(path))[1]:
        raise BadUsage(f"{path}: no comment is written into what is packed")
    _write(frame, Path(path), *_table_target(Path(path)), metadata, comment)


def convert(
    source: FramesLike,
    path: str | Path,
    *,
    columns: Columns | None = None,
    duplicates: Duplicates = "error",
    documents: FramesLike | None = None,
    metadata: dict[str, str] | None = None,
) -> None:
    """Write qrels or runs of any source and format in the format that `path` tells by its name.

    Names without a table's ending (`.parquet .csv .tsv .jsonl .arrow`) mean TREC text, in which a
    run's ranks follow its scores, equal ones in the source's order. Whether `source` is qrels or
    runs is seen in its first lines or its columns: TREC text with four fields, LETOR text and
    tables without scores or ranks are qrels. `documents` is the LETOR text that predictions, one
    number a line, are of; `metadata` is as in `write_table`. Raises what `scan_qrels` and
    `scan_runs` raise, and `BadData` for ids that TREC text cannot hold.
    """
    form, packing = _target(Path(path))
    items = spread(source)  # once: standard input cannot be read again
    if documents is not None or holds_runs(items, columns):
        frame = scan_runs(items, columns=columns, duplicates=duplicates, documents=documents)
    else:
        frame = scan_qrels(items, columns=columns, duplicates=duplicates)
    if duplicates == "error":
        refuse_repeats(frame)
    _write(frame, Path(path), form, packing, metadata)


def _table_target(path: Path) -> tuple[Format, Word]:
    form, packing = _target(path)
    if form not in TABLES:
        raise BadUsage(f"{path}: a table's name ends in one of {', '.join(TABLE_ENDINGS)}")
    return form, packing


def _target(path: Path) -> tuple[Format, Word]:
    """In what format a file of that name is written, and how it is packed."""
    if path.suffix in OTHER_ENDINGS:
        raise BadUsage(
            f"{path}: cannot write {path.suffix}, only {', '.join(TABLE_ENDINGS)} or TREC text"
        )
    form = named_format(path.name, TABLES) or TREC
    _, packing = split_packing(path.name)
    if packing and packing.word is None:
        raise BadUsage(f"{path}: {packing.ending} is read, but not written; .gz and .zst are")
    if packing and not form.packs:
        raise BadUsage(f"{path}: {form.name} is compressed inside; leave {packing.ending!r} out")
    return form, (packing and packing.word) or "uncompressed"


def _write(
    frame: pl.LazyFrame,
    path: Path,
    form: Format,
    packing: Word,
    metadata: dict[str, str] | None = None,
    comment: str | None = None,
) -> None:
    assert form.write is not None, "tables and TREC text can be written"
    with appearing(path) as unfinished:
        form.write(frame, Target(unfinished, str(path), packing, metadata, comment))
