"""Random fillings: each unjudged document a label as often as the runs' judged ones have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from ulframe.analysis.unjudged.rankings import UNJUDGED, Rankings
from ulframe.analysis.unjudged.scoring import MARKS, Fillings, scores_of
from ulframe.evaluation.ranking import KEYS
from ulframe.metrics.measure import Measure

AT_ONCE = 1_000_000  # labels drawn at once

QUERY_DOC = ["query_id", "doc_id"]


def rates(known: Rankings) -> pl.DataFrame:
    """`run, label, rate: Float64`: how often a run's judged documents have which label.

    A negative label counts as 0. A run of which nothing is judged has no rows.
    """
    label = pl.col("label").clip(lower_bound=0.0)
    judged = known.rows.filter(~UNJUDGED).group_by("run", label).len()
    return judged.with_columns(rate=pl.col("len") / pl.col("len").sum().over("run")).drop("len")


def documents(known: Rankings) -> pl.DataFrame:
    """`query_id, doc_id`, and a column `rate:LABEL` for each label above 0, from the highest.

    What nobody judged and some run returned, in order; a document's rate is the mean of the rates
    of the runs that returned it.
    """
    found = rates(known).filter(pl.col("label") > 0)
    labels = found["label"].unique().sort(descending=True)
    wide = pl.DataFrame({"run": known.runs}).with_columns(
        found.filter(label=label)
        .join(pl.DataFrame({"run": known.runs}), on="run", how="right", maintain_order="right")
        .select(pl.col("rate").fill_null(0.0).alias(f"rate:{label:g}"))
        .to_series()
        for label in labels
    )
    return (
        known.holes.join(wide, on="run")
        .group_by(QUERY_DOC)
        .agg(pl.col("^rate:.*$").mean())
        .sort(QUERY_DOC)
    )


def drawn(
    known: Rankings, measures: Mapping[str, Measure], draws: int, seed: int
) -> Iterator[pl.DataFrame]:
    """`draw, run, query_id, measure, score`, a frame for some draws at a time; undefined is 0.

    All runs are filled alike: a document has one label in a draw. Of queries of which nothing is
    unjudged there are no rows: nothing is drawn there.
    """
    pool = documents(known)
    if pool.is_empty():
        return
    labels = [float(name.removeprefix("rate:")) for name in pool.columns if name not in QUERY_DOC]
    shares = pool.drop(QUERY_DOC).to_numpy()
    limits = np.cumsum(shares, axis=1)
    random = np.random.default_rng(seed)
    grid = _grid(known, pool)
    step = max(1, AT_ONCE // max(1, pool.height))
    for first in range(0, draws, step):
        numbers = range(first, min(draws, first + step))
        marks = _drawn(pool, labels, limits, random.random((len(numbers), pool.height)), first)
        cases = grid.join(pl.DataFrame({"draw": numbers}, schema={"draw": pl.Int64}), how="cross")
        yield _scored(known, measures, cases, marks)


def _drawn(
    pool: pl.DataFrame, labels: list[float], limits: np.ndarray, random: np.ndarray, first: int
) -> pl.DataFrame:
    """`draw, query_id, doc_id, label` of the documents that are given one above 0."""
    at = np.zeros(random.shape, dtype=np.int64)
    for limit in limits.T:  # below the first limit a document has the highest label, and so on
        at += random >= limit
    draw, document = np.nonzero(at < len(labels))
    label = np.array(labels)[at[draw, document]]
    chosen = pool.select(QUERY_DOC)[document]
    return chosen.with_columns(draw=pl.Series(draw + first), label=pl.Series(label))


def _grid(known: Rankings, pool: pl.DataFrame) -> pl.DataFrame:
    """`run, query_id, filled` of every run and each query with unjudged documents."""
    filled = pool.group_by("query_id").agg(filled=pl.len().cast(pl.Int64)).sort("query_id")
    return pl.DataFrame({"run": known.runs}).join(filled, how="cross")


def _scored(
    known: Rankings, measures: Mapping[str, Measure], cases: pl.DataFrame, marks: pl.DataFrame
) -> pl.DataFrame:
    """The cases, of a draw, run and query each, scored with the marks of their draw and query."""
    keys = ["draw", "query_id"]
    fillings = cases.select(keys).unique(maintain_order=True).with_row_index("filling")
    numbered = cases.join(fillings, on=keys, maintain_order="left").with_row_index("case")
    filled = marks.join(fillings, on=keys).select([*MARKS])
    wanted = Fillings(numbered.select("case", "filling", *KEYS, "filled"), filled)
    scored = scores_of(known, wanted, measures)
    return scored.join(numbered, on="case").select(
        "draw", *KEYS, "measure", pl.col("score").fill_null(0.0)
    )
