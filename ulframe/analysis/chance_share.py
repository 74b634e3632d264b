"""How much of the variation of a measure's scores over queries is that of chance."""

from __future__ import annotations

import polars as pl

from ulframe.frames.intake import FrameLike, as_lazy, require
from ulframe.metrics.operators import EXPECTED, TRIPLE, UPPER


def chance_share(scores: FrameLike) -> pl.LazyFrame:
    """The share of the queries' variation in a measure that goes with what chance reaches on them.

    Where many documents are relevant a shuffled list scores high, and so does any system. A query's
    score is the mean over the runs; this is its squared correlation, over the queries, with
    RLB/IUB, the share of the best possible that a random ranking is expected to reach. Near 0,
    scores of unlike queries can be compared; near 1, they tell of nothing but the query.

    In: `scores` as `evaluate` gives them, of the runs and queries that are to count. Out, by
    measure as they come: `measure: String, chance_share: Float64` in [0, 1], `n_queries: Int64`.
    Undefined scores do not count, nor queries where nothing is relevant or chance is not known. The
    share is null where the score or chance is the same on all queries. Raises `BadData` where a
    column is missing.

    >>> import ulframe as ul
    >>> scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), ["nDCG@10", "V1(DCG@10)"])
    >>> chance_share(scores).with_columns(pl.col("chance_share").round(3)).collect().rows()
    [('nDCG@10', 0.156, 195), ('V1(DCG@10)', 0.013, 195)]
    """
    needed = ["query_id", "measure", "score", *TRIPLE]
    frame = require(as_lazy(scores, "score"), needed, "the scores")
    share = pl.corr("score", "by_chance") ** 2
    return (
        frame.filter(UPPER > 0)
        .drop_nulls(["score", "expected"])
        .group_by(pl.col("measure").cast(pl.String), "query_id", maintain_order=True)
        .agg(pl.col("score").mean(), by_chance=(EXPECTED / UPPER).mean())
        .group_by("measure", maintain_order=True)
        .agg(chance_share=share, n_queries=pl.len().cast(pl.Int64))
        .with_columns(pl.col("chance_share").fill_nan(None))
    )
