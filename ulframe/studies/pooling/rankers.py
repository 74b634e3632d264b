"""Pairwise rankers: what tells relevant documents of a topic from the others.

A ranker learns from topics, each the features of its relevant and of its other documents, all in
[0, 1]; it gives a function from features to scores, higher being better. The pairs of one topic
weigh as much as those of any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import optimize

from ulframe.studies.pooling.features import Features

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
Places = tuple[slice, slice]
Scorer = Callable[[Features], Floats]

ROUNDS = 50
STEPS = 64  # thresholds of a weak learner are k / STEPS
PENALTY = 1e-2
LARGEST = 1 - 1e-9  # an r of 1 would weigh infinitely much


@dataclass(frozen=True)
class Topic:
    """The features of a topic's relevant documents and of its others; neither is empty."""

    relevant: Features
    other: Features


Ranker = Callable[[Sequence[Topic]], Scorer]


# ---------------------------------------------------------------- RankBoost
def rankboost(topics: Sequence[Topic], rounds: int = ROUNDS) -> Scorer:
    """RankBoost for two grades (Freund, Iyer, Schapire and Singer 2003, figures 1 and 2).

    A weak learner says 1 where one feature is above a threshold, else 0. Each round takes the one
    whose weighted pairs in the right order exceed those in the wrong order most, by `r`, with the
    weight ln((1 + r) / (1 - r)) / 2. What is learned is a step function of every feature.
    """
    values, places = _stacked(topics)
    steps = _steps(values)
    n_features = values.shape[1]
    learned = np.zeros((n_features, STEPS + 1))  # what each step of a feature adds
    cells = (steps + np.arange(n_features) * (STEPS + 1)).ravel()
    score = np.zeros(len(values))
    for _ in range(rounds):
        weights = np.repeat(_potential(score, places), n_features)
        sums = np.bincount(cells, weights, minlength=learned.size).reshape(learned.shape)
        r = sums[:, ::-1].cumsum(axis=1)[:, ::-1]  # if this step and those above count as 1
        r[:, 0] = 0.0  # all documents count as 1: no pair is told apart
        feature, step = np.unravel_index(np.abs(r).argmax(), r.shape)
        best = np.clip(r[feature, step], -LARGEST, LARGEST)
        alpha = np.log((1 + best) / (1 - best)) / 2
        learned[feature, step:] += alpha
        score += alpha * (steps[:, feature] >= step)
    return lambda new: learned[np.arange(n_features), _steps(new)].sum(axis=1)


def _steps(values: Features) -> Rows:
    """A feature's step: 0 for 0 alone, 1 up to 1 / STEPS, and so on."""
    return np.ceil(values * STEPS).astype(np.intp)


def _potential(score: Floats, places: Sequence[Places]) -> Floats:
    """What each document, if called 1, adds to r, where the weights of all pairs are 1 together.

    A pair weighs exp(score of the other - score of the relevant one): a product, so that the pairs
    of a topic need not be laid out.
    """
    potential = np.zeros(len(score))
    total = 0.0
    for good, rest in places:
        relevant, other = np.exp(-score[good]), np.exp(score[rest])
        size = relevant.size * other.size
        potential[good] = relevant * other.sum() / size
        potential[rest] = -other * relevant.sum() / size
        total += relevant.sum() * other.sum() / size
    return potential / total


# ---------------------------------------------------------------- ranking SVM
def rank_svm(topics: Sequence[Topic], penalty: float = PENALTY) -> Scorer:
    """A linear ranking SVM with the squared hinge, solved in the primal by L-BFGS.

    Minimises the mean over topics of the mean over pairs of max(0, 1 - w (x - y))^2, plus `penalty`
    |w|^2. Joachims 2002; Chapelle and Keerthi 2010 for the loss and the primal.
    """
    values, places = _stacked(topics)
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


def _stacked(topics: Sequence[Topic]) -> tuple[Features, list[Places]]:
    """All documents in one table, and each topic's rows in it: the relevant and the others."""
    parts = [part for topic in topics for part in (topic.relevant, topic.other)]
    ends = np.cumsum([0, *map(len, parts)])
    rows = [slice(first, last) for first, last in pairwise(ends)]
    return np.concatenate(parts), list(zip(rows[::2], rows[1::2], strict=True))
