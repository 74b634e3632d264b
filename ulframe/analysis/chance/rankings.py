"""Uniformly random rankings of a pool of kinds: all that there are, or seeded draws."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special

from ulframe.analysis.blocks import Floats
from ulframe.frames.errors import BadUsage

PLENTY = 1e15
"""Stands for any number of sequences from there on."""

TOO_MANY = 1_000_000_000  # documents in random rankings that are held at once

FREE = 20
"""Ranks that either of two kinds may take freely: 2^20 sequences, and more."""


def number_of_sequences(counts: np.ndarray, m: int) -> float:
    """How many distinct sequences the first m of a pool's documents may be; `PLENTY` at most.

    >>> number_of_sequences(np.array([1, 2, 3]), 3)
    19.0
    """
    *others, largest = sorted(int(count) for count in counts)
    if m >= FREE and min(sum(others), largest) >= FREE:
        return PLENTY
    longest = min(m, sum(others))
    lengths = np.arange(longest + 1)
    ways = (lengths == 0).astype(float)  # by length, of the kinds so far
    for count in others:
        new = np.zeros(longest + 1)
        for many in range(min(count, longest) + 1):
            new[many:] += special.binom(lengths[many:], many) * ways[: longest + 1 - many]
        ways = np.minimum(new, PLENTY)
    fits = lengths >= m - largest
    return float(min((special.binom(m, lengths) * ways)[fits].sum(), PLENTY))


def sequences(counts: np.ndarray, m: int) -> tuple[np.ndarray, Floats]:
    """All distinct sequences, one a column with a kind a row, and the chance of each.

    >>> rankings, chances = sequences(np.array([1, 2]), 2)
    >>> rankings.T.tolist(), chances.round(3).tolist()
    ([[0, 1], [1, 0], [1, 1]], [0.333, 0.333, 0.333])
    """
    codes, chances = np.zeros((0, 1), dtype=_narrowest(counts)), np.ones(1)
    left = counts[:, None].astype(float)
    for rank in range(m):
        kind, parent = np.nonzero(left)
        chances = chances[parent] * left[kind, parent] / (counts.sum() - rank)
        codes = np.vstack([codes[:, parent], kind[None].astype(codes.dtype)])
        left = left[:, parent]
        left[kind, np.arange(len(kind))] -= 1
    order = np.lexsort(codes[::-1]) if m else [0]
    return codes[:, order], chances[order]


def drawn(counts: np.ndarray, m: int, draws: int, seed: int) -> np.ndarray:
    """Random rankings, one a column with a kind a row: the next is any of the documents left.

    They depend on these arguments alone, whatever else is drawn, and pools share the random numbers
    of a rank. Raises `BadUsage` for more than memory may hold.
    """
    if m * draws > TOO_MANY:
        raise BadUsage(
            f"{draws} random rankings of {m} documents each are too many: give a cutoff, or fewer "
            "draws"
        )
    left = np.repeat(counts[:, None].astype(float), draws, axis=1)
    codes = np.empty((m, draws), dtype=_narrowest(counts))
    columns = np.arange(draws)
    for rank in range(m):
        place = _uniform(seed, draws, rank) * (counts.sum() - rank)
        here, reached = codes[rank], np.zeros(draws)
        here[:] = 0
        for kind in range(len(counts) - 1):
            reached += left[kind]
            here += place >= reached
        left[here, columns] -= 1
    return codes


def _narrowest(counts: np.ndarray) -> np.dtype[Any]:
    return np.min_scalar_type(len(counts))


@lru_cache(maxsize=64)
def _uniform(seed: int, draws: int, rank: int) -> Floats:
    return np.random.default_rng([seed, draws, rank]).random(draws)
