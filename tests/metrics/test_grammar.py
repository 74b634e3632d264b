"""Names to measures and back; what is not a measure is refused with the nearest that is."""

import operator
from itertools import product

import numpy as np
import pytest

import ulframe as ul
from tests.oracle import CASES
from ulframe.metrics.catalog import ALIASES, CATALOG
from ulframe.metrics.grammar import named, parse
from ulframe.metrics.laws import refusal
from ulframe.metrics.operators import OPERATORS

BARE = [measure.example for measure in (CATALOG | ALIASES).values()]


@pytest.mark.parametrize("measure", BARE, ids=str)
def test_every_measure_and_its_variants_parse_back(measure):
    variants = [measure]
    if measure == measure.base:
        variants += [o(measure) for o in OPERATORS.values() if not refusal(measure, o.needs)]
    for one in variants:
        assert parse(str(one)) == one
        assert hash(parse(str(one))) == hash(one)


@pytest.mark.parametrize("name", CASES)
def test_names_of_the_oracle_are_canonical(name):
    assert str(parse(name)) == name


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("U(DCG@10)", "nDCG@10"),
        ("U(SP)@10", "U(SP@10)"),
        ("V1(nDCG@10)", "V1(DCG@10)"),
        ("V2(U(SP@5))", "V2(SP@5)"),
        ("nDCG(gain=exp)@10", "nDCG@10"),
        ("AP(rel=1)@7", "AP@7"),
        ("AP(rel=2.0)", "AP(rel=2)"),
        (" nDCG( gain = linear ) @ 10 ", "nDCG(gain=linear)@10"),
        ("nDCG(gain='linear')@10", "nDCG(gain=linear)@10"),
        ("AP(expectation=independent,rel=2)", "AP(rel=2,expectation=independent)"),
        ("map", "AP"),
        ("P_10", "P@10"),
        ("recall_100", "R@100"),
        ("ndcg", "nDCG(gain=linear)"),
        ("ndcg_cut_10", "nDCG(gain=linear)@10"),
        ("map_cut_5", "AP@5"),
        ("relative_P_5", "U(P@5)"),
        ("success_1", "Success@1"),
        ("recip_rank", "RR"),
        ("V2(map_cut_10)", "V2(AP@10)"),
    ],
)
def test_two_names_of_one_measure(text, same):
    assert parse(text) == parse(same)
    assert str(parse(text)) == str(parse(same))


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (lambda: ul.nDCG @ 10, "nDCG@10"),
        (lambda: ul.V2(ul.SP @ 10), "V2(SP@10)"),
        (lambda: ul.AP(rel=2) @ 100, "AP(rel=2)@100"),
        (lambda: ul.RBP(p=0.95), "RBP(p=0.95)"),
        (lambda: ul.nDCG(gain="linear") @ 5, "nDCG(gain=linear)@5"),
        (lambda: ul.RLB(ul.DCG @ 10), "RLB(DCG@10)"),
    ],
)
def test_objects_have_the_names_that_are_parsed(made, name):
    assert made() == parse(name)
    assert str(made()) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDGC@10", r"no measure 'nDGC' in 'nDGC@10'; did you mean nDCG"),
        ("mapp", r"no measure 'mapp'; did you mean .*map"),
        ("NDGC@10", r"did you mean .*NDCG"),
        ("V3(DCG@10)", r"no measure 'V3'"),
        ("P@0", r"P@0: the cutoff is a whole number of at least 1"),
        ("P@1.5", r"the cutoff is a whole number of at least 1, not '1.5'"),
        ("P@", r"the cutoff is a whole number"),
        ("P_5_10", r"'5_10' is not a cutoff; several are written as in P.5,10"),
        ("ndcg_cut_1_0", r"'1_0' is not a cutoff"),
        ("P@\uff11\uff10", r"the cutoff is a whole number"),
        ("V2(P)", r"P\) needs a cutoff, as in V2\(P@10\)"),
        ("Rprec@5", r"Rprec takes no cutoff"),
        ("U(SP@10)@5", r"U\(SP@10\) has a cutoff already; @5 cannot follow"),
        ("V1(V2(DCG@10))", r"V1\(V2\(DCG@10\)\) nests two operators; .* as in V1\(DCG@10\)"),
        ("U(nDCG@10)", r"nests two operators"),
        ("IUB(U(SP@10))", r"nests two operators"),
        ("AP(foo=1)", r"AP has no parameter foo; it takes rel"),
        ("AP(rel=0)", r"AP\(rel=\) takes a number above 0, not '0'"),
        ("AP(rel=x)", r"takes a number above 0"),
        ("nDCG(gain=cubic)@5", r"DCG\(gain=\) takes exp or linear, not 'cubic'"),
        ("RBP(p=1)", r"takes a number above 0 and below 1"),
        ("AP(2)", r"cannot read '2' in 'AP\(2\)': write name=value"),
        ("AP(rel=2", r"cannot read the measure 'AP\(rel=2'"),
        ("", r"cannot read the measure ''"),
    ],
)
def test_a_bad_name_is_refused(text, message):
    with pytest.raises(ul.BadUsage, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ul.P @ 0, "at least 1"),
        (lambda: ul.P @ True, "at least 1"),
        (lambda: operator.matmul(ul.P, 2.0), "at least 1"),
        (lambda: ul.Rprec @ 3, "takes no cutoff"),
        (lambda: ul.AP(rel=True), "takes a number above 0"),
        (lambda: ul.V2(ul.V1(ul.DCG)), "nests two operators"),
        (lambda: named([ul.P]), "P needs a cutoff"),
        (lambda: named([]), "no measure was asked for"),
    ],
)
def test_a_bad_object_is_refused_at_construction(make, message):
    with pytest.raises(ul.BadUsage, match=message):
        make()


def test_lists_as_trec_eval_takes_them():
    assert [*named("P.5,10")] == ["P_5", "P_10"]
    assert [*named("ndcg_cut")] == [
        f"ndcg_cut_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    ]
    assert [*named("success")] == ["success_1", "success_5", "success_10"]


def test_a_measure_asked_for_under_two_names_is_reported_under_both_and_computed_once():
    asked = named(["map", "AP", ul.AP, "AP(rel=1)"])
    assert [*asked] == ["map", "AP", "AP(rel=1)"]
    assert len({measure.base for measure in asked.values()}) == 1


def test_different_measures_differ():
    for a, b in product(BARE, repeat=2):
        assert (a == b) == (str(a) == str(b))


def test_cutoffs_and_metrics_that_take_none():
    for measure in BARE:
        if measure.metric.cutoff == "none":
            assert measure.k is None


def half(m):
    return m.relevant * 0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ul.declare("a b", term=half), "'a b' cannot name a metric"),
        (lambda: named([ul.declare("AP", term=half)]), "AP is the name of another measure"),
        (
            lambda: named([ul.declare("Twofold", term=half), ul.declare("Twofold", term=1)]),
            "two measures are called Twofold",
        ),
        (lambda: named([5]), "5 is no measure: give a name"),
        (lambda: named(5), "5 is no measure"),
        (lambda: ul.V2("AP"), r"V2\('AP'\): 'AP' is no measure, as ulframe.AP is"),
        (lambda: parse("nDCG@99999999999999999999"), "nDCG@9+: the cutoff is a whole number"),
        (lambda: operator.matmul(ul.nDCG, "10"), "nDCG@10: the cutoff is a whole number"),
    ],
)
def test_what_would_be_mistaken_is_refused(make, message):
    with pytest.raises(ul.BadUsage, match=message):
        make()


def test_a_cutoff_of_another_integer_type():
    assert ul.nDCG @ np.int64(10) == ul.nDCG @ 10
