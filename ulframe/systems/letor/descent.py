"""Gradient descent over batches of queries, for the two nets."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ulframe.systems.letor.queries import Array, Queries

STEPS = 20
"""At least so many between two looks at the validation queries: of few queries, several epochs."""

Gradient = Callable[[Array, Array, Array, Array], Array]
"""Weights, and the features, labels and starts of a few queries, in; the loss's gradient out."""


def epochs(
    gradient: Gradient,
    weights: Array,
    queries: Queries,
    features: Array,
    *,
    seed: int,
    rate: float,
    batch: int,
    most: int,
) -> Iterator[Array]:
    """The weights after each of `most` rounds, queries shuffled, stepping by Adam.

    A round is an epoch or, where that has fewer steps than `STEPS`, as many as have.

    Kingma and Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015.
    """
    random = np.random.default_rng(seed)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    step, each = 0, max(1, len(queries) // batch)
    for number in range(most * -(-STEPS // each)):
        order = random.permutation(len(queries))
        for chosen in np.array_split(order, each):
            step += 1
            parts = [np.arange(queries.starts[q], queries.starts[q + 1]) for q in chosen]
            starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
            rows = np.concatenate(parts)
            slope = gradient(weights, features[rows], queries.labels[rows], starts) / len(chosen)
            mean = 0.9 * mean + 0.1 * slope
            square = 0.999 * square + 0.001 * slope**2
            scaled = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
            weights = weights - rate * scaled
        if (number + 1) % -(-STEPS // each) == 0:
            yield weights
