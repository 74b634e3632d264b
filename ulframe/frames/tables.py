"""Tables on disk - parquet, csv, tsv, jsonl, arrow - as lazy frames with the columns they have.

Text stays text here: ids such as `01` are read as they stand, and the contract turns the one
number column into numbers, naming what is none.
"""

import glob
import re
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path

import polars as pl

from ulframe.frames.columns import is_id, meant
from ulframe.frames.errors import BadData, in_short
from ulframe.frames.files import File
from ulframe.frames.json_objects import read_object
from ulframe.frames.look_through import holds, look_through
from ulframe.frames.packings import MARK, first_bytes, head, whole
from ulframe.frames.remarks import remark
from ulframe.frames.writers import COMMENT

Scan = Callable[[Path | bytes, str], pl.LazyFrame]
"""Reads a table lazily from its path or bytes; messages call it by the text."""

SEPARATORS = (",", ";", "|", "\t")
MORE, ROW = "values beyond the header", "row in the file"  # beside the columns of a file
DECIMAL_COMMA = r"^\s*([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)\s*$"


def scan_parquet(source: Path | bytes, where: str = "-") -> pl.LazyFrame:
    """Scan a parquet file."""
    return pl.scan_parquet(source, glob=False, hive_partitioning=False)


def scan_arrow(source: Path | bytes, where: str = "-") -> pl.LazyFrame:
    """Scan an Arrow file; an Arrow stream, which has no index to scan by, is read."""
    if first_bytes(source).startswith(b"ARROW1"):
        return pl.scan_ipc(source, glob=False, hive_partitioning=False)
    return pl.read_ipc_stream(source).lazy()


def scan_csv(source: Path | bytes, where: str = "-") -> pl.LazyFrame:
    r"""Scan a text with a header, all as text; what parts its values, the header tells.

    Where that is `;`, numbers may have decimal commas. Collecting raises `BadData` for a row with
    more values than the header has names, and for a value with a line's end in it.

    >>> scan_csv(b"qid;docno;score\nq;a,b;1,5").collect().rows()
    [('q', 'a,b', '1.5')]
    """
    header = next((line for line in head(source) if not line.startswith(COMMENT)), "")
    separator = max(SEPARATORS, key=header.count)
    quote = '"' if holds(source, b'"') else None
    table = _trimmed(_separated(source, separator, quote, where))
    if quote:
        _require_pairs(table, where)
    return _with_decimal_points(table) if separator == ";" else table


def scan_tsv(source: Path | bytes, where: str = "-") -> pl.LazyFrame:
    """Scan a text with a header and a tab between values, all as text; raises as `scan_csv`.

    A quote inside a value is one: only around a whole value does it part nothing from anything.
    """
    table = _separated(source, "\t", None, where)
    values = (_unquoted(name) for name in table.collect_schema().names())
    return _trimmed(table).with_columns(values).rename(_unquoted_name)


def _separated(source: Path | bytes, separator: str, quote: str | None, where: str) -> pl.LazyFrame:
    """The values behind a header, all as text."""
    look_through(source, where)
    scan = partial(
        pl.scan_csv,
        source,
        separator=separator,
        quote_char=quote,
        glob=False,
        comment_prefix=COMMENT,
    )
    names = scan(infer_schema=False).collect_schema().names()
    lines = (line for line in head(source) if not line.startswith(COMMENT))
    if next(islice(lines, 1, None), None) is None:
        remark(f"{where}: a header ({', '.join(names)}) and no rows")
    rows = scan(
        has_header=False,
        skip_rows=1,
        schema=dict.fromkeys([*names, MORE], pl.String),
        missing_columns="insert",  # where the first row is shorter than others
        extra_columns="ignore",  # where it is longer
        truncate_ragged_lines=True,
        row_index_name=ROW,
        raise_if_empty=False,
    )
    broken = pl.any_horizontal(pl.col(names).str.contains(r"[\r\n]"))
    bad = pl.col(MORE).is_not_null() | broken.fill_null(False)
    checked = rows.with_columns(bad=bad).map_batches(
        _checker(names, where), projection_pushdown=False, streamable=True
    )
    return checked.select(names)


def _require_pairs(table: pl.LazyFrame, where: str) -> None:
    """Quotes that do not match show only when all is read, when no file is known by name."""
    try:
        table.select(pl.len()).collect(engine="streaming")
    except pl.exceptions.PolarsError as error:
        raise BadData(f"{where}: its quotes do not match: {in_short(error, 60)}") from error


def _checker(names: list[str], where: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    def check(batch: pl.DataFrame) -> pl.DataFrame:
        if batch["bad"].any():
            row = batch.filter("bad").row(0, named=True)
            values = {name: row[name] for name in names}
            wrong = (
                f"a line's end in a value: {in_short(values)}"
                if row[MORE] is None
                else f"more values than the header's {len(names)}: {in_short([*values.values()])}"
            )
            raise BadData(f"{where}, row {row[ROW] + 1} behind the header: {wrong}")
        return batch

    return check


def _trimmed(table: pl.LazyFrame) -> pl.LazyFrame:
    """Without the blanks around values, as people set them behind commas: no id has any."""
    return table.with_columns(pl.all().str.strip_chars())


def _unquoted(name: str) -> pl.Expr:
    value = pl.col(name)
    inner = value.str.extract(r'^"(.*)"$').str.replace_all('""', '"', literal=True)
    return pl.coalesce(inner, value).alias(name)


def _unquoted_name(name: str) -> str:
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == '"' else name


def scan_jsonl(source: Path | bytes, where: str = "-") -> pl.LazyFrame:
    """Read every plain value as text: an id may be `1` in one line and `"01"` in the next.

    Raises `BadData` for a line that is no object, or in which a name stands twice.
    """
    look_through(source, where)
    if next(head(source), "").encode().startswith(MARK):
        source = whole(source)
    # unlike the other scans, this one cannot leave globs alone
    plainly = glob.escape(str(source)) if isinstance(source, Path) else source
    try:
        found = pl.scan_ndjson(plainly).collect_schema()
    except pl.exceptions.PolarsError:
        _require_objects(source, [], where)  # which names the line, where there is one
        raise
    _require_objects(source, [*found], where)
    plain = {name: pl.String() for name, dtype in found.items() if not dtype.is_nested()}
    return pl.scan_ndjson(plainly, schema_overrides=plain)


def _require_objects(source: Path | bytes, names: list[str], where: str) -> None:
    """A glance at each line, and a look at the few in which something seems to be wrong."""
    line = pl.col("line").str.strip_chars()
    twice = (line.str.count_matches(rf'"{re.escape(name)}"\s*:') > 1 for name in names)
    seems = ~(line.str.starts_with("{") & line.str.ends_with("}")) | pl.any_horizontal(
        False, *twice
    )
    lines = pl.scan_lines(source, row_index_name=ROW, glob=False).filter(line != "", seems)
    for row, text in lines.collect(engine="streaming").iter_rows():
        try:
            if not isinstance(read_object(text), dict):
                raise ValueError("no object")
        except ValueError as error:
            raise BadData(
                f"{where}, line {row + 1}: {in_short(text, 80)!r}: {in_short(error)}"
            ) from error


def scan_table(file: File, scan: Scan, name: str) -> pl.LazyFrame:
    r"""Scan a table of the format called `name`, with the columns that its folders' names tell.

    Raises `BadData` where the file is not in that format.

    >>> scan_table(File(b"qid,docno\n01,a", "run=x/part.csv"), scan_csv, "csv").collect().rows()
    [('01', 'a', 'x')]
    """
    try:
        frame = scan(file.source, file.where)
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
