"""How many queries a paired t-test takes: published numbers, a plain search, and simulation."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import ulframe as ul
from ulframe.analysis import effect_detectable, needs_compared, queries_needed, sample_size
from ulframe.analysis.sample_size import power_of
from ulframe.cli.main import main


# Cohen 1988 and G*Power: paired, two-sided
@pytest.mark.parametrize(
    ("effect", "alpha", "power", "n"),
    [
        (0.2, 0.05, 0.8, 199),  # the normal approximation says 197
        (0.5, 0.05, 0.8, 34),
        (0.8, 0.05, 0.8, 15),
        (0.5, 0.05, 0.95, 54),
        (-0.5, 0.05, 0.8, 34),
    ],
)
def test_published_numbers(effect, alpha, power, n):
    assert queries_needed(effect, alpha=alpha, power=power) == n


@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.3])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.99])
def test_it_is_the_first_number_that_is_enough(alpha, power):
    """By trying every number, with the power as the integral that defines it."""
    for effect in (0.15, 0.4, 0.9, 1.7, 3.1, 6.0, 40.0):
        n = queries_needed(effect, alpha=alpha, power=power)
        reached = [integral(many, effect, alpha) >= power for many in range(2, n + 1)]
        assert reached == [False] * (n - 2) + [True], (effect, n)


def integral(n: int, effect: float, alpha: float) -> float:
    """P(|t| > limit) over the distribution of the standard deviation, by Simpson's rule."""
    freedom, shift = n - 1, effect * sqrt(n)
    limit = stats.t.ppf(1 - alpha / 2, freedom)
    s = np.linspace(1e-9, 1 + 12 / sqrt(freedom), 4001)
    density = stats.chi.pdf(s * sqrt(freedom), freedom) * sqrt(freedom)
    found = stats.norm.sf(limit * s - shift) + stats.norm.cdf(-limit * s - shift)
    weights = np.tile([2.0, 4.0], 2001)[:4001]
    weights[[0, -1]] = 1
    return float((found * density * weights).sum() * (s[1] - s[0]) / 3)


def test_tiny_effects_take_many_queries():
    """There the normal distribution is exact: (1.959964 + 0.841621)^2 / d^2, and 1.92 more."""
    assert queries_needed(0.001) == pytest.approx((1.959964 + 0.841621) ** 2 / 0.001**2, abs=10)


@pytest.mark.parametrize("n", [2, 3, 10, 199, 5000])
def test_what_is_detectable_takes_just_so_many(n):
    effect = effect_detectable(n)
    assert queries_needed(effect * (1 + 1e-9)) == n
    assert n == 2 or queries_needed(effect * (1 - 1e-6)) == n + 1


def test_simulated_tests_find_it_as_often_as_is_said():
    rng, draws, effect = np.random.default_rng(0), 20_000, 0.5
    for n in (10, queries_needed(effect)):
        p = stats.ttest_1samp(rng.normal(effect, 1, (draws, n)), 0, axis=1).pvalue
        said = power_of(np.array([n]), np.array([effect]), 0.05)[0]
        error = sqrt(said * (1 - said) / draws)
        assert (p < 0.05).mean() == pytest.approx(said, abs=4 * error)


A = [0.6, 0.2, 0.4, 0.4]
SCORES = pl.DataFrame(
    {
        "run": ["a"] * 4 + ["b"] * 4 + ["c"] * 4 + ["d"] * 4,
        "query_id": ["1", "2", "3", "4"] * 4,
        "measure": "AP",
        "score": [*A, 0.4, 0.2, 0.2, 0.4, *A, *(one - 0.5 for one in A)],
    }
)  # fmt: skip


def test_pairs_by_hand():
    rows = sample_size(SCORES, baseline="a").collect().rows_by_key("run_a", named=True, unique=True)
    b, c, d = (rows[name] for name in "bcd")
    assert b["diff"] == pytest.approx(-0.1)  # of -.2, 0, -.2, 0
    assert b["sd"] == pytest.approx(sqrt(4 * 0.1**2 / 3))
    assert b["effect"] == pytest.approx(-0.1 / sqrt(0.04 / 3))  # -.866
    assert b["needed"] == queries_needed(0.1 / sqrt(0.04 / 3))
    assert b["detectable"] == pytest.approx(effect_detectable(4) * b["sd"])
    assert (c["diff"], c["needed"], c["effect"]) == (0, None, None)  # the same everywhere
    assert d["diff"] == pytest.approx(-0.5)  # everywhere as much
    assert (d["needed"], d["sd"], d["effect"], d["power"]) == (2, 0, None, 1)


def test_queries_that_a_run_lacks_and_undefined_scores():
    less = SCORES.filter((pl.col("run") != "b") | (pl.col("query_id") != "4"))
    assert sample_size(less).collect()["n_queries"].unique().to_list() == [3]
    none = SCORES.with_columns(score=pl.when(pl.col("query_id") != "4").then("score"))
    assert sample_size(none).collect()["n_queries"].unique().to_list() == [4]
    skipped = sample_size(none, undefined="skip").collect()
    assert skipped["n_queries"].unique().to_list() == [3]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: queries_needed(0.0), "no number of queries finds a difference of 0"),
        (lambda: queries_needed(0.5, power=1.0), "0 < alpha < power < 1"),
        (lambda: queries_needed(0.5, alpha=0.9), "0 < alpha < power < 1"),
        (lambda: effect_detectable(1), "takes two at least"),
        (lambda: sample_size(SCORES, baseline="x").collect(), "no run 'x' to be the baseline"),
        (lambda: needs_compared(sample_size(SCORES), "RR").collect(), "no measure 'RR'"),
    ],
)
def test_what_is_refused(call, says):
    with pytest.raises(ul.BadUsage, match=says):
        call()


@pytest.mark.parametrize("rows", [SCORES.filter(run="a"), SCORES.filter(query_id="1")])
def test_one_run_or_one_query_has_no_power(rows):
    with pytest.raises(ul.BadData, match=r"takes two"):
        sample_size(rows).collect()


def test_what_measures_need_beside_ndcg(shared):
    """On the paper's second data set, medians over its 210 pairs of systems."""
    folder = shared / "mq2007-agg"
    measures = ["nDCG@10", "V1(DCG@10)", "V2(DCG@10)", "Z(DCG@10)"]
    scores = ul.evaluate(folder / "qrels.parquet", folder / "runs.parquet", measures)
    compared = needs_compared(sample_size(scores), "nDCG@10").collect()
    times = dict(compared.select("measure", "times").iter_rows())
    assert compared["n_pairs"].to_list() == [210] * 4
    assert 1.04 <= times["V1(DCG@10)"] <= 1.08
    assert 1.10 <= times["V2(DCG@10)"] <= 1.31
    assert times["Z(DCG@10)"] == pytest.approx(0.95, abs=0.01)


# ---------------------------------------------------------------- the command
@pytest.fixture
def scores(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    SCORES.write_csv("scores.csv")
    return tmp_path


def test_the_command_prints_what_the_function_gives(scores, capsys):
    pytest.importorskip("vl_convert")
    asked = ["power", "scores.csv", "--baseline", "a", "-o", "needs.parquet", "--chart", "n.svg"]
    assert main(asked) == 0
    said = capsys.readouterr()
    assert "4 queries; two-sided paired t at 0.05, power 0.8" in said.err
    assert "no number of queries tells 1 pair apart" in said.err
    assert "| b     | a     | -0.1000 | 0.1155 |" in said.out
    wanted = sample_size(SCORES, baseline="a").collect()
    assert pl.read_parquet("needs.parquet").equals(wanted)
    assert "How many queries a difference takes" in Path("n.svg").read_text()


@pytest.mark.parametrize(
    ("words", "code"), [(["--power", "2"], 2), (["--baseline", "x"], 2), (["--runs", "a"], 1)]
)
def test_the_command_refuses(words, code, scores, capsys):
    assert main(["power", "scores.csv", *words]) == code
    assert capsys.readouterr().err.startswith("ulframe power: ")
