r"""The SMART format of the old test collections: `.I 1` begins a record, `.T .A .W` its fields."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.systems.bm25.steps import whole

LINE, ROW, RECORD = pl.col("line"), pl.col("row"), pl.col("record")


def scan_smart(source: Path | bytes, *, fields: str, where: str) -> pl.LazyFrame:
    r"""Read records: `id: String`, what follows `.I`, and `text: String`, in the file's order.

    `fields` are the letters of those that make the text, joined in the file's order; a record
    without any has the text `""`. Collecting raises `BadData`, with `where`, if no line is `.I ID`.

    >>> lines = b".I 7\n.T\nwing flutter\n.A\nbrenckman,m.\n.W\nin a slipstream .\n.I 8\n.W\n"
    >>> scan_smart(lines, fields="TW", where="-").collect().rows()
    [('7', 'wing flutter\nin a slipstream .'), ('8', '')]
    """
    begins = LINE.str.extract(r"^\.I\s+(\S+)\s*$")
    field = LINE.str.extract(r"^\.([A-Z])\s*$")
    lines = pl.scan_lines(source, row_index_name="row", glob=False).with_columns(
        id=begins, field=field, record=begins.is_not_null().cum_sum().cast(pl.Int64)
    )
    # A record's first lines have no field before one is named, not the last one's before it.
    held = pl.when(pl.col("id").is_not_null()).then(pl.lit("I")).otherwise("field").forward_fill()
    is_text = pl.col("id").is_null() & pl.col("field").is_null() & held.is_in(list(fields))
    records = (
        lines.with_columns(is_text=is_text)
        .group_by("record")
        .agg(
            id=pl.col("id").drop_nulls().first(),
            text=LINE.filter("is_text").sort_by(ROW.filter("is_text")).str.join("\n"),
        )
        .sort("record")
    )
    checked = whole(records, lambda found: _checked(found, where))
    return checked.filter(RECORD > 0).select("id", "text")


def _checked(records: pl.DataFrame, where: str) -> pl.DataFrame:
    if not (records["record"] > 0).any():
        raise BadData(f"{where}: no line `.I ID`, with which a record of the SMART format begins")
    return records
