"""Text without a header, as a table whose columns are called by their places: `1`, `2`, ..."""

from collections.abc import Callable

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, Columns
from ulframe.frames.errors import BadData, in_short
from ulframe.frames.files import File
from ulframe.frames.first_lines import BLANKS
from ulframe.frames.look_through import look_through

LINE = pl.col("line")


def are_places(names: object) -> bool:
    """Whether a mapping names columns by their places.

    >>> are_places({"1": "query_id", "3": "label"}), are_places({"u": "query_id"}), are_places(None)
    (True, False, False)
    """
    return bool(names) and all(name.isdigit() for name in names)  # type: ignore[attr-defined]


def scan_fields(file: File, mark: str, width: int) -> pl.LazyFrame:
    r"""Split each line at `mark`: columns `1`, `2`, ... of text; blank lines and comments dropped.

    Collecting raises `BadData` for a line that has not `width` fields.

    >>> scan_fields(File(b"q1\td1\t1\n", "-"), "\t", 3).collect().rows()
    [('q1', 'd1', '1')]
    """
    look_through(file.source, file.where)
    names = [str(place) for place in range(1, width + 1)]
    text = LINE.str.strip_chars("\ufeff\r\n")
    parts = text.str.strip_chars().str.replace_all(r"\s+", " ") if mark == BLANKS else text
    split = parts.str.split_exact(mark, width).struct.rename_fields([*names, "more"])
    return (
        pl.scan_lines(file.source, row_index_name="row", glob=False)
        .filter(text.str.strip_chars() != "", ~text.str.strip_chars().str.starts_with("#"))
        .with_columns(split.alias("split"))
        .unnest("split")
        .map_batches(_checker(file.where, width), streamable=True, projection_pushdown=False)
        .select(pl.col(names).str.strip_chars())
    )


def scan_places(file: File, columns: Columns) -> pl.LazyFrame:
    """The fields of a text that a mapping names by their places."""
    last = max(map(int, columns))
    found = file.head.even_mark(last)
    if found is None or "0" in columns:
        raise BadData(
            f"{file.where}: not every line has {last} fields; places count from 1, and all lines "
            "have as many"
        )
    return scan_fields(file, *found)


def with_label(fields: pl.LazyFrame, columns: Columns) -> pl.LazyFrame:
    """Where no place is the label, the ids of a line, parted by blanks, are what is relevant."""
    if set(columns.values()) != {QUERY, DOC}:
        return fields
    doc = next(place for place, ours in columns.items() if ours == DOC)
    ids = pl.col(doc).str.extract_all(r"\S+")
    listed = (
        fields.select(*columns)
        .with_columns(ids)
        .explode(doc)
        .drop_nulls(doc)
        .unique(maintain_order=True)
    )
    return listed.with_columns(pl.lit(1, pl.Int32).alias(LABEL))


def _checker(where: str, width: int) -> Callable[[pl.DataFrame], pl.DataFrame]:
    wrong = pl.col(str(width)).is_null() | pl.col("more").is_not_null()

    def check(batch: pl.DataFrame) -> pl.DataFrame:
        if batch.select(wrong.any()).item():
            row = batch.filter(wrong).row(0, named=True)
            line = f"{where}, line {row['row'] + 1}: {in_short(row['line'], 60)!r}"
            raise BadData(f"{line} has not {width} fields, as the first lines have")
        return batch

    return check
