"""One part of the queries, evaluated by itself, and parts put together: what engines run.

A part has all rows of its queries, of the qrels and of every run. An engine of one's own - Dask,
Ray, a pool of processes - calls `evaluate_part` where the rows are, and `merge` on what comes back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, Unpack

import polars as pl

from ulframe.evaluation.evaluate import Evaluation, Options, examine
from ulframe.evaluation.ranking import KEYS
from ulframe.frames.errors import BadData
from ulframe.frames.intake import FramesLike
from ulframe.metrics.grammar import Asked

Frames: TypeAlias = tuple[pl.DataFrame, pl.DataFrame]
"""Scores and coverage."""


def evaluate_part(
    qrels: FramesLike,
    runs: FramesLike,
    measures: Asked,
    names: Sequence[str],
    **options: Unpack[Options],
) -> Frames:
    """Evaluate a part of the queries.

    In: qrels and runs of some queries, all their rows; `names`, of all runs, since one may miss all
    queries of a part; the others as of `evaluate`. Out: scores and coverage, as `examine` has them,
    collected. A part may be empty on either side.

    >>> scores, coverage = evaluate_part(
    ...     {"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}, "RR", ["x", "y"]
    ... )
    >>> scores.select("run", "score").rows(), coverage.height
    ([('x', 1.0), ('y', 0.0)], 2)
    """
    done = examine(qrels, runs, measures, names=pl.LazyFrame({"run": list(names)}), **options)
    scores, coverage = pl.collect_all([done.scores, done.coverage])
    return scores, coverage


def merge(parts: Sequence[Frames]) -> Evaluation:
    """Put the parts of one evaluation together, in the order of `evaluate`.

    Raises `BadData` where there is none, or no query that qrels and runs have in common.

    >>> one = evaluate_part({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}}, "RR", ["x"])
    >>> two = evaluate_part({"2": {"b": 1}}, {"x": {"2": {"c": 1.0}}}, "RR", ["x"])
    >>> merge([two, one]).scores.select("query_id", "score").collect().rows()
    [('1', 1.0), ('2', 0.0)]
    """
    if not parts:
        raise BadData("there are no parts to merge")
    scores, coverage = (pl.concat(frames) for frames in zip(*parts, strict=True))
    if not (coverage["in_qrels"] & coverage["in_run"]).any():
        raise BadData("no query in common: qrels and runs share none in any part")
    # a stable sort: measures stay as they were asked
    return Evaluation(scores.sort(KEYS, maintain_order=True).lazy(), coverage.lazy())
