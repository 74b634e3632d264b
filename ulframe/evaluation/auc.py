"""AUC: how often what is relevant is scored above what is not; by query, and of all together."""

from __future__ import annotations

import polars as pl

from ulframe.evaluation.ranking import KEYS
from ulframe.frames.columns import DOC, LABEL, QUERY, RUN, SCORE
from ulframe.frames.errors import BadData
from ulframe.frames.intake import FramesLike
from ulframe.frames.mapping import scan_both
from ulframe.frames.repeats import refuse_repeats

POSITIVE, NEGATIVE = pl.col("positive"), pl.col("negative")
AUC, PLACES = pl.col("auc"), pl.col("places")

DEFINED = (POSITIVE > 0) & (NEGATIVE > 0)

BY_QUERY = {
    "documents": (POSITIVE + NEGATIVE),
    "auc": pl.when(DEFINED).then(
        (PLACES - POSITIVE * (POSITIVE + 1) / 2) / (POSITIVE * NEGATIVE)
    ),
    "expected": pl.when(DEFINED).then(0.5),
    "spread": pl.when(DEFINED).then(
        ((POSITIVE + NEGATIVE + 1) / (12 * POSITIVE * NEGATIVE)).sqrt()
    ),
}  # fmt: skip
"""Of `places`, the places of what is relevant from the lowest score up, summed (Mann-Whitney)."""


def auc(qrels: FramesLike, runs: FramesLike, *, rel: float = 1) -> pl.LazyFrame:
    """The AUC of every query of every run.

    In: qrels and runs as of `evaluate`; `rel`, the least label that is relevant. Out, ordered by
    run and query: `run, query_id: String, documents: Int64`, how many are judged; `returned:
    Int64`, how many of these the run scored; `auc: Float64`, from 0 to 1, the share of pairs, one
    relevant and one not, in which the relevant one has the higher score, equal scores counting
    half; and what a random ranking has, `expected`, 1/2, and `spread`, its standard deviation, both
    exact without ties. Null where all documents are relevant, or none.

    Only judged documents count. Those that the run did not score are tied below all that it did.
    Raises `BadData` for a document twice, and where no query is in common.

    >>> qrels = {"q": {"a": 1, "b": 0, "c": 0}}
    >>> auc(qrels, {"q": {"a": 0.5, "b": 0.5, "c": 0.1}}).select("auc", "expected").collect().rows()
    [(0.75, 0.5)]
    """
    rows = _judged(qrels, runs, rel)
    by_query = rows.group_by(KEYS).agg(_counted())
    return by_query.select(*KEYS, "returned", **BY_QUERY).select(
        *KEYS, "documents", "returned", "auc", "expected", "spread"
    ).sort(KEYS)  # fmt: skip


def summarise_auc(qrels: FramesLike, runs: FramesLike, *, rel: float = 1) -> pl.LazyFrame:
    """The AUC of every run over its queries, in the three ways that are called so.

    In: as of `auc`. Out, ordered by run: `run`; `gauc`, the mean over queries weighted by their
    documents (GAUC, Zhou et al. 2018); `mean`, over queries alike; `pooled`, of the documents of
    all queries together, which asks scores to be comparable from query to query; `z`, how many
    standard deviations `gauc` is above chance; `queries`, and `undefined`, how many were left out
    since all their documents are relevant, or none.

    >>> qrels = {"q": {"a": 1, "b": 0}, "p": {"a": 0, "b": 1, "c": 0, "d": 0}}
    >>> runs = {"q": {"a": 3.0, "b": 2.0}, "p": {"a": 4.0, "b": 1.0, "c": 0.5, "d": 0.4}}
    >>> summarise_auc(qrels, runs).select("gauc", "mean").collect().rows()  # 1, and 2/3
    [(0.7777777777777777, 0.8333333333333333)]
    """
    documents = pl.col("documents")
    by_query = auc(qrels, runs, rel=rel)
    weight = documents.filter(AUC.is_not_null()).sum()
    gauc = (AUC * documents).sum() / weight
    spread = ((pl.col("spread") * documents) ** 2).sum().sqrt() / weight
    over_queries = by_query.group_by(RUN).agg(
        gauc=gauc, mean=AUC.mean(), z=(gauc - 0.5) / spread,
        queries=pl.len().cast(pl.Int64), undefined=AUC.null_count().cast(pl.Int64),
    )  # fmt: skip
    pooled = _judged(qrels, runs, rel).group_by(RUN).agg(_counted())
    together = pooled.select(RUN, pooled=BY_QUERY["auc"])
    return (
        over_queries.join(together, on=RUN)
        .with_columns(pl.col("gauc", "z").fill_nan(None))
        .select(RUN, "gauc", "mean", "pooled", "z", "queries", "undefined")
        .sort(RUN)
    )


def _counted() -> list[pl.Expr]:
    """What an AUC is made of, in a group of judged documents."""
    relevant = pl.col("relevant")
    return [
        relevant.sum().cast(pl.Int64).alias("positive"),
        (~relevant).sum().cast(pl.Int64).alias("negative"),
        pl.col(SCORE).is_not_null().sum().cast(pl.Int64).alias("returned"),
        # what has no score is below all
        pl.col(SCORE)
        .fill_null(-float("inf"))
        .rank("average")
        .filter(relevant)
        .sum()
        .alias("places"),
    ]


def _judged(qrels: FramesLike, runs: FramesLike, rel: float) -> pl.LazyFrame:
    """Every judged document under every run: `run, query_id, score, relevant`."""
    judged, given = scan_both(qrels, runs)
    for frame in (judged, given):
        refuse_repeats(frame)
    labels = judged.select(QUERY, DOC, relevant=pl.col(LABEL) >= rel)
    if given.join(judged, on=QUERY, how="semi").head(1).collect().is_empty():
        raise BadData("qrels and runs have no query in common")
    everywhere = given.select(RUN).unique().join(labels, how="cross")
    return everywhere.join(given, on=[RUN, QUERY, DOC], how="left")
