"""What commands print: results to stdout in one of four formats, remarks to stderr."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import get_terminal_size

import polars as pl

from ulframe.cli.lines import fitted
from ulframe.frames.made import KEY
from ulframe.frames.packings import split_packing
from ulframe.frames.visible import FORMULAS, visible
from ulframe.frames.write import write_table
from ulframe.metrics.measure import Measure
from ulframe.metrics.traps import remarks
from ulframe.report.table import DECIMALS, Table

SMALLEST = 0.0001  # p-value that tables print
FEW = 3  # runs that are named for missing queries


def remark(text: str) -> None:
    """Say something on stderr."""
    print(fitted(text), file=sys.stderr)


def remark_on_coverage(coverage: pl.DataFrame) -> None:
    """Say which queries were not there on either side; in, what `examine` tells of coverage."""
    unjudged = coverage.filter(~pl.col("in_qrels"))["query_id"].n_unique()
    if unjudged:
        remark(f"left out, for want of qrels: {counted(unjudged, 'query')}")
    missing = coverage.filter(~pl.col("in_run")).group_by("run").len().sort("run")
    for name, count in missing.head(FEW).iter_rows():
        remark(f"run {name!r} misses {counted(count, 'query')} of the qrels")
    if missing.height > FEW:
        remark(f"... and so do others: {missing.height} runs miss queries of the qrels")


def remark_on_names(measures: Mapping[str, Measure], highest: float = 0.0) -> None:
    """Say what the names that measures were asked for by could be mistaken for."""
    for text in remarks(measures, highest):
        remark(text)


def counted(number: int, noun: str) -> str:
    """`1 query`, `2 queries`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def table(frame: pl.DataFrame, *, names: int = 1, digits: int = DECIMALS, title: str = "") -> None:
    """Print a Markdown table of every row and column, numbers to so many digits.

    In a terminal that it is too wide for, it comes as several, each with the first columns, which
    are `names` of the rows.
    """
    blocks = [Table(title, part, digits).markdown() for part in _fitting(frame, names, digits)]
    sys.stdout.write("\n".join(blocks))


def _fitting(frame: pl.DataFrame, names: int, digits: int) -> Iterator[pl.DataFrame]:
    """The frame, or parts of its columns, each with its first, that fit into the terminal."""
    if not sys.stdout.isatty():
        yield frame
        return
    rulers = (
        Table("", frame.select(one), digits).markdown().split("\n")[1] for one in frame.columns
    )
    widths = [len(ruler) - 1 for ruler in rulers]
    first = [*range(min(names, frame.width))]
    room = get_terminal_size().columns - 1 - sum(widths[at] for at in first)
    part, used = [*first], 0
    for at in range(len(first), frame.width):
        if used + widths[at] > room and len(part) > len(first):
            yield frame[:, part]
            part, used = [*first], 0
        part.append(at)
        used += widths[at]
    yield frame[:, part]


def p_values(p: pl.Series) -> pl.Series:
    """P-values as text to four decimals, of which a small one is not to read as 0."""
    shown = [
        None if one is None else f"{one:.{DECIMALS}f}" if one >= SMALLEST else f"<{SMALLEST}"
        for one in p
    ]
    return pl.Series(p.name, shown, dtype=pl.String)


def csv(frame: pl.DataFrame, options: argparse.Namespace) -> None:
    """Comma-separated values; an undefined score is an empty cell."""
    sys.stdout.write(_safe(frame, options).write_csv())


def write(
    frame: pl.DataFrame, path: str, options: argparse.Namespace, made: dict[str, str]
) -> None:
    """Write a table as the options say, with how it was made."""
    is_text = Path(split_packing(path)[0]).suffix in (".csv", ".tsv")
    comment = made[KEY] if options.comment and is_text else None
    safe = _safe(frame, options) if is_text else frame
    write_table(safe.lazy(), path, metadata=made, comment=comment)


def _safe(frame: pl.DataFrame, options: argparse.Namespace) -> pl.DataFrame:
    """With `--safe-csv`, an apostrophe before what a spreadsheet would take for a formula."""
    if not options.safe_csv:
        return frame
    return frame.with_columns(
        pl.when(pl.any_horizontal(*(pl.col(name).str.starts_with(sign) for sign in FORMULAS)))
        .then(pl.lit("'") + pl.col(name))
        .otherwise(pl.col(name))
        .alias(name)
        for name, kind in frame.schema.items()
        if kind == pl.String
    )


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
        f"{name:<22}\t{visible(query)}\t{score or 0:.{decimals[name]}f}\n"
        for name, query, score in rows.select("measure", "query_id", "score").iter_rows()
    )
