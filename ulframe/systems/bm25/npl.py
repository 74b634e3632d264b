r"""The format of the NPL (Vaswani) collection: a number, the text's lines, and a line with `/`."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.systems.bm25.steps import whole

LINE, RECORD = pl.col("line"), pl.col("record")
END = "/"


def scan_npl(source: Path | bytes, *, where: str) -> pl.LazyFrame:
    r"""Read records: `id: String` and `text: String`, in the file's order.

    Collecting raises `BadData`, with `where` and the line, for a record that does not begin with a
    line that is a number.

    >>> scan_npl(b"1\ncompact memories\nhave\n   /\n2\n  /\n", where="-").collect().rows()
    [('1', 'compact memories\nhave'), ('2', '')]
    """
    line = LINE.str.strip_chars()
    lines = pl.scan_lines(source, row_index_name="row", glob=False).with_columns(line)
    ended = lines.with_columns(
        record=(LINE == END).cum_sum().cast(pl.Int64) - (LINE == END).cast(pl.Int64)
    )
    # what stands behind the last `/`, blank lines as a rule, is a record only where it has text
    records = (
        ended.filter((LINE != END) & (LINE != ""))
        .group_by("record")
        .agg(
            first=pl.col("row").min() + 1,
            id=LINE.sort_by("row").first(),
            text=LINE.sort_by("row").slice(1).str.join("\n"),
        )
        .sort("record")
    )
    return whole(records, lambda found: _checked(found, where)).select("id", "text")


def _checked(records: pl.DataFrame, where: str) -> pl.DataFrame:
    wrong = records.filter(~pl.col("id").str.contains(r"^\d+$"))
    if wrong.height:
        raise BadData(
            f"{where}, line {wrong['first'][0]}: {wrong['id'][0]!r} is no number, with which a "
            "record of the NPL collection begins"
        )
    return records
