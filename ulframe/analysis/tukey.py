"""Tukey's honestly significant differences: all runs at once, so that p counts every pair.

The data are paired - every run on every query - so the error is what runs and queries together do
not explain: a two-way analysis of variance without replication. A family test takes the scores,
runs x queries.
"""

from __future__ import annotations

import warnings
from functools import lru_cache

import numpy as np
from numpy.polynomial import Chebyshev
from scipy import stats

from ulframe.analysis.blocks import Floats, without_noise
from ulframe.analysis.paired import Outcome, Pairs, Settings, unknown
from ulframe.analysis.resampling import TOLERANCE

# A tail probability is a double integral of some milliseconds. Up to so many pairs each is
# integrated; for more, a polynomial of that degree stands in, with an error below 1e-9.
DIRECT, DEGREE = 10, 96
NEGLIGIBLE = 1e-9  # where the polynomial ends


def hsd(values: Floats, pairs: Pairs, settings: Settings) -> Outcome:
    """Tukey's HSD for paired data; the statistic is the studentised range q, with diff's sign.

    The effect is the difference in standard deviations of the error (Sakai 2018). Where runs
    differ by constants there is no error: p = 0 for every difference, and no statistic.
    """
    settings.tick(len(pairs.a))
    m, n = values.shape
    if n < 2:
        return unknown(len(pairs.a))
    diff, df = _differences(values, pairs), (m - 1) * (n - 1)
    error = _error(values)
    if error == 0:
        nothing = np.full(len(diff), np.nan)
        return Outcome(nothing, (diff == 0) * 1.0, nothing, diff, diff)
    q = diff / (error / np.sqrt(n))
    half = critical(settings.alpha, m, df) * error / np.sqrt(n)
    return Outcome(q, _tail(np.abs(q), m, df), diff / error, diff - half, diff + half)


def randomised_hsd(values: Floats, pairs: Pairs, settings: Settings) -> Outcome:
    """The randomised Tukey HSD: each query's scores are dealt out anew among the runs.

    p is the share of such deals, the one observed counted in, in which the best and the worst run
    are at least as far apart as the pair. Carterette 2012. The statistic is the mean difference,
    the interval that difference, give or take the one that would just have been significant.
    """
    if values.shape[1] < 2:
        settings.tick(len(pairs.a))
        return unknown(len(pairs.a))
    rng = np.random.default_rng(settings.seed)
    ranges = np.empty(settings.resamples)
    for i in range(settings.resamples):
        ranges[i] = np.ptp(rng.permuted(values, axis=0).mean(axis=1))
        settings.tick(len(pairs.a) / settings.resamples)
    diff = _differences(values, pairs)
    ranges.sort()
    smaller = np.searchsorted(ranges, np.abs(diff) * (1 - TOLERANCE))
    p = (settings.resamples - smaller + 1) / (settings.resamples + 1)
    half = np.quantile(ranges, 1 - settings.alpha, method="higher")
    effect = diff / (_error(values) or np.nan)
    return Outcome(diff, p, effect, diff - half, diff + half)


def _differences(values: Floats, pairs: Pairs) -> Floats:
    means = without_noise(values.mean(axis=1))
    return without_noise(means[pairs.a] - means[pairs.b])


def _error(values: Floats) -> float:
    """The standard deviation of what neither the run's mean nor the query's explains."""
    m, n = values.shape
    runs, queries = values.mean(axis=1, keepdims=True), values.mean(axis=0, keepdims=True)
    residuals = values - runs - queries + values.mean()
    if np.max(np.abs(residuals)) <= TOLERANCE * np.max(np.abs(values)):
        return 0.0
    return float(np.sqrt(np.sum(residuals**2) / ((m - 1) * (n - 1))))


def _tail(q: Floats, m: int, df: int) -> Floats:
    """The chance that the range of m means is at least q, in their standard errors."""
    if len(q) <= DIRECT:
        return np.clip(_integral(q, m, df), 0.0, 1.0)
    smooth, top = _polynomial(m, df)
    return np.clip(np.where(q <= top, smooth(np.minimum(q, top)), 0.0), 0.0, 1.0)


def _integral(q: Floats, m: int, df: int) -> Floats:
    with warnings.catch_warnings():  # far out in the tail the integral may not settle
        warnings.simplefilter("ignore")
        return np.asarray(stats.studentized_range.sf(q, m, df), dtype=np.float64)


@lru_cache(maxsize=128)
def _polynomial(m: int, df: int) -> tuple[Chebyshev, float]:
    """The same as a polynomial up to where it is negligible; all measures of a set share it."""
    top = critical(NEGLIGIBLE, m, df)
    return Chebyshev.interpolate(lambda q: _integral(q, m, df), DEGREE, [0.0, top]), top


@lru_cache(maxsize=128)
def critical(p: float, m: int, df: float) -> float:
    """The range of m means, in their standard errors, that is exceeded with chance p."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(stats.studentized_range.isf(p, m, df))
