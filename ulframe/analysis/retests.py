"""Tests made again on many resamples of the queries at once: which pairs are significant on each.

A resample is a row of weights, how often each query was drawn. A retest takes scores, runs x
queries, and weights, resamples x queries, and says which pairs it finds: resamples x pairs. On
weights of 1 it decides as the test of that name does.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Chebyshev
from scipy import stats

from ulframe.analysis.blocks import Floats, without_noise
from ulframe.analysis.paired import CELLS, Pairs
from ulframe.analysis.procedures import Test
from ulframe.analysis.resampling import TOLERANCE
from ulframe.analysis.tukey import critical

Found = npt.NDArray[np.bool_]
Adjust = Callable[[Floats], Floats]
Retest = Callable[[Floats, Pairs, Floats, Adjust, float], Found]
PairRetest = Callable[[Floats, Floats], Floats]
"""From differences, queries x pairs, and weights to p-values, resamples x pairs."""

DEGREE = 4  # of the polynomial in 1/df that stands in for many critical values


def pair_by_pair(p_values: PairRetest) -> Retest:
    """Retest all pairs, some at a time, and adjust their p-values together."""

    def retest(
        values: Floats, pairs: Pairs, weights: Floats, adjust: Adjust, alpha: float
    ) -> Found:
        chunks = np.array_split(
            np.arange(len(pairs.a)), len(pairs.a) * values.shape[1] // CELLS + 1
        )
        differences = (without_noise(values[pairs.a[at]] - values[pairs.b[at]]).T for at in chunks)
        p = np.concatenate([p_values(d, weights) for d in differences], axis=1)
        p[weights.sum(axis=1) < 2] = 1.0
        return np.asarray(np.apply_along_axis(adjust, 1, p) < alpha)

    return retest


def student(d: Floats, weights: Floats) -> Floats:
    """Student's paired t."""
    n = weights.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, second = weights @ d / n, weights @ d**2 / n
        variance = second - mean**2
        variance[variance <= TOLERANCE * second] = 0.0
        t = np.abs(mean) * np.sqrt((n - 1) / variance)
    t[mean == 0] = 0.0
    return np.asarray(2 * stats.t.sf(t, n - 1))


def sign(d: Floats, weights: Floats) -> Floats:
    """The sign test."""
    ahead, behind = weights @ (d > 0), weights @ (d < 0)
    fewer = np.minimum(ahead, behind)
    return np.asarray(np.minimum(1.0, 2 * stats.binom.cdf(fewer, ahead + behind, 0.5)))


def hsd(values: Floats, pairs: Pairs, weights: Floats, adjust: Adjust, alpha: float) -> Found:
    """Tukey's HSD for paired data, which counts all pairs already."""
    runs, n = len(values), weights.sum(axis=1, keepdims=True)
    centred = values - values.mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = weights @ centred.T / n
        within = weights @ np.sum(centred**2, axis=0)[:, None]
        unexplained = within - n * np.sum(means**2, axis=1, keepdims=True)
        unexplained[unexplained <= TOLERANCE * within] = 0.0
        error = np.sqrt(unexplained / ((runs - 1) * (n - 1) * n))
    diff = np.abs(means[:, pairs.a] - means[:, pairs.b])
    diff[diff <= TOLERANCE * np.max(np.abs(values))] = 0.0
    found = diff > _critical(alpha, runs, (runs - 1) * (n - 1)) * error
    found[n[:, 0] < 2] = False
    return np.asarray(found)


def _critical(alpha: float, runs: int, df: Floats) -> Floats:
    """The studentised range that is just significant, for each number of degrees of freedom."""
    known = df[df > 0]
    if not known.size or known.min() == known.max():
        return np.full(df.shape, critical(alpha, runs, int(known.max(initial=1))))
    smooth = Chebyshev.interpolate(
        lambda inverse: np.array([critical(alpha, runs, 1 / x) for x in inverse]),
        DEGREE,
        [1 / known.max(), 1 / known.min()],
    )
    return np.asarray(smooth(1 / np.maximum(df, known.min())))


RETESTS: dict[Test, Retest] = {
    "t": pair_by_pair(student),
    "sign": pair_by_pair(sign),
    "hsd": hsd,
}
"""By the name in the `test` column."""
