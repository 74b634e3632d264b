"""RankBoost: boosting of thresholds on single features, for pairs that are ranked wrongly so far.

Freund, Iyer, Schapire and Singer, "An Efficient Boosting Algorithm for Combining Preferences",
JMLR 4, 2003. A pair's weight is a product of one factor per document, so pairs are never listed.
What is learned is a step function of every feature; `boosted` learns it from any pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from ulframe.metrics.measure import Measure
from ulframe.systems.letor.fitting import Scorer
from ulframe.systems.letor.objective import best_of, objective
from ulframe.systems.letor.queries import Array, Queries, instructive, normalised


def fit(
    train: Queries,
    valid: Queries,
    measure: Measure,
    seed: int,
    *,
    most_rounds: int = 500,
    patience: int = 100,
    thresholds: int = 100,
) -> Scorer:
    """Learn a step function per feature; nothing is random, so that `seed` changes nothing."""
    train = instructive(train)
    features = normalised(train)
    edges = [cuts(column, thresholds) for column in features.T]
    unseen, reached = binned(normalised(valid), edges), objective(measure, valid)
    pull = partial(potential, labels=train.labels, starts=train.starts)
    rounds = boosted(binned(features, edges), edges, pull, most_rounds)
    best = best_of(rounds, lambda steps: reached(summed(unseen, steps)).mean(), patience)
    return lambda queries: summed(binned(normalised(queries), edges), best)


def cuts(values: Array, most: int) -> Array:
    """Thresholds halfway between values, spread over the documents if there are too many."""
    distinct = np.unique(values)
    middle: Array = (distinct[1:] + distinct[:-1]) / 2
    if len(middle) <= most:
        return middle
    return np.unique(np.quantile(values, np.linspace(0, 1, most + 2)[1:-1]))


def binned(features: Array, edges: Sequence[Array]) -> Array:
    """How many of its feature's thresholds each value is above: features x documents, a byte."""
    pairs = zip(edges, features.T, strict=True)
    return np.array([np.searchsorted(edge, column) for edge, column in pairs], np.uint8)


def summed(bins: Array, steps: Array) -> Array:
    """The documents' scores: the sum of each feature's step function."""
    total = np.zeros(bins.shape[1])
    for feature in np.flatnonzero(steps.any(axis=1)):
        total += steps[feature][bins[feature]]
    return total


def boosted(
    bins: Array, edges: Sequence[Array], pull: Callable[[Array], Array], most: int
) -> Iterator[Array]:
    """The step functions, features x bins, after each round.

    In: the bins of the documents by the thresholds `edges`; `pull`, which tells from the scores so
    far how much each document is to rise (`potential`).
    """
    height = max(map(len, edges)) + 1
    steps = np.zeros((len(bins), height))
    scores = np.zeros(bins.shape[1])
    for _ in range(most):
        pulled = pull(scores)
        mass = np.array([np.bincount(row, pulled, height) for row in bins])
        # r of "value above threshold t": the pull on all bins beyond t.
        above = np.cumsum(mass[:, ::-1], axis=1)[:, ::-1][:, 1:]
        feature, threshold = np.unravel_index(np.argmax(np.abs(above)), above.shape)
        r = np.clip(above[feature, threshold], -1 + 1e-9, 1 - 1e-9)
        alpha = 0.5 * np.log((1 + r) / (1 - r))
        steps[feature, threshold + 1 :] += alpha
        scores += alpha * (bins[feature] > threshold)
        yield steps.copy()


def potential(scores: Array, labels: Array, starts: Array, weights: Array | float = 1.0) -> Array:
    """The weight of pairs that a document should win, less that of those it should lose.

    A pair (better b, worse w) weighs exp(score w - score b), times the weight of its query where
    queries have `weights`; all pairs' together are 1.
    """
    first, sizes = starts[:-1], np.diff(starts)
    centred = scores - np.repeat(np.maximum.reduceat(scores, first), sizes)
    # Scores far apart would overflow: beyond e^40 a pair outweighs all others anyway.
    gain, loss = np.exp(np.clip(centred, -40, 0)), np.exp(-np.clip(centred, -40, 0))
    wins, losses = np.zeros(len(scores)), np.zeros(len(scores))
    for label in np.unique(labels):
        worse = np.add.reduceat(np.where(labels < label, gain, 0), first)
        better = np.add.reduceat(np.where(labels > label, loss, 0), first)
        own = labels == label
        wins[own] = (loss * np.repeat(worse, sizes))[own]
        losses[own] = (gain * np.repeat(better, sizes))[own]
    weight = np.repeat(np.broadcast_to(weights, sizes.shape), sizes)
    pull: Array = weight * (wins - losses) / (weight @ wins)
    return pull
