"""Pairwise rankers: what tells relevant documents of a query from the others.

A ranker learns from queries, each the features of its relevant and of its other documents, all in
[0, 1]; it gives a function from features to scores, higher being better. The pairs of one query
weigh as much as those of any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import optimize

from ulframe.studies.pooling.features import Features
from ulframe.systems.letor.rank_boost import binned, boosted, potential, summed

Floats = npt.NDArray[np.float64]
Places = tuple[slice, slice]
Scorer = Callable[[Features], Floats]

ROUNDS = 50
STEPS = 64  # thresholds of a weak learner are k / STEPS
PENALTY = 1e-2


@dataclass(frozen=True)
class Examples:
    """The features of a query's relevant documents and of its others; neither is empty."""

    relevant: Features
    other: Features


Ranker = Callable[[Sequence[Examples]], Scorer]


# ---------------------------------------------------------------- RankBoost
def rankboost(queries: Sequence[Examples], rounds: int = ROUNDS) -> Scorer:
    """RankBoost for two grades, with thresholds at every 64th; see `ulframe.systems.letor`."""
    values, places = _stacked(queries)
    edges = [np.arange(STEPS) / STEPS] * values.shape[1]
    pull = partial(
        potential,
        labels=np.concatenate(
            [[1.0] * len(one.relevant) + [0.0] * len(one.other) for one in queries]
        ),
        starts=np.array([0, *(rest.stop for _, rest in places)]),
        weights=np.array([1 / (len(one.relevant) * len(one.other)) for one in queries]),
    )
    *_, steps = boosted(binned(values, edges), edges, pull, rounds)
    return lambda new: summed(binned(new, edges), steps)


# ---------------------------------------------------------------- ranking SVM
def rank_svm(queries: Sequence[Examples], penalty: float = PENALTY) -> Scorer:
    """A linear ranking SVM with the squared hinge, solved in the primal by L-BFGS.

    Minimises the mean over queries of the mean over pairs of max(0, 1 - w (x - y))^2, plus
    `penalty` |w|^2. Joachims 2002; Chapelle and Keerthi 2010 for the loss and the primal.
    """
    values, places = _stacked(queries)
    x = values.astype(np.float64)

    def loss(w: Floats) -> tuple[float, Floats]:
        score, slope, total = x @ w, np.zeros(len(x)), 0.0
        for good, rest in places:
            short = np.maximum(0.0, 1.0 - score[good][:, None] + score[rest][None, :])
            share = short.size * len(places)
            total += float(np.vdot(short, short)) / share
            slope[good] = -2 * short.sum(axis=1) / share
            slope[rest] = 2 * short.sum(axis=0) / share
        return total + penalty * float(w @ w), x.T @ slope + 2 * penalty * w

    found = optimize.minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B")
    w = np.asarray(found.x, dtype=np.float32)
    return lambda new: np.asarray(new @ w, dtype=np.float64)


def _stacked(queries: Sequence[Examples]) -> tuple[Features, list[Places]]:
    """All documents in one table, and each query's rows in it: the relevant and the others."""
    parts = [part for one in queries for part in (one.relevant, one.other)]
    ends = np.cumsum([0, *map(len, parts)])
    rows = [slice(first, last) for first, last in pairwise(ends)]
    return np.concatenate(parts), list(zip(rows[::2], rows[1::2], strict=True))
