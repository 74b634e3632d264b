"""Runs made of LETOR text: its documents ranked by a feature, or by a file of scores."""

from pathlib import Path

import polars as pl

from ulframe.frames.columns import SCORE
from ulframe.frames.contract import conform_runs
from ulframe.frames.endings import split_ending
from ulframe.frames.errors import BadUsage
from ulframe.frames.files import File
from ulframe.frames.letor import BEFORE_COMMENT, letor_lines, predicted


def scan_feature_run(path: str | Path, feature: int, *, run: str | None = None) -> pl.LazyFrame:
    """Rank each query's documents by one feature of a LETOR file, the highest value first.

    Out: `run: String` (`feature N` if not given), `query_id`, `doc_id`, `score: Float64`. A line
    without the feature has value 0, as is usual for sparse files. Collecting raises `BadData` for
    a line that cannot be read or a value that is no number; `BadUsage` if `feature` is below 0, or
    is 0 where the first lines have no feature 0.
    """
    file = File(Path(path), str(path))
    if feature < 0 or (feature == 0 and not any(" 0:" in line for line in file.head.lines)):
        raise BadUsage(f"feature {feature}: LETOR numbers its features from 1, as {path} does")
    value = BEFORE_COMMENT.str.extract(rf"\s{feature}:(\S+)").fill_null("0").alias(SCORE)
    scored = letor_lines(file).with_columns(value)
    return conform_runs(scored, where=str(path), run=run or f"feature {feature}")


def scan_score_run(path: str | Path, scores: str | Path, *, run: str | None = None) -> pl.LazyFrame:
    """Rank a LETOR file's documents by a file of scores, one number a line, in the same order.

    Out: `run: String` (the score file's name without endings if not given), `query_id`, `doc_id`,
    `score: Float64`. Collecting raises `BadData` if the two differ in length or a line is none.
    """
    scored = predicted(File(Path(path), str(path)), File(Path(scores), str(scores)))
    return conform_runs(scored, where=str(scores), run=run or split_ending(Path(scores).name)[0])
