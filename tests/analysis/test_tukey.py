"""Tukey's HSD for paired data, and the randomised one, beside slow plain implementations."""

import math

import numpy as np
import pytest
from scipy import stats

from tests.matrices import as_scores, made, read
from ulframe import analysis


def compared(values, test, **options):
    return analysis.compare(as_scores(values), test=test, **options).collect()


def plain_hsd(values):
    """(q, p, d) of each pair, by two-way analysis of variance without replication."""
    m, n = len(values), len(values[0])
    grand = sum(map(sum, values)) / (m * n)
    rows = [sum(row) / n for row in values]
    columns = [sum(row[j] for row in values) / m for j in range(n)]
    error = sum(
        (values[i][j] - rows[i] - columns[j] + grand) ** 2 for i in range(m) for j in range(n)
    ) / ((m - 1) * (n - 1))
    for i in range(m):
        for j in range(i + 1, m):
            q = (rows[i] - rows[j]) / math.sqrt(error / n)
            p = stats.studentized_range.sf(abs(q), m, (m - 1) * (n - 1))
            yield q, p, (rows[i] - rows[j]) / math.sqrt(error)


@pytest.mark.parametrize(("m", "n"), [(2, 5), (3, 12), (6, 40)])
def test_hsd(m, n):
    values = made(m, n)
    found = compared(values, "hsd").select("statistic", "p_value", "effect").rows()
    for row, expected in zip(found, plain_hsd(values.tolist()), strict=True):
        assert row == pytest.approx(expected)


def test_of_two_runs_it_is_the_paired_t_test():
    values = made(2, 15)
    hsd, t = (compared(values, test).row(0, named=True) for test in ("hsd", "t"))
    assert hsd["p_value"] == pytest.approx(t["p_value"])
    assert hsd["statistic"] == pytest.approx(t["statistic"] * math.sqrt(2))
    assert (hsd["ci_low"], hsd["ci_high"]) == pytest.approx((t["ci_low"], t["ci_high"]))


def test_differences_between_queries_do_not_matter():
    values, shift = made(4, 20), np.random.default_rng(1).normal(0, 5, 20)
    once, shifted = (compared(v, "hsd")["p_value"].to_list() for v in (values, values + shift))
    assert shifted == pytest.approx(once)


def test_a_pair_is_significant_where_its_interval_leaves_0_out():
    found = compared(made(6, 40), "hsd")
    outside = (found["ci_low"] > 0) | (found["ci_high"] < 0)
    assert found["significant"].to_list() == outside.to_list()
    assert 0 < outside.sum() < len(outside)


def test_many_pairs_are_approximated_closely():
    values = made(20, 30)  # 190 pairs: more than are integrated one by one
    found = compared(values, "hsd")
    expected = [p for _, p, _ in plain_hsd(values.tolist())]
    assert found["p_value"].to_list() == pytest.approx(expected, abs=1e-9, rel=0)


# ---------------------------------------------------------------- randomised
def test_randomised_hsd_is_a_plain_loop():
    values, resamples = made(4, 12), 500
    found = compared(values, "randomised-hsd", resamples=resamples)
    rng = np.random.default_rng(0)
    ranges = []
    for _ in range(resamples):
        means = rng.permuted(values, axis=0).mean(axis=1)
        ranges.append(max(means) - min(means))
    for row in found.to_dicts():
        extreme = sum(gap >= abs(row["diff"]) * (1 - 1e-9) for gap in ranges)
        assert row["p_value"] == pytest.approx((extreme + 1) / (resamples + 1))
        assert row["statistic"] == pytest.approx(row["diff"])


def test_randomised_hsd_comes_near_to_all_deals():
    # two runs, five queries: 2^5 deals, each swapping some of the queries' scores
    values = np.array([[0.9, 0.8, 0.7, 0.9, 0.4], [0.5, 0.7, 0.3, 0.2, 0.6]])
    d = values[0] - values[1]
    sums = [abs(np.dot(1 - 2 * np.array([i >> b & 1 for b in range(5)]), d)) for i in range(32)]
    exact = np.mean(np.array(sums) >= abs(d.sum()) - 1e-9)
    (p,) = compared(values, "randomised-hsd", resamples=4000)["p_value"]
    assert p == pytest.approx(exact, abs=0.03)


def test_both_find_fewer_pairs_than_t_tests_without_correction(shared):
    scores = read(shared, "web2012_err20", "ERR@20")
    found = {
        test: analysis.compare(scores, test=test, correction="none", resamples=500)
        .collect()["significant"]
        .sum()
        for test in ("t", "hsd", "randomised-hsd")
    }
    assert 0 < found["hsd"] < found["t"]
    assert 0 < found["randomised-hsd"] < found["t"]
