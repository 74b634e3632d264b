"""How alike two rankings of the same things are: Kendall's tau and the AP correlation.

The functions take two sequences of numbers, one a thing, higher being better, as two measures'
means of the same systems are. Numbers that agree to 12 digits are ties.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from ulframe.analysis.blocks import Floats, without_noise
from ulframe.frames.errors import BadData

Numbers = Sequence[float] | Floats


def tau_a(x: Numbers, y: Numbers) -> float:
    """Kendall's tau-a: pairs in the same order less pairs in opposite order, over all pairs.

    In [-1, 1]; a pair tied in either counts as neither. Raises `BadData` for sequences of unequal
    length, of fewer than two things, or with a number that is none.

    >>> tau_a([3, 2, 1], [3, 1, 2])
    0.333...
    """
    x, y = _checked(x, y)
    return float(np.sum(_signs(x) * _signs(y))) / (len(x) * (len(x) - 1))


def tau_b(x: Numbers, y: Numbers) -> float | None:
    """Kendall's tau-b: as tau-a, over the pairs that are not tied; None where all are tied in one.

    >>> tau_b([4, 3, 2, 1], [4, 3, 1, 2])
    0.666...
    """
    x, y = _checked(x, y)
    tau = float(stats.kendalltau(x, y, variant="b").statistic)
    return None if np.isnan(tau) else tau


def _signs(x: Floats) -> Floats:
    """Of each pair of things, whether the first is better (1), worse (-1) or tied (0)."""
    return np.sign(x[:, None] - x[None, :])


def _checked(x: Numbers, y: Numbers) -> tuple[Floats, Floats]:
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise BadData(
            "a correlation takes two sequences of equally many things, at least two, "
            f"not {first.shape} and {second.shape}"
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise BadData("a correlation takes finite numbers only")
    return without_noise(first), without_noise(second)
