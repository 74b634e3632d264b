"""L2-regularised logistic regression: the probability that a document is relevant, by itself.

Relevant is a label of 1 or more. How strong the regularisation is, the validation queries decide.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from ulframe.metrics.metric import Measure
from ulframe.systems.letor.fitting import Scorer
from ulframe.systems.letor.objective import best_of, objective
from ulframe.systems.letor.queries import Array, Queries, normalised

STRENGTHS = 10.0 ** np.arange(1, -6, -1)


def fit(train: Queries, valid: Queries, measure: Measure, seed: int) -> Scorer:
    """Learn a weight per feature; nothing is random, so that `seed` changes nothing."""
    features, relevant = normalised(train), train.labels >= 1
    unseen, reached = normalised(valid), objective(measure, valid)

    def rounds() -> Iterator[Array]:
        weights = np.zeros(features.shape[1] + 1)
        for strength in STRENGTHS:
            arguments = (features, relevant, strength)
            weights = minimize(loss, weights, arguments, "L-BFGS-B", jac=gradient).x
            yield weights

    best = best_of(rounds(), lambda weights: reached(unseen @ weights[:-1]).mean(), len(STRENGTHS))
    return lambda queries: normalised(queries) @ best[:-1]


def loss(weights: Array, features: Array, relevant: Array, strength: float) -> float:
    """Mean cross entropy, plus the squared weights (not the last, the intercept)."""
    scores = features @ weights[:-1].astype(features.dtype) + weights[-1]
    penalty = strength / 2 * weights[:-1] @ weights[:-1]
    return float(np.logaddexp(0, np.where(relevant, -scores, scores)).mean() + penalty)


def gradient(weights: Array, features: Array, relevant: Array, strength: float) -> Array:
    """The loss's gradient by the weights."""
    scores = features @ weights[:-1].astype(features.dtype) + weights[-1]
    off = (expit(scores) - relevant) / len(relevant)
    slope = off.astype(features.dtype) @ features + strength * weights[:-1]
    return np.append(slope, off.sum())
