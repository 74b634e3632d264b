"""The expectation of G: over all that can stand above a document, and what it gains together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ulframe.metrics.chance.sums import drawn, in_slices

if TYPE_CHECKING:
    from collections.abc import Callable

    from ulframe.metrics.chance.sums import Array
    from ulframe.metrics.metric import Measure

DIGITS = 6  # sums of gains that agree to so many decimals are the same


def g(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[G]: a document of gain g has t gaining ones above it, that gain s together, and others.

    Weighing each composition of the t by the documents that it leaves spares a pass for each
    label: what comes next is one of those.
    """
    names = ("n", "labels", "counts", "judged", "gain")
    rows = pools.select(names).iter_rows()
    return pl.Series([_expected(*row) for row in rows], dtype=pl.Float64)


def _expected(
    n: int, labels: list[float], counts: list[int], judged: list[int], gain: float
) -> float:
    import numpy as np

    gains = [(g, c) for g, c in zip(labels, counts, strict=True) if g > 0 and c > 0]
    if not gains or not gain:
        return 0.0
    t, s, chance, left = _compositions(gains)
    with_next = np.concatenate([s + g for g, _ in gains]).round(DIGITS)
    sums, place = np.unique(with_next, return_inverse=True)
    kernel = _discounts(n, sum(c for _, c in gains), sums, _ideal_cost(labels, judged))
    after = kernel[t, place.reshape(len(gains), s.size)]
    worth = np.array([g for g, _ in gains])[:, None]
    return float((chance * worth * left * after).sum()) / n / gain


def _discounts(n: int, gaining: int, sums: Array, cost: Callable[[Array], Array]) -> Array:
    """By t and the sum of gains with the document itself: the mean discount over its ranks."""
    import numpy as np

    total = np.zeros((gaining, sums.size))
    for above in in_slices(0, n - 1, max(gaining, sums.size)):
        # Sums too large for so few have chance 0, and must not spoil the logarithm.
        lost = np.maximum(cost(above + 1)[:, None] - sums, 0)
        total += drawn(n - 1, gaining - 1, above).T @ (1 / np.log2(2 + lost))
    return total


def _compositions(gains: list[tuple[float, int]]) -> tuple[Array, Array, Array, Array]:
    """Of the first t documents that gain: what they gain together, and how likely that is.

    Gives t, s, the chance of s given t, times all / (all - t), so that multiplied by the documents
    of a label that are left it is that of one of them coming next; and those that are left, by
    label.
    """
    import numpy as np

    t: Array = np.zeros(1, int)
    s: Array = np.zeros(1)
    chance: Array = np.ones(1)
    taken: Array = np.zeros((0, 1))
    seen = 0
    for gain, count in gains:
        a = np.arange(count + 1)
        weight = (_split(seen, count)[t] * chance[:, None]).ravel()
        cells = np.stack([(t[:, None] + a).ravel(), (s[:, None] + a * gain).ravel().round(DIGITS)])
        cells, place = np.unique(cells, axis=1, return_inverse=True)
        rows = [*np.repeat(taken, count + 1, axis=1), np.tile(a, t.size)]
        t, s = cells[0].astype(int), cells[1]
        chance = np.bincount(place.ravel(), weight)
        summed = np.array([np.bincount(place.ravel(), row * weight) for row in rows])
        taken = summed / np.where(chance > 0, chance, 1)
        seen += count
    inside = t < seen
    left = np.array([count for _, count in gains])[:, None] - taken
    return t[inside], s[inside], (chance * seen / np.maximum(seen - t, 1))[inside], left[:, inside]


def _split(seen: int, count: int) -> Array:
    """By t and a: the chance that a of t + a documents are among `count` new ones beside `seen`."""
    import numpy as np

    t, a = np.ogrid[: seen + 1, : count + 1]
    by_draws = drawn(seen + count, count, np.arange(seen + count + 1))
    return np.asarray(by_draws[t + a, a])


def _ideal_cost(labels: list[float], judged: list[int]) -> Callable[[Array], Array]:
    """By rank: what an ideal ranking has gained by then, each rank counting 1 at least."""
    import numpy as np

    gaining = [(label, count) for label, count in zip(labels, judged, strict=True) if label > 0]
    each = np.repeat([max(label, 1.0) for label, _ in gaining], [count for _, count in gaining])
    sums = np.concatenate([[0.0], np.cumsum(each)])

    def cost(rank: Array) -> Array:
        beyond: Array = np.maximum(rank - each.size, 0)
        return sums[np.minimum(rank, each.size)] + beyond

    return cost
