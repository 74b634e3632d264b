"""The labels of the first documents of each query, as a string of one letter each."""

from __future__ import annotations

import polars as pl

from ulframe.evaluation.ranking import rank

LABEL, RANK = pl.col("label"), pl.col("rank")

LETTER = (
    pl.when(LABEL.is_null())
    .then(pl.lit("-"))
    .when(LABEL < 0)
    .then(pl.lit("."))
    .when(LABEL > 9)
    .then(pl.lit(">"))
    .otherwise(LABEL.cast(pl.Int64).cast(pl.String))
)
"""- is not in the qrels, . in them with a negative label, > above 9."""


def relstrings(
    qrels: pl.LazyFrame, runs: pl.LazyFrame, length: int, depth: int | None, judged_only: bool
) -> pl.LazyFrame:
    """`query_id, relstring` of a run's first `length` documents."""
    ranked = rank(runs, depth=depth)
    if not judged_only:
        ranked = ranked.filter(length >= RANK)
    rows = ranked.join(qrels, on=["query_id", "doc_id"], how="left").sort("query_id", "rank")
    if judged_only:
        rows = rows.filter(LABEL >= 0)
    return rows.group_by("query_id", maintain_order=True).agg(
        relstring=LETTER.head(length).str.join("")
    )
