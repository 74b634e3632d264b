"""L2-regularised logistic regression: how likely a document is relevant, whatever its rivals.

A label is taken as a probability: the highest of the training labels is 1, half of it 1/2. The
validation queries decide how strong the regularisation is. Cooper, Gey and Dabney, "Probabilistic
Retrieval Based on Staged Logistic Regression", SIGIR 1992.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from ulframe.metrics.measure import Measure
from ulframe.systems.letor.fitting import Scorer
from ulframe.systems.letor.objective import best_of, objective
from ulframe.systems.letor.queries import Array, Queries, instructive, normalised

STRENGTHS = 10.0 ** np.arange(1, -6, -1)
"""Of the regularisation, the strongest first: each starts from the weights of the one before."""


def fit(
    train: Queries, valid: Queries, measure: Measure, seed: int, *, most_iterations: int = 100
) -> Scorer:
    """Learn a weight per feature; nothing is random, so that `seed` changes nothing."""
    train = instructive(train)
    features, wanted = normalised(train), train.labels / train.labels.max()
    unseen, reached = normalised(valid), objective(measure, valid)

    def rounds() -> Iterator[Array]:
        weights = np.zeros(features.shape[1] + 1)
        for strength in STRENGTHS:
            weights = minimize(
                loss, weights, (features, wanted, strength), "L-BFGS-B", jac=gradient,
                options={"maxiter": most_iterations},
            ).x  # fmt: skip
            yield weights

    best = best_of(rounds(), lambda weights: reached(unseen @ weights[:-1]).mean(), len(STRENGTHS))
    return lambda queries: normalised(queries) @ best[:-1]


def loss(weights: Array, features: Array, wanted: Array, strength: float) -> float:
    """Mean cross entropy, plus the squared weights (not the last, the intercept)."""
    scores = _scores(weights, features)
    penalty = strength / 2 * weights[:-1] @ weights[:-1]
    return float((np.logaddexp(0, scores) - wanted * scores).mean() + penalty)


def gradient(weights: Array, features: Array, wanted: Array, strength: float) -> Array:
    """The loss's gradient by the weights."""
    off = (expit(_scores(weights, features)) - wanted) / len(wanted)
    slope = off.astype(features.dtype) @ features + strength * weights[:-1]
    return np.append(slope, off.sum())


def _scores(weights: Array, features: Array) -> Array:
    # Not `features @ weights`, which would make a copy of all features in Float64.
    scores: Array = features @ weights[:-1].astype(features.dtype) + weights[-1]
    return scores
