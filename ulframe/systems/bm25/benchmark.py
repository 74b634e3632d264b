"""A benchmark's two halves together: the queries to search with and the qrels to measure by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike

import polars as pl

from ulframe.frames.benchmark import scan_benchmark_qrels, scan_benchmark_queries
from ulframe.frames.files import File
from ulframe.frames.intake import spread

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]


@dataclass(frozen=True)
class Benchmark:
    """Queries (`query_id, text: String`) and qrels (`query_id, doc_id: String, label: Int32`)."""

    queries: pl.LazyFrame
    qrels: pl.LazyFrame


def scan_benchmark(source: Paths) -> Benchmark:
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
        pl.concat([scan_benchmark_queries(file.source, where=file.where) for file in files]),
        pl.concat([scan_benchmark_qrels(file.source, where=file.where) for file in files]),
    )
