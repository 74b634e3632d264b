"""What a measure is not offered for is refused at construction, by name, with the reason."""

from __future__ import annotations

import pytest

import ulframe as ul
from ulframe.metrics.operators import OPERATORS

AGAINST_CHANCE = ["V1", "V2", "Adjusted", "Z", "RLB", "SD", "Ratio"]


@pytest.mark.parametrize("operator", AGAINST_CHANCE)
@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("IPrec@0.1", "has no closed form"),
        ("AvgIPrec", "has no closed form"),
        ("Compat", "has no closed form"),
        ("gm_map", "so that its worst is not 0"),
        ("gm_bpref", "so that its worst is not 0"),
        ("yaap", "its worst value is not 0"),
        ("iprec_at_recall_0.20", "has no closed form"),
    ],
)
def test_comparisons_with_chance(operator, measure, reason):
    with pytest.raises(ul.BadUsage, match=rf"no {operator} of .*: .*{reason}"):
        ul.parse(f"{operator}({measure})")


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize(
    "measure", ["NumQ", "NumRet", "NumRel", "NumNonrelRet", "unj@5", "rbp_resid"]
)
def test_all_operators_of_counts(operator, measure):
    with pytest.raises(ul.BadUsage, match=f"no {operator} of {measure}: it "):
        ul.parse(f"{operator}({measure})")


@pytest.mark.parametrize("measure", ["IPrec@0.1", "AvgIPrec", "Compat", "gm_map"])
def test_the_best_and_the_worst_of_them_are_offered(measure):
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 0.1, "b": 0.2}}
    for operator in ("U", "IUB", "WLB", "MinMax"):
        scores = ul.evaluate(qrels, run, f"{operator}({measure})").collect()
        assert scores["expected"].item() is None


@pytest.mark.parametrize("operator", ["V1", "V2", "Ratio"])
def test_what_needs_zero_for_nothing(operator):
    with pytest.raises(ul.BadUsage, match=rf"no {operator} of Utility: its worst value is not 0"):
        ul.parse(f"{operator}(Utility)")


def test_an_expectation_needs_no_zero():
    # Two documents of which one is relevant are returned: 1 * 1 - 1 * 1, in either order.
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 0.1, "b": 0.2}}
    assert ul.evaluate(qrels, run, "RLB(Utility)").collect()["score"].item() == 1 - 1


@pytest.mark.parametrize("operator", ["Adjusted", "Z", "SD"])
@pytest.mark.parametrize("metric", ["SP", "AP"])
def test_what_needs_an_exact_expectation(operator, metric):
    with pytest.raises(
        ul.BadUsage, match=f"no {operator} of {metric}.*: its expectation comes near"
    ):
        ul.parse(f"{operator}({metric}(expectation=independent)@5)")


@pytest.mark.parametrize("operator", ["V1", "V2", "Adjusted", "Z"])
def test_what_needs_the_true_ideal(operator):
    ul.declare("Near", ul.relevant / ul.RANK, ideal=ul.Approximate("others are better"))
    with pytest.raises(ul.BadUsage, match=f"no {operator} of Near: others are better"):
        ul.parse(f"{operator}(Near)")
    ul.parse("SD(Near)")


@pytest.mark.parametrize("operator", ["SD", "Z"])
@pytest.mark.parametrize("metric", ["ERR@20", "G", "infAP", "ndcg_rel"])
def test_what_has_no_exact_spread_is_simulated(operator, metric):
    said = f"no {operator} of {metric}: .*`ulframe chance` has it by simulation"
    with pytest.raises(ul.BadUsage, match=said):
        ul.parse(f"{operator}({metric})")
    ul.parse(f"Adjusted({metric})")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IPrec", "IPrec needs a recall, as in IPrec@0.1"),
        ("IPrec@2", r"IPrec@ takes a number from 0 to 1, not '2'"),
        ("AP(judged_only=perhaps)", "takes True or False"),
        ("Utility(weights=[1,2])", "takes 4 numbers"),
        ("DCG(gains={1:-1})", "takes gains of at least 0 by label"),
        ("DCG(gains={1})", "takes gains of at least 0 by label"),
        ("nDCG(dcg=log3)", "takes exp or linear, not 'log3'"),
        ("P_ten", "no measure 'P_ten'"),
    ],
)
def test_settings_that_cannot_be(text, message):
    with pytest.raises(ul.BadUsage, match=message):
        ul.parse(text)


def test_gains_as_a_dict_and_recalls_as_a_list():
    assert ul.DCG(gains={2: 9, 1: 3}) == ul.parse("DCG(gains={1:3,2:9})")
    assert ul.AvgIPrec(recalls=[0.2, 0.5, 0.8]) == ul.parse("AvgIPrec(recalls=[0.2,0.5,0.8])")
