r"""Lines of two parts with a tab between: `id TAB text` and `query TAB relevant ids`."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.frames.look_through import look_through

LINE = pl.col("line")


def scan_pairs(source: Path | bytes, *, where: str, says: str) -> pl.LazyFrame:
    r"""Split each line at its first tab: `left, right: String`, in order; blank lines are dropped.

    Collecting raises `BadData` for a line without a tab, naming `where`, its number and what it
    should be, which `says` tells.

    >>> scan_pairs(b"1\twing\tflutter\n\n2\t\n", where="-", says="").collect().rows()
    [('1', 'wing\tflutter'), ('2', '')]
    """

    def check(batch: pl.DataFrame) -> pl.DataFrame:
        if batch["right"].null_count():
            row = batch.filter(pl.col("right").is_null()).row(0, named=True)
            line = f"{where}, line {row['row'] + 1}: {row['line'][:200]!r}"
            raise BadData(f"{line} has no tab; {says}")
        return batch

    look_through(source, where)
    return (
        pl.scan_lines(source, row_index_name="row", glob=False)
        .filter(LINE.str.strip_chars() != "")
        .with_columns(
            LINE.str.splitn("\t", 2).struct.rename_fields(["left", "right"]).alias("pair")
        )
        .unnest("pair")
        .map_batches(check, streamable=True, projection_pushdown=False)
        .select(pl.col("left").str.strip_chars("\ufeff "), "right")
    )
