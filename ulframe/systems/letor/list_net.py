"""ListNet: a linear model whose top-one probabilities come near those of the labels.

Cao, Qin, Liu, Tsai and Li, "Learning to Rank: From Pairwise Approach to Listwise Approach",
ICML 2007.
"""

from __future__ import annotations

import numpy as np

from ulframe.metrics.measure import Measure
from ulframe.systems.letor.descent import epochs
from ulframe.systems.letor.fitting import Scorer
from ulframe.systems.letor.objective import best_of, objective
from ulframe.systems.letor.queries import Array, Queries, instructive, normalised


def fit(
    train: Queries,
    valid: Queries,
    measure: Measure,
    seed: int,
    *,
    most_epochs: int = 200,
    patience: int = 30,
    rate: float = 0.01,
    batch: int = 16,
) -> Scorer:
    """Learn a weight per feature."""
    train = instructive(train)
    features, unseen, reached = normalised(train), normalised(valid), objective(measure, valid)
    start = np.zeros(features.shape[1], np.float32)
    rounds = epochs(
        gradient, start, train, features, seed=seed, rate=rate, batch=batch, most=most_epochs
    )
    best = best_of(rounds, lambda weights: reached(unseen @ weights).mean(), patience)
    return lambda queries: normalised(queries) @ best


def loss(weights: Array, features: Array, labels: Array, starts: Array) -> float:
    """The cross entropy of top-one probabilities, summed over queries."""
    scores = features @ weights
    wanted, got = top_one(labels.astype(features.dtype), starts), top_one(scores, starts)
    return float(-(wanted * np.log(got)).sum())


def gradient(weights: Array, features: Array, labels: Array, starts: Array) -> Array:
    """The loss's gradient by the weights."""
    wanted = top_one(labels.astype(features.dtype), starts)
    slope: Array = features.T @ (top_one(features @ weights, starts) - wanted)
    return slope


def top_one(scores: Array, starts: Array) -> Array:
    """Each document's probability of ranking first: the softmax within its query."""
    first, sizes = starts[:-1], np.diff(starts)
    weights = np.exp(scores - np.repeat(np.maximum.reduceat(scores, first), sizes))
    share: Array = weights / np.repeat(np.add.reduceat(weights, first), sizes)
    return share
