"""Corrections for making many tests at once: adjusted p-values of one family of tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy import stats

from ulframe.analysis.blocks import Floats


def none(p: Floats) -> Floats:
    """The p-values as they are."""
    return p


def bonferroni(p: Floats) -> Floats:
    """Times the number of tests.

    >>> bonferroni(np.array([0.25, 0.5])).tolist()
    [0.5, 1.0]
    """
    return np.minimum(p * len(p), 1.0)


def holm(p: Floats) -> Floats:
    """The i-th smallest times the number of tests not yet rejected: as safe as Bonferroni's.

    Holm 1979.

    >>> holm(np.array([0.25, 0.125])).tolist()
    [0.25, 0.25]
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def benjamini_hochberg(p: Floats) -> Floats:
    """Bounds the share of false findings among all findings, not the chance of any.

    Benjamini and Hochberg 1995.
    """
    return np.asarray(stats.false_discovery_control(p), dtype=np.float64)


Correction = Literal["none", "holm", "bonferroni", "bh"]
CORRECTIONS: dict[Correction, Callable[[Floats], Floats]] = {
    "none": none,
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
}
"""By the name in the `correction` column."""
