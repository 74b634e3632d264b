"""The floor for parquet: read + sort + join + group-by by hand, no metric in it."""

import sys

import polars as pl

qrels, runs = (pl.scan_parquet(path) for path in sys.argv[1:3])
(
    runs.sort("run", "query_id", "score", "doc_id", descending=[False, False, True, True])
    # without maintain_order the optimiser drops the sort
    .join(qrels, on=["query_id", "doc_id"], how="left", maintain_order="left")
    .group_by("run", "query_id")
    .agg(pl.col("label").head(10).sum())
    .collect()
)
