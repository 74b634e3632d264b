r"""The lecture's benchmark format: a line is `query TAB relevant ids`, blanks between the ids.

A query is its own id: a line has no other, and the files of a training and a test set can then be
put together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import polars as pl

from ulframe.frames.sniff import FORMATS, MAGIC, first_bytes, first_line, split_ending
from ulframe.frames.sources import File, scan_qrels, spread
from ulframe.systems.bm25.pairs import scan_pairs

# The first line's query has a letter, and its ids are numbers: so it is not `id TAB text`.
FIRST_LINE = re.compile(r"[^\t]*[^\W\d][^\t]*\t[\d\s]*")
SAYS = "a benchmark's line is `query TAB relevant ids`"


@dataclass(frozen=True)
class Benchmark:
    """Queries (`query_id, text: String`) and qrels (`query_id, doc_id: String, label: Int32`)."""

    queries: pl.LazyFrame
    qrels: pl.LazyFrame


def scan_benchmark(source: Any) -> Benchmark:
    r"""Read benchmark files: path, glob, folder, `-`, or a list of these.

    An id that stands twice in a line counts once; all labels are 1. Raises `BadData` where nothing
    is found and, when collected, for a line without a tab.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "benchmark.tsv"
    ...     _ = path.write_text("films by larry david\t5828 17856 5828\n")
    ...     scan_benchmark(path).qrels.collect().rows()
    [('films by larry david', '5828', 1), ('films by larry david', '17856', 1)]
    """
    files = [item for item in spread(source) if isinstance(item, File)]
    return Benchmark(
        pl.concat([scan_benchmark_queries(file) for file in files]),
        pl.concat([_qrels(file) for file in files]),
    )


def scan_judgements(source: Any) -> pl.LazyFrame:
    """As `scan_qrels`, and benchmark files too."""
    parts = [
        _qrels(item) if isinstance(item, File) and holds_benchmark(item) else scan_qrels([item])
        for item in spread(source)
    ]
    return parts[0] if len(parts) == 1 else pl.concat(parts, how="vertical_relaxed")


def holds_benchmark(file: File) -> bool:
    """Whether a file is a benchmark, by its first line."""
    is_text = FORMATS.get(split_ending(file.where)[1], "tsv") == "tsv"
    if not is_text or first_bytes(file.source).startswith(tuple(MAGIC)):
        return False
    return bool(FIRST_LINE.fullmatch(first_line(file.source, file.where)))


def scan_benchmark_queries(file: File) -> pl.LazyFrame:
    """The queries of one file: `query_id, text: String`, the same."""
    lines = scan_pairs(file.source, where=file.where, says=SAYS)
    return lines.select(query_id="left", text="left")


def _qrels(file: File) -> pl.LazyFrame:
    ids = pl.col("right").str.extract_all(r"\S+")
    return (
        scan_pairs(file.source, where=file.where, says=SAYS)
        .select(query_id="left", doc_id=ids, label=pl.lit(1, pl.Int32))
        .explode("doc_id")
        .drop_nulls("doc_id")
        .unique(["query_id", "doc_id"], keep="first", maintain_order=True)
    )
