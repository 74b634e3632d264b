"""The same results as pytrec_eval's own class."""

from math import isnan

import pytest
import pytrec_eval

import ulframe as ul
from tests.evaluation.test_peers import made, recalls_of, robust, rounds_alike
from ulframe.interop.pytrec_eval import RelevanceEvaluator, supported_measures

NUMBERS = pytrec_eval.supported_measures - {"runid", "relstring"}
ASKED = [
    {"map", "ndcg_cut.5,10", "P_5", "recall_20", "recip_rank"},
    {"ndcg_cut_10"},
    {"official"},
    NUMBERS,
]


def assert_same(theirs, ours, qrels, level):
    assert {*ours} == {*theirs}
    for query, values in theirs.items():
        r = sum(label >= level for label in qrels[query].values())
        assert {*values} - {"runid"} == {*ours[query]}
        for name, value in values.items():
            # it rounds recalls up, as trec_eval 9, and does not count num_rel by the level
            if name == "runid" or not rounds_alike(name, r) or (name == "num_rel" and level > 1):
                continue
            if isnan(value):  # interpolated precision where no document is left
                assert ours[query][name] == 0
                continue
            assert ours[query][name] == pytest.approx(value, abs=1e-9), (query, name)


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: str(len(asked)))
def test_the_same_on_made_runs(asked, level, judged_only):
    qrels, run = made(5, 5, [0, 0, 1, 2])
    arguments = (qrels, asked, level, judged_only)
    theirs = pytrec_eval.RelevanceEvaluator(*arguments).evaluate(run)
    assert_same(theirs, RelevanceEvaluator(*arguments).evaluate(run), qrels, level)


def test_the_same_on_robust_2003(shared):
    qrels, run = robust(shared, "input.MU03rob01.gz")
    theirs = pytrec_eval.RelevanceEvaluator(qrels, NUMBERS).evaluate(run)
    assert_same(theirs, RelevanceEvaluator(qrels, NUMBERS).evaluate(run), qrels, 1)


def test_scores_that_differ_in_double_precision_only_tie():
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1 + 1e-12, "b": 1.0}}
    for kind in (pytrec_eval.RelevanceEvaluator, RelevanceEvaluator):
        assert kind(qrels, {"recip_rank"}).evaluate(run) == {"q": {"recip_rank": 1 / 2}}


@pytest.mark.parametrize("run", [{}, {"other": {"a": 1.0}}])
def test_nothing_in_common_is_nothing(run):
    for kind in (pytrec_eval.RelevanceEvaluator, RelevanceEvaluator):
        assert kind({"q": {"a": 1}, "empty": {}}, {"map"}).evaluate(run) == {}


def test_a_ranking_of_which_nothing_is_judged():
    for kind in (pytrec_eval.RelevanceEvaluator, RelevanceEvaluator):
        evaluator = kind({"q": {"a": 1}}, {"num_ret", "map"}, judged_docs_only_flag=True)
        assert evaluator.evaluate({"q": {"b": 1.0}}) == {"q": {"num_ret": 0, "map": 0}}


@pytest.mark.parametrize("name", ["mapp", "runid", "P_x"])
def test_what_is_refused(name):
    with pytest.raises(ul.BadUsage):
        RelevanceEvaluator({"q": {"a": 1}}, {name})


def test_all_its_measures_are_here():
    assert supported_measures >= NUMBERS
    assert recalls_of("11pt_avg") == [i / 10 for i in range(11)]
