"""RankNet: a net with one hidden layer that learns which of two documents is the better one.

Burges, Shaked, Renshaw, Lazier, Deeds, Hamilton and Hullender, "Learning to Rank using Gradient
Descent", ICML 2005; the gradient is summed per document as in Burges, "From RankNet to LambdaRank
to LambdaMART: An Overview", MSR-TR-2010-82, section 2.1.
"""

from __future__ import annotations

from itertools import pairwise

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
    hidden: int = 10,
    most_epochs: int = 100,
    patience: int = 20,
    rate: float = 0.003,
    batch: int = 16,
) -> Scorer:
    """Learn the weights of a net with `hidden` units."""
    train = instructive(train)
    features, unseen, reached = normalised(train), normalised(valid), objective(measure, valid)
    width = features.shape[1]
    random = np.random.default_rng(seed)
    start = random.normal(size=hidden * (width + 2)).astype(np.float32) / np.sqrt(width)
    rounds = epochs(
        gradient, start, train, features, seed=seed, rate=rate, batch=batch, most=most_epochs
    )
    best = best_of(rounds, lambda weights: reached(output(weights, unseen)).mean(), patience)
    return lambda queries: output(best, normalised(queries))


def output(weights: Array, features: Array) -> Array:
    """The net's score of each document."""
    inner, bias, outer = _layers(weights, features.shape[1])
    scores: Array = np.tanh(features @ inner + bias) @ outer
    return scores


def loss(weights: Array, features: Array, labels: Array, starts: Array) -> float:
    """The cross entropy of the order of pairs: each query's mean, summed over queries."""
    scores = output(weights, features)
    total = 0.0
    for start, end in pairwise(starts):
        better = labels[start:end, None] > labels[None, start:end]
        lead = scores[start:end, None] - scores[None, start:end]
        total += float(np.logaddexp(0, -lead)[better].mean())
    return total


def gradient(weights: Array, features: Array, labels: Array, starts: Array) -> Array:
    """The loss's gradient by the weights, through the net."""
    inner, bias, outer = _layers(weights, features.shape[1])
    active = np.tanh(features @ inner + bias)
    scores = active @ outer
    pulls = np.empty_like(scores)
    for start, end in pairwise(starts):
        pulls[start:end] = pull(scores[start:end], labels[start:end])
    back = pulls[:, None] * outer * (1 - active**2)
    return np.concatenate([(features.T @ back).ravel(), back.sum(axis=0), active.T @ pulls])


def pull(scores: Array, labels: Array) -> Array:
    """The gradient of one query's loss by its documents' scores."""
    better = labels[:, None] > labels[None, :]
    doubt = better / (1 + np.exp(scores[:, None] - scores[None, :]))
    lost: Array = (doubt.sum(axis=0) - doubt.sum(axis=1)) / better.sum()
    return lost


def _layers(weights: Array, width: int) -> tuple[Array, Array, Array]:
    hidden = len(weights) // (width + 2)
    inner = weights[: width * hidden].reshape(width, hidden)
    bias, outer = weights[width * hidden :].reshape(2, hidden)
    return inner, bias, outer
