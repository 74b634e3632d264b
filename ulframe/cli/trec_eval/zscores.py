"""Scores as distances from a mean, in standard deviations, both read from a file."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ulframe.frames.errors import BadData

MISSING = -1_000_000.0
"""The score of a measure and query of which the file does not say the mean."""


def read_zscores(path: str) -> pl.DataFrame:
    """`query_id, measure, centre, deviation` from lines of query, measure, mean, deviation."""
    rows = []
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        try:
            query, measure, centre, deviation = line.split()
            rows.append((query, measure, float(centre), float(deviation)))
        except ValueError:
            raise BadData(
                f"{path}, line {number}: not a query, a measure, a mean and a deviation: {line!r}"
            ) from None
    names = {"query_id": pl.String, "measure": pl.String, "centre": pl.Float64}
    return pl.DataFrame(rows, schema=names | {"deviation": pl.Float64}, orient="row")


def standardised(scores: pl.DataFrame, zscores: pl.DataFrame) -> pl.DataFrame:
    """`query_id, measure, score` with each score so many deviations from its mean."""
    score, centre, deviation = pl.col("score"), pl.col("centre"), pl.col("deviation")
    z = pl.when(deviation != 0).then((score - centre) / deviation)
    same = z.when(score == centre).then(0.0).otherwise(MISSING)
    joined = scores.join(zscores, on=["query_id", "measure"], how="left", maintain_order="left")
    return joined.select("query_id", "measure", score=same)
