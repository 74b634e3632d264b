"""Powers of two measures compared by bootstrap, against testing each resample by `compare`."""

import numpy as np
import polars as pl
import pytest

import ulframe as ul
from tests.matrices import as_scores, made
from ulframe import analysis

RESAMPLES = 40
TWO = pl.concat([as_scores(made(4, 12), "AP"), as_scores(made(4, 12) ** 4, "RR")])


def drawn(n, resamples=RESAMPLES):
    """Which queries each resample holds: what seed 0 draws."""
    return np.random.default_rng(0).integers(0, n, (resamples, n))


def by_compare(scores, places, **options):
    """How many pairs `compare` finds where the queries are those, each as often as it is drawn."""
    ids = scores["query_id"].unique().sort()
    copies = pl.DataFrame(
        {"query_id": ids[places], "copy": [f"c{at:03}" for at in range(len(places))]}
    )
    again = scores.join(copies, on="query_id").with_columns(query_id="copy").drop("copy")
    found = analysis.compare(again, **options).collect()
    return dict(found.group_by("measure").agg(pl.col("significant").sum()).rows())


@pytest.mark.parametrize(
    "options",
    [
        {"test": "t"},
        {"test": "t", "correction": "none"},
        {"test": "t", "correction": "bh", "baseline": "b"},
        {"test": "sign", "correction": "bonferroni", "alpha": 0.2},
        {"test": "hsd"},
        {"test": "hsd", "alpha": 0.3, "baseline": "a"},
    ],
    ids=str,
)
def test_each_resample_is_tested_as_compare_would(options):
    found = analysis.resampled_power(TWO, resamples=RESAMPLES, **options).collect()
    every = [np.arange(12), *drawn(12)]
    for measure in ("AP", "RR"):
        expected = [by_compare(TWO, places, **options)[measure] for places in every]
        assert found.filter(measure=measure)["n_significant"].to_list() == expected
    assert found["n_significant"].n_unique() > 1
    assert found["n_pairs"].unique().to_list() == [3 if "baseline" in options else 6]


@pytest.mark.parametrize("test", ["t", "sign", "hsd"])
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([[0.3, 0.5, 0.7], [0.3, 0.5, 0.7]], 0),  # alike: never
        ([[0.3] * 9, [0.2] * 9], 1),  # a constant difference: always
    ],
)
def test_what_does_not_vary_is_decided_as_by_compare(test, values, expected):
    found = analysis.resampled_power(as_scores(values), test=test, resamples=20).collect()
    assert found["n_significant"].to_list() == [expected] * 21


@pytest.mark.parametrize("test", ["t", "hsd"])
def test_a_measure_that_lacks_queries_is_resampled_on_the_others(test):
    short = TWO.with_columns(
        score=pl.when(measure="RR", query_id="q0003", run="a").then(None).otherwise("score")
    )
    options = {"test": test, "undefined": "skip"}
    found = analysis.resampled_power(short, resamples=RESAMPLES, **options).collect()
    expected = [by_compare(short, places, **options)["RR"] for places in drawn(12)]
    assert found.filter(pl.col("resample") > 0, measure="RR")["n_significant"].to_list() == expected
    whole = analysis.resampled_power(TWO, resamples=RESAMPLES, test=test).collect()
    assert found.filter(measure="AP").equals(whole.filter(measure="AP"))


def powers(**counts):
    """A frame of powers of 10 pairs: by measure, the number observed and those of resamples."""
    return pl.DataFrame(
        [
            ("all", "t", "holm", measure, at, n, 10)
            for measure, numbers in counts.items()
            for at, n in enumerate(numbers)
        ],
        schema=["set", "test", "correction", "measure", "resample", "n_significant", "n_pairs"],
        orient="row",
    )


def test_the_interval_is_that_of_the_differences():
    frame = powers(AP=[5, 4, 5, 6, 5, 5], RR=[7, 5, 7, 9, 9, 9])  # + 1, 2, 3, 4, 4
    found = analysis.power_difference(frame, level=0.5).collect()
    assert found.rows() == [("all", "t", "holm", "AP", "RR", 5, 7, 10, 2, 2.0, 4.0)]


def test_measures_of_other_numbers_of_pairs_are_not_compared():
    other = powers(P=[1, 1]).with_columns(n_pairs=pl.lit(20, pl.Int64))
    frame = pl.concat([powers(RR=[2, 3], AP=[1, 1]), other])
    found = analysis.power_difference(frame).collect()
    assert found.select("measure_a", "measure_b", "difference").rows() == [("RR", "AP", -1)]


def test_cutoffs_add_up():
    frame = powers(**{"P@5": [1, 2], "RR": [4, 4], "P@10": [3, 5]})
    found = analysis.powers_over_cutoffs(frame).collect()
    assert found.select("measure", "resample", "n_significant", "n_pairs").rows() == [
        ("P", 0, 4, 20), ("P", 1, 7, 20), ("RR", 0, 4, 10), ("RR", 1, 4, 10),
    ]  # fmt: skip


def test_a_set_of_one_query_has_no_power():
    sets = pl.DataFrame({"query_id": ["q0000", "q0001", "q0002"], "set": ["one", "two", "two"]})
    found = analysis.resampled_power(TWO, sets=sets, resamples=5, test="hsd").collect()
    assert found["set"].unique().to_list() == ["two"]
    assert found.height == 2 * 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "wilcoxon"}, "test='wilcoxon' is not one of t, sign, hsd"),
        ({"test": "hsd", "correction": "holm"}, "takes no correction"),
        ({"resamples": 0}, "resamples >= 1"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ul.BadUsage, match=message):
        analysis.resampled_power(TWO, **options)


def test_a_level_is_between_0_and_1():
    with pytest.raises(ul.BadUsage, match="level=95"):
        analysis.power_difference(powers(AP=[1]), level=95)


# ---------------------------------------------------------------- real data
@pytest.fixture(scope="module")
def mq2007(shared):
    folder = shared / "mq2007-agg"
    qrels, runs = ul.scan_qrels(folder / "qrels.parquet"), ul.scan_runs(folder / "runs.parquet")
    measures = ["nDCG@10", "V1(DCG@10)", "V2(DCG@10)"]
    return ul.evaluate(qrels, runs, measures).collect()


def test_v2_tells_no_more_apart_than_ndcg_on_uninformative_queries(mq2007):
    queries = analysis.real_and_expected(mq2007)
    sets = analysis.uninformative(queries, 500)
    powers = analysis.resampled_power(mq2007, sets=sets, correction="none")
    found = analysis.power_difference(powers).filter(measure_a="nDCG@10", measure_b="V2(DCG@10)")
    (row,) = found.collect().to_dicts()
    assert (row["n_a"], row["n_b"], row["n_pairs"], row["difference"]) == (147, 149, 210, 2)
    assert row["low"] == pytest.approx(-7, abs=1)
    assert row["high"] == pytest.approx(12, abs=1)


# ---------------------------------------------------------------- chance's share
def by_query(rows, measure="nDCG@5"):
    """Scores of `query: (score, value, upper, expected), ...`, a tuple per run."""
    return pl.DataFrame(
        [(f"run{at}", query, measure, *row) for query, rows in rows.items()
         for at, row in enumerate(rows)],
        schema={
            **dict.fromkeys(["run", "query_id", "measure"], pl.String),
            **dict.fromkeys(["score", "value", "upper", "expected"], pl.Float64),
        },
        orient="row",
    )  # fmt: skip


ALONG = {"a": [(0.2, 1, 4, 1), (0.4, 1, 4, 1)], "b": [(0.5, 1, 4, 2), (0.7, 1, 4, 2)],
         "c": [(0.8, 1, 4, 3), (1.0, 1, 4, 3)]}  # fmt: skip
"""Means .3, .6, .9 where chance reaches 1/4, 2/4, 3/4."""


@pytest.mark.parametrize(
    ("rows", "share", "n"),
    [
        (ALONG, 1.0, 3),
        (ALONG | {"d": [(0.0, 0, 0, 0)], "e": [(None, 0, 4, 4)]}, 1.0, 3),  # nothing, undefined
        ({"a": [(0.0, 0, 1, 0)], "b": [(1.0, 1, 1, 0.5)], "c": [(0.0, 0, 1, 1)]}, 0.0, 3),
        # deviations of the scores -1/2, 1/2, 0, of chance -1/2, 0, 1/2: (1/4)^2 / (1/2 * 1/2)
        ({"a": [(0.0, 0, 1, 0)], "b": [(1.0, 1, 1, 0.5)], "c": [(0.5, 0, 1, 1)]}, 1 / 4, 3),
        ({"a": [(0.5, 1, 2, 1)], "b": [(0.5, 1, 2, 0.5)]}, None, 2),  # the score is always the same
    ],
)  # fmt: skip
def test_the_share_is_a_squared_correlation_over_queries(rows, share, n):
    assert analysis.chance_share(by_query(rows)).collect().row(0) == (
        "nDCG@5",
        share if share is None else pytest.approx(share, abs=1e-12),
        n,
    )


def test_what_normalising_by_chance_takes_away_on_mq2007(mq2007):
    room = pl.col("upper") - pl.col("expected")
    adjusted = mq2007.filter(measure="nDCG@10").with_columns(
        measure=pl.lit("(A - RLB)/(IUB - RLB)"),
        score=pl.when(room > 1e-9).then((pl.col("value") - pl.col("expected")) / room),
    )
    found = analysis.chance_share(pl.concat([mq2007, adjusted])).collect()
    assert found["chance_share"].to_list() == pytest.approx([0.44, 0.12, 0.13, 0.04], abs=0.005)
