"""The documents to judge next, of a list that knows what is judged so far."""

from __future__ import annotations

import polars as pl

from ulframe.frames.intake import FramesLike, as_lazy
from ulframe.frames.sources import scan_qrels
from ulframe.studies.pooling.columns import DOC, PLACE, QUERY


def next_to_judge(listing: FramesLike, qrels: FramesLike, many: int | None = None) -> pl.LazyFrame:
    """What of a judging list is not judged yet, in the order in which to judge it.

    In: a list with `query_id, doc_id, place`; the qrels so far; `many`, how many documents, all by
    default. Out: `query_id, doc_id: String, place: Int64`, the place in the query's whole list. The
    queries take turns, each with the first of its documents that is left. Judge them, add their
    labels to the qrels, make the list anew, and go on.

    >>> from ulframe.studies.pooling import depth_n
    >>> runs = {"a": {"1": {"x": 2, "y": 1}, "2": {"u": 1}}}
    >>> next_to_judge(depth_n(runs), {"1": {"x": 1}}).collect().rows()
    [('1', 'y', 2), ('2', 'u', 1)]
    """
    left = (
        as_lazy(listing, PLACE)
        .select(pl.col(QUERY, DOC).cast(pl.String), PLACE)
        .join(scan_qrels(qrels), on=[QUERY, DOC], how="anti", maintain_order="left")
    )
    turn = pl.int_range(pl.len()).over(QUERY, order_by=PLACE)
    ordered = left.with_columns(turn=turn).sort("turn", QUERY).drop("turn")
    return ordered if many is None else ordered.head(many)
