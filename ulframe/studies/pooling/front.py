"""Move-to-Front pooling: judge on in the run that is doing well, leave it when it errs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from ulframe.frames.intake import FramesLike
from ulframe.frames.sources import scan_qrels
from ulframe.studies.pooling.columns import DOC, LIST, QUERY
from ulframe.studies.pooling.lists import ranked


def move_to_front(qrels: FramesLike, runs: FramesLike, *, rel: float = 1) -> pl.LazyFrame:
    """Simulate Move-to-Front against known judgements, query by query.

    In a query all runs start with one priority. The run of the highest priority, the first by name
    among equals, is judged from its top on, documents that are judged already being passed over;
    at a document that is not relevant its priority falls by one, and a run is chosen again. A run
    without further documents retires. Cormack, Palmer and Clarke 1998, local Move-to-Front.

    In: qrels and runs as frames; `rel`, the lowest label that is relevant. A document that is not
    in the qrels is taken as not relevant. Out: `query_id, doc_id, place, training`, by query and
    place, with every document that the runs return; `training` is false, since what was judged is
    what stands before.

    >>> runs = {"a": {"1": {"x": 2, "y": 1}}, "b": {"1": {"z": 3, "u": 2, "v": 1}}}
    >>> move_to_front({"1": {"z": 1}}, runs).collect()["doc_id"].to_list()
    ['x', 'z', 'u', 'y', 'v']
    """
    relevant = scan_qrels(qrels).select(QUERY, DOC, relevant=pl.col("label") >= rel)
    rows = ranked(runs).join(relevant, on=[QUERY, DOC], how="left")
    lists = (
        rows.sort(QUERY, "run", "rank")
        .group_by(QUERY, "run", maintain_order=True)
        .agg(DOC, pl.col("relevant").fill_null(False))
        .group_by(QUERY, maintain_order=True)
        .agg(DOC, "relevant")
    )
    return lists.map_batches(_simulated, schema=LIST)


def _simulated(queries: pl.DataFrame) -> pl.DataFrame:
    order = [list(judged(docs, relevant)) for _, docs, relevant in queries.iter_rows()]
    listed = queries.select(QUERY, pl.Series(DOC, order, dtype=pl.List(pl.String))).explode(DOC)
    place = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(QUERY)
    return listed.select(QUERY, DOC, place=place, training=False)


def judged(runs: Sequence[Sequence[str]], relevant: Sequence[Sequence[bool]]) -> Iterator[str]:
    """The documents of one query in the order in which they are judged.

    In: what each run returned, best first, and whether that is relevant.

    >>> "".join(judged(["xy", "zuv"], [[False, False], [True, False, False]]))
    'xzuyv'
    """
    seen: set[str] = set()
    rest = [
        iter(list(zip(docs, labels, strict=True)))
        for docs, labels in zip(runs, relevant, strict=True)
    ]
    priority = dict.fromkeys(range(len(runs)), 0)
    while priority:
        front = max(priority, key=priority.__getitem__)  # the first of equals
        for doc, good in rest[front]:
            if doc in seen:
                continue
            seen.add(doc)
            yield doc
            if not good:
                priority[front] -= 1
                break
        else:
            del priority[front]
