"""Analysis of variance, mixed models, Bayesian comparison: by hand, scipy and least squares."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from ulframe.analysis import anova, bayes, mixed_model
from ulframe.frames import BadData, BadUsage

RANDOM = np.random.default_rng(5)
VALUES = RANDOM.normal(size=(4, 12)) + RANDOM.normal(size=12) + np.array([[0.0], [0.3], [0.5], [1]])


def scores(values, measure="AP"):
    """Runs a, b, ... x queries 00, 01, ..."""
    rows = [
        ("abcdefg"[run], f"{query:02}", measure, float(score))
        for (run, query), score in np.ndenumerate(np.asarray(values))
    ]
    return pl.DataFrame(rows, schema=["run", "query_id", "measure", "score"], orient="row")


def table(values):
    return {row["source"]: row for row in anova(scores(values)).collect().iter_rows(named=True)}


def test_a_table_by_hand():
    # means of runs .5 and 1/3, of queries .375, .25, .625, of all 5/12
    found = table([[0.5, 0.25, 0.75], [0.25, 0.25, 0.5]])
    runs = 3 * ((1 / 2 - 5 / 12) ** 2 + (1 / 3 - 5 / 12) ** 2)
    queries = 2 * ((3 / 8 - 5 / 12) ** 2 + (1 / 4 - 5 / 12) ** 2 + (5 / 8 - 5 / 12) ** 2)
    total = sum((x - 5 / 12) ** 2 for x in (0.5, 0.25, 0.75, 0.25, 0.25, 0.5))
    error = total - runs - queries
    sums = {source: row["sum_of_squares"] for source, row in found.items()}
    assert sums == pytest.approx({"runs": runs, "queries": queries, "error": error, "total": total})
    assert [row["df"] for row in found.values()] == [1, 2, 2, 5]
    assert found["runs"]["F"] == pytest.approx(runs / (error / 2))
    assert found["runs"]["omega_squared"] == pytest.approx((runs - error / 2) / (total + error / 2))


def test_of_two_runs_it_is_the_paired_t_test():
    found = table(VALUES[:2])["runs"]
    t = stats.ttest_rel(*VALUES[:2])
    assert found["F"] == pytest.approx(t.statistic**2)
    assert found["p_value"] == pytest.approx(t.pvalue)


def test_sums_of_squares_are_those_of_least_squares():
    """What a model without runs, or without queries, leaves unexplained beside the full one."""
    m, n = VALUES.shape
    runs, queries = np.repeat(np.eye(m), n, axis=0), np.tile(np.eye(n), (m, 1))
    wanted = VALUES.ravel()

    def left(*parts):
        design = np.hstack(parts)
        fitted = design @ np.linalg.lstsq(design, wanted, rcond=None)[0]
        return ((wanted - fitted) ** 2).sum()

    whole, found = left(runs, queries), table(VALUES)
    assert found["error"]["sum_of_squares"] == pytest.approx(whole)
    assert found["runs"]["sum_of_squares"] == pytest.approx(left(queries) - whole)
    assert found["queries"]["sum_of_squares"] == pytest.approx(left(runs) - whole)


def test_without_an_error_there_is_no_f():
    found = table([[0.5, 0.25], [0.75, 0.5]])
    assert (found["runs"]["F"], found["runs"]["p_value"]) == (None, None)


def test_too_small_for_variance():
    with pytest.raises(
        BadData, match="takes two runs and two queries that all have, but 'all' has 1"
    ):
        anova(scores([[0.5, 0.25]])).collect()


# ---------------------------------------------------------------- mixed models
def test_a_balanced_mixed_model_is_the_difference_of_means():
    pytest.importorskip("statsmodels")
    found = mixed_model(scores(VALUES), "a").collect()
    noise = table(VALUES)["error"]["mean_square"]
    assert found["run"].to_list() == ["b", "c", "d"]
    means = VALUES.mean(axis=1)
    assert found["diff"].to_list() == pytest.approx([*(means[1:] - means[0])], abs=1e-6)
    assert found["se"].to_list() == pytest.approx([(2 * noise / 12) ** 0.5] * 3, rel=1e-3)
    queries = table(VALUES)["queries"]["mean_square"]
    assert found["query_sd"].to_list() == pytest.approx(
        [((queries - noise) / 4) ** 0.5] * 3, rel=1e-2
    )


def test_a_mixed_model_wants_its_baseline():
    pytest.importorskip("statsmodels")
    with pytest.raises(BadUsage, match="no run 'z' to be the baseline"):
        mixed_model(scores(VALUES), "z").collect()


# ---------------------------------------------------------------- Bayes
def chances(a, b, **options):
    found = bayes(scores([a, b]), **options).collect()
    return found.select("a_better", "same", "b_better").row(0)


def test_one_query_by_hand():
    """Its weight is Beta(1, 1/2); better has 1 - (1 - w)^2, so wins where w > 1 - sqrt(1/2)."""
    wins = (0.5**0.5) ** 0.5  # 1 - F(x) = (1 - x)^(1/2)
    found = chances([0.9], [0.1], samples=40_000)
    assert found == pytest.approx((wins, 1 - wins, 0), abs=4 * (wins * (1 - wins) / 40_000) ** 0.5)


def test_the_other_way_round():
    a, b = VALUES[0], VALUES[3]
    assert chances(a, b) == chances(b, a)[::-1]
    assert chances(a, b)[2] > 0.9


@pytest.mark.parametrize(("rope", "expected"), [(0.01, (1, 0, 0)), (0.2, (0, 1, 0))])
def test_what_makes_no_difference(rope, expected):
    assert chances([0.6] * 50, [0.5] * 50, rope=rope) == expected


@pytest.mark.parametrize("options", [{"rope": -1}, {"samples": 0}])
def test_refused(options):
    with pytest.raises(BadUsage, match="rope is 0 or more"):
        bayes(scores(VALUES), **options)
