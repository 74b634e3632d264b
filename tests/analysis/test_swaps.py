"""Swap rates: across two sets as the paper counts them, and over random splits of one."""

import itertools

import numpy as np
import polars as pl
import pytest

import ulframe as ul
from tests.matrices import as_scores, made, read
from ulframe import analysis


def means(values, measure="AP"):
    return pl.DataFrame({"run": list("abcd")[: len(values)], "measure": measure, "mean": values})


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([4, 3, 2, 1], [4, 3, 2, 1], 0),
        ([4, 3, 2, 1], [1, 2, 3, 4], 6),
        ([4, 3, 2, 1], [4, 3, 1, 2], 1),
        ([4, 3, 2, 1], [4, 4, 2, 1], 0),  # a tie is not the other order
        ([0.3 - 0.2, 0.1], [1.0, 2.0], 0),  # a tie, but for the last bits
    ],
)
def test_swap_rate(first, second, expected):
    (row,) = analysis.swap_rate(means(first), means(second)).collect().rows()
    n_pairs = len(first) * (len(first) - 1) // 2
    assert row == ("AP", n_pairs, expected, expected / n_pairs)


def test_only_runs_and_measures_of_both_count():
    first = pl.concat([means([3.0, 2.0, 1.0]), means([1.0, 2.0], "RR")])
    found = analysis.swap_rate(first, means([1.0, 2.0])).collect()
    assert found.rows() == [("AP", 1, 1, 1.0)]


def test_splits_are_a_plain_loop():
    values, splits, bins = made(4, 11), 30, [0.0, 0.02, 0.05]
    found = analysis.split_swaps(as_scores(values), splits=splits, bins=bins, seed=3).collect()
    orders = np.random.default_rng(3).permuted(np.tile(np.arange(11), (splits, 1)), axis=1)
    compared, swapped = [0, 0, 0], [0, 0, 0]
    for order in orders:
        first, second = values[:, order < 5], values[:, (order >= 5) & (order < 10)]
        for a, b in itertools.combinations(range(4), 2):
            d = first[a].mean() - first[b].mean()
            other = second[a].mean() - second[b].mean()
            place = max(i for i, edge in enumerate(bins) if abs(d) >= edge)
            compared[place] += 1
            swapped[place] += d * other < 0
    assert found["n_compared"].to_list() == compared
    assert found["n_swapped"].to_list() == swapped
    assert found["below"].to_list() == [0.02, 0.05, None]
    assert sum(compared) == splits * 6


def test_the_seed_fixes_the_splits():
    once, again, other = (
        analysis.split_swaps(as_scores(made(4, 20)), splits=20, seed=seed).collect()
        for seed in (0, 0, 1)
    )
    assert once.equals(again)
    assert not once.equals(other)


def test_one_query_cannot_be_split():
    found = analysis.split_swaps(as_scores([[0.1], [0.2]])).collect()
    assert found["n_compared"].sum() == 0
    assert found["swap_rate"].null_count() == found.height
    assert analysis.difference_for(found).collect().rows() == [("all", "AP", None, None)]


@pytest.mark.parametrize("bins", [[], [0.1], [0.0, 0.2, 0.1]])
def test_bins_rise_from_0(bins):
    with pytest.raises(ul.BadUsage, match="rising from 0"):
        analysis.split_swaps(as_scores(made(2, 4)), bins=bins)


def test_no_bin_is_sure():
    swaps = pl.DataFrame(
        {"set": "all", "measure": "AP", "at_least": [0.0, 0.1], "n_compared": [5, 5],
         "swap_rate": [0.0, 0.4]}
    )  # fmt: skip
    assert analysis.difference_for(swaps).collect().rows() == [("all", "AP", None, 0.0)]


def test_large_differences_are_swapped_less_on_129_real_systems(shared):
    found = analysis.split_swaps(read(shared, "adhoc8_ap"), splits=50).collect()
    assert found["n_compared"].sum() == 50 * 8256
    rates = found["swap_rate"].to_list()
    assert rates[0] > 0.3 > rates[10] >= rates[-1]
    (sure,) = analysis.difference_for(found).collect().to_dicts()
    assert 0 < sure["difference"] <= 0.2
    assert 0 < sure["share"] < 1
