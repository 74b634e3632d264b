"""Expectations and spreads of longer lists against seeded shuffles, within some standard errors.

The shuffles are random, if seeded: four standard errors are exceeded once in 16,000 comparisons of
means. Mean squares have longer tails, so that five are allowed.
"""

from __future__ import annotations

from functools import cache
from math import sqrt

import numpy as np
import polars as pl
import pytest

import ulframe as ul
from tests.evaluation.test_bounds import EXACT, SIMULATED

SHUFFLES = 400
SIZES = {
    30: 0.4,
    50: 0.4,
    100: 0.2,
    120: 0.2,
    300: 0.3,
    1000: 0.1,
}  # documents, and the share that gains anything

METRICS = [name for name in EXACT if "max=2" not in name]
METRICS += ["nDCG@10", "R@100", "RR@10", "ERR@20", "RBP(p=0.95)", "SetF(judged_only=True)"]
SPREAD = [name for name in METRICS if name not in [*SIMULATED, "nDCG@10", "ERR@20"]]


@cache
def scores(n: int, unjudged: int = 0) -> pl.DataFrame:
    """Each shuffle of one list of labels is a run; of some of it there is no label, or none yet."""
    rng = np.random.default_rng(n)
    share = SIZES[n]
    gaining = share * np.array([0.5, 0.3, 0.15, 0.05])
    labels = rng.choice([-1, 0, 1, 2, 3, 4], n, p=[0.1, 0.9 - share, *gaining])
    docs = [f"d{i}" for i in range(n + unjudged)]
    qrels = pl.DataFrame({"query_id": "q", "doc_id": docs[:n], "label": labels})
    run = {"query_id": "q", "doc_id": docs}
    runs = pl.concat(
        pl.DataFrame({"run": f"{i}", **run, "score": rng.permutation(len(docs))})
        for i in range(SHUFFLES)
    )
    names = [*METRICS, *(f"SD({name})" for name in SPREAD)]
    return ul.evaluate(qrels, runs, names, pool=len(docs)).collect()


@pytest.mark.parametrize("n", [50, 120, 300, 1000])
@pytest.mark.parametrize("name", METRICS)
def test_over_what_is_judged(name, n):
    agrees(scores(n), name)


@pytest.mark.parametrize(("n", "unjudged"), [(30, 20), (100, 300)])
@pytest.mark.parametrize("name", METRICS)
def test_over_a_collection_of_which_little_is_judged(name, n, unjudged):
    agrees(scores(n, unjudged), name)


def agrees(scores: pl.DataFrame, name: str) -> None:
    rows = scores.filter(measure=name)
    values, expected = rows["value"].to_numpy(), rows["expected"][0]
    error = values.std(ddof=1) / sqrt(SHUFFLES)
    assert abs(values.mean() - expected) <= max(4 * error, 1e-9)
    if name in SPREAD:
        squares = (values - expected) ** 2
        variance = scores.filter(measure=f"SD({name})")["score"][0] ** 2
        error = squares.std(ddof=1) / sqrt(SHUFFLES)
        assert abs(squares.mean() - variance) <= max(5 * error, 1e-12)
