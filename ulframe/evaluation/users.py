"""Users who act: a metric as the chance that a user goes on, C/W/L (Moffat et al. 2013, 2017).

A `User` is one expression, the chance of going on from a rank to the next. From it follow how
likely each rank is seen, and what a user gains and spends, in all and for each document seen; and,
from what is not judged, how much more it could have been: the residuals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

from ulframe.frames.errors import BadUsage

RANK = pl.col("rank")
"""The rank, from 1."""

GAIN = pl.col("gain")
"""What the document is worth, from 0 to 1."""

FOUND = pl.col("found")
"""What was gained down to this rank, this document among it."""

SPENT = pl.col("spent")
"""What was spent down to this rank; a document costs 1 unless said."""

AHEAD = pl.col("ahead")
"""The sum of gain / rank from this rank on."""


@dataclass(frozen=True)
class User:
    """A user by the chance of going on to the next rank, an expression over the columns above.

    >>> User(0.8 * (1 - GAIN)) == NERR10(0.8)  # expressions are not compared
    True
    """

    goes_on: pl.Expr = field(compare=False)


def P(k: float) -> User:
    """Precision at k: reads the first k."""
    return User((_whole("P", k) > RANK).cast(pl.Float64))


def RBP(p: float = 0.8) -> User:
    """Rank-biased precision (Moffat and Zobel 2008): goes on with chance p."""
    return User(pl.lit(_share("RBP", p)))


def SDCG(k: float) -> User:
    """Scaled DCG: reads each of the first k with DCG's discount for a chance."""
    return User(_until("SDCG", k, (RANK + 1).log() / (RANK + 2).log()))


def RR() -> User:
    """Reciprocal rank: goes on until something is gained."""
    return User((FOUND == 0).cast(pl.Float64))


def AP() -> User:
    """Average precision: stops at a relevant document, each as likely."""
    going_on = AHEAD - GAIN / RANK
    return User(pl.when(going_on > 1e-15).then(going_on / AHEAD).otherwise(0.0))


def INSQ(T: float = 1.0) -> User:
    """INSQ (Moffat, Scholer and Thomas 2012): wants about T, and is less patient for less."""
    return User(_patience(RANK + 2 * _above_0("INSQ", T)))


def INST(T: float = 1.0) -> User:
    """INST (Moffat, Bailey, Scholer and Thomas 2015): INSQ that heeds what was found."""
    return User(_patience(RANK + 2 * _above_0("INST", T) - FOUND))


def BPM(T: float = 1.0, K: float = 10.0) -> User:
    """The bejeweled player, static (Zhang et al. 2017): until T is gained or K is spent."""
    return User(((FOUND < T) & (SPENT < K)).cast(pl.Float64))


def NERR8(k: float) -> User:
    """Nearly ERR, equation 8 (Azzopardi, Mackenzie and Moffat 2021)."""
    return User(_until("NERR8", k, 1 - GAIN))


def NERR9(k: float) -> User:
    """Nearly ERR, equation 9."""
    return User(_until("NERR9", k, RANK / (RANK + 1) * (1 - GAIN)))


def NERR10(p: float = 0.9) -> User:
    """Nearly ERR, equation 10."""
    return User(_share("NERR10", p) * (1 - GAIN))


def NERR11(T: float = 1.0) -> User:
    """Nearly ERR, equation 11."""
    return User(_patience(RANK + 2 * _above_0("NERR11", T)) * (1 - GAIN))


USERS: Mapping[str, Callable[..., User]] = {
    user.__name__: user
    for user in (P, RBP, SDCG, RR, AP, INSQ, INST, BPM, NERR8, NERR9, NERR10, NERR11)
}
"""The users by name."""


def _patience(wanted: pl.Expr) -> pl.Expr:
    return ((wanted - 1) / wanted) ** 2


def _until(name: str, k: float, chance: pl.Expr) -> pl.Expr:
    """The chance above rank k, where all stop."""
    return pl.when(_whole(name, k) > RANK).then(chance).otherwise(0.0)


def _whole(name: str, k: float) -> int:
    if k < 1 or k != int(k):
        raise BadUsage(f"{name}(k={k:g}): k is a whole number of at least 1")
    return int(k)


def _share(name: str, p: float) -> float:
    if not 0 < p < 1:
        raise BadUsage(f"{name}(p={p:g}): p is between 0 and 1")
    return p


def _above_0(name: str, T: float) -> float:
    if not T > 0:
        raise BadUsage(f"{name}(T={T:g}): T is above 0")
    return T
