"""Queries with nothing relevant: where a measure is null, where it is 0, who leaves them out."""

import polars as pl
import pytest

import ulframe as ul
from ulframe.evaluation.parts import examine_in_parts
from ulframe.metrics.undefined import measured_against

QRELS = {
    "found": {"a": 1, "b": 0},
    "nothing": {"a": 0, "b": 0},
    "unreturned": {"c": 0},
    "graded": {"a": 2, "b": 1, "c": 0},
}
RUNS = {"found": {"a": 2.0, "b": 1.0}, "nothing": {"a": 2.0, "b": 1.0}, "graded": {"a": 1.0}}

DIVIDE = [
    "AP",
    "AP@10",
    "AP(norm=r)",
    "GAP",
    "gm_map",
    "R@10",
    "F@10",
    "Rprec",
    "Rprec(mult=2)",
    "bpref",
    "gm_bpref",
    "infAP",
    "binG",
    "IPrec@0.1",
    "AvgIPrec",
    "SetR",
    "SetF",
    "SetAP",
    "G",
    "ndcg_rel",
    "Rndcg",
    "rbp",
    "Compat",
    "nDCG",
    "nDCG@10",
    "nCG",
    "U(P@10)",
    "U(SP)",
    "V1(AP)",
    "V2(AP)",
    "V2(P@10)",
    "MinMax(AP)",
    "Ratio(AP)",
    "AP(judged_only=True)",
]
"""What divides by how many are relevant, or by the best value."""

DO_NOT = [
    "P@10",
    "RR",
    "RR@10",
    "Success@10",
    "SP",
    "DCG",
    "DCG@10",
    "CG",
    "ERR",
    "RBP",
    "SetP",
    "yaap",
    "Accuracy",
    "Judged",
    "IUB(AP)",
    "RLB(AP)",
    "WLB(AP)",
    "NumRel",
    "NumRelRet",
    "NumRet",
]


def scores(measure, **options):
    rows = ul.evaluate(QRELS, RUNS, measure, **options).collect()
    return dict(rows.select("query_id", "score").iter_rows())


@pytest.mark.parametrize("measure", DIVIDE)
def test_what_divides_by_what_is_relevant_is_undefined_where_nothing_is(measure):
    found = scores(measure)
    assert (found["nothing"], found["unreturned"]) == (None, None)
    assert found["graded"] is not None


@pytest.mark.parametrize("measure", DO_NOT)
def test_what_does_not_is_a_number(measure):
    assert None not in scores(measure).values()


@pytest.mark.parametrize("measure", ["P@10", "RR", "Success@10", "SP", "DCG"])
def test_and_that_is_0(measure):
    assert scores(measure)["nothing"] == 0


@pytest.mark.parametrize("measure", DIVIDE)
def test_means_take_it_as_0_or_skip_it(measure):
    rows = ul.evaluate(QRELS, RUNS, measure).collect()
    known = rows["score"].drop_nulls()
    zero = ul.means(rows).collect().row(0, named=True)
    skip = ul.means(rows, undefined="skip").collect().row(0, named=True)
    assert (zero["n_queries"], skip["n_queries"]) == (4, known.len())
    assert zero["n_undefined"] == skip["n_undefined"] == 4 - known.len() >= 2


def test_the_threshold_decides_what_is_relevant():
    assert scores("AP(rel=2)") == {"found": None, "nothing": None, "unreturned": None, "graded": 1}


@pytest.mark.parametrize("pool", ["judged", "retrieved", 100])
def test_the_pool_does_not(pool):
    qrels, runs = {"q": {"a": 1, "b": 0}, "r": {"a": 1}}, {"q": {"b": 1.0}}
    found = ul.evaluate(qrels, runs, ["AP", "NumRel"], pool=pool).collect()
    assert found["score"].to_list() == [0, 1, 0, 1]


def test_it_follows_from_what_a_declaration_reads():
    mine = ul.declare("MyRecall", lambda m: m.relevant / m.r_at_least_1)
    plain = ul.declare("MyHits", lambda m: m.relevant)
    assert measured_against(mine) == {"r[1]"}
    assert scores(mine)["nothing"] is None
    assert measured_against(plain) == frozenset()
    assert scores(plain)["nothing"] == 0


# ---------------------------------------------------------------- only queries with something
@pytest.mark.parametrize(
    ("measures", "queries"),
    [
        (["AP", "nDCG"], ["found", "graded"]),
        (["AP(rel=2)"], ["graded"]),
        (["AP(rel=2)", "P@5"], ["found", "graded"]),
        (["AP(rel=0.5)"], ["found", "graded"]),
    ],
)
def test_queries_with_something_relevant(measures, queries):
    rows = ul.evaluate(QRELS, RUNS, measures, queries="relevant").collect()
    assert rows["query_id"].unique().sort().to_list() == queries


def test_a_query_that_the_run_misses_stays():
    rows = ul.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}}, "AP", queries="relevant")
    assert rows.collect()["score"].to_list() == [1, 0]


def test_parts_leave_out_the_same():
    whole = ul.evaluate(QRELS, RUNS, "AP", queries="relevant").collect()
    parts = examine_in_parts(QRELS, RUNS, "AP", 3, queries="relevant")
    assert parts.scores.collect().equals(whole)


def test_the_coverage_says_which_they_are():
    rows = ul.examine(QRELS, RUNS, "AP").coverage.collect()
    assert sorted(rows.filter(pl.col("has_relevant"))["query_id"]) == ["found", "graded"]
