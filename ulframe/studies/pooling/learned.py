"""Learned pools: the order that a ranker, trained on other queries' judgements, gives a query."""

from __future__ import annotations

from typing import TypedDict, Unpack

import numpy as np
import polars as pl

from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.frames.sources import scan_qrels
from ulframe.studies.pooling.columns import DEPTH, DOC, LIST, PLACE, QUERY
from ulframe.studies.pooling.features import Documents, described
from ulframe.studies.pooling.rankers import Examples, Ranker, Scorer, rank_svm, rankboost

TRAINED_QUERIES, TRAINED_DEPTH, SEED = 10, 20, 0


class Training(TypedDict, total=False):
    """What a learned pool is told about its training; see `learned`."""

    queries: int
    depth: int
    rel: float
    seed: int


def rboost(qrels: FramesLike, runs: FramesLike, **training: Unpack[Training]) -> pl.LazyFrame:
    """RBoost-m pooling: `learned` by RankBoost, with its arguments."""
    return learned(qrels, runs, rankboost, **training)


def rsvm(qrels: FramesLike, runs: FramesLike, **training: Unpack[Training]) -> pl.LazyFrame:
    """rSVM-m pooling: `learned` by a linear ranking SVM, with its arguments."""
    return learned(qrels, runs, rank_svm, **training)


def learned(
    qrels: FramesLike,
    runs: FramesLike,
    ranker: Ranker,
    *,
    queries: int = TRAINED_QUERIES,
    depth: int = TRAINED_DEPTH,
    rel: float = 1,
    seed: int = SEED,
) -> pl.LazyFrame:
    """List each query's documents as a ranker does that was trained on other queries.

    Documents are described by the runs' ranks and scores. Two groups of `queries` queries each are
    drawn (half of all, if there are fewer) and judged down to rank `depth` of every run, a document
    that is not in the qrels being taken as not relevant. What the first group teaches orders all
    queries but its own; what the second teaches, those of the first.

    In: qrels and runs as frames; `rel`, the lowest label that is relevant. Out: `query_id, doc_id,
    place, training`, by query and place, with every document that the runs return; `training` is
    true of the documents that were judged to train.

    Raises `BadUsage` for a number below 1 or a seed below 0; when collected, `BadData` where there
    is but one query with qrels, or a group has no query with both relevant and other documents.
    """
    if queries < 1 or depth < 1:
        raise BadUsage(f"queries={queries}, depth={depth}: both are at least 1")
    if seed < 0:
        raise BadUsage(f"seed={seed} is below 0")
    relevant = scan_qrels(qrels).select(QUERY, DOC, relevant=pl.col("label") >= rel)

    def ordered() -> pl.DataFrame:
        documents, known = described(runs), relevant.collect()
        rows = documents.rows.join(known, on=[QUERY, DOC], how="left", maintain_order="left")
        taught = rows.join(known, on=QUERY, how="semi")[QUERY].unique().sort()
        groups = _drawn(taught, queries, seed)
        scorers = [ranker(_judged(rows, documents, group, depth)) for group in groups]
        return _listed(documents, groups, scorers, depth)

    return pl.defer(ordered, schema=LIST)


def _drawn(names: pl.Series, queries: int, seed: int) -> list[pl.Series]:
    if len(names) < 2:
        raise BadData(f"learning takes two queries with qrels, but there are {len(names)}")
    shuffled = names.gather(np.random.default_rng(seed).permutation(len(names)))
    size = min(queries, len(names) // 2)
    return [shuffled.slice(start, size).sort() for start in (0, size)]


def _judged(
    rows: pl.DataFrame, documents: Documents, group: pl.Series, depth: int
) -> list[Examples]:
    """Each query of the group that has relevant and other documents so deep."""
    judged = rows.with_row_index("row").filter(
        pl.col(QUERY).is_in(group.implode()), pl.col(DEPTH) <= depth
    )
    found = []
    for _, query in judged.group_by(QUERY, maintain_order=True):
        good = query["relevant"].fill_null(False).to_numpy()
        values = documents.values[query["row"].to_numpy()]
        if good.any() and not good.all():
            found.append(Examples(values[good], values[~good]))
    if not found:
        raise BadData(
            f"nothing to learn from: of {len(group)} queries none has relevant and other documents "
            f"down to rank {depth}; train on more, or deeper"
        )
    return found


def _listed(
    documents: Documents, groups: list[pl.Series], scorers: list[Scorer], depth: int
) -> pl.DataFrame:
    first, second = (pl.col(QUERY).is_in(group.implode()) for group in groups)
    trained_by = documents.rows.select(first).to_series().to_numpy()
    by_first, by_second = (scorer(documents.values) for scorer in scorers)
    score = np.where(trained_by, by_second, by_first)
    place = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(QUERY).alias(PLACE)
    return (
        documents.rows.with_columns(
            score=pl.Series(score).round(9), training=(first | second) & (pl.col(DEPTH) <= depth)
        )
        .sort(QUERY, "score", PLACE, descending=[False, True, False])
        .with_columns(place)
        .select(*LIST)
    )
