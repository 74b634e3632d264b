"""Tests made again on many resamples of the queries at once: how many pairs each finds.

A resample is a row of weights, how often each query was drawn. A retest takes scores, runs x
queries, and weights, resamples x queries, and gives a statistic of each pair on each resample, the
larger the surer, and what it must exceed at each of the levels that a correction asks for, so that
no p-value has to be worked out. On weights of 1 it decides as the test of that name does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.polynomial import Chebyshev
from scipy import stats

from ulframe.analysis.blocks import Floats, without_noise
from ulframe.analysis.corrections import Correction
from ulframe.analysis.paired import CELLS, Pairs
from ulframe.analysis.procedures import Test
from ulframe.analysis.resampling import TOLERANCE
from ulframe.analysis.tukey import critical

DEGREE = 4  # of the polynomial in 1/df that stands in for many critical ranges


@dataclass(frozen=True)
class Evidence:
    """A `statistic`, resamples x pairs, and `needed`, resamples (or one) x levels."""

    statistic: Floats
    needed: Floats


Retest = Callable[[Floats, Pairs, Floats, Floats], Evidence]


def numbers_found(
    retest: Retest,
    correction: Correction,
    values: Floats,
    pairs: Pairs,
    weights: Floats,
    alpha: float,
) -> npt.NDArray[np.int64]:
    """How many pairs are significant on each resample; none on one of fewer than two queries."""
    steps = STEPS[correction]
    evidence = retest(values, pairs, weights, steps.levels(len(pairs.a), alpha))
    surest_first = -np.sort(-evidence.statistic, axis=1)
    found = steps.count(surest_first > evidence.needed)
    return np.where(weights.sum(axis=1) < 2, 0, found)


# ---------------------------------------------------------------- tests
def student(values: Floats, pairs: Pairs, weights: Floats, levels: Floats) -> Evidence:
    """Student's paired t."""
    n = weights.sum(axis=1)
    t = [_t(d, weights, n[:, None]) for d in _differences(values, pairs)]
    sizes, at = np.unique(n, return_inverse=True)
    needed = stats.t.isf(levels / 2, np.maximum(sizes - 1, 1)[:, None])[at]
    return Evidence(np.concatenate(t, axis=1), needed)


def _t(d: Floats, weights: Floats, n: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, second = weights @ d / n, weights @ d**2 / n
        variance = second - mean**2
        variance[variance <= TOLERANCE * second] = 0.0
        t = np.abs(mean) * np.sqrt((n - 1) / variance)
    t[mean == 0] = 0.0
    return np.asarray(t)


def sign(values: Floats, pairs: Pairs, weights: Floats, levels: Floats) -> Evidence:
    """The sign test; the statistic is -p."""
    p = []
    for d in _differences(values, pairs):
        ahead, behind = weights @ (d > 0), weights @ (d < 0)
        p.append(
            np.minimum(1.0, 2 * stats.binom.cdf(np.minimum(ahead, behind), ahead + behind, 0.5))
        )
    return Evidence(-np.concatenate(p, axis=1), -levels[None, :])


def hsd(values: Floats, pairs: Pairs, weights: Floats, levels: Floats) -> Evidence:
    """Tukey's HSD for paired data, which counts all pairs already: its levels are one."""
    runs, n = len(values), weights.sum(axis=1, keepdims=True)
    centred = values - values.mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = weights @ centred.T / n
        within = weights @ np.sum(centred**2, axis=0)[:, None]
        unexplained = within - n * np.sum(means**2, axis=1, keepdims=True)
        unexplained[unexplained <= TOLERANCE * within] = 0.0
        df = (runs - 1) * (n - 1)
        diff = np.abs(means[:, pairs.a] - means[:, pairs.b])
        diff[diff <= TOLERANCE * np.max(np.abs(values))] = 0.0
        q = diff / np.sqrt(unexplained / (df * n))
    q[diff == 0] = 0.0
    return Evidence(q, _ranges(levels[0], runs, df))


def _differences(values: Floats, pairs: Pairs) -> Iterator[Floats]:
    """Queries x pairs, some pairs at a time."""
    chunks = len(pairs.a) * values.shape[1] // CELLS + 1
    parts = np.array_split(np.arange(len(pairs.a)), chunks)
    return (without_noise(values[pairs.a[at]] - values[pairs.b[at]]).T for at in parts)


def _ranges(level: float, runs: int, df: Floats) -> Floats:
    """The studentised range that is just significant, for each number of degrees of freedom."""
    known = df[df > 0]
    if not known.size or known.min() == known.max():
        return np.full(df.shape, critical(level, runs, float(known.max(initial=1))))
    smooth = Chebyshev.interpolate(
        lambda inverse: np.array([critical(level, runs, 1 / x) for x in inverse]),
        DEGREE,
        [1 / known.max(), 1 / known.min()],
    )
    return np.asarray(smooth(1 / np.maximum(df, known.min())))


RETESTS: dict[Test, Retest] = {"t": student, "sign": sign, "hsd": hsd}
"""By the name in the `test` column."""


# ---------------------------------------------------------------- corrections
@dataclass(frozen=True)
class Steps:
    """A correction as levels: what the i-th smallest p must be below, and what is counted then."""

    levels: Callable[[int, float], Floats]
    count: Callable[[npt.NDArray[np.bool_]], npt.NDArray[np.int64]]


def _up_to_the_first_failure(passed: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    return np.asarray(np.cumprod(passed, axis=1, dtype=np.int64).sum(axis=1))


def _up_to_the_last_success(passed: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    return np.asarray((passed * np.arange(1, passed.shape[1] + 1)).max(axis=1))


STEPS: dict[Correction, Steps] = {
    "none": Steps(lambda n, alpha: np.full(n, alpha), _up_to_the_first_failure),
    "bonferroni": Steps(lambda n, alpha: np.full(n, alpha / n), _up_to_the_first_failure),
    "holm": Steps(lambda n, alpha: alpha / np.arange(n, 0, -1), _up_to_the_first_failure),
    "bh": Steps(lambda n, alpha: alpha * np.arange(1, n + 1) / n, _up_to_the_last_success),
}
"""By the name in the `correction` column; they decide as `corrections` does."""
