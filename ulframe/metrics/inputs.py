"""What a term may read beside rank and label: states of the ranking, and totals of the query.

A state is what a reader knows on reaching a document; a total is one number a query, counted over
its judgements. Both name the column they stand in, so that measures that read the same share it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure

__all__ = [
    "HITS",
    "LABEL",
    "RANK",
    "RELEVANT_DOCUMENTS",
    "RETRIEVED",
    "TOTAL",
    "RunningSum",
    "State",
    "Total",
    "relevant",
]


RANK, LABEL = pl.col("rank"), pl.col("label")

RETRIEVED = pl.col("retrieved")
"""How many documents the run returned for the query, judged or not; 0 where it missed it."""

PLACE = pl.col("place")
"""The first rank of a document's label in an ideal ranking of all that is judged."""

TOTAL = pl.col("total")
"""The sum of a measure's terms, over what divides it: what `finish` is made of."""


@dataclass(frozen=True)
class State:
    """A column that `seen` gives on every row from the judged rows of one ranking, in rank order.

    `within` are columns whose values are kept apart, as if each were a ranking of its own.
    """

    name: str
    seen: pl.Expr = field(compare=False, repr=False)
    within: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunningSum:
    """The state that sums `each`, an expression over a label, down to this rank.

    Of such a state it is known what a random ranking has above a document.
    """

    name: str
    each: pl.Expr = field(compare=False, repr=False)
    within: tuple[str, ...] = ()

    @property
    def seen(self) -> pl.Expr:
        """The column, from the judged rows of one ranking, in rank order."""
        return self.each.cum_sum()


@dataclass(frozen=True)
class Total:
    """A column that holds the sum of `each`, an expression over a label, over a query's labels."""

    name: str
    each: pl.Expr = field(compare=False, repr=False)


def at_least(rel: float) -> pl.Expr:
    """1 where the label is at least that, else 0."""
    return (rel <= LABEL).cast(pl.Int64)


# ---------------------------------------------------------------- states
def hits(m: Measure) -> RunningSum:
    """Relevant documents at or above this rank."""
    return RunningSum(m.column("hits"), m.relevant)


def misses(m: Measure) -> RunningSum:
    """Judged documents that are not relevant, at or above this rank."""
    return RunningSum(m.column("misses"), m.nonrelevant)


def pooled(m: Measure) -> RunningSum:
    """Documents of the qrels at or above this rank, those with a negative label as well."""
    return RunningSum("pooled", LABEL.is_not_null().cast(pl.Int64))


# ---------------------------------------------------------------- totals
def r(m: Measure) -> Total:
    """Relevant documents."""
    return Total(m.column("r"), m.relevant)


def nonrel(m: Measure) -> Total:
    """Judged documents that are not relevant."""
    return Total(m.column("nonrel"), m.nonrelevant)


GAINING = Total("gaining", (LABEL > 0).cast(pl.Int64))
"""Documents that gain anything: where the ideal ranking ends."""


# ---------------------------------------------------------------- for plain expressions
relevant = at_least(1)
"""1 where the label is at least 1, else 0; `m.relevant` where `rel` is to be set."""

HITS = pl.col("hits[1]")
"""Documents with label 1 or more at or above this rank; `m.hits` where `rel` is to be set."""

RELEVANT_DOCUMENTS = pl.col("r[1]")
"""The query's documents with label 1 or more; `m.r` where `rel` is to be set."""
