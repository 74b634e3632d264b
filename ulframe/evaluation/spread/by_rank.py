"""Variances of terms that read rank and label alone: sums over a random permutation.

With a(i, d) what document d adds at rank i, 0 below the depth, the variance of their sum is that of
Hoeffding (1951, A combinatorial central limit theorem): the sum over all i and d of the squares of
a, less the means of its row and of its column, plus the mean of all, over n - 1. Where a is a
weight of the rank times a gain, it is s^2 (n W2 - W1^2) / (n - 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ulframe.evaluation.expectation.distribution import cells_of
from ulframe.evaluation.spread.terms import terms_by_rank
from ulframe.metrics.measure import Measure

if TYPE_CHECKING:
    from ulframe.metrics.chance.sums import Array


def by_rank(base: Measure, cells: pl.LazyFrame, pools: pl.DataFrame) -> pl.DataFrame:
    """`pool, variance` of the sum of the terms; pools in which nothing adds are left out."""
    import numpy as np

    rows, terms = terms_by_rank(base, cells_of(base, cells, pools), pools)
    found = []
    for (pool, n, m), labels in rows.group_by("pool", "n", "m"):
        added = np.stack([terms[cell][:m, 0] for cell in labels["cell"]])
        found.append((pool, _variance(added, labels["count"].to_numpy(), n)))
    schema = {"pool": pl.Int64, "variance": pl.Float64}
    return pl.DataFrame(found, schema=schema, orient="row")


def _variance(added: Array, counts: Array, n: int) -> float:
    """Of what documents add, a row per label and a column per rank, and how many each label has.

    The squares are summed with the means taken out one after the other, so that little cancels.
    """
    rows = counts @ added / n  # by rank: the mean over documents
    columns = added.sum(axis=1) / n  # by label: the mean over all n ranks
    square = counts @ (added**2).sum(axis=1) - n * (rows**2).sum()
    square += -n * (counts @ columns**2) + (counts @ columns) ** 2
    return float(square) / max(n - 1, 1)
