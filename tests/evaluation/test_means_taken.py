"""What is made of means - swap rates, agreement, percentages - refuses means that are no means."""

import polars as pl
import pytest

from ulframe import BadData, BadUsage, analysis

MEANS = pl.DataFrame({"run": ["a", "b"], "measure": "AP", "mean": [0.5, 0.25]})
FUNCTIONS = [
    analysis.agreement,
    analysis.pad,
    lambda means: analysis.swap_rate(means, MEANS),
    lambda means: analysis.swap_rate(MEANS, means),
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("means", "message"),
    [
        (MEANS.with_columns(mean=float("nan")), "a mean must be a finite number or null"),
        (MEANS.with_columns(run=pl.lit("a")), "the means have a set, measure and run twice"),
        (MEANS.drop("measure"), "the means: no column 'measure'"),
    ],
)
def test_no_means(function, means, message):
    with pytest.raises(BadData, match=message):
        function(means).collect()


def test_a_swap_rate_is_between_two_sets():
    both = pl.concat([MEANS.with_columns(set=pl.lit(name)) for name in ("hard", "easy")])
    with pytest.raises(BadData, match="one frame has the sets 'hard', 'easy'"):
        analysis.swap_rate(both, MEANS).collect()


def test_words_do_not_correlate():
    with pytest.raises(BadData, match="two sequences of numbers"):
        analysis.tau_b(["a", "b"], [1, 2])


@pytest.mark.parametrize(
    "function", [analysis.compare, analysis.difference_needed, analysis.split_swaps]
)
def test_a_seed_is_at_least_0(function):
    scores = pl.DataFrame({"run": ["a", "b"], "query_id": "1", "measure": "AP", "score": 0.5})
    with pytest.raises(BadUsage, match="seed=-1"):
        function(scores, seed=-1)
