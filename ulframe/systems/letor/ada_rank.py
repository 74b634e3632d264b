"""AdaRank: boosting of single features, each time for the queries that are ranked badly so far.

Xu and Li, "AdaRank: A Boosting Algorithm for Information Retrieval", SIGIR 2007.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ulframe.frames.errors import BadUsage
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import A
from ulframe.systems.letor.fitting import Scorer
from ulframe.systems.letor.objective import Objective, best_of, objective
from ulframe.systems.letor.queries import Array, Queries, instructive, normalised

CERTAIN = 1e-6
"""A ranker without any error would weigh infinitely much: it is taken to have so much."""


def fit(
    train: Queries,
    valid: Queries,
    measure: Measure,
    seed: int,
    *,
    most_rounds: int = 300,
    patience: int = 100,
) -> Scorer:
    """Learn a weight per feature; nothing is random, so that `seed` changes nothing."""
    train = instructive(train)
    unseen, reached = normalised(valid), objective(measure, valid)
    rounds = boosted(normalised(train), objective(measure, train), most_rounds)
    best = best_of(rounds, lambda weights: reached(unseen @ weights).mean(), patience)
    return lambda queries: normalised(queries) @ best


def refuse(measure: Measure) -> None:
    """Raise `BadUsage` for a measure that is not from 0 to 1."""
    if measure.operator is A and measure.metric.about.range not in ("0 to 1", "0 or 1"):
        raise BadUsage(
            f"AdaRank needs a measure from 0 to 1, which {measure} is not: nDCG@10, not DCG@10"
        )


def boosted(features: Array, performance: Objective, most: int) -> Iterator[Array]:
    """The features' weights after each round."""
    width = features.shape[1]
    # Either way round: few documents may be good because a feature is low.
    rankers = [performance(sign * column) for sign in (1, -1) for column in features.T]
    alone = np.array(rankers)  # rankers x queries
    if alone.max() > 1:
        raise BadUsage("AdaRank needs a measure from 0 to 1: nDCG@10, not DCG@10")
    weights = np.zeros(width, np.float32)
    importance = np.full(alone.shape[1], 1 / alone.shape[1])
    for _ in range(most):
        best = int(np.argmax(alone @ importance))
        weights[best % width] += np.sign(width - best - 0.5) * confidence(alone[best], importance)
        yield weights.copy()
        importance = np.exp(-performance(features @ weights))
        importance /= importance.sum()


def confidence(performance: Array, importance: Array) -> float:
    """The weight of a ranker that performs so on queries of such importance."""
    right, wrong = importance @ (1 + performance), importance @ (1 - performance)
    return float(0.5 * np.log(right / max(wrong, CERTAIN)))
