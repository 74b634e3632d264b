"""Tests of a pair of runs by resampling its differences: bootstrap and randomisation, both seeded.

All pairs of one measure and set see the same resamples, so each block of resamples is one matrix
product.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ulframe.analysis.blocks import Floats
from ulframe.analysis.paired import CELLS, Outcome, Settings, constant, spread, standardised

TOLERANCE = 1e-9
"""Relative: sums that are equal in theory differ in the last bits."""


def bootstrap(d: Floats, settings: Settings) -> Outcome:
    """Sakai's studentised paired bootstrap (SIGIR 2006, algorithm 1).

    The differences are shifted to mean 0 and resampled; p is the share of resamples whose t is at
    least as far from 0 as the one observed. The interval is the symmetric bootstrap-t one.
    """
    found = constant(d)
    varied = spread(d) > 0
    if not varied.any():
        return found
    d = d[varied]
    mean, error = d.mean(axis=1), spread(d) / np.sqrt(d.shape[1])
    squares, _ = studentised(d, settings)
    observed = (mean / error) ** 2
    found.statistic[varied] = mean / error
    found.p_value[varied] = np.mean(squares >= observed * (1 - TOLERANCE), axis=0)
    bound = np.quantile(squares, 1 - settings.alpha, axis=0, method="higher")
    half = np.sqrt(np.where(np.isfinite(bound), bound, np.nan)) * error
    found.low[varied], found.high[varied] = mean - half, mean + half
    return found


def studentised(d: Floats, settings: Settings) -> tuple[Floats, Floats]:
    """T squared, and the mean, of every resample of the centred differences: resamples x pairs.

    t is infinite for a resample of equal numbers other than 0.
    """
    n = d.shape[1]
    centred = (d - d.mean(axis=1, keepdims=True)).T
    second = centred**2
    least = TOLERANCE * second.mean(axis=0)
    squares, means = [], []
    for weights in draws(n, settings):
        mean = weights @ centred / n
        variance = weights @ second / n - mean**2
        variance[variance <= least] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            squares.append(np.where(mean == 0, 0.0, mean**2 * (n - 1) / variance))
        means.append(mean)
    return np.concatenate(squares), np.concatenate(means)


def randomisation(d: Floats, settings: Settings) -> Outcome:
    """The paired randomisation test: were the two runs' labels swapped on any of the queries?

    Exact where there are no more ways to swap them than `resamples`; else by that many random
    ones, the one observed counted in. The statistic is the mean difference; the interval is that
    difference, give or take the one that would just have been significant.
    """
    n = d.shape[1]
    exact = 2 ** (n - 1) <= settings.resamples  # a swap and its opposite are as extreme
    signs = every_sign(n) if exact else _random_signs(n, settings)
    means = np.concatenate([np.abs(some @ d.T) for some in signs]) / n
    observed = np.abs(d.mean(axis=1))
    extreme = np.sum(means >= observed * (1 - TOLERANCE), axis=0)
    p = extreme / len(means) if exact else (extreme + 1) / (len(means) + 1)
    half = np.quantile(means, 1 - settings.alpha, axis=0, method="higher")
    mean = d.mean(axis=1)
    return Outcome(mean, p, standardised(d), mean - half, mean + half)


def every_sign(n: int) -> Iterator[Floats]:
    """All rows of n signs that begin with a plus, in one block.

    >>> next(every_sign(2)).tolist()
    [[1.0, 1.0], [1.0, -1.0]]
    """
    swapped = np.arange(2 ** (n - 1))[:, None] >> np.arange(n)[::-1] & 1
    yield np.where(swapped == 1, -1.0, 1.0)


def _random_signs(n: int, settings: Settings) -> Iterator[Floats]:
    rng = np.random.default_rng(settings.seed)
    for rows in _rows(n, settings.resamples):
        yield np.where(rng.integers(0, 2, (rows, n)) == 1, 1.0, -1.0)


def draws(n: int, settings: Settings) -> Iterator[Floats]:
    """How often each of n queries is drawn, a row per resample, some at a time."""
    rng = np.random.default_rng(settings.seed)
    for rows in _rows(n, settings.resamples):
        drawn = rng.integers(0, n, (rows, n)) + np.arange(rows)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def _rows(n: int, total: int) -> Iterator[int]:
    step = max(1, CELLS // n)
    for start in range(0, total, step):
        yield min(step, total - start)
