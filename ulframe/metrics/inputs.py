"""What a term may read beside rank and label: states of the ranking, and totals of the query.

A state is what a reader knows on reaching a document; a total is one number a query, counted over
its judgements. Both name the column they stand in, so that measures that read the same share it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure

RANK, LABEL = pl.col("rank"), pl.col("label")

RETRIEVED = pl.col("retrieved")
"""How many documents the run returned for the query, judged or not; 0 where it missed it."""

PLACE = pl.col("place")
"""The first rank of a document's label in an ideal ranking of all that is judged."""


@dataclass(frozen=True)
class State:
    """A column that `seen` gives on every row from the judged rows of one ranking, in rank order.

    `within` are columns whose values are kept apart, as if each were a ranking of its own.
    """

    name: str
    seen: pl.Expr = field(compare=False, repr=False)
    within: tuple[str, ...] = ()


@dataclass(frozen=True)
class Total:
    """A column that holds the sum of `each`, an expression over a label, over a query's labels."""

    name: str
    each: pl.Expr = field(compare=False, repr=False)


States = Callable[["Measure"], tuple[State, ...]]
Totals = Callable[["Measure"], tuple[Total, ...]]


def at_least(rel: float) -> pl.Expr:
    """1 where the label is at least that, else 0."""
    return (rel <= LABEL).cast(pl.Int64)


# ---------------------------------------------------------------- states
def hits(m: Measure) -> State:
    """Relevant documents at or above this rank."""
    return State(m.column("hits"), m.relevant.cum_sum())


def misses(m: Measure) -> State:
    """Judged documents that are not relevant, at or above this rank."""
    return State(m.column("misses"), m.nonrelevant.cum_sum())


def pooled(m: Measure) -> State:
    """Documents of the qrels at or above this rank, those with a negative label as well."""
    return State("pooled", LABEL.cum_count().cast(pl.Int64))


# ---------------------------------------------------------------- totals
def r(m: Measure) -> Total:
    """Relevant documents."""
    return Total(m.column("r"), m.relevant)


def nonrel(m: Measure) -> Total:
    """Judged documents that are not relevant."""
    return Total(m.column("nonrel"), m.nonrelevant)
