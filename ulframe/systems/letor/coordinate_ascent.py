"""Coordinate Ascent: a linear model whose weights are moved one at a time, as the measure rises.

Metzler and Croft, "Linear Feature-Based Models for Information Retrieval", Information Retrieval
10(3), 2007.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ulframe.metrics.measure import Measure
from ulframe.systems.letor.fitting import Scorer
from ulframe.systems.letor.objective import Objective, best_of, objective
from ulframe.systems.letor.queries import Array, Queries, instructive, normalised


def fit(
    train: Queries,
    valid: Queries,
    measure: Measure,
    seed: int,
    *,
    restarts: int = 3,
    most_passes: int = 20,
    tolerance: float = 0.001,
) -> Scorer:
    """Learn a weight per feature: from equal weights, then from random ones."""
    train = instructive(train)
    features, performance = normalised(train), objective(measure, train)
    unseen, reached = normalised(valid), objective(measure, valid)
    random = np.random.default_rng(seed)
    width = features.shape[1]
    begins = [np.full(width, 1 / width), *random.dirichlet(np.ones(width), restarts - 1)]

    def rounds() -> Iterator[Array]:
        for begin in begins:
            yield from passes(features, performance, begin, random, most_passes, tolerance)

    patience = restarts * most_passes
    best = best_of(rounds(), lambda weights: reached(unseen @ weights).mean(), patience)
    return lambda queries: normalised(queries) @ best


STEPS = 0.05 * 2.0 ** np.arange(8)
MOVES = np.concatenate([STEPS, -STEPS])
"""How far a weight may move, the absolute weights summing to 1."""


def passes(
    features: Array,
    performance: Objective,
    weights: Array,
    random: np.random.Generator,
    most: int,
    tolerance: float,
) -> Iterator[Array]:
    """The weights after each pass over all features, until one brings less than `tolerance`."""
    weights = weights.astype(np.float32)
    reached = performance(features @ weights).mean()
    for _ in range(most):
        before = reached
        for feature in random.permutation(len(weights)):
            weights, reached = moved(features, performance, weights, feature, reached)
        yield weights
        if reached - before < tolerance:
            return


def moved(
    features: Array, performance: Objective, weights: Array, feature: int, reached: float
) -> tuple[Array, float]:
    """The weights with one moved to where the measure is highest, and the measure there."""
    scores, column = features @ weights, features[:, feature]
    tried = [performance(scores + np.float32(move) * column).mean() for move in MOVES]
    best = int(np.argmax(tried))
    if tried[best] <= reached:
        return weights, reached
    weights = weights.copy()
    weights[feature] += MOVES[best]
    return weights / np.abs(weights).sum(), float(tried[best])
