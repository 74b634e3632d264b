"""Tables on disk - parquet, csv, tsv, jsonl, arrow - as lazy frames with the columns they have.

Text stays text here: ids such as `01` are read as they stand, and the contract turns the one
number column into numbers, naming what is none.
"""

import glob
from collections.abc import Callable
from pathlib import Path

import polars as pl

from ulframe.frames.columns import is_id, meant
from ulframe.frames.errors import BadData, in_short
from ulframe.frames.files import File
from ulframe.frames.packings import MARK, first_bytes, head, whole

Scan = Callable[[Path | bytes], pl.LazyFrame]

SEPARATORS = (",", ";", "|", "\t")
DECIMAL_COMMA = r"^\s*([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)\s*$"


def scan_parquet(source: Path | bytes) -> pl.LazyFrame:
    """Scan a parquet file."""
    return pl.scan_parquet(source, glob=False, hive_partitioning=False)


def scan_arrow(source: Path | bytes) -> pl.LazyFrame:
    """Scan an Arrow file; an Arrow stream, which has no index to scan by, is read."""
    if first_bytes(source).startswith(b"ARROW1"):
        return pl.scan_ipc(source, glob=False, hive_partitioning=False)
    return pl.read_ipc_stream(source).lazy()


def scan_csv(source: Path | bytes) -> pl.LazyFrame:
    r"""Scan a text with a header, all as text; what parts its values, the header tells.

    Where that is `;`, numbers may have decimal commas.

    >>> scan_csv(b"qid;docno;score\nq;a,b;1,5").collect().rows()
    [('q', 'a,b', '1.5')]
    """
    header = next(head(source), "")
    separator = max(SEPARATORS, key=header.count)
    table = _trimmed(pl.scan_csv(source, separator=separator, infer_schema=False, glob=False))
    return _with_decimal_points(table) if separator == ";" else table


def scan_tsv(source: Path | bytes) -> pl.LazyFrame:
    """Scan a text with a header and a tab between values, all as text.

    A quote inside a value is one: only around a whole value does it part nothing from anything.
    """
    table = pl.scan_csv(source, separator="\t", infer_schema=False, glob=False, quote_char=None)
    values = (_unquoted(name) for name in table.collect_schema().names())
    return _trimmed(table).with_columns(values).rename(_unquoted_name)


def _trimmed(table: pl.LazyFrame) -> pl.LazyFrame:
    """Without the blanks around values, as people set them behind commas: no id has any."""
    return table.with_columns(pl.all().str.strip_chars())


def _unquoted(name: str) -> pl.Expr:
    value = pl.col(name)
    inner = value.str.extract(r'^"(.*)"$').str.replace_all('""', '"', literal=True)
    return pl.coalesce(inner, value).alias(name)


def _unquoted_name(name: str) -> str:
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name


def scan_jsonl(source: Path | bytes) -> pl.LazyFrame:
    """Read every plain value as text: an id may be `1` in one line and `"01"` in the next."""
    if next(head(source), "").encode().startswith(MARK):
        source = whole(source)
    # unlike the other scans, this one cannot leave globs alone
    plainly = glob.escape(str(source)) if isinstance(source, Path) else source
    found = pl.scan_ndjson(plainly).collect_schema()
    plain = {name: pl.String() for name, dtype in found.items() if not dtype.is_nested()}
    return pl.scan_ndjson(plainly, schema_overrides=plain)


def scan_table(file: File, scan: Scan, name: str) -> pl.LazyFrame:
    r"""Scan a table of the format called `name`, with the columns that its folders' names tell.

    Raises `BadData` where the file is not in that format.

    >>> scan_table(File(b"qid,docno\n01,a", "run=x/part.csv"), scan_csv, "csv").collect().rows()
    [('01', 'a', 'x')]
    """
    try:
        frame = scan(file.source)
        have = frame.collect_schema().names()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BadData(f"{file.where}: cannot be read as {name}: {in_short(error)}") from error
    there = {meant(column) or column for column in have}
    keys = {key: value for key, value in file.keys.items() if (meant(key) or key) not in there}
    return frame.with_columns(pl.lit(value, pl.String).alias(key) for key, value in keys.items())


def _with_decimal_points(table: pl.LazyFrame) -> pl.LazyFrame:
    """Numbers with points, in the columns that hold nothing but numbers, some with commas."""
    found = table.collect()
    for name in found.columns:
        pointed = found[name].str.replace(DECIMAL_COMMA, "$1.$2")
        numbers = pointed.cast(pl.Float64, strict=False)
        if not is_id(name) and numbers.null_count() == found[name].null_count():
            found = found.with_columns(pointed.alias(name))
    return found.lazy()
