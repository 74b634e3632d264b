"""The distribution of a measure's value over uniformly random rankings: exact, or by draws."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ulframe.analysis.blocks import Floats
from ulframe.analysis.chance.closed import closed
from ulframe.analysis.chance.kinds import Kinds
from ulframe.analysis.chance.rankings import drawn, number_of_sequences, sequences
from ulframe.evaluation.spread import SMALLEST

FEW = 10_000
"""Distinct label sequences that are all laid out."""

TOLERANCE = 1e-9
"""Relative: sums that are equal in theory differ in the last bits."""


@dataclass(frozen=True)
class Distribution:
    """Values in rising order, and the chance of each, or how many draws they are."""

    values: Floats
    chances: Floats
    draws: int | None = None

    @property
    def mean(self) -> float:
        """What a random ranking scores on average."""
        return float(self.chances @ self.values)

    @property
    def deviation(self) -> float:
        """The standard deviation of what a random ranking scores."""
        variance = float(self.chances @ (self.values - self.mean) ** 2)
        return sqrt(variance) if variance > SMALLEST * (variance + self.mean**2) else 0.0

    def reaching(self, observed: Floats) -> Floats:
        """P(random >= observed): exact, or (1 + how many draws do) / (1 + draws)."""
        lowest = observed - TOLERANCE * np.abs(observed)
        first = np.searchsorted(self.values, lowest)
        if self.draws is None:
            tail = np.append(np.cumsum(self.chances[::-1])[::-1], 0.0)
            return np.asarray(np.minimum(tail[first], 1.0))
        return (1 + len(self.values) - first) / (1 + self.draws)

    def deviating(self, centre: float) -> tuple[float, float]:
        """E|A - centre|, and its standard error, which is 0 where all is exact."""
        away = np.abs(self.values - centre)
        mean = float(self.chances @ away)
        if self.draws is None:
            return mean, 0.0
        return mean, float(away.std(ddof=1) / np.sqrt(self.draws))


def distribution(kinds: Kinds, draws: int, seed: int) -> Distribution:
    """That of a pool: in closed form, of all sequences where they are few, or of draws."""
    if known := closed(kinds):
        sums, chances = known
        return _sorted(kinds.made(sums), chances)
    if number_of_sequences(kinds.counts, kinds.m) <= FEW:
        codes, chances = sequences(kinds.counts, kinds.m)
        return _sorted(kinds.values(codes), chances)
    return simulated(kinds, draws, seed)


def simulated(kinds: Kinds, draws: int, seed: int) -> Distribution:
    """That of so many random rankings."""
    values = kinds.values(drawn(kinds.counts, kinds.m, draws, seed))
    return Distribution(np.sort(values), np.broadcast_to(1 / draws, draws), draws)


def _sorted(values: Floats, chances: Floats) -> Distribution:
    order = np.argsort(values)
    return Distribution(values[order], chances[order])
