"""What hangs on how ties are broken: for which runs and queries, and how far scores can move."""

from __future__ import annotations

import polars as pl

from ulframe.evaluation.evaluate import evaluate
from ulframe.evaluation.ranking import KEYS
from ulframe.frames.intake import FramesLike
from ulframe.frames.sources import scan_qrels, scan_runs
from ulframe.metrics.grammar import Asked

LABEL = pl.col("label")
ROW = [*KEYS, "measure"]


def tie_report(
    qrels: FramesLike, runs: FramesLike, measures: Asked, *, depth: int | None = None
) -> pl.LazyFrame:
    """The queries where a measure hangs on the order of documents with one score.

    In: as of `evaluate`. Out: a row per run, query and measure of the queries where a tie group
    holds both relevant documents (label 1 or above) and others, or where the score can move:
    `run, query_id, measure: String, groups, documents: Int64` (such groups, and the documents in
    them), and `lowest, score, highest: Float64`: with the worst labels of each group first, with
    ties broken by doc_id, and with the best first.

    >>> qrels = {"q": {"a": 0, "b": 1}}
    >>> runs = {"q": {"a": 0.5, "b": 0.5}}
    >>> tie_report(qrels, runs, "RR").drop("run").collect().rows()
    [('q', 'RR', 1, 2, 0.5, 1.0, 1.0)]
    """
    judged, listed = scan_qrels(qrels), scan_runs(runs, documents=qrels)
    labelled = listed.join(judged, on=["query_id", "doc_id"], how="left")
    report = _scored(judged, listed, measures, depth, "score")
    for name, order in (("lowest", -_gain()), ("highest", _gain())):
        reordered = _scored(judged, _broken(labelled, order), measures, depth, name)
        report = report.join(reordered, on=ROW, how="left", maintain_order="left")
    counted = report.join(_mixed(labelled), on=KEYS, how="left", maintain_order="left")
    moves = pl.col("lowest").ne_missing(pl.col("highest"))
    return (
        counted.with_columns(pl.col("groups", "documents").fill_null(0))
        .filter((pl.col("groups") > 0) | moves)
        .select(*ROW, "groups", "documents", "lowest", "score", "highest")
    )


def _scored(
    qrels: pl.LazyFrame, runs: pl.LazyFrame, measures: Asked, depth: int | None, name: str
) -> pl.LazyFrame:
    scores = evaluate(qrels, runs, measures, depth=depth, queries="both")
    return scores.select(*ROW, pl.col("score").alias(name))


def _gain() -> pl.Expr:
    return LABEL.cast(pl.Float64).fill_null(0.0).clip(lower_bound=0)


def _broken(labelled: pl.LazyFrame, order: pl.Expr) -> pl.LazyFrame:
    """The runs with scores that order ties so, highest first."""
    place = pl.int_range(pl.len()).over(KEYS, order_by=["score", "order"], descending=True)
    return labelled.with_columns(order=order).select(*KEYS, "doc_id", score=-place.cast(pl.Float64))


def _mixed(labelled: pl.LazyFrame) -> pl.LazyFrame:
    """`run, query_id, groups, documents` of tie groups that hold relevant and other documents."""
    relevant = (LABEL >= 1).fill_null(False)
    return (
        labelled.group_by(*KEYS, "score")
        .agg(size=pl.len().cast(pl.Int64), mixed=relevant.any() & ~relevant.all())
        .filter("mixed")
        .group_by(KEYS)
        .agg(groups=pl.len().cast(pl.Int64), documents=pl.col("size").sum())
    )
