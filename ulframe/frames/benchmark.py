r"""The lecture's benchmark format: a line is `query TAB relevant ids`, blanks between the ids.

A query is its own id: a line has no other, and the files of a training and a test set can then be
put together.
"""

import re
from pathlib import Path

import polars as pl

from ulframe.frames.pairs import scan_pairs

# The first line's query has a letter, and its ids are numbers: so it is not `id TAB text`.
FIRST_LINE = re.compile(r"[^\t]*[^\W\d][^\t]*\t[\d\s]*")
SAYS = "a benchmark's line is `query TAB relevant ids`"


def is_benchmark_line(line: str) -> bool:
    r"""Whether a text with this first line is a benchmark.

    >>> is_benchmark_line("films by larry david\t5828 17856")
    True
    >>> is_benchmark_line("12\tfilms by larry david")
    False
    """
    return bool(FIRST_LINE.fullmatch(line))


def scan_benchmark_queries(source: Path | bytes, *, where: str) -> pl.LazyFrame:
    """The queries of one file: `query_id, text: String`, the same."""
    lines = scan_pairs(source, where=where, says=SAYS)
    return lines.select(query_id="left", text="left")


def scan_benchmark_qrels(source: Path | bytes, *, where: str) -> pl.LazyFrame:
    r"""The qrels of one file: `query_id, doc_id: String, label: Int32`, all labels 1.

    An id that stands twice in a line counts once. Collecting raises `BadData` for a line without
    a tab.

    >>> scan_benchmark_qrels(b"films\t5 17 5\n", where="-").collect().rows()
    [('films', '5', 1), ('films', '17', 1)]
    """
    return (
        scan_pairs(source, where=where, says=SAYS)
        .select(
            query_id="left",
            doc_id=pl.col("right").str.extract_all(r"\S+"),
            label=pl.lit(1, pl.Int32),
        )
        .explode("doc_id")
        .drop_nulls("doc_id")
        .unique(["query_id", "doc_id"], keep="first", maintain_order=True)
    )
