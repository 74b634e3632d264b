"""Tests of a pair of runs that look at ranks or signs of its differences only.

They ask about the median, so they give no interval of the mean difference.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from ulframe.analysis.blocks import Floats
from ulframe.analysis.paired import Outcome, Settings
from ulframe.analysis.resampling import TOLERANCE, every_sign

EXACT = 50  # queries up to which the distribution of the signed ranks is tabulated
FEW = 13  # queries up to which it is counted out where ranks are tied


def wilcoxon(d: Floats, settings: Settings) -> Outcome:
    """Wilcoxon's signed rank test; queries without a difference are left out.

    p is exact up to 50 queries where no two differences are of one size and none is 0, and up to
    13 in any case; else normal, with tie correction but without continuity correction, as scipy's
    is by default. The statistic is the smaller rank sum, the effect the rank-biserial correlation:
    (plus - minus) / (plus + minus).
    """
    signed = np.sign(d) * (stats.rankdata(np.abs(d), axis=1) - np.sum(d == 0, axis=1)[:, None])
    plus, minus = _sum_of(signed, 1), _sum_of(signed, -1)
    sizes = np.sort(np.abs(d), axis=1)
    tied = (d == 0).any(axis=1) | (sizes[:, 1:] == sizes[:, :-1]).any(axis=1)
    few, p = d.shape[1] <= FEW, np.empty(len(d))
    p[~tied] = _p(d[~tied], "exact" if d.shape[1] <= EXACT else "asymptotic")
    p[tied] = _counted_out(signed[tied]) if few else _p(d[tied], "asymptotic")
    nothing = np.full(len(d), np.nan)
    return Outcome(np.minimum(plus, minus), p, (plus - minus) / (plus + minus), nothing, nothing)


def sign(d: Floats, settings: Settings) -> Outcome:
    """The sign test: on how many queries is one run ahead; those without a difference do not count.

    The statistic is how often `run_a` is, the effect (ahead - behind) / (ahead + behind).
    """
    ahead, behind = np.sum(d > 0, axis=1), np.sum(d < 0, axis=1)
    decided = ahead + behind
    p = np.minimum(1.0, 2 * stats.binom.cdf(np.minimum(ahead, behind), decided, 0.5))
    nothing = np.full(len(d), np.nan)
    return Outcome(ahead.astype(np.float64), p, (ahead - behind) / decided, nothing, nothing)


def _sum_of(signed: Floats, sign: int) -> Floats:
    return np.asarray(np.sum(np.abs(signed), axis=1, where=np.sign(signed) == sign))


def _p(d: Floats, method: str) -> Floats:
    if not len(d):
        return np.empty(0)
    return np.asarray(stats.wilcoxon(d, axis=1, method=method).pvalue)


def _counted_out(signed: Floats) -> Floats:
    """The share of all ways to give the ranks signs whose sum is as far from 0."""
    sums = np.abs(next(every_sign(signed.shape[1])) @ signed.T)
    return np.asarray(np.mean(sums >= np.abs(signed.sum(axis=1)) * (1 - TOLERANCE), axis=0))
