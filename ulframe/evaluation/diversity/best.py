"""The ranking that gains most, document by document."""

from __future__ import annotations

import polars as pl

from ulframe.evaluation.diversity.measures import Best


def best_ranking(relevant: pl.DataFrame, best: Best) -> pl.DataFrame:
    """Rank each query's documents greedily, as ndeval does; of equal ones the highest id is first.

    In: `query_id, subtopic, doc_id` of what is relevant. Out: `query_id, doc_id, rank`.

    >>> rows = {"query_id": "q", "subtopic": ["1", "2", "1"], "doc_id": ["a", "a", "b"]}
    >>> best_ranking(pl.DataFrame(rows), Best(0.5)).rows()
    [('q', 'a', 1), ('q', 'b', 2)]
    """
    found: dict[str, list[object]] = {"query_id": [], "doc_id": [], "rank": []}
    for (query,), rows in relevant.group_by("query_id", maintain_order=True):
        of_document = rows.group_by("doc_id").agg("subtopic")
        order = _greedy(dict(of_document.iter_rows()), best.left)
        found["query_id"] += [query] * len(order)
        found["doc_id"] += order
        found["rank"] += range(1, len(order) + 1)
    schema = {"query_id": pl.String, "doc_id": pl.String, "rank": pl.Int64}
    return pl.DataFrame(found, schema=schema)


def _greedy(answers: dict[str, list[str]], left: float) -> list[str]:
    """The documents, each next one that which gains most; in: the subtopics that each answers."""
    worth = {subtopic: 1.0 for subtopics in answers.values() for subtopic in subtopics}
    # documents that answer the same gain the same: only their number matters
    alike: dict[frozenset[str], list[str]] = {}
    for document in sorted(answers):
        alike.setdefault(frozenset(answers[document]), []).append(document)
    order = []
    while alike:
        gains = {kind: sum(worth[one] for one in sorted(kind)) for kind in alike}
        chosen = max(alike, key=lambda kind: (gains[kind], alike[kind][-1]))
        order.append(alike[chosen].pop())
        for subtopic in chosen:
            worth[subtopic] *= left
        if not alike[chosen]:
            del alike[chosen]
    return order
