"""What a test of a pair of runs is, from their differences query by query; and Student's t.

A pair test takes differences, pairs x queries, no row all zero, and gives an `Outcome`; what it
cannot know is NaN there, which becomes null in the frame.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from scipy import stats

from ulframe.analysis.blocks import Floats, without_noise
from ulframe.frames.errors import BadUsage

CELLS = 2_000_000  # differences that are held at once


@dataclass(frozen=True)
class Settings:
    """What a test may be told: error level, resamples and their seed, and whom to tell progress."""

    alpha: float
    resamples: int
    seed: int
    tick: Callable[[float], None]  # with how many pairs, or parts of one, were done since


def refuse_numbers(alpha: float, resamples: int, seed: int) -> None:
    """Raise `BadUsage` for settings that no test can take."""
    if not 0 < alpha < 1 or resamples < 1 or seed < 0:
        raise BadUsage(
            f"alpha={alpha}, resamples={resamples}, seed={seed}: 0 < alpha < 1, resamples >= 1, "
            "seed >= 0"
        )


@dataclass(frozen=True)
class Outcome:
    """What a test says of each pair. `low` and `high` bound the mean difference."""

    statistic: Floats
    p_value: Floats
    effect: Floats
    low: Floats
    high: Floats


PairTest = Callable[[Floats, Settings], Outcome]
FamilyTest = Callable[[Floats, "Pairs", Settings], Outcome]


@dataclass(frozen=True)
class Pairs:
    """Which runs are compared: the i-th pair is runs `a[i]` and `b[i]`."""

    a: np.ndarray
    b: np.ndarray


def by_queries(queries: int, settings: Settings) -> int:
    """How many numbers a test holds for a pair: as many as there are queries."""
    return queries


def by_resamples(queries: int, settings: Settings) -> int:
    """As many as there are queries, or resamples."""
    return max(queries, settings.resamples)


def pair_by_pair(test: PairTest, holds: Callable[[int, Settings], int] = by_queries) -> FamilyTest:
    """Apply a pair test to all pairs, some at a time; runs that score alike everywhere have p = 1.

    With fewer than two queries nothing can be said of any pair. `holds` tells how many numbers the
    test holds for a pair.
    """

    def run(values: Floats, pairs: Pairs, settings: Settings) -> Outcome:
        queries = values.shape[1]
        step = max(1, CELLS // max(1, holds(queries, settings)))
        parts = []
        for start in range(0, len(pairs.a), step):
            chunk = slice(start, start + step)
            d = without_noise(values[pairs.a[chunk]] - values[pairs.b[chunk]])
            parts.append(_unless_identical(test, d, settings) if queries > 1 else unknown(len(d)))
            settings.tick(len(d))
        return Outcome(
            *(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Outcome))
        )

    return run


def _unless_identical(test: PairTest, d: Floats, settings: Settings) -> Outcome:
    differ = d.any(axis=1)
    identical = Outcome(*(np.full(len(d), value) for value in (0.0, 1.0, 0.0, 0.0, 0.0)))
    if not differ.any():
        return identical
    found = test(d[differ], settings)
    for field in fields(Outcome):
        getattr(identical, field.name)[differ] = getattr(found, field.name)
    return identical


def unknown(n: int) -> Outcome:
    """The outcome of `n` pairs of which nothing can be said."""
    return Outcome(*(np.full(n, np.nan) for _ in fields(Outcome)))


def spread(d: Floats) -> Floats:
    """The standard deviation of each pair's differences (n - 1); 0 where all are equal."""
    varies = np.ptp(d, axis=1) > 0
    return np.where(varies, d.std(axis=1, ddof=1), 0.0)


def standardised(d: Floats) -> Floats:
    """The effect size d_z: the mean difference in standard deviations; NaN where that is 0."""
    sd = spread(d)
    sd[sd == 0] = np.nan
    return np.asarray(d.mean(axis=1) / sd)


def constant(d: Floats) -> Outcome:
    """The outcome where each pair's differences are all the same: p = 0, and no bound to t."""
    mean = d.mean(axis=1)
    return Outcome(np.full(len(d), np.nan), np.zeros(len(d)), standardised(d), mean, mean.copy())


def student(d: Floats, settings: Settings) -> Outcome:
    """Student's paired t; the statistic is t."""
    found = constant(d)
    varied = spread(d) > 0
    if varied.any():
        test = stats.ttest_1samp(d[varied], 0.0, axis=1)
        interval = test.confidence_interval(1 - settings.alpha)
        found.statistic[varied], found.p_value[varied] = test.statistic, test.pvalue
        found.low[varied], found.high[varied] = interval.low, interval.high
    return found
