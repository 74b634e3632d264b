"""The floor for text: Polars reads a TREC run, and does nothing with it."""

import sys

import polars as pl

COLUMNS = {"query_id": pl.String, "q0": pl.String, "doc_id": pl.String, "rank": pl.Int64}
COLUMNS |= {"score": pl.Float64, "run": pl.String}

run = pl.scan_csv(sys.argv[2], separator=" ", has_header=False, quote_char=None, schema=COLUMNS)
run.collect()
