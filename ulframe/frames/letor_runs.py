"""Runs made of LETOR text: its documents ranked by a feature, or by a file of scores."""

from pathlib import Path

import polars as pl

from ulframe.frames.columns import DOC, QUERY, SCORE
from ulframe.frames.contract import conform_runs
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.formats import split_ending
from ulframe.frames.letor import BEFORE_COMMENT, letor_lines


def scan_feature_run(path: str | Path, feature: int, *, run: str | None = None) -> pl.LazyFrame:
    """Rank each query's documents by one feature of a LETOR file, the highest value first.

    Out: `run: String` (`feature N` if not given), `query_id`, `doc_id`, `score: Float64`. A line
    without the feature has value 0, as is usual for sparse files. Collecting raises `BadData` for
    a line that cannot be read or a value that is no number; `BadUsage` if `feature` is below 1.
    """
    if feature < 1:
        raise BadUsage(f"feature {feature}: LETOR numbers its features from 1")
    value = BEFORE_COMMENT.str.extract(rf"\s{feature}:(\S+)").fill_null("0").alias(SCORE)
    scored = letor_lines(Path(path), str(path)).with_columns(value)
    return conform_runs(scored, where=str(path), run=run or f"feature {feature}")


def scan_score_run(path: str | Path, scores: str | Path, *, run: str | None = None) -> pl.LazyFrame:
    """Rank a LETOR file's documents by a file of scores, one number a line, in the same order.

    Out: `run: String` (the score file's name without endings if not given), `query_id`, `doc_id`,
    `score: Float64`. Collecting raises `BadData` if the two differ in length or a line is none.
    """

    def check(batch: pl.DataFrame) -> pl.DataFrame:
        if any(batch.null_count().row(0)):
            raise BadData(f"{scores} must have one number for each document line of {path}")
        return batch

    documents = letor_lines(Path(path), str(path)).select(QUERY, DOC).with_row_index()
    values = pl.scan_lines(Path(scores), name=SCORE, glob=False).filter(pl.col(SCORE) != "")
    # Not a horizontal concat: where the lengths differ, its error names no file.
    paired = documents.join(
        values.with_row_index(), on="index", how="full", coalesce=True, maintain_order="left_right"
    )
    scored = paired.drop("index").map_batches(check, streamable=True)
    return conform_runs(scored, where=str(scores), run=run or split_ending(Path(scores).name)[0])
