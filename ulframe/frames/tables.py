"""Tables on disk - parquet, csv, tsv, jsonl, arrow - as lazy frames with the columns they have.

Text stays text here: ids such as `01` are read as they stand, and the contract turns the one
number column into numbers, naming what is none.
"""

import glob
from collections.abc import Callable
from pathlib import Path

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.frames.sniff import first_bytes


def _csv(separator: str) -> Callable[[Path | bytes], pl.LazyFrame]:
    return lambda source: pl.scan_csv(source, separator=separator, infer_schema=False, glob=False)


def _jsonl(source: Path | str | bytes) -> pl.LazyFrame:
    """Read every plain value as text: an id may be `1` in one line and `"01"` in the next."""
    if isinstance(source, Path):  # unlike the other scans, this one cannot leave globs alone
        source = glob.escape(str(source))
    found = pl.scan_ndjson(source).collect_schema()
    plain = {name: pl.String() for name, dtype in found.items() if not dtype.is_nested()}
    return pl.scan_ndjson(source, schema_overrides=plain)


def _arrow(source: Path | bytes) -> pl.LazyFrame:
    """Scan an Arrow file; an Arrow stream, which has no index to scan by, is read."""
    if first_bytes(source).startswith(b"ARROW1"):
        return pl.scan_ipc(source, glob=False)
    return pl.read_ipc_stream(source).lazy()


SCANS: dict[str, Callable[[Path | bytes], pl.LazyFrame]] = {
    "parquet": lambda source: pl.scan_parquet(source, glob=False),
    "arrow": _arrow,
    "csv": _csv(","),
    "tsv": _csv("\t"),
    "jsonl": _jsonl,
}


def scan_table(source: Path | bytes, kind: str, where: str) -> pl.LazyFrame:
    r"""Scan a table of one of the formats in `SCANS`. `BadData` where it is not in that format.

    >>> scan_table(b"qid,docno\n01,a", "csv", "-").collect().rows()
    [('01', 'a')]
    """
    try:
        frame = SCANS[kind](source)
        frame.collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadData(f"{where}: cannot be read as {kind}: {error}") from error
    return frame
