"""Documents as numbers: how each run ranked and scored them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from ulframe.frames.intake import FramesLike
from ulframe.frames.sources import scan_runs
from ulframe.studies.pooling.columns import DOC, QUERY
from ulframe.studies.pooling.lists import depth_n, ranked

Features = npt.NDArray[np.float32]

RANK, SCORE = pl.col("rank"), pl.col("score")
IN_QUERY = ["run", QUERY]


@dataclass(frozen=True)
class Documents:
    """Every document that a run returned, query by query in the order of Depth-n.

    `rows` is the list that `depth_n` gives; `values[i]` describes its i-th row: the rank features
    of all runs by name, then the score features. All lie in [0, 1], higher being better, and are 0
    where the run does not have the document.
    """

    rows: pl.DataFrame
    values: Features


def described(runs: FramesLike) -> Documents:
    """Describe the documents of runs by ranks and scores.

    A rank counts 1 - log(rank) / log(deepest + 1), `deepest` being the last rank of any run; a
    score counts by its place between the lowest and the highest of its run and query.
    """
    given = scan_runs(runs).collect()
    rows = depth_n(given).collect()
    low, high = SCORE.min().over(IN_QUERY), SCORE.max().over(IN_QUERY)
    place = pl.when(high > low).then((SCORE - low) / (high - low)).otherwise(1.0)
    cells = (
        ranked(given)
        .with_columns(by_rank=1 - RANK.log() / (RANK.max() + 1).log())
        .join(given.lazy().with_columns(by_score=place), on=[*IN_QUERY, DOC])
        .join(rows.lazy().with_row_index("row"), on=[QUERY, DOC])
        .select(
            "row",
            run=pl.col("run").rank("dense").cast(pl.Int64) - 1,
            by_rank="by_rank",
            by_score=pl.col("by_score").fill_nan(1.0),  # of a score that is infinite
        )
        .collect()
    )
    count = given["run"].n_unique()
    values = np.zeros((rows.height, 2 * count), dtype=np.float32)
    row, run = cells["row"].to_numpy(), cells["run"].to_numpy()
    values[row, run] = cells["by_rank"].to_numpy()
    values[row, count + run] = cells["by_score"].to_numpy()
    return Documents(rows, values)
