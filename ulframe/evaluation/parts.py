"""Evaluate query by query set: a run larger than memory needs only as much as its largest part."""

from __future__ import annotations

from typing import Unpack

import polars as pl

from ulframe.evaluation.evaluate import Evaluation, Options, examine
from ulframe.evaluation.query_coverage import require_common
from ulframe.evaluation.ranking import KEYS
from ulframe.frames.intake import FramesLike
from ulframe.frames.sources import scan_qrels, scan_runs
from ulframe.metrics.grammar import Asked


def examine_in_parts(
    qrels: FramesLike, runs: FramesLike, measures: Asked, parts: int, **options: Unpack[Options]
) -> Evaluation:
    """What `examine` gives, collected, from `parts` parts of the queries, one after the other.

    The input is read as many times, so it should be a table or a file. Scores and coverage are
    held whole: they are as small as the input is large. Takes and raises what `examine` does.

    >>> import ulframe as ul
    >>> done = examine_in_parts(ul.sample_qrels(), ul.sample_runs(), "nDCG@10", 3)
    >>> done.scores.collect().shape
    (1600, 7)
    """
    judged, listed = scan_qrels(qrels), scan_runs(runs, documents=qrels)
    names = listed.select("run").unique().collect().lazy()
    found = []
    for number in range(parts):
        some = examine(
            part(judged, number, parts),
            part(listed, number, parts),
            measures,
            names=names,
            **options,
        )
        found.append(pl.collect_all([some.scores, some.coverage]))
    scores, coverage = (pl.concat(frames) for frames in zip(*found, strict=True))
    require_common(coverage, judged, listed)
    # a stable sort: measures stay as they were asked
    return Evaluation(scores.sort(KEYS, maintain_order=True).lazy(), coverage.lazy())


def part(frame: pl.LazyFrame, number: int, of: int) -> pl.LazyFrame:
    """The rows of about every `of`-th query; each query is wholly in one part.

    >>> frame = pl.LazyFrame({"query_id": ["1", "2", "3"]})
    >>> sum(part(frame, number, 2).collect().height for number in range(2))
    3
    """
    return frame.filter(pl.col("query_id").hash() % of == number)
