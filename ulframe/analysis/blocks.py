"""Scores as tests and correlations see them: a table of runs x queries for each set and measure.

What is compared is the queries that every run has; how many others were left out is kept. Scores
that differ by rounding only are one score from here on, so that no test and no count sees noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from ulframe.evaluation.query_sets import as_sets, refuse_empty
from ulframe.evaluation.summarise import UNDEFINED, Undefined
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike, as_lazy, require

Floats = npt.NDArray[np.float64]
"""What becomes of an undefined score: it counts as 0, or is left out."""

KEYS = ["run", "query_id", "measure"]
DIGITS = 12
"""Numbers that agree to so many digits, counted from the largest, are equal."""

RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""Two scores no further apart than either, of the larger one's size or as such, are one score."""


@dataclass(frozen=True)
class Block:
    """One measure on one query set: `values[i, j]` is what run i scored on query j, `settled`.

    Runs and queries are in the order of their names. `left_out` counts the queries of the set that
    some run lacks.
    """

    set: str
    measure: str
    runs: list[str]
    queries: list[str]
    values: Floats
    left_out: int


def rows_of(
    scores: FramesLike, *, sets: FramesLike | None = None, undefined: Undefined = "zero"
) -> pl.LazyFrame:
    """Check scores and slice them by sets: `place, set, run, query_id, measure, score`.

    `place` orders the sets as they come. Undefined scores (null) become 0, or with
    `undefined="skip"` are left out. Raises `BadUsage` for another word and `BadData` for a missing
    column; when collected, for a score that is not finite, a row that is there twice, or sets
    without any query of the scores.
    """
    if undefined not in UNDEFINED:
        raise BadUsage(f"undefined={undefined!r} is not one of {', '.join(UNDEFINED)}")
    frame = require(as_lazy(scores, "score"), [*KEYS, "score"], "the scores")
    typed = frame.select(pl.col(KEYS).cast(pl.String), pl.col("score").cast(pl.Float64))
    rows = typed.map_batches(_checked).with_columns(UNDEFINED[undefined]).drop_nulls()
    if sets is None:
        everything = rows.with_columns(place=pl.lit(0, pl.UInt32), set=pl.lit("all"))
        return everything.select("place", "set", *KEYS, "score")
    named = as_sets(sets).with_row_index("place").with_columns(pl.col("place").min().over("set"))
    sliced = rows.join(named, on="query_id", maintain_order="left")
    return sliced.select("place", "set", *KEYS, "score").map_batches(refuse_empty)


def blocks(rows: pl.DataFrame) -> Iterator[Block]:
    """The tables that `rows_of` holds, by set and measure in the order in which they come."""
    grouped = rows.sort("place", maintain_order=True).group_by(
        "set", "measure", maintain_order=True
    )
    for (name, measure), part in grouped:
        table = part.pivot("run", index="query_id", values="score", sort_columns=True)
        whole = table.drop_nulls().sort("query_id")
        queries, scores = whole["query_id"].to_list(), whole.drop("query_id")
        values = settled(np.ascontiguousarray(scores.to_numpy().T))
        left_out = table.height - whole.height
        yield Block(str(name), str(measure), scores.columns, queries, values, left_out)


def settled(values: Floats) -> Floats:
    """Make one of the numbers of a column that differ by noise: the lowest of them.

    >>> settled(np.array([[0.2 + 1e-17, 0.5], [0.2, 0.25]])).tolist()
    [[0.2, 0.5], [0.2, 0.25]]
    """
    order = np.argsort(values, axis=0, kind="stable")
    rising = np.take_along_axis(values, order, axis=0)
    size = np.maximum(np.abs(rising[1:]), np.abs(rising[:-1]))
    alike = np.diff(rising, axis=0) <= np.maximum(RELATIVE * size, ABSOLUTE)
    places = np.zeros(values.shape, dtype=np.intp)
    places[1:] = np.where(alike, 0, np.arange(1, len(values))[:, None])
    lowest = np.take_along_axis(rising, np.maximum.accumulate(places, axis=0), axis=0)
    same = np.empty_like(values)
    np.put_along_axis(same, order, lowest, axis=0)
    return same


def without_noise(values: Floats) -> Floats:
    """Round to `DIGITS` digits, counted from the largest number: in floats, 0.3 - 0.2 is not 0.1.

    >>> without_noise(np.array([0.3 - 0.2, 0.1])).tolist()
    [0.1, 0.1]
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest == 0.0:
        return values
    return np.round(values, DIGITS - 1 - int(np.floor(np.log10(largest))))


def _checked(rows: pl.DataFrame) -> pl.DataFrame:
    if rows.is_empty():
        raise BadData("there are no scores")
    if not rows["score"].is_finite().all():
        row = rows.filter(~pl.col("score").is_finite()).row(0, named=True)
        raise BadData(f"a score must be a finite number or null, but there is {row}")
    once = pl.col("query_id").n_unique() == pl.len()  # by group: a third of the time of whole rows
    if not rows.group_by("run", "measure").agg(once)["query_id"].all():
        row = rows.filter(rows[KEYS].is_duplicated()).row(0, named=True)
        raise BadData(f"the scores have a run, query and measure twice: {row}")
    return rows
