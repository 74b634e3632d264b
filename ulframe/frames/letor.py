"""LETOR text: `label qid:N 1:0.5 2:0.1 ... #docid = X`; its labels as qrels.

A line without `#docid = X` is named by its number within its query, from 1, zero-padded to six
digits so that the numbers sort as text.
"""

from collections.abc import Callable
from pathlib import Path

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY
from ulframe.frames.errors import BadData

LINE = pl.col("line")
BEFORE_COMMENT = LINE.str.extract(r"^([^#]*)")


def scan_letor_labels(source: Path | bytes, *, where: str) -> pl.LazyFrame:
    r"""Read the labels: `query_id: String, doc_id: String, label: Float64`, in the file's order.

    >>> lines = b"2 qid:10 1:0.5 #docid = GX1\n0 qid:10 1:0.1"
    >>> scan_letor_labels(lines, where="-").collect().rows()
    [('10', 'GX1', 2.0), ('10', '000002', 0.0)]
    """
    return letor_lines(source, where).select(QUERY, DOC, LABEL)


def letor_lines(source: Path | bytes, where: str) -> pl.LazyFrame:
    """Each document's `row, line, query_id, doc_id, label`; blank lines and comments dropped."""
    text = LINE.str.strip_chars("\ufeff \t\r")
    number = pl.int_range(1, pl.len() + 1).over(QUERY, order_by="row")
    named = LINE.str.extract(r"#\s*docid\s*=\s*(\S+)")
    return (
        pl.scan_lines(source, row_index_name="row", glob=False)
        .with_columns(text)
        .filter((LINE != "") & ~LINE.str.starts_with("#"))
        .with_columns(
            LINE.str.extract(r"^\S+\s+qid:(\S+)").alias(QUERY),
            LINE.str.extract(r"^(\S+)").cast(pl.Float64, strict=False).alias(LABEL),
        )
        .map_batches(_checker(where), streamable=True)
        .with_columns(
            pl.coalesce(named, number.cast(pl.String).str.zfill(6)).alias(DOC),
        )
    )


def _checker(where: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    unread = pl.col(QUERY).is_null() | pl.col(LABEL).is_null() | pl.col(LABEL).is_nan()

    def check(batch: pl.DataFrame) -> pl.DataFrame:
        if batch.select(unread.any()).item():
            line = batch.filter(unread).row(0, named=True)
            raise BadData(
                f"{where}, line {line['row'] + 1}: {line['line'][:200]!r} is no LETOR line, "
                "which is `label qid:N 1:value 2:value ... #docid = X`"
            )
        return batch

    return check
