"""Correlations of rankings: Kendall's tau and the AP correlation, with ties and without."""

import itertools
import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

import ulframe as ul
from ulframe import analysis
from ulframe.analysis import tau_a, tau_ap, tau_ap_a, tau_ap_b, tau_b


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([3, 2, 1], [3, 2, 1], 1),
        ([3, 2, 1], [1, 2, 3], -1),
        ([4, 3, 2, 1], [4, 3, 1, 2], (5 - 1) / 6),
        ([3, 2, 1], [2, 2, 1], 2 / 3),  # a tied pair is neither
        ([1, 1, 1], [3, 2, 1], 0),
        ([0.3 - 0.2, 0.1, 0], [2, 2, 1], 2 / 3),  # tied, but for the last bits
    ],
)
def test_tau_a(x, y, expected):
    assert tau_a(x, y) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([4, 3, 2, 1], [4, 3, 1, 2], (5 - 1) / 6),
        ([3, 2, 1], [2, 2, 1], 2 / math.sqrt(3 * 2)),
        ([3, 2, 2, 1], [3, 3, 2, 1], (4 - 0) / math.sqrt(5 * 5)),
        ([1, 1], [2, 1], None),
    ],
)
def test_tau_b(x, y, expected):
    assert tau_b(x, y) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        # by `y` the order is: of each but the first, the share of those above that belong there
        ([4, 3, 2, 1], [4, 3, 2, 1], 2 / 3 * (1 + 1 + 1) - 1),
        ([4, 3, 2, 1], [4, 3, 1, 2], 2 / 3 * (1 + 1 + 2 / 3) - 1),
        ([4, 3, 2, 1], [3, 4, 2, 1], 2 / 3 * (0 + 1 + 1) - 1),
        ([4, 3, 2, 1], [1, 2, 3, 4], -1),
        # x: a b c d e; y: c a b e d; above a: c, wrong; above b: c wrong, a right; ...
        ([5, 4, 3, 2, 1], [4, 3, 5, 1, 2], 2 / 4 * (0 + 1 / 2 + 1 + 3 / 4) - 1),
    ],
)
def test_tau_ap(x, y, expected):
    assert tau_ap(x, y) == pytest.approx(expected)
    assert tau_ap_a(x, y) == pytest.approx(expected)
    assert tau_ap_b(x, y) == pytest.approx((expected + tau_ap(y, x)) / 2)


@pytest.mark.parametrize(
    "y", [[2, 2, 1, 1], [3, 1, 1, 1], [1, 1, 1, 2], [1, 1, 1, 1], [1, 2, 2, 3]]
)
def test_tau_ap_a_is_the_mean_over_all_orders_of_ties(y):
    x = [3, 4, 1, 2]
    orders = [
        [value + 0.1 * shift for value, shift in zip(map(int, y), shifts, strict=True)]
        for shifts in itertools.permutations(range(4))
    ]
    assert tau_ap_a(x, [*map(int, y)]) == pytest.approx(
        np.mean([tau_ap(x, order) for order in orders])
    )


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        # one direction: of c, the share of {a, b} above it; the other: of b and of c
        ([3, 2, 1], [2, 2, 1], ((2 * 1 - 1) + (2 / 2 * (0 + 2 / 2) - 1)) / 2),
        ([2, 1, 1], [2, 1, 1], 1),
        ([2, 1, 1], [1, 1, 2], ((2 * 0 - 1) + (2 / 2 * (0 + 0) - 1)) / 2),
        ([1, 1, 1], [3, 2, 1], None),
    ],
)
def test_tau_ap_b(x, y, expected):
    assert tau_ap_b(x, y) == pytest.approx(expected)
    assert tau_ap_b(y, x) == pytest.approx(expected)


@pytest.mark.parametrize("tau", [tau_a, tau_b, tau_ap, tau_ap_a, tau_ap_b])
@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1, 2], [1, 2, 3], "equally many"),
        ([1], [1], "at least two"),
        ([1, float("nan")], [1, 2], "finite"),
    ],
)
def test_what_cannot_be_correlated_is_refused(tau, x, y, message):
    with pytest.raises(ul.BadData, match=message):
        tau(x, y)


def test_ties_are_refused_where_they_have_no_meaning():
    with pytest.raises(ul.BadData, match="tau_ap_a and tau_ap_b take them"):
        tau_ap([3, 2, 1], [1, 1, 2])
    with pytest.raises(ul.BadData, match="tau_ap_b takes them"):
        tau_ap_a([1, 1, 2], [3, 2, 1])


# ---------------------------------------------------------------- of measures
def test_agreement_of_every_two_measures_per_set():
    means = pl.DataFrame(
        {
            "run": ["a", "b", "c"] * 3,
            "set": ["all"] * 6 + ["short"] * 3,
            "measure": ["AP"] * 3 + ["RR"] * 3 + ["AP"] * 3,
            "mean": [0.3, 0.2, 0.1, 0.3, 0.1, 0.2, 0.3, 0.2, None],
        }
    )
    (row,) = analysis.agreement(means).collect().rows(named=True)
    assert (row["set"], row["measure_a"], row["measure_b"], row["n_runs"]) == ("all", "AP", "RR", 3)
    assert (row["tau_a"], row["tau_b"]) == pytest.approx((1 / 3, 1 / 3))
    assert row["tau_ap_b"] == pytest.approx(2 / 2 * (1 + 1 / 2) - 1)


def test_on_the_ap_and_rr_of_129_real_systems(shared):
    x, y = (
        pl.read_csv(shared / "ap-matrices" / f"adhoc8_{name}.csv").mean().row(0)
        for name in ("ap", "rr")
    )
    signs = [np.sign(np.subtract.outer(values, values)) for values in (x, y)]
    assert tau_a(x, y) == pytest.approx(np.sum(signs[0] * signs[1]) / (129 * 128))
    assert tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic)


# --------------------------------------------- weighted, with systems missing, how sure
def test_weighted_tau_as_vigna_defines_it():
    """By pairs: a swap weighs 1 / (1 + rank) of both, ranks from 0 by each side in turn."""
    x, y = [5.0, 4, 3, 2, 1], [4.0, 5, 3, 1, 2]

    def by(order):
        rank = {thing: place for place, thing in enumerate(np.argsort([-v for v in order]))}
        found, whole = 0.0, 0.0
        for i, j in itertools.combinations(range(5), 2):
            weight = 1 / (1 + rank[i]) + 1 / (1 + rank[j])
            found += weight * np.sign(x[i] - x[j]) * np.sign(y[i] - y[j])
            whole += weight
        return found / whole

    assert analysis.tau_w(x, y) == pytest.approx((by(x) + by(y)) / 2)
    assert analysis.tau_w([1, 1], [1, 2]) is None


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ({"a": 2, "b": 1}, {"b": 1, "a": 2}, 1.0),
        # c and b stand behind: a above both in both, b above c in x, c above b in y
        ({"a": 2, "b": 1}, {"a": 2, "c": 1}, (2 - 1) / 3),
        ({"a": 1}, {"b": 1}, -1.0),
        ({"a": 1, "b": 1}, {"a": 1, "b": 1}, None),
    ],
)
def test_tau_where_systems_are_missing(x, y, expected):
    found = analysis.tau_missing(x, y)
    assert found == (None if expected is None else pytest.approx(expected))


def test_intervals_of_tau_by_plain_resampling():
    rng = np.random.default_rng(2)
    values = {name: rng.normal(size=(5, 30)) + np.arange(5)[:, None] / 4 for name in ("m", "n")}
    rows = [
        (f"r{run}", f"{query:02}", name, float(score))
        for name, table in values.items()
        for (run, query), score in np.ndenumerate(table)
    ]
    frame = pl.DataFrame(rows, schema=["run", "query_id", "measure", "score"], orient="row")
    row = analysis.agreement_intervals(frame, resamples=300, seed=7).collect().row(0, named=True)
    drawn = np.random.default_rng(7).integers(30, size=(300, 30))
    taus = [
        stats.kendalltau(*(table[:, some].mean(axis=1) for table in values.values())).statistic
        for some in drawn
    ]
    assert row["tau_b"] == pytest.approx(
        stats.kendalltau(*(table.mean(axis=1) for table in values.values())).statistic
    )
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(taus, [0.025, 0.975])))
    assert row["n_queries"] == 30
