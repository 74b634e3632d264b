"""Queries dealt into folds."""

import polars as pl

from ulframe.frames.errors import BadData, BadUsage


def folds_of(qrels: pl.LazyFrame, folds: int) -> pl.LazyFrame:
    """Deal the queries into folds, one each in turn, in the order of their ids.

    In: qrels. Out: `query_id: String, fold: Int64`, from 0. Reads the qrels at once. Raises
    `BadUsage` for fewer than two folds, `BadData` for fewer queries than folds.

    >>> folds_of(pl.LazyFrame({"query_id": ["b", "a", "c", "a"]}), 2).collect().rows()
    [('a', 0), ('b', 1), ('c', 0)]
    """
    if folds < 2:
        raise BadUsage(f"folds={folds}: what is learned is tried on other queries, so 2 at least")
    queries = qrels.select(pl.col("query_id").cast(pl.String).unique().sort()).collect()
    if queries.height < folds:
        raise BadData(f"the qrels have {queries.height} queries, too few for {folds} folds")
    return queries.select("query_id", fold=pl.int_range(pl.len()) % folds).lazy()
