"""The expectation of G: over the ranks of the documents that gain, and what they gain together."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import TYPE_CHECKING

import polars as pl

from ulframe.metrics.chance.sums import drawn, in_slices

if TYPE_CHECKING:
    from ulframe.metrics.chance.sums import Array
    from ulframe.metrics.measure import Measure

BLOCK = 200_000  # multiplications that are left to one thread
FINEST = 1000  # gains are taken as fractions with denominators up to this


def g(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[G] = sum over t of E[S_t / t * discount], S_t what the first t gaining documents gain.

    The discount of the t-th depends on its rank and on S_t, which are independent of each other.
    And given S_t, what the t-th itself gains is S_t / t in expectation, as it is for all t.
    """
    names = ("n", "labels", "counts", "judged", "gain")
    rows = pools.select(names).iter_rows()
    return pl.Series([_expected(*row) for row in rows], dtype=pl.Float64)


def _expected(
    n: int, labels: list[float], counts: list[int], judged: list[int], gain: float
) -> float:
    import numpy as np

    unit = _unit(tuple(label for label in labels if label > 0))
    steps = [round(label / unit) for label in labels]
    gains = [(count, g) for g, count in zip(steps, counts, strict=True) if g > 0 and count > 0]
    if not gains or not gain:
        return 0.0
    chances = _sums_of_first(sorted(gains, reverse=True))
    count, sums = len(chances) - 1, np.arange(chances.shape[1])
    worth = chances[1:] * sums / np.arange(1, count + 1)[:, None]
    cost = _ideal_cost(steps, judged, n, round(1 / unit))
    discount = 1 / np.log2(2 + unit * np.arange(cost[-1] + 1))
    total = 0.0
    for rank in in_slices(1, n, max(count, sums.size)):
        # Sums too large for the rank have chance 0; any discount will do.
        here = discount[np.maximum(cost[rank][:, None] - sums, 0)]
        standing = _ranks(n, count, rank[0], rank[-1])
        # In blocks, since for small matrices several threads take longer than one.
        for t in range(0, count, block := max(16, BLOCK // here.size)):
            product = standing[t : t + block] @ here
            total += float((worth[t : t + block] * product).sum())
    return total * unit / gain


@lru_cache(maxsize=64)
def _unit(gains: tuple[float, ...]) -> float:
    """The largest number that 1 and all gains are multiples of."""
    parts = [Fraction(g).limit_denominator(FINEST) for g in (1, *gains)]
    whole = lcm(*(part.denominator for part in parts))
    return gcd(*(int(part * whole) for part in parts)) / whole


@lru_cache(maxsize=64)
def _ranks(n: int, count: int, first: int, last: int) -> Array:
    """By t and rank: the chance that the t-th of so many documents among n stands there."""
    import numpy as np

    above = np.arange(first, last + 1) - 1
    return np.ascontiguousarray(drawn(n - 1, count - 1, above).T) * (count / n)


def _sums_of_first(gains: list[tuple[int, int]]) -> Array:
    """By t and sum: the chance that t of the documents gain that together.

    In: how many documents there are of which gain. They are added gain by gain: of the first t + a
    of the larger set, a are new with hypergeometric chance.
    """
    import numpy as np

    (seen, gain), *others = gains
    chances = np.zeros((seen + 1, seen * gain + 1))
    chances[np.arange(seen + 1), np.arange(seen + 1) * gain] = 1
    for count, gain in others:
        rows, columns = chances.shape
        split = _split(seen, count)
        grown = np.zeros((rows + count, columns + count * gain))
        for a in range(count + 1):
            at = grown[a : a + rows, a * gain : a * gain + columns]
            at += chances * split[:, a : a + 1]
        chances, seen = grown, seen + count
    return chances


@lru_cache(maxsize=1024)
def _split(seen: int, count: int) -> Array:
    """By t and a: the chance that a of t + a documents are among `count` new ones beside `seen`."""
    import numpy as np

    t, a = np.ogrid[: seen + 1, : count + 1]
    by_draws = drawn(seen + count, count, np.arange(seen + count + 1))
    return np.asarray(by_draws[t + a, a])


def _ideal_cost(steps: list[int], judged: list[int], n: int, one: int) -> Array:
    """By rank from 0 to n: what an ideal ranking has gained, each rank counting 1 at least."""
    import numpy as np

    gaining = [(step, count) for step, count in zip(steps, judged, strict=True) if step > 0]
    each = np.repeat([max(step, one) for step, _ in gaining], [count for _, count in gaining])
    rest = np.full(max(n - each.size, 0), one)
    return np.concatenate([[0], np.cumsum(np.concatenate([each, rest]))]).astype(int)
