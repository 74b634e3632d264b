"""The expectation of ERR: elementary symmetric polynomials over the histogram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from ulframe.metrics.chance.sums import drawn, in_slices

if TYPE_CHECKING:
    from ulframe.metrics.chance.sums import Array
    from ulframe.metrics.measure import Measure


def err(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[ERR] = sum over i of (M_{i-1} - M_i) / i, M_j the mean of the products of j of (1 - R).

    Documents without gain leave a product as it is. So the means are worked out over the others,
    adding one document at a time, and spread over the ranks by the hypergeometric.
    """
    import numpy as np

    top = 2.0 ** measure.number("max")
    expected = np.zeros(pools.height)
    keys = pools.select("n", "m", gaining="pool_gaining").with_row_index("place")
    for (n, m, gaining), group in keys.group_by("n", "m", "gaining"):
        if gaining:
            places = group["place"].to_numpy()
            rows = pools[places].select("labels", "counts").iter_rows()
            passes = np.array([_passes(labels, counts, top) for labels, counts in rows])
            expected[places] = _mean_products(passes) @ _by_contact(n, m, gaining)
    return pl.Series(expected)


def _passes(labels: list[float], counts: list[int], top: float) -> Array:
    """1 - R of every document of the pool that gains anything."""
    import numpy as np

    gaining = [(label, count) for label, count in zip(labels, counts, strict=True) if label > 0]
    return np.repeat([1 - (2.0**label - 1) / top for label, _ in gaining], [c for _, c in gaining])


def _mean_products(values: Array) -> Array:
    """A row per pool and a column per j = 0..t: the mean product of j distinct values.

    They are elementary symmetric polynomials over binomials; as means they never overflow.
    """
    import numpy as np

    many, count = values.shape
    means = np.zeros((many, count + 1))
    means[:, 0] = 1
    for t in range(1, count + 1):
        share, new = np.arange(1, t + 1) / t, values[:, t - 1 : t]
        means[:, 1 : t + 1] = (1 - share) * means[:, 1 : t + 1] + share * new * means[:, :t]
    return means


def _by_contact(n: Any, m: Any, gaining: Any) -> Array:
    """By t: the sum over ranks i of (P(t among the first i - 1) - P(t among i)) / i."""
    import numpy as np

    total = np.zeros(gaining + 1)
    for rank in in_slices(1, m, gaining + 1):
        total += (1 / rank) @ (drawn(n, gaining, rank - 1) - drawn(n, gaining, rank))
    return total
