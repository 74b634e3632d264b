"""The expectation of ERR: elementary symmetric polynomials over the histogram."""

from __future__ import annotations

from math import ceil, log, sqrt
from typing import TYPE_CHECKING

import polars as pl

from ulframe.metrics.chance.sums import drawn, in_slices

if TYPE_CHECKING:
    from ulframe.metrics.chance.sums import Array
    from ulframe.metrics.measure import Measure

NOTHING = 1e-25
"""The chance of reading on, below which the rest of a ranking is not looked at."""

TINY = 1e-15


def err(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[ERR] = sum over t of (M_t - M_{t+1}) E[1 / rank], of the gaining document after t others.

    M_t is the mean of the products of t of (1 - R): the chance of reading on after t documents that
    gain something. Where these stand is independent of what they gain.
    """
    import numpy as np

    top = 2.0 ** measure.number("max")
    expected = np.zeros(pools.height)
    keys = pools.select("n", "m", gaining="pool_gaining").with_row_index("place")
    for (n, m, gaining), group in keys.group_by("n", "m", "gaining"):
        if gaining and m:
            places = group["place"].to_numpy()
            rows = pools[places].select("labels", "counts").iter_rows()
            passes = np.array([_passes(labels, counts, top) for labels, counts in rows])
            last = min(int(gaining), int(m), _reach(float(passes.mean(axis=1).max())))
            stops = -np.diff(_mean_products(passes, last))
            expected[places] = stops @ _inverse_ranks(int(n), int(m), int(gaining), last)
    return pl.Series(expected)


def _passes(labels: list[float], counts: list[int], top: float) -> Array:
    """1 - R of every document of the pool that gains anything."""
    import numpy as np

    gaining = [(label, count) for label, count in zip(labels, counts, strict=True) if label > 0]
    return np.repeat([1 - (2.0**label - 1) / top for label, _ in gaining], [c for _, c in gaining])


def _reach(mean: float) -> int:
    """After how many documents nobody reads on, where they are passed with this mean chance.

    By Maclaurin's inequality the mean product of t of them is at most its t-th power.
    """
    return ceil(log(NOTHING) / log(mean)) if 0 < mean < 1 else 1


def _mean_products(values: Array, last: int) -> Array:
    """A row per pool and a column per j = 0..last: the mean product of j distinct values.

    They are elementary symmetric polynomials over binomials; as means they never overflow.
    """
    import numpy as np

    many, count = values.shape
    means = np.zeros((many, last + 1))
    means[:, 0] = 1
    for t in range(1, count + 1):
        j = min(t, last)
        share, new = np.arange(1, j + 1) / t, values[:, t - 1 : t]
        means[:, 1 : j + 1] += share * (new * means[:, :j] - means[:, 1 : j + 1])
    return means


def _inverse_ranks(n: int, m: int, gaining: int, many: int) -> Array:
    """By t: E[1 / rank] of the gaining document that t others stand above; 0 below rank m."""
    import numpy as np

    among = (gaining - 1) / max(n - 1, 1)
    total = np.zeros(many)
    for rank in in_slices(1, min(m, _deepest(many, among)), many):
        total += (1 / rank) @ drawn(n - 1, gaining - 1, rank - 1, many - 1)
    return total * gaining / n


def _deepest(many: int, among: float) -> int:
    """The rank below which fewer than so many gaining documents above are as good as impossible.

    Chernoff: with chance exp(-72) at most, so many are 12 roots of their mean below it.
    """
    return 1 + ceil((6 + sqrt(36 + many)) ** 2 / max(among, TINY))
