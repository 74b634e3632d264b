"""The order in which a majority of runs prefers each document to the next."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from math import fsum, inf
from operator import lt

import polars as pl

START = 60  # of the reciprocal ranks by which documents stand before votes are counted


def by_majority(query: pl.DataFrame) -> pl.DataFrame:
    """Sort a query's documents by majorities; the first of n scores n, the last 1.

    In: `doc_id`, and `score`, a list of `run, rank, weight` of those who returned it.
    """
    voters = query["score"].explode().struct.unnest().unique("run").sort("run")
    places = {run: place for place, run in enumerate(voters["run"])}
    weights = voters["weight"].to_list()
    ranks = [_ranks(votes, places) for votes in query["score"].to_list()]
    documents = query["doc_id"].to_list()
    start = [sum(w / (START + rank) for w, rank in zip(weights, of, strict=True)) for of in ranks]
    # two stable sorts: what the second leaves open stays as the first left it
    order = sorted(range(query.height), key=lambda at: (start[at], documents[at]), reverse=True)
    order.sort(key=cmp_to_key(_majority(ranks, weights)))
    scores = [float(query.height - place) for place in range(query.height)]
    return pl.DataFrame({"doc_id": query["doc_id"].gather(order), "score": scores})


def _ranks(votes: list[dict[str, object]], places: dict[str, int]) -> list[float]:
    """A document's rank by each run, infinite where it was not returned."""
    ranks = [inf] * len(places)
    for vote in votes:
        ranks[places[str(vote["run"])]] = float(str(vote["rank"]))
    return ranks


def _majority(ranks: list[list[float]], weights: list[float]) -> Callable[[int, int], int]:
    """Who of two is preferred: below 0 the first, above 0 the second."""
    if len(set(weights)) == 1:  # counting is twice as fast as adding up

        def counted(x: int, y: int) -> int:
            below: int = sum(map(lt, ranks[y], ranks[x]))
            above: int = sum(map(lt, ranks[x], ranks[y]))
            return below - above

        return counted

    def weighed(x: int, y: int) -> int:
        pairs = list(zip(weights, ranks[x], ranks[y], strict=True))
        for_x = fsum(weight for weight, a, b in pairs if a < b)
        for_y = fsum(weight for weight, a, b in pairs if b < a)
        return (for_x < for_y) - (for_y < for_x)

    return weighed
