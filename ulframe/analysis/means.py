"""Frames of means, which callers may have put together themselves, checked."""

from __future__ import annotations

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.frames.intake import FramesLike, as_lazy, require

KEYS = ["set", "measure", "run"]


def checked_means(means: FramesLike) -> pl.LazyFrame:
    """Take means as `summarise` and `means` give them: `set, measure, run: String, mean: Float64`.

    Without a column `set`, all are of the set `all`. Raises `BadData` for a missing column and,
    when collected, for a mean that is not finite or a run that has two of one measure and set.

    >>> checked_means(pl.DataFrame({"run": "a", "measure": "AP", "mean": 0.5})).collect().row(0)
    ('all', 'AP', 'a', 0.5)
    """
    frame = require(as_lazy(means, "mean"), [*KEYS[1:], "mean"], "the means")
    if "set" not in frame.collect_schema():
        frame = frame.with_columns(set=pl.lit("all"))
    typed = frame.select(pl.col(KEYS).cast(pl.String), pl.col("mean").cast(pl.Float64))
    return typed.map_batches(_checked)


def _checked(rows: pl.DataFrame) -> pl.DataFrame:
    if not rows["mean"].is_finite().all():
        row = rows.filter(~pl.col("mean").is_finite()).row(0, named=True)
        raise BadData(f"a mean must be a finite number or null, but there is {row}")
    if (repeated := rows[KEYS].is_duplicated()).any():
        row = rows.filter(repeated).row(0, named=True)
        raise BadData(f"the means have a set, measure and run twice: {row}")
    return rows
