"""Which queries runs miss, and which nobody judged: said by the commands that leave them out."""

from __future__ import annotations

import polars as pl

from ulframe.cli import output


def remark_on_queries(qrels: pl.LazyFrame, runs: pl.LazyFrame) -> None:
    """Say on stderr which queries are in one of qrels and runs only."""
    judged = qrels.select(pl.col("query_id").cast(pl.String)).unique()
    returned = runs.select("run", "query_id").unique()
    judged_of_runs = returned.select("run").unique().join(judged, how="cross")
    both = judged_of_runs.with_columns(in_qrels=True).join(
        returned.with_columns(in_run=True), on=["run", "query_id"], how="full", coalesce=True
    )
    output.remark_on_coverage(
        both.with_columns(pl.col("in_qrels", "in_run").fill_null(False)).collect()
    )
