"""What commands print: results to stdout in one of four formats, remarks to stderr."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import polars as pl

from ulframe.metrics.measure import Measure

DECIMALS = 4
SMALLEST = 0.0001  # p-value that tables print


def remark(text: str) -> None:
    """A line on stderr."""
    print(text, file=sys.stderr)


def counted(number: int, noun: str) -> str:
    """`1 query`, `2 queries`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def table(frame: pl.DataFrame) -> None:
    """A Markdown table of every row and column, numbers to four decimals."""
    with pl.Config(
        tbl_formatting="MARKDOWN",
        tbl_hide_column_data_types=True,
        tbl_hide_dataframe_shape=True,
        tbl_rows=-1,
        tbl_cols=-1,
        tbl_width_chars=-1,
        fmt_str_lengths=1000,
        fmt_float="full",
        float_precision=DECIMALS,
        tbl_cell_numeric_alignment="RIGHT",
    ):
        print(frame)


def p_values(p: pl.Series) -> pl.Series:
    """P-values as text to four decimals, of which a small one is not to read as 0."""
    shown = [
        None if one is None else f"{one:.{DECIMALS}f}" if one >= SMALLEST else f"<{SMALLEST}"
        for one in p
    ]
    return pl.Series(p.name, shown, dtype=pl.String)


def csv(frame: pl.DataFrame) -> None:
    """Comma-separated values; an undefined score is an empty cell."""
    sys.stdout.write(frame.write_csv())


def json(frame: pl.DataFrame) -> None:
    """A list of objects, one a row; an undefined score is null."""
    print(frame.write_json())


def wide(rows: pl.DataFrame, index: list[str], value: str) -> pl.DataFrame:
    """A column per measure, in the order in which they come."""
    return rows.pivot("measure", index=index, values=value, maintain_order=True)


def trec_lines(rows: pl.DataFrame, measures: Mapping[str, Measure]) -> str:
    """trec_eval's three columns of `measure, query_id, score`: counts whole, else four decimals."""
    decimals = {name: 0 if m.metric.aggregate == "sum" else 4 for name, m in measures.items()}
    return "".join(
        f"{name:<22}\t{query}\t{score or 0:.{decimals[name]}f}\n"
        for name, query, score in rows.select("measure", "query_id", "score").iter_rows()
    )
