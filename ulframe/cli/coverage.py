"""What commands say of queries that qrels or runs lack."""

from __future__ import annotations

import polars as pl

from ulframe.cli.output import counted, remark

FEW = 3  # runs that are named for missing queries


def remark_on_queries(coverage: pl.DataFrame) -> None:
    """What was not there on either side."""
    unjudged = coverage.filter(~pl.col("in_qrels"))["query_id"].unique()
    if unjudged.len():
        remark(f"left out, for want of qrels: {counted(unjudged.len(), 'query')}")
    missing = coverage.filter(~pl.col("in_run")).group_by("run").len().sort("run")
    for name, count in missing.head(FEW).iter_rows():
        remark(f"run {name!r} misses {counted(count, 'query')} of the qrels")
    if missing.height > FEW:
        remark(f"... and so do others: {missing.height} runs miss queries of the qrels")
