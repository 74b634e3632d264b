"""Ranks in the place of scores, and beside them."""

import threading

import polars as pl

from ulframe.frames.columns import DOC, QUERY, RANK, RUN, SCORE
from ulframe.frames.errors import BadData
from ulframe.frames.remarks import remark


def by_rank(ranked: pl.LazyFrame, where: str) -> pl.LazyFrame:
    """Turn `run, query_id, doc_id, rank` into a run: the lower the rank, the higher the score.

    >>> import warnings
    >>> row = {"run": "r", "query_id": "q", "doc_id": "d", "rank": 2.0}
    >>> with warnings.catch_warnings(action="ignore"):
    ...     by_rank(pl.LazyFrame([row]), "-").collect().rows()
    [('r', 'q', 'd', -2.0)]
    """
    remark(f"{where}: no scores, so its ranks are the order, the lowest first")
    return ranked.select(RUN, QUERY, DOC, (-pl.col(RANK)).alias(SCORE))


def remarking_on_ranks(runs: pl.LazyFrame, where: str) -> pl.LazyFrame:
    """The same rows; a remark, once, where of two neighbours the one ranked lower scores higher."""
    rank, score = (pl.col(name).cast(pl.Float64, strict=False) for name in (RANK, SCORE))
    together = (pl.col(RUN) == pl.col(RUN).shift()) & (pl.col(QUERY) == pl.col(QUERY).shift())
    turned = together & ((rank - rank.shift()) * (score - score.shift()) > 0)
    once = threading.Event()

    def look(batch: pl.DataFrame) -> pl.DataFrame:
        if not once.is_set() and batch["turned"].any():
            once.set()
            remark(f"{where}: ranks and scores disagree; the scores are the order")
        return batch

    # told by the plan, since a batch may be a single row
    told = runs.with_columns(turned=turned)
    return told.map_batches(look, streamable=True, projection_pushdown=False).drop("turned")


def are_ranks(run: pl.LazyFrame, where: str) -> bool:
    """Whether the third of three unnamed fields is a rank rather than a score.

    In: `query_id, number: Float64`, in the rows' order; read as a whole. In every query of several
    rows, ranks are distinct whole numbers that are 0..n-1 or 1..n in any order, or rise; scores
    fall, or are not all whole. `BadData` for what is neither.
    """
    number = pl.col("number")
    queries = (
        run.group_by(QUERY, maintain_order=True)
        .agg(
            rows=pl.len(),
            whole=(number.floor() == number).all(),
            distinct=number.n_unique() == pl.len(),
            low=number.min(),
            span=number.max() - number.min() + 1,
            rises=(number.diff() > 0).all(),
            falls=(number.diff() <= 0).all(),
        )
        .filter(pl.col("rows") > 1)
        .collect()
    )
    if queries.is_empty() or not queries["whole"].all():
        return False
    counts = pl.col("low").is_in([0.0, 1.0]) & (pl.col("span") == pl.col("rows"))
    rises = pl.col("rises") & (pl.col("low") >= 0)
    if queries.select((pl.col("distinct") & (counts | rises)).all()).item():
        return True
    if queries["falls"].all() and (queries["span"] > 1).any():
        return False
    raise BadData(
        f"{where}: the third field is a rank in some queries or a score in others. Say which: "
        "`--columns 1=query_id 2=doc_id 3=rank`, or 3=score"
    )
