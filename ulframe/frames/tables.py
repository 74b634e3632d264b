"""Tables on disk - parquet, csv, tsv, jsonl, arrow - as lazy frames with the columns they have.

Text stays text here: ids such as `01` are read as they stand, and the contract turns the one
number column into numbers, naming what is none.
"""

import glob
from collections.abc import Callable
from pathlib import Path

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.frames.files import File
from ulframe.frames.packings import first_bytes

Scan = Callable[[Path | bytes], pl.LazyFrame]


def scan_parquet(source: Path | bytes) -> pl.LazyFrame:
    """Scan a parquet file."""
    return pl.scan_parquet(source, glob=False)


def scan_arrow(source: Path | bytes) -> pl.LazyFrame:
    """Scan an Arrow file; an Arrow stream, which has no index to scan by, is read."""
    if first_bytes(source).startswith(b"ARROW1"):
        return pl.scan_ipc(source, glob=False)
    return pl.read_ipc_stream(source).lazy()


def scan_csv(source: Path | bytes, *, separator: str) -> pl.LazyFrame:
    """Scan a text with a header and a value between separators, all as text."""
    return pl.scan_csv(source, separator=separator, infer_schema=False, glob=False)


def scan_jsonl(source: Path | bytes) -> pl.LazyFrame:
    """Read every plain value as text: an id may be `1` in one line and `"01"` in the next."""
    # unlike the other scans, this one cannot leave globs alone
    plainly = glob.escape(str(source)) if isinstance(source, Path) else source
    found = pl.scan_ndjson(plainly).collect_schema()
    plain = {name: pl.String() for name, dtype in found.items() if not dtype.is_nested()}
    return pl.scan_ndjson(plainly, schema_overrides=plain)


def scan_table(file: File, scan: Scan, name: str) -> pl.LazyFrame:
    r"""Scan a table of the format called `name`. `BadData` where the file is not in that format.

    >>> from functools import partial
    >>> file = File(b"qid,docno\n01,a", "-")
    >>> scan_table(file, partial(scan_csv, separator=","), "csv").collect().rows()
    [('01', 'a')]
    """
    try:
        frame = scan(file.source)
        frame.collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadData(f"{file.where}: cannot be read as {name}: {error}") from error
    return frame
