"""Names to measures and back; what is not a measure is refused with the nearest that is."""

import operator
from itertools import product

import numpy as np
import pytest

import ulframe as ul
from tests.oracle import CASES
from ulframe.metrics.catalog import ALIASES, CATALOG
from ulframe.metrics.grammar import named, parse, read
from ulframe.metrics.laws import refusal
from ulframe.metrics.operators import OPERATORS
from ulframe.metrics.spelling import operator_meant
from ulframe.metrics.trec_names import FAMILIES

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


AS_OTHERS_WRITE = {
    "R@100": "recall@100 recall_at_100 Recall-at-100 recall.100 R.100 recall_100 RECALL@100",
    "R@1000": "R@1k recall@1K R.1k recall_1k recall-at-1k",
    "P@5": "precision@5 p@5 P_5 P.5 precision_at_5 Precision-5 p_at_5",
    "RR": "mrr MRR rr recip_rank mean_reciprocal_rank reciprocal-rank",
    "RR@10": "mrr@10 mrr_at_10 MRR.10 rr@10 mean_reciprocal_rank@10",
    "AP": "mean_average_precision average_precision mAP Map map ap",
    "AP@10": "ap@10 map@10 map_at_10 MAP@10 map_cut_10 map_cut@10",
    "AP(rel=2)": "ap(rel=2) map(rel=2) Map(rel=2)",
    "gm_map": "gmap GM_MAP gm-map",
    "F@10": "f1@10 f1_score@10 F-measure@10 F1_10 f@10",
    "F(beta=2)@5": "f2@5",
    "Success@10": "hit_rate@10 hits@10 hit@10 HR@10 hr@10 hit-ratio@10 HitRate@10 success_at_10",
    "Rprec": "r_precision R-Precision r-prec rprec RPrec",
    "nDCG@10": "nDCG_at_10 NDCG@10 NDCG_10 nDCG.10 nDCG-10 ndcg_burges@10 ndcg(gain=exp)@10",
    "nDCG(gain=linear)@10": "ndcg_at_10 ndcg@10 ndcg_10 ndcg.10 ndcg_cut@10 NDCG_CUT_10",
    "RBP(p=0.95)": "RBP.95 RBP.0.95",
    "RBP(p=0.5)": "RBP.5 RBP.50",
    "rbp(p=0.95)": "rbp.95 rbp.p=0.95",
    "U(R@100)": "recall_cap@100 capped_recall@100",
    "V2(SP@10)": "v2(sp@10) V2(SP)@10 v2(SP_at_10) V2(sp.10)",
    "IUB(DCG(gain=linear)@5)": "iub(dcg@5) IUB(dcg_at_5)",
    "IPrec@0.1": "iprec@0.1 IPREC_AT_RECALL_.10 iprec_at_recall_0.10 IPrec.0.1",
    "Judged@10": "judged@10 JUDGED_10",
    "SetF": "set_f SETF set_F setf",
    "ERR@20": "err@20 err_at_20",
    "Accuracy@5": "accuracy@5 accuracy_at_5",
    "infAP": "infap InfAP",
}
"""A measure, and what people write who mean it."""

PAIRS = [(text, name) for name, texts in AS_OTHERS_WRITE.items() for text in texts.split()]


@pytest.mark.parametrize(("text", "name"), PAIRS, ids=[text for text, _ in PAIRS])
def test_names_as_others_write_them(text, name):
    assert [str(measure) for measure in named(text).values()] == [name]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mean average precision", "AP"),
        ("recall at 100", "R@100"),
        ("Hit Rate @ 10", "Success@10"),
        (" ndcg @ 10 ", "nDCG(gain=linear)@10"),
    ],
)
def test_blanks_separate_as_well(text, name):
    assert str(parse(text)) == name


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("nDCG@1,3,5,10", ["nDCG@1", "nDCG@3", "nDCG@5", "nDCG@10"]),
        ("V2(SP@5,10)", ["V2(SP@5)", "V2(SP@10)"]),
        ("V2(SP)@5,10", ["V2(SP)@5", "V2(SP)@10"]),
        ("AP(rel=2)@5, 10", ["AP(rel=2)@5", "AP(rel=2)@10"]),
        ("recall_at_1,5", ["recall_at_1", "recall_at_5"]),
        ("recall@5,1k", ["recall@5", "recall@1k"]),
        ("p.5,10", ["p.5", "p.10"]),
        ("P_10,5", ["P_10", "P_5"]),
        ("IPrec@0.1,0.2", ["IPrec@0.1", "IPrec@0.2"]),
        ("AvgIPrec(recalls=[0.1,0.5])", ["AvgIPrec(recalls=[0.1,0.5])"]),
        ("utility_2,1,0,0", ["utility_2,1,0,0"]),
        ("11pt_avg.0.1,0.5", ["11pt_avg_0.1,0.5"]),
    ],
)
def test_several_numbers_are_several_measures(text, names):
    assert [*named(text)] == names
    assert all(parse(name) == measure for name, measure in named(text).items())


@pytest.mark.parametrize("text", [*CATALOG, *ALIASES, *OPERATORS, *FAMILIES])
def test_an_exact_spelling_always_wins(text):
    """What is spelled exactly is never refused for what is spelled nearly so."""
    known = {**CATALOG, **ALIASES}
    if text in known:
        assert read(text) == known[text]
    elif text in FAMILIES and FAMILIES[text].alone:
        assert read(text) == FAMILIES[text].alone
    elif text in OPERATORS:
        assert operator_meant(text) is OPERATORS[text]
    else:
        assert named(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Rbp", "'Rbp' could be rbp or RBP; case tells them apart"),
        ("Rbp.95", "'Rbp' could be rbp or RBP"),
        ("Ndcg", r"'Ndcg' could be nDCG or ndcg \(nDCG\(gain=linear\)\); case tells them apart"),
        ("n_dcg@10", "'n_dcg' could be nDCG or ndcg"),
        ("Dcg@5", r"'Dcg' could be DCG or dcg \(DCG\(gain=linear\)\)"),
        ("V2(Ndcg@10)", "'Ndcg' could be nDCG or ndcg"),
        ("IPrec.1", r"IPrec\.1: is that 0\.1, or 1\? write IPrec@0\.1"),
        ("R@1m", "the cutoff is a whole number of at least 1, not '1m'"),
        ("R@1.5k", "the cutoff is a whole number of at least 1, not '1.5k'"),
        ("nDCG@1,x", "the cutoff is a whole number of at least 1, not '1,x'"),
        ("RBP@.95", "the cutoff is a whole number of at least 1, not '.95'"),
        ("Rprec_5", "Rprec@5: Rprec takes no cutoff"),
        ("hit_rate", "Success needs a cutoff, as in Success@10"),
    ],
)
def test_what_could_be_several_is_refused(text, message):
    with pytest.raises(ul.BadUsage, match=message):
        named(text)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("nDGC@10", "nDCG"),
        ("NDGC@10", "NDCG"),
        ("precison@10", "Precision"),
        ("recal@10", "recall"),
        ("mapp", "map"),
        ("sucess@1", "success"),
        ("hitrat@1", "hit rate"),
    ],
)
def test_the_nearest_names_are_suggested_and_three_at_most(text, first):
    with pytest.raises(ul.BadUsage) as caught:
        parse(text)
    near = str(caught.value).partition("did you mean ")[2].rstrip("?").split(", ")
    assert near[0] == first
    assert len(near) <= 3


def test_of_a_name_like_no_other_no_list_is_shown():
    with pytest.raises(ul.BadUsage, match=r"no measure 'xyzzy'; `ulframe measures` lists them$"):
        parse("xyzzy")


def test_a_metric_of_ones_own_is_found_in_any_case():
    mine = ul.declare("MyGain", term=half)
    assert parse("my_gain@5") == mine @ 5


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
        ("AP(rel=0)", r"AP\(rel=\) takes a number above 0 and below .*, not '0'"),
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
