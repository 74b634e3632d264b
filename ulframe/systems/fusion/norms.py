"""Scores of unlike runs made comparable: an expression for each normalisation."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.systems.fusion.columns import CANDIDATES, RANK, RETRIEVED, SCORE, WITHIN, reads

LEAST = 1e-9  # what is divided by at least, where all scores are equal

LOWEST, HIGHEST = SCORE.min().over(WITHIN), SCORE.max().over(WITHIN)


@dataclass(frozen=True)
class Norm:
    """A normalisation.

    - `score`: the new score, over a document's old one, its rank and those of its run and query.
    - `absent`: the score of a document that the run did not return, where it gets one.
    - `undefined`: where there is no new score, and `advice` what to do then.
    """

    score: pl.Expr
    absent: pl.Expr | None = None
    undefined: pl.Expr | None = None
    advice: str = ""

    def reads(self, column: pl.Expr) -> bool:
        """Whether the new score depends on this column."""
        return reads(column, self.score, self.absent)


NORMS = {
    "none": Norm(SCORE),
    "min-max": Norm((SCORE - LOWEST) / (HIGHEST - LOWEST).clip(LEAST)),
    "max": Norm(
        SCORE / HIGHEST, undefined=HIGHEST <= 0, advice="norm=max divides by the best score of a "
        "query, which is not above 0; norm=min-max takes any scores",
    ),
    "sum": Norm(
        (SCORE - LOWEST) / (SCORE - LOWEST).sum().over(WITHIN).clip(LEAST)
    ),
    "z": Norm((SCORE - SCORE.mean().over(WITHIN)) / SCORE.std(ddof=0).over(WITHIN).clip(LEAST)),
    "rank": Norm(1 - (RANK - 1) / RETRIEVED),
    "borda": Norm(1 - (RANK - 1) / CANDIDATES, absent=(1 - (RETRIEVED - 1) / CANDIDATES) / 2),
}  # fmt: skip
"""The normalisations by name, each within a query of a run; those of ranx, whose `zmuv` is z.

`borda` gives every run every document that any run returned for the query, so it takes more memory.
"""


def normalise(listed: pl.LazyFrame, norm: Norm | None) -> pl.LazyFrame:
    """The rows with their new scores, and, where the norm has `absent`, one for every document.

    In: the columns that the norm reads, among `run, query_id, doc_id, score, rank, retrieved,
    candidates, weight`. Raises `BadData`, when collected, where there is no new score.
    """
    if norm is None:
        return listed
    if norm.undefined is not None:
        listed = listed.with_columns(undefined=norm.undefined).map_batches(
            lambda batch: _defined(batch, norm.advice), streamable=True
        )
    new = listed.with_columns(norm.score.alias("score"))
    if norm.absent is None:
        return new
    of_run = ["retrieved", "candidates", "weight"]
    everyone = listed.select("query_id", "doc_id").unique()
    runs = listed.select(*WITHIN, *of_run).unique(WITHIN)
    scored = new.select(*WITHIN, "doc_id", "score", "rank")
    return (
        everyone.join(runs, on="query_id")
        .join(scored, on=[*WITHIN, "doc_id"], how="left")
        .with_columns(SCORE.fill_null(norm.absent))
    )


def _defined(batch: pl.DataFrame, advice: str) -> pl.DataFrame:
    if batch["undefined"].any():
        run, query = batch.filter("undefined").select(pl.col(WITHIN).cast(pl.String)).row(0)
        raise BadData(f"run {run!r}, query {query!r}: {advice}")
    return batch
