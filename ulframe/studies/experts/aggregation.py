"""One ranking made of many: Borda, Copeland, Kemeny, Dowdall, MC4, mean rank.

Whom a ranking leaves out stands tied behind all whom it ranks; mean rank alone asks only those who
rank a person. A tie has the mean of the places that it spans. People whose scores are equal are
tied, but for Kemeny's order, which is strict: of several that are as good, one.

Sources: Dwork, Kumar, Naor and Sivakumar 2001, Rank aggregation methods for the web (MC4); Young
and Levenglick 1978 (Kemeny).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import rankdata

from ulframe.frames.errors import BadUsage
from ulframe.frames.remarks import remark
from ulframe.studies.experts.columns import CONTEST, ITEM, POSITION, POSITIONS, RANKING
from ulframe.studies.experts.rankings import Rankings, given_as_pairs, scan_rankings

Floats = NDArray[np.float64]

SOLVED = 30  # people of whom Kemeny's order is found exactly
STRAY = 0.05  # of MC4's steps that go anywhere, so that all people are reached
DIGITS = 9  # scores that agree so far are equal: sums of floats differ in the last bits


def aggregate(rankings: Rankings, method: str) -> pl.LazyFrame:
    """Make one ranking of those of each contest.

    In: rankings, as `scan_rankings` takes them; `method`, one of `METHODS`. Out: `contest, ranking,
    item: String, position: Float64`, the ranking called as the method, in the order of positions.

    Kemeny's order, which reverses the fewest pairs of the rankings, is exact for up to 30 people;
    for more it is the best that moving one person at a time finds from Borda's, and that is said.

    Raises `BadUsage` for another method, and for rankings given as pairs.

    >>> votes = {"1": ["a", "b", "c"], "2": ["a", "c", "b"], "3": ["b", "c", "a"]}
    >>> aggregate(votes, "borda").collect().rows()
    [('contest', 'borda', 'a', 1.0), ('contest', 'borda', 'b', 2.0), ('contest', 'borda', 'c', 3.0)]
    """
    if method not in METHODS:
        raise BadUsage(f"method={method!r} is not one of {', '.join(METHODS)}")
    frame = scan_rankings(rankings)
    if given_as_pairs(frame):
        raise BadUsage("rankings given as pairs have no places, of which one ranking could be made")

    def made(given: pl.DataFrame) -> pl.DataFrame:
        parts = [
            _of_contest(str(contest), part, method)
            for (contest,), part in given.group_by(CONTEST, maintain_order=True)
        ]
        return pl.concat([pl.DataFrame(schema=POSITIONS), *parts])

    return frame.map_batches(made, schema=POSITIONS)


def to_runs(rankings: Rankings) -> pl.LazyFrame:
    """Rankings as a run of every measure: `run, query_id, doc_id: String, score: Float64`.

    A ranking is a run, a contest a query, and a person a document; the score is the position below
    0.

    >>> to_runs({"ann": ["x", "y"]}).collect().rows()
    [('ann', 'contest', 'x', -1.0), ('ann', 'contest', 'y', -2.0)]
    """
    frame = scan_rankings(rankings)
    if given_as_pairs(frame):
        raise BadUsage("rankings given as pairs have no places, which a run's scores would be")
    return frame.select(run=RANKING, query_id=CONTEST, doc_id=ITEM, score=-pl.col(POSITION))


def _of_contest(contest: str, part: pl.DataFrame, method: str) -> pl.DataFrame:
    items = part[ITEM].unique().sort()
    voters = part[RANKING].unique().sort()
    place = np.full((voters.len(), items.len()), np.nan)
    row = part[RANKING].replace_strict(voters, pl.arange(0, voters.len(), eager=True)).to_numpy()
    column = part[ITEM].replace_strict(items, pl.arange(0, items.len(), eager=True)).to_numpy()
    place[row, column] = part[POSITION].to_numpy()
    if method == "kemeny" and items.len() > SOLVED:
        remark(f"contest {contest!r}: Kemeny's order of {items.len()} people by local search")
    lower = np.round(METHODS[method](place), DIGITS)
    scored = pl.DataFrame({ITEM: items, "lower": lower})
    return scored.select(
        pl.lit(contest).alias(CONTEST),
        pl.lit(method).alias(RANKING),
        ITEM,
        pl.col("lower").rank("min").cast(pl.Float64).alias(POSITION),
    ).sort(POSITION, ITEM)


# ---------------------------------------------------------------- places and pairs
def _spans(place: Floats) -> tuple[Floats, Floats]:
    """The first and the last place that each person of each ranking may take."""
    filled = np.where(np.isnan(place), np.inf, place)
    first, last = (rankdata(filled, method, axis=1) for method in ("min", "max"))
    return first.astype(np.float64), last.astype(np.float64)


def _wins(place: Floats) -> Floats:
    """How many rankings have i above j."""
    filled = np.where(np.isnan(place), np.inf, place)
    rows = [(filled[:, [i]] < filled).sum(axis=0) for i in range(filled.shape[1])]
    return np.array(rows, dtype=np.float64)


# ---------------------------------------------------------------- methods: the lower the better
def borda(place: Floats) -> Floats:
    """The sum of places; n less a place is Borda's points."""
    first, last = _spans(place)
    return np.asarray(((first + last) / 2).sum(axis=0))


def dowdall(place: Floats) -> Floats:
    """The sum of 1 over the place, which counts the first places most."""
    first, last = _spans(place)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, place.shape[1] + 1))])
    share = harmonic[last.astype(int)] - harmonic[first.astype(int) - 1]
    return np.asarray(-(share / (last - first + 1)).sum(axis=0))


def mean_rank(place: Floats) -> Floats:
    """The mean of the places that a person has in the rankings that have the person."""
    first, last = _spans(place)
    own = np.where(np.isnan(place), np.nan, (first + last) / 2)
    return np.asarray(np.nanmean(own, axis=0))


def copeland(place: Floats) -> Floats:
    """How many others a person beats in most rankings, less how many beat the person."""
    wins = _wins(place)
    return np.asarray(-np.sign(wins - wins.T).sum(axis=1))


def mc4(place: Floats) -> Floats:
    """How long a walk stays with a person that goes to another whom most rankings prefer."""
    wins = _wins(place)
    n = len(wins)
    steps = (wins < wins.T) / n
    steps[np.arange(n), np.arange(n)] = 1 - steps.sum(axis=1)
    steps = (1 - STRAY) * steps + STRAY / n
    values = np.vstack([steps.T - np.eye(n), np.ones(n)])
    stay, *_ = np.linalg.lstsq(values, np.append(np.zeros(n), 1.0), rcond=None)
    return np.asarray(-stay)


def kemeny(place: Floats) -> Floats:
    """The order that reverses the fewest pairs of the rankings."""
    wins = _wins(place)
    order = _solved(wins) if len(wins) <= SOLVED else _searched(wins, np.argsort(borda(place)))
    return np.argsort(np.asarray(order)).astype(np.float64)


def _solved(wins: Floats) -> Sequence[int]:
    """As an integer programme: x of each pair is whether i stands above j, without circles."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    n = len(wins)
    if n == 1:
        return [0]
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    at = {pair: number for number, pair in enumerate(pairs)}
    cost = np.array([wins[j, i] - wins[i, j] for i, j in pairs])
    triples = [(i, j, k) for i in range(n) for j in range(i + 1, n) for k in range(j + 1, n)]
    limits: list[LinearConstraint] = []
    if triples:
        rows = np.zeros((len(triples), len(pairs)))
        for row, (i, j, k) in enumerate(triples):
            # i above j and j above k is i above k, and so all the way round
            rows[row, [at[i, j], at[j, k]]], rows[row, at[i, k]] = 1, -1
        limits = [LinearConstraint(rows, 0, 1)]
    found = milp(cost, integrality=np.ones(len(pairs)), bounds=Bounds(0, 1), constraints=limits)
    above = np.zeros(n)
    for (i, j), x in zip(pairs, np.round(found.x), strict=True):
        above[j if x else i] += 1
    return [int(one) for one in np.argsort(above)]


def _searched(wins: Floats, order: NDArray[np.int_]) -> Sequence[int]:
    """From an order, by moving one person to where fewest pairs are reversed, while that helps."""
    best, better = [int(one) for one in order], True
    while better:
        better = False
        for one in best:
            rest = [other for other in best if other != one]
            # reversed pairs with the person before the first, the second, ... of the others
            saved = np.cumsum([0.0, *(wins[one, other] - wins[other, one] for other in rest)])
            place = int(saved.argmin())
            if saved[place] < saved[best.index(one)] - 1e-9:
                best, better = [*rest[:place], one, *rest[place:]], True
    return best


METHODS: dict[str, Callable[[Floats], Floats]] = {
    "borda": borda,
    "copeland": copeland,
    "kemeny": kemeny,
    "dowdall": dowdall,
    "mc4": mc4,
    "mean_rank": mean_rank,
}
"""By name; each gives people a number, the lower the better, from the places of all rankings."""
