"""What hangs on how ties are broken: for which runs and queries, and how far scores can move."""

from __future__ import annotations

import polars as pl

from ulframe.evaluation.evaluate import Ties, evaluate
from ulframe.evaluation.ranking import KEYS, coded, judged_ranks
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

    def scored(name: str, rows: pl.LazyFrame, ties: Ties) -> pl.LazyFrame:
        scores = evaluate(judged, rows, measures, depth=depth, queries="both", ties=ties)
        return scores.select(*ROW, pl.col("score").alias(name))

    report = scored("score", listed, "score")
    gain = LABEL.cast(pl.Float64).fill_null(0.0).clip(lower_bound=0)
    labelled = listed.join(judged, on=["query_id", "doc_id"], how="left", maintain_order="left")
    for name, best_first in (("lowest", False), ("highest", True)):
        rows = labelled.sort(gain, descending=best_first, maintain_order=True)
        bent = scored(name, rows.drop("label"), "input")
        report = report.join(bent, on=ROW, how="left", maintain_order="left")
    mixed = _mixed(coded(judged), coded(listed)).cast(dict.fromkeys(KEYS, pl.String))
    counted = report.join(mixed, on=KEYS, how="left", maintain_order="left")
    moves = pl.col("lowest").ne_missing(pl.col("highest"))
    return (
        counted.with_columns(pl.col("groups", "documents").fill_null(0))
        .filter((pl.col("groups") > 0) | moves)
        .select(*ROW, "groups", "documents", "lowest", "score", "highest")
    )


def _mixed(qrels: pl.LazyFrame, runs: pl.LazyFrame) -> pl.LazyFrame:
    """`run, query_id, groups, documents` of tie groups that hold relevant and other documents."""
    return (
        judged_ranks(runs, qrels)
        .join(qrels.filter(LABEL >= 1), on=["query_id", "doc_id"])
        .group_by(*KEYS, "first", size=pl.col("last") - pl.col("first") + 1)
        .agg(relevant=pl.len())
        .filter(pl.col("relevant") < pl.col("size"))
        .group_by(KEYS)
        .agg(groups=pl.len().cast(pl.Int64), documents=pl.col("size").sum())
    )
