"""The expectation of G: over the ranks of the documents that gain, and what they gain together.

Gains are counted as their excess over 1, which is what each rank of the ideal ranking counts at
least. Most documents that gain anything have none; and once the ideal ranking has no more either, a
discount depends on how many documents without gain stand above, and on the excess that is missing:
so pools of one size share the discounts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, chain, groupby, repeat
from math import gcd, lcm
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import polars as pl

from ulframe.metrics.chance.sums import CELLS, drawn, in_slices, log_factorials

if TYPE_CHECKING:
    from ulframe.metrics.chance.sums import Array
    from ulframe.metrics.measure import Measure

BLOCK = 60_000  # numbers of several pools that are worked out together
Known: TypeAlias = "dict[tuple[tuple[int, int], ...], Array]"
"""What pools have in common: see `_of_first`."""

FINEST = 1000  # gains are taken as fractions with denominators up to this


def g(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[G] = sum over t of E[S_t / t * discount], S_t what the first t gaining documents gain.

    The discount of the t-th depends on its rank and on S_t, which are independent of each other.
    And given S_t, what the t-th itself gains is S_t / t in expectation, as it is for all t.
    """
    rows = enumerate(pools.select("n", "labels", "counts", "judged").iter_rows())
    read = (_read(place, *row) for place, row in rows)
    gained = [0.0] * pools.height
    known: Known = {}
    by_size = sorted((pool for pool in read if pool.size.gaining), key=_order)
    for size, alike in groupby(by_size, lambda pool: pool.size):
        if sum(chances.size for chances in known.values()) > CELLS:
            known.clear()
        for some in _at_once(size, list(alike)):
            for pool, gain in zip(some, _gained(size, some, known), strict=True):
                gained[pool.place] = gain
    total = pl.Series(gained, dtype=pl.Float64)
    per_gain = pl.when(pl.col("gain") > 0).then(total / pl.col("gain")).otherwise(0.0)
    return pools.select(per_gain).to_series()


def _order(pool: _Pool) -> tuple[_Size, int, int]:
    """Pools that are much alike stand together."""
    return pool.size, pool.many, pool.most


def _at_once(size: _Size, pools: Sequence[_Pool]) -> Iterator[Sequence[_Pool]]:
    """The pools in parts whose numbers fit in memory together."""
    widest = max(pool.most for pool in pools) - min(pool.least for pool in pools) + 1
    step = max(1, BLOCK // (size.gaining * widest))
    for start in range(0, len(pools), step):
        yield pools[start : start + step]


# ---------------------------------------------------------------- what a pool has to gain
class _Size(NamedTuple):
    """What pools that are worked out together have in common: 1 is `one` units of gain."""

    n: int
    gaining: int
    one: int


class _Pool(NamedTuple):
    """A pool, in units of gain.

    `others`: each excess over 1, and how many documents have it, the most frequent first; `many`
    these are, and together they have from `least` to `most`; `ideal`: the excess of the ideal
    ranking by rank, from 0 on, as long as it grows.
    """

    place: int
    size: _Size
    others: tuple[tuple[int, int], ...]
    many: int
    least: int
    most: int
    ideal: tuple[int, ...]


def _read(
    place: int, n: int, labels: Sequence[float], counts: Sequence[int], judged: Sequence[int]
) -> _Pool:
    one = _one(tuple(label for label in labels if label > 0))
    excess = [round(label * one) - one for label in labels]
    held = [(e, c) for e, c in zip(excess, counts, strict=True) if e > -one and c > 0]
    others = tuple(sorted((pair for pair in held if pair[0]), key=lambda pair: -pair[1]))
    together = [e * c for e, c in others]
    above = (repeat(e, c) for e, c in zip(excess, judged, strict=True) if e > 0)
    return _Pool(
        place,
        _Size(n, sum(c for _, c in held), one),
        others,
        sum(c for _, c in others),
        sum(e for e in together if e < 0),
        sum(e for e in together if e > 0),
        tuple(accumulate(chain.from_iterable(above), initial=0)),
    )


@lru_cache(maxsize=64)
def _one(gains: tuple[float, ...]) -> int:
    """How many units 1 is, the unit being the largest number of which all gains are multiples."""
    parts = [Fraction(g).limit_denominator(FINEST) for g in (1, *gains)]
    whole = lcm(*(part.denominator for part in parts))
    return whole // gcd(*(int(part * whole) for part in parts))


# ---------------------------------------------------------------- what its first documents gain
def _excesses(size: _Size, pools: Sequence[_Pool], known: Known) -> tuple[Array, Array]:
    """By pool, t = 1.. and excess: the chance that t gaining documents have it; the excesses."""
    import numpy as np

    excess = np.arange(min(pool.least for pool in pools), max(pool.most for pool in pools) + 1)
    others = [pool.many for pool in pools]
    of_others = np.zeros((len(pools), max(others) + 1, excess.size))
    for pool, many, chances in zip(pools, others, of_others, strict=True):
        found = _of_first(pool.others, known)
        start = pool.least - excess[0]
        chances[: many + 1, start : start + found.shape[1]] = found
    t = np.arange(1, size.gaining + 1)
    among = np.zeros((len(pools), size.gaining, max(others) + 1))
    for many, places in groupby(range(len(pools)), others.__getitem__):
        among[[*places], :, : many + 1] = drawn(size.gaining, many, t)
    return among @ of_others, excess


def _of_first(excesses: tuple[tuple[int, int], ...], known: Known) -> Array:
    """By t and excess, from the smallest on: the chance that t of the documents have it together.

    In: how many documents there are of which excess. They are added one excess after the other: of
    the first t + a of the larger set, a are new with hypergeometric chance.
    """
    import numpy as np

    if not excesses:
        return np.ones((1, 1))
    if excesses in known:
        return known[excesses]
    *before, (excess, count) = excesses
    chances = _of_first(tuple(before), known)
    seen, columns = len(chances) - 1, chances.shape[1]
    split = _split(seen, count)
    grown = np.zeros((seen + count + 1, columns + count * abs(excess)))
    lowest = min(excess, 0) * count
    for a in range(count + 1):
        start = a * excess - lowest
        grown[a : a + seen + 1, start : start + columns] += chances * split[:, a : a + 1]
    known[excesses] = grown
    return grown


@lru_cache(maxsize=1024)
def _split(seen: int, count: int) -> Array:
    """By t and a: the chance that a of t + a documents are among `count` new ones beside `seen`."""
    import numpy as np

    t, a = np.ogrid[: seen + 1, : count + 1]
    by_draws = drawn(seen + count, count, np.arange(seen + count + 1))
    return np.asarray(by_draws[t + a, a])


# ---------------------------------------------------------------- what it is discounted by
def _gained(size: _Size, pools: Sequence[_Pool], known: Known) -> list[float]:
    """By pool: the gain, discounted, that is expected of a random ranking."""
    import numpy as np

    n, gaining, one = size
    t = np.arange(1, gaining + 1)[:, None]
    chances, excess = _excesses(size, pools, known)
    worth = chances * (1 + excess / (one * t))
    ends = np.array([pool.ideal[-1] for pool in pools])
    missing = ends[:, None] - excess
    below = max(0, -int(missing.min()))
    each = 1 / np.log2(2 + np.arange(one * n + int(missing.max()) + 1) / one)
    discounts = _discounts(size, each, np.arange(-below, int(missing.max()) + 1))
    total = np.einsum("htu,thu->h", worth, discounts[:, missing + below])
    return list(total + _at_first_ranks(size, pools, each, worth, excess))


def _discounts(size: _Size, each: Array, missing: Array) -> Array:
    """By t and missing excess: the discount expected of the t-th gaining document."""
    import numpy as np

    n, gaining, one = size
    expected = np.zeros((gaining, missing.size))
    for zeros in in_slices(0, n - gaining, max(gaining, missing.size)):
        # More than the ideal cannot be gained; any discount will do where the chance is 0.
        here = each[np.maximum(one * zeros[:, None] + missing, 0)]
        expected += _above(n, gaining, zeros) @ here
    return expected


def _above(n: int, gaining: int, zeros: Array) -> Array:
    """By t and a number of documents: the chance that so many without gain stand above the t-th."""
    import numpy as np

    log, t, rest = log_factorials(n), np.arange(1, gaining + 1)[:, None], n - gaining
    before = log[t - 1 + zeros] - log[t - 1] - log[zeros]
    behind = log[n - t - zeros] - log[rest - zeros] - log[gaining - t]
    return np.asarray(np.exp(before + behind - (log[n] - log[gaining] - log[rest])))


def _at_first_ranks(
    size: _Size, pools: Sequence[_Pool], each: Array, worth: Array, excess: Array
) -> Array:
    """What is added at the ranks where the excess of the ideal ranking still grows."""
    import numpy as np

    n, gaining, one = size
    ranks = min(max(len(pool.ideal) for pool in pools) - 1, n)
    if ranks == 0:
        return np.zeros(len(pools))
    ideal = np.array([_to(ranks, pool.ideal[1:] or (0,)) for pool in pools])[:, :, None]
    ends = np.array([pool.ideal[-1] for pool in pools])[:, None, None]
    standing = drawn(n - 1, gaining - 1, np.arange(ranks), ranks - 1).T * (gaining / n)
    t, rank = (np.arange(1, many + 1)[:, None] for many in standing.shape)
    sums = np.arange(one + excess[0], one * len(t) + excess[-1] + 1)
    by_sum = np.zeros((len(pools), len(t), sums.size))
    by_sum[:, t - 1, excess + one * t - sums[0]] = worth[:, : len(t)]
    missing, later = (np.maximum(one * rank + end - sums, 0) for end in (ideal, ends))
    less = each[missing] - each[later]
    return np.asarray(np.einsum("hrs,hrs->h", standing.T @ by_sum, less))


def _to(ranks: int, ideal: Sequence[int]) -> list[int]:
    """The ideal ranking's excess down to a rank: from its end on it stays as it is."""
    return [*ideal[:ranks], *repeat(ideal[-1], ranks - len(ideal))]
