"""Qrels whose labels are called scores, as BEIR, MTEB and ranx write them."""

import polars as pl

from ulframe.frames.columns import LABEL, SCORE
from ulframe.frames.errors import BadData

LOWEST, HIGHEST = -10, 1000  # what a label may be that is called a score


def looks_like_labels() -> pl.Expr:
    """Whether a `score` is a whole number from -10 to 1,000."""
    value = pl.col(SCORE).cast(pl.Float64, strict=False)
    return (value.floor() == value) & value.is_between(LOWEST, HIGHEST)


def labels_of_scores(scored: pl.LazyFrame, where: str) -> pl.LazyFrame:
    """Take `score` as `label`.

    Raises `BadData`, when collected, where not all are whole numbers from -10 to 1,000: then it is
    a run in the place of qrels.

    >>> labels_of_scores(pl.LazyFrame({"score": [2, 0]}), "-").collect().rows()
    [(2,), (0,)]
    """

    def check(batch: pl.DataFrame) -> pl.DataFrame:
        wrong = batch.filter(~looks_like_labels())
        if wrong.height:
            raise BadData(
                f"{where}: a run in the place of qrels? The score {wrong[SCORE][0]} is no whole "
                f"number from {LOWEST} to {HIGHEST:,}, as a label would be. Qrels come before "
                "runs; if these are labels, `--columns score=label`"
            )
        return batch

    return scored.map_batches(check, streamable=True).rename({SCORE: LABEL})
