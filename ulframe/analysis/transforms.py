"""Transformations of scores before they are tested: frame to frame, with another `score`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import polars as pl

from ulframe.analysis.blocks import settled
from ulframe.frames.errors import BadData
from ulframe.frames.intake import FramesLike, as_lazy

SCORE = pl.col("score")
ROUNDING = 1e-9
"""What a perfect score may miss 1 by: its sum was made in another order than the best one's."""


def arcsine(scores: FramesLike) -> pl.LazyFrame:
    """Transform scores to arcsin(sqrt(score)), whose spread depends less on the mean.

    In: scores in [0, 1]. Out: the same rows with `score` in [0, pi/2]. Raises `BadData`, when
    collected, for a score outside [0, 1].

    >>> arcsine(pl.DataFrame({"score": [0.0, 1.0]})).collect()["score"].to_list()
    [0.0, 1.5707963267948966]
    """

    def transform(rows: pl.DataFrame) -> pl.DataFrame:
        outside = rows.filter(~SCORE.is_between(-ROUNDING, 1 + ROUNDING))
        if outside.height:
            raise BadData(
                "the arcsine transform takes scores from 0 to 1, but there is "
                f"{outside.row(0, named=True)}. Choose measures without such scores (V1 and V2 "
                "have some below 0), or another transform, such as ranks"
            )
        # near 0 and 1 the transform is so steep that the last bits of a score would count
        return rows.with_columns(SCORE.clip(0, 1).round(12).sqrt().arcsin())

    return as_lazy(scores, "score").map_batches(transform)


def ranks(scores: FramesLike) -> pl.LazyFrame:
    """Replace each score by its rank among the runs, query by query: 1 the lowest, ties averaged.

    >>> scores = pl.DataFrame(
    ...     {"run": ["a", "b", "c"], "query_id": "1", "measure": "AP", "score": [0.3, 0.1, 0.3]}
    ... )
    >>> ranks(scores).collect()["score"].to_list()
    [2.5, 1.0, 2.5]
    """
    rank = SCORE.map_batches(_settled, pl.Float64).rank("average").over("query_id", "measure")
    return as_lazy(scores, "score").with_columns(score=rank)


def _settled(scores: pl.Series) -> pl.Series:
    return pl.Series(settled(scores.to_numpy()[:, None])[:, 0], nan_to_null=True)


Transform = Literal["none", "arcsine", "ranks"]
TRANSFORMS: dict[Transform, Callable[[FramesLike], pl.LazyFrame]] = {
    "none": lambda scores: as_lazy(scores, "score"),
    "arcsine": arcsine,
    "ranks": ranks,
}
"""By the name of the command line's option."""
