"""TREC text: qrels and runs, read by the quick reader where it is tidy and line by line if not."""

from pathlib import Path

import polars as pl

from ulframe.frames.look_through import look_through
from ulframe.frames.trec_lines import Layout, scan_lines
from ulframe.frames.trec_tidy import is_tidy, scan_tidy


def scan_trec(source: Path | bytes, layout: Layout, *, between: str, where: str) -> pl.LazyFrame:
    r"""Read TREC text lazily: `layout.keep`'s columns, ids as text and the number as Float64.

    `between` is what parts the fields in most lines, a blank or a tab: any other line is read
    too, only slower. Rows keep the file's order. Collecting raises `BadData`, with `where`, the
    line's number and its text, for a line that is too short or whose number is none.

    >>> from ulframe.frames.trec_lines import QRELS_LINE
    >>> scan_trec(b"q1 0 d1 2\nq1 0 d2 0.5", QRELS_LINE, between=" ", where="-").collect().rows()
    [('q1', 'd1', 2.0), ('q1', 'd2', 0.5)]
    """
    if is_tidy(source, between):
        return scan_tidy(source, layout, between=between, where=where)
    look_through(source, where)
    return scan_lines(source, layout, between=between, where=where)
