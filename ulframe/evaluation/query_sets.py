"""Query sets as users bring them, and slicing scores by them."""

from __future__ import annotations

import polars as pl

from ulframe.frames.columns import QUERY, no_column, standing_for
from ulframe.frames.errors import BadData
from ulframe.frames.intake import FramesLike, as_written


def as_sets(source: FramesLike) -> pl.LazyFrame:
    """Take any frame of queries as sets: by its column `set`, or one set for each attribute value.

    In: a frame of any library with `query_id` (or `qid`) and either `set` or attributes such as
    `language` or `length`. Out: `set, query_id: String`; of an attribute the sets are named
    `language=de`, and a query where it is null is in none. Raises `BadData` where there is no
    query id, or nothing beside it.

    >>> intents = pl.DataFrame({"qid": [1, 2], "intent": ["buy", "know"]})
    >>> as_sets(intents).collect().rows()
    [('intent=buy', '1'), ('intent=know', '2')]
    """
    frame = as_written(source, "set")
    have = frame.collect_schema().names()
    keys = standing_for(QUERY, have)[:1]
    attributes = ["set"] if "set" in have else [name for name in have if name not in keys]
    if not (keys and attributes):
        missing = "set" if keys else QUERY
        advice = "Query sets have query_id and either set or attributes of the queries"
        raise no_column([missing], have, "the query sets", advice)
    key = pl.col(keys[0]).cast(pl.String).alias("query_id")
    named = [frame.select(_set_name(name).alias("set"), key).drop_nulls() for name in attributes]
    return pl.concat(named).unique(maintain_order=True)


def _set_name(attribute: str) -> pl.Expr:
    value = pl.col(attribute).cast(pl.String)
    return value if attribute == "set" else pl.format("{}={}", pl.lit(attribute), value)


def refuse_empty(rows: pl.DataFrame) -> pl.DataFrame:
    """What was sliced by sets, unless nothing is left of it: then `BadData`."""
    if rows.is_empty():
        raise BadData("no query of the query sets is in the scores; are their ids written alike?")
    return rows
