"""Fusion that learns from judgements how far down each run to trust it, on other queries.

A run is cut into cells of ranks; what is learned of a cell is how often it holds what is relevant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import log

import polars as pl

from ulframe.evaluation.ranking import coded
from ulframe.frames.columns import LABEL
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.frames.mapping import scan_both
from ulframe.metrics.called import called
from ulframe.systems.fusion.columns import RANK, RETRIEVED, SCORE, WITHIN
from ulframe.systems.fusion.folds import folds_of
from ulframe.systems.fusion.fuse import combined, finished, listed_for, names_of, normed
from ulframe.systems.fusion.methods import Method
from ulframe.systems.fusion.norms import normalise

CELL, CHANCE, RELEVANT, HITS, ALL = (
    pl.col(name) for name in ("cell", "chance", "relevant", "hits", "r")
)
QUERIES = pl.col("queries").first()
"""How many queries are learned from."""

OF_BAYES = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
OF_SEGMENTS = (5, 15, 35, 75, 155, 315, 635, 1275, 2555, 5115)
RARE = 0.001  # what BayesFuse takes for a chance of 0, as ranx does


@dataclass(frozen=True)
class Trained:
    """A way to learn what ranks of a run are worth.

    - `cell`: the number of the cell that a rank is in, over `rank, retrieved`.
    - `chance`: what is learned of a run's cell, an aggregation of its rows in training over
      `relevant, rank, retrieved, hits` (relevant ones at this rank or above), `r` (relevant ones of
      the query) and `queries`.
    - `points`: what the run then gives a document, over `chance, cell, rank, score`; they are
      summed. `absent`: what it gives where it did not return it, or nothing is known of the cell.
    """

    cell: pl.Expr = field(compare=False)
    chance: pl.Expr = field(compare=False)
    points: pl.Expr = field(default=CHANCE, compare=False)
    absent: float = 0.0

    def method(self) -> Method:
        """How documents are fused once the chances are known."""
        points = self.points.fill_null(self.absent)
        return Method(points, absent=pl.lit(self.absent) if self.absent else None)


def posfuse() -> Trained:
    """PosFuse (Lillis et al. 2010): how often what stands at the rank is relevant."""
    return Trained(RANK, RELEVANT.mean())


def probfuse(segments: float = 10) -> Trained:
    """ProbFuse (Lillis et al. 2006): of equal segments of a ranking the k-th gives its mean / k."""
    if segments < 1 or segments != int(segments):
        raise BadUsage(f"probfuse(segments={segments:g}): it is a whole number of at least 1")
    size = (RETRIEVED / int(segments)).ceil().cast(pl.Int64)
    cell = (RANK - 1) // size
    length = pl.min_horizontal(size, RETRIEVED - cell * size)
    return Trained(cell, (RELEVANT / length).sum() / QUERIES, CHANCE / (CELL + 1))


def segfuse() -> Trained:
    """SegFuse (Shokouhi 2007): segments of 5, 10, 20, ... ranks; their mean times score + 1."""
    mean = (RELEVANT / (OF_SEGMENTS[0] * pl.lit(2) ** CELL)).sum() / QUERIES
    return Trained(_cell(OF_SEGMENTS), mean, CHANCE * (SCORE + 1))


def mapfuse() -> Trained:
    """MAPFuse (Lillis et al. 2010): the run's mean average precision / rank."""
    return Trained(pl.lit(0), (RELEVANT * HITS / RANK / ALL).sum() / QUERIES, CHANCE / RANK)


def bayesfuse() -> Trained:
    """BayesFuse (Aslam and Montague 2001): log odds of relevance, by trec_eval's cutoffs."""
    starts = pl.lit(pl.Series([0, *OF_BAYES[:-1]])).gather(CELL)
    ends = pl.lit(pl.Series(OF_BAYES)).gather(CELL)
    mean = (RELEVANT / (ends - starts)).sum() / QUERIES
    chance, other = mean.clip(0), (1 - mean)
    odds = _above_zero(chance) / _above_zero(other)
    return Trained(_cell(OF_BAYES), odds.log(), absent=log(RARE / (1 - RARE)))


TRAINED: dict[str, Callable[..., Trained]] = {
    "posfuse": posfuse,
    "probfuse": probfuse,
    "segfuse": segfuse,
    "mapfuse": mapfuse,
    "bayesfuse": bayesfuse,
}
"""The methods that learn, by name."""


def fuse_trained(
    qrels: FramesLike,
    runs: FramesLike,
    method: str,
    *,
    folds: int = 5,
    norm: str | None = None,
    depth: int | None = None,
    name: str = "fused",
) -> pl.LazyFrame:
    """Make one run of several by what is learned of each on the other folds' queries.

    In: `qrels`, by which a label of at least 1 is relevant; `method`, a name of `TRAINED`; `folds`,
    into how many the queries of the qrels are dealt, in the order of their ids: what is learned
    for the queries of a fold is learned on those of all others. The rest, and what comes out, as of
    `fuse`. Queries without qrels are left out. `segfuse` alone reads scores, and so a `norm`.

    Raises what `fuse` raises, and `BadData` where there are fewer queries than folds.

    >>> qrels = {"1": {"x": 1}, "2": {"x": 1}}
    >>> runs = {"a": {"1": ["y", "x"], "2": ["x", "y"]}, "b": {"1": ["x"], "2": ["z"]}}
    >>> fused = fuse_trained(qrels, runs, "posfuse", folds=2)
    >>> fused.select("query_id", "doc_id", "score").collect().rows()
    [('1', 'y', 1.0), ('1', 'x', 0.0), ('2', 'z', 1.0), ('2', 'y', 1.0), ('2', 'x', 0.0)]

    Of query 2 is learned that a is right at rank 1 and b is not, of query 1 the reverse.
    """
    learner = called(method, TRAINED)
    judged, given = scan_both(qrels, runs)
    fused = learner.method()
    known = normed(fused, norm, method)
    names_of(given)
    fold = folds_of(judged, folds)
    listed = listed_for(Method(RANK), known, given).with_columns(weight=pl.lit(1.0))
    rows = (
        normalise(listed, known)
        .join(coded(fold), on="query_id")
        .with_columns(cell=learner.cell.cast(pl.Int64))
    )
    training = _with_judgements(rows, coded(judged))
    parts = [*_by_fold(rows, training, fold, learner, folds)]
    return finished(combined(pl.concat(parts), fused), given, depth, name)


def _by_fold(
    rows: pl.LazyFrame, training: pl.LazyFrame, fold: pl.LazyFrame, learner: Trained, folds: int
) -> Iterator[pl.LazyFrame]:
    """The rows of each fold, with what is learned on the others."""
    sizes = fold.collect()["fold"]
    for one in range(folds):
        elsewhere = training.filter(pl.col("fold") != one)
        learned = (
            elsewhere.with_columns(queries=pl.lit(int((sizes != one).sum())))
            .group_by("run", "cell")
            .agg(chance=learner.chance)
        )
        yield rows.filter(pl.col("fold") == one).join(learned, on=["run", "cell"], how="left")


def _with_judgements(rows: pl.LazyFrame, judged: pl.LazyFrame) -> pl.LazyFrame:
    """The rows with `relevant`, 0 or 1, and `hits` and `r`, of the relevant documents."""
    relevant = judged.filter(pl.col(LABEL) >= 1).select("query_id", "doc_id", relevant=pl.lit(1))
    counted = relevant.group_by("query_id").agg(r=pl.len())
    return (
        rows.join(relevant, on=["query_id", "doc_id"], how="left")
        .join(counted, on="query_id", how="left")
        .with_columns(RELEVANT.fill_null(0))
        .with_columns(hits=RELEVANT.cum_sum().over(WITHIN, order_by="rank"))
    )


def _cell(ends: tuple[int, ...]) -> pl.Expr:
    """The number, from 0, of the cell of a rank; null behind the last, or without a rank."""
    before = pl.sum_horizontal(RANK.gt(end) for end in ends)
    return pl.when(RANK.le(ends[-1])).then(before)


def _above_zero(share: pl.Expr) -> pl.Expr:
    return pl.when(share == 0).then(RARE).otherwise(share)
