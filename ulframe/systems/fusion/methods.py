"""The methods of fusion, an expression each: what a run gives a document, and what that makes.

Every function here is a method: its arguments are the method's settings, which its name takes as
well (`rrf(k=10)`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.systems.fusion.columns import (
    CANDIDATES,
    POINTS,
    RANK,
    RETRIEVED,
    SCORE,
    TOTAL,
    VOTES,
    WEIGHT,
    reads,
)
from ulframe.systems.fusion.condorcet import by_majority

Finish = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass(frozen=True)
class Method:
    """A way to make one score of several runs' scores or ranks.

    - `points`: what a run gives a document that it returned, an expression over the columns of
      `columns`.
    - `fused`: what all its points make, an aggregation; by default their sum.
    - `absent`: what a run gives a document that it did not return, where that is not nothing. Only
      for methods that sum.
    - `finish`: for what no aggregation says: a query's `doc_id, score` from all its documents.
    """

    points: pl.Expr = field(compare=False)
    fused: pl.Expr = field(default=TOTAL, compare=False)
    absent: pl.Expr | None = field(default=None, compare=False)
    finish: Finish | None = None

    def reads(self, column: pl.Expr) -> bool:
        """Whether its value depends on this column."""
        return reads(column, self.points, self.fused, self.absent)


def combsum() -> Method:
    """CombSUM (Fox and Shaw 1994): the sum of the scores, weighted where weights are given."""
    return Method(SCORE * WEIGHT)


def combmnz() -> Method:
    """CombMNZ (Fox and Shaw 1994): the sum of the scores, times how many runs returned it.

    With weights, these runs' weights are summed instead (Wu and Crestani 2002).
    """
    return Method(SCORE, TOTAL * WEIGHT.sum())


def combgmnz(gamma: float = 1.0) -> Method:
    """CombGMNZ (Lee 1997): CombMNZ with that number to the power of gamma."""
    return Method(SCORE, TOTAL * VOTES**gamma)


def combanz() -> Method:
    """CombANZ (Fox and Shaw 1994): the mean score over the runs that returned it."""
    return Method(SCORE, POINTS.mean())


def combmin() -> Method:
    """CombMIN (Fox and Shaw 1994): the lowest score that a run gave it."""
    return Method(SCORE, POINTS.min())


def combmax() -> Method:
    """CombMAX (Fox and Shaw 1994): the highest score that a run gave it."""
    return Method(SCORE, POINTS.max())


def combmed() -> Method:
    """CombMED (Fox and Shaw 1994): the median of the scores that runs gave it."""
    return Method(SCORE, POINTS.median())


def mixed() -> Method:
    """Weighted scores' sum, times the root of how many runs returned it (Wu, Crestani 2002)."""
    return Method(SCORE * WEIGHT, TOTAL * VOTES.sqrt())


def rrf(k: float = 60.0) -> Method:
    """Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): 1 / (k + rank), summed."""
    if k < 0:
        raise BadUsage(f"rrf(k={k:g}): k is at least 0")
    return Method(WEIGHT / (k + RANK))


def isr() -> Method:
    """Inverse square rank (Mourao et al. 2014): 1 / rank^2 summed, times the number of runs."""
    return Method(1 / RANK**2, TOTAL * VOTES)


def log_isr() -> Method:
    """Inverse square rank, times the logarithm of the number of runs: 0 where it is one."""
    return Method(1 / RANK**2, TOTAL * VOTES.log())


def logn_isr(sigma: float = 0.01) -> Method:
    """Inverse square rank, times the logarithm of the number of runs and sigma."""
    if not 0 <= sigma <= 1:
        raise BadUsage(f"logn-isr(sigma={sigma:g}): sigma is from 0 to 1")
    return Method(1 / RANK**2, TOTAL * (VOTES + sigma).log())


def rbc(phi: float = 0.8) -> Method:
    """Rank-biased centroids (Bailey et al. 2017): (1 - phi) phi^(rank - 1), summed."""
    if not 0 < phi < 1:
        raise BadUsage(f"rbc(phi={phi:g}): phi is between 0 and 1")
    return Method(WEIGHT * (1 - phi) * phi ** (RANK - 1))


def borda() -> Method:
    """BordaFuse (Aslam and Montague 2001): of c candidates, c for the first, one less for each.

    What is left of a run's points is shared by the documents that it did not return.
    """
    return Method(
        WEIGHT * (CANDIDATES - RANK + 1), absent=WEIGHT * (CANDIDATES - RETRIEVED + 1) / 2
    )


def condorcet() -> Method:
    """Condorcet fusion (Montague and Aslam 2002): sorted so that a majority of runs prefers.

    A run prefers what it returned to what it did not. Where no majority decides, and within
    circles of majorities, documents stay as by reciprocal ranks. The first of n scores n.
    """
    votes = pl.struct("run", RANK, WEIGHT)
    return Method(votes, POINTS, finish=by_majority)


METHODS: dict[str, Callable[..., Method]] = {
    "combsum": combsum,
    "combmnz": combmnz,
    "combgmnz": combgmnz,
    "combanz": combanz,
    "combmin": combmin,
    "combmax": combmax,
    "combmed": combmed,
    "mixed": mixed,
    "rrf": rrf,
    "isr": isr,
    "log-isr": log_isr,
    "logn-isr": logn_isr,
    "rbc": rbc,
    "borda": borda,
    "condorcet": condorcet,
}
"""The methods by name."""

ALSO = {
    "sum": "combsum",
    "wsum": "combsum",
    "mnz": "combmnz",
    "wmnz": "combmnz",
    "gmnz": "combgmnz",
    "anz": "combanz",
    "min": "combmin",
    "max": "combmax",
    "med": "combmed",
    "bordafuse": "borda",
    "w-bordafuse": "borda",
    "w-condorcet": "condorcet",
}
"""What ranx calls some methods; its weighted ones are ours with weights."""
