"""From scores to a summary: aggregates, denominators, sets of queries, intervals."""

import random
from statistics import fmean, quantiles

import polars as pl
import pytest

import ulframe as ul


def scores(values, measure="P@2", run="a"):
    queries = [str(i) for i in range(len(values))]
    return pl.DataFrame(
        {"run": run, "query_id": queries, "measure": measure, "score": values},
        schema_overrides={"score": pl.Float64},
    )


@pytest.mark.parametrize(
    ("undefined", "values", "mean", "n", "undefined_ones"),
    [
        ("zero", [1.0, 0.5, None, 0.5], 2 / 4, 4, 1),
        ("skip", [1.0, 0.5, None, 0.5], 2 / 3, 3, 1),
        ("zero", [None, None], 0.0, 2, 2),
        ("skip", [None, None], None, 0, 2),
        ("zero", [0.25], 0.25, 1, 0),
    ],
)
def test_means(undefined, values, mean, n, undefined_ones):
    for make in (ul.means, ul.summarise):
        row = make(scores(values), undefined=undefined).collect().row(0, named=True)
        assert (row["set"], row["mean"]) == ("all", pytest.approx(mean) if n else None)
        assert (row["n_queries"], row["n_undefined"], row["n_missing"]) == (n, undefined_ones, None)


def test_columns_are_the_contract():
    got = ul.summarise(scores([1.0, 0.0])).collect()
    assert got.columns == [
        "run", "set", "measure", "mean", "n_queries", "n_undefined", "n_missing", "ci_low",
        "ci_high",
    ]  # fmt: skip


def test_a_set_is_a_join():
    sets = pl.DataFrame({"query_id": ["0", "1", "2", "2"], "set": ["x", "x", "x", "y"]})
    got = ul.means(scores([1.0, 0.0, 0.5, 0.1]), sets=sets).collect()
    assert got.select("set", "mean", "n_queries").sort("set").rows() == [
        ("x", 0.5, 3),
        ("y", 0.5, 1),
    ]


def test_missing_queries_are_counted_per_run():
    qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
    runs = {"s": {"1": {"a": 1.0}}, "t": {q: {"a": 1.0} for q in "123"}}
    plan = ul.examine(qrels, runs, "AP")
    got = ul.means(plan.scores, coverage=plan.coverage).collect()
    assert got.select("run", "mean", "n_queries", "n_missing").rows() == [
        ("s", pytest.approx(1 / 3), 3, 2),
        ("t", pytest.approx(1 / 3), 3, 0),
    ]


def test_the_order_of_runs_and_measures_is_kept():
    frame = pl.concat([scores([1.0], m, r) for r in ("z", "a") for m in ("map", "AP", "P@1")])
    got = ul.summarise(frame).collect()
    assert got.select("run", "measure").rows() == [
        (r, m) for r in ("z", "a") for m in ("map", "AP", "P@1")
    ]


def test_intervals_are_percentiles_of_resampled_means():
    rng = random.Random(3)
    values = [rng.betavariate(2, 3) for _ in range(60)]
    means = [fmean(rng.choices(values, k=60)) for _ in range(4000)]
    cuts = quantiles(means, n=40)
    row = ul.summarise(scores(values)).collect().row(0, named=True)
    assert row["ci_low"] == pytest.approx(cuts[0], abs=0.01)
    assert row["ci_high"] == pytest.approx(cuts[-1], abs=0.01)
    assert row["ci_low"] < row["mean"] < row["ci_high"]
    assert ul.summarise(scores(values)).collect().row(0, named=True) == row  # seeded


def test_an_interval_of_equal_scores_is_a_point():
    row = ul.summarise(scores([0.5] * 10)).collect().row(0, named=True)
    assert (row["ci_low"], row["ci_high"]) == (0.5, 0.5)


def test_an_unknown_way_with_the_undefined():
    with pytest.raises(ul.BadUsage, match="undefined='drop' is not one of zero, skip"):
        ul.means(scores([1.0]), undefined="drop")


# ---------------------------------------------------------------- sets
def test_attributes_are_sets_and_come_in_their_order():
    attributes = pl.DataFrame({"qid": [2, 0, 1], "language": ["de", "en", None]})
    got = ul.summarise(scores([1.0, 0.0, 0.5]), sets=attributes).collect()
    assert got.select("set", "mean").rows() == [("language=de", 0.5), ("language=en", 1.0)]


def test_a_null_set_is_none():
    sets = pl.DataFrame({"query_id": ["0", "1"], "set": ["x", None]})
    assert ul.means(scores([1.0, 0.0]), sets=sets).collect()["set"].to_list() == ["x"]


@pytest.mark.parametrize("summary", [ul.means, ul.summarise])
def test_sets_of_other_queries_are_refused(summary):
    sets = pl.DataFrame({"query_id": ["77"], "set": ["x"]})
    with pytest.raises(ul.BadData, match="no query of the query sets is in the scores"):
        summary(scores([1.0, 0.0]), sets=sets).collect()
