"""The report's tables of powers with intervals, and of chance's share."""

import polars as pl
import pytest

import ulframe as ul
from ulframe import analysis
from ulframe.report import power
from ulframe.report.findings import find
from ulframe.report.power import chance_tables, power_tables


@pytest.fixture(scope="module")
def scores():
    return ul.evaluate(ul.sample_qrels(), ul.sample_runs(), ["nDCG@10", "V2(DCG@10)"]).collect()


SETS = pl.DataFrame({"query_id": [f"q{n:03}" for n in range(1, 41)], "set": "few"})


def test_powers_stand_with_intervals_by_set(scores):
    counts, beyond = power_tables(find(scores, sets=SETS))
    numbers = {row["measure"]: row for row in counts.frame.to_dicts()}
    (row,) = beyond.frame.to_dicts()
    powers = analysis.resampled_power(scores, sets=SETS)
    (few,) = analysis.power_difference(powers).collect().to_dicts()
    assert row["measure"] == "V2(DCG@10)"
    for name in ("all", "few"):
        more = numbers["V2(DCG@10)"][name] - numbers["nDCG@10"][name]
        assert int(row[name].split(" (")[0]) == more
    assert row["few"].endswith(f"({few['low']:.0f} to {few['high']:.0f})")


@pytest.mark.parametrize(
    ("test", "options", "why"),
    [
        ("wilcoxon", {}, "wilcoxon is not tested again on resamples, as t, sign, hsd are"),
        ("t", {"alpha": 1e-6}, "the pairs were made of other scores, or at another level"),
        ("t", {"baseline": "bm25"}, "the pairs were made of other scores, or at another level"),
    ],
)
def test_where_there_is_no_interval_it_is_said(scores, test, options, why):
    pairs = analysis.compare(scores, test=test, **options)
    (table,) = power_tables(find(scores, pairs=pairs))
    assert table.notes[-1] == f"No intervals of the differences: {why}."


def test_pairs_of_several_tests_have_no_interval(scores):
    found = find(scores, sets=SETS, pairs=pl.concat(
        [analysis.compare(scores), analysis.compare(scores, sets=SETS, test="sign")]
    ))  # fmt: skip
    assert power_tables(found)[0].notes[-1].endswith("the pairs are of several tests.")


def test_too_many_pairs_are_left_to_the_command(scores, monkeypatch):
    monkeypatch.setattr(power, "WORK", 1)
    (table,) = power_tables(find(scores))
    assert "too many pairs; `ulframe compare`" in table.notes[-1]


def test_one_measure_has_nothing_beside_it(scores):
    (table,) = power_tables(find(scores.filter(measure="nDCG@10")))
    assert len(table.notes) == 1


def test_chances_share_is_a_table(scores):
    (table,) = chance_tables(find(scores))
    assert table.frame["share"].to_list() == analysis.chance_share(scores).collect()[
        "chance_share"
    ].to_list()  # fmt: skip


def test_scores_without_bounds_have_no_share_of_chance(scores):
    slim = scores.select("run", "query_id", "measure", "score")
    assert chance_tables(find(slim)) == []
