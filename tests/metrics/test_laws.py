"""The laws: how expectations are had, what is refused, and what a broken law is told by.

Values are worked by hand: of the labels 1, 1, 0, 0 a document of either label stands at each rank
with chance 1/2, and so on.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import log2
from statistics import fmean

import polars as pl
import pytest

import ulframe as ul
from ulframe.evaluation.trial import first_broken
from ulframe.metrics.catalog import CATALOG
from ulframe.metrics.declaration import LINEAR, Form, Refused
from ulframe.metrics.laws import (
    LAWS,
    AlongRanks,
    ByRank,
    Distributed,
    InPairs,
    expectation_of,
    is_compared,
    labels_tried,
    spread_of,
)
from ulframe.testing import check_metric

RANK, LABEL, HITS, relevant = ul.RANK, ul.LABEL, ul.HITS, ul.relevant
FOUR = {"q": {"a": 1, "b": 1, "c": 0, "d": 0}}


def first_hit(m):
    return pl.when(m.hits == 1).then(m.relevant / RANK).otherwise(0.0)


Half = ul.declare("Halved", relevant * 0.5**RANK)
Discounted = ul.declare("Discounted", LABEL.clip(lower_bound=0) / (RANK + 1).log(2))
FirstHit = ul.declare("FirstHit", first_hit)
Squared = ul.declare("Squared", relevant * HITS**2)
Found = ul.declare("Found", relevant, cutoff="required")
Share = ul.declare("Share", lambda m: m.relevant / m.r_at_least_1)
Seventh = ul.declare("Seventh", pl.when(HITS == 7).then(relevant).otherwise(0))
Both = ul.declare("Both", relevant * HITS, finish=2 + 3 * ul.TOTAL)

KINDS = {
    "affine, no hits": (Half, LINEAR),
    "affine, gains": (Discounted, LINEAR),
    "affine in the hits": (ul.AP, LINEAR),
    "affine in several kinds of hits": (ul.GAP, LINEAR),
    "affine, over a total": (Share, LINEAR),
    "bends in the hits at 1": (FirstHit, Distributed),
    "bends everywhere": (Squared, Distributed),
    "bends at 7 only": (Seventh, Distributed),
    "a form of its own": (ul.ERR, Form),
    "declared so": (ul.IPrec @ 0.1, Refused),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_term_reads_decides(kind):
    measure, how = KINDS[kind]
    found = expectation_of(measure)
    assert found == how if how is LINEAR else isinstance(found, how)


SPREADS = {
    "rank and label": (Half, ByRank),
    "rank and label, no product": (ul.Rndcg, ByRank),
    "a total": (Share, ByRank),
    "pairs of hits": (ul.AP, InPairs),
    "pairs of several kinds": (ul.GAP, InPairs),
    "bends in the hits": (Squared, AlongRanks),
    "bends in the hits at 1": (FirstHit, AlongRanks),
    "a form of its own": (ul.RR, Form),
    "gains times hits": (ul.declare("GainsHits", LABEL.clip(lower_bound=0) * HITS), Refused),
    "no expectation": (ul.IPrec @ 0.1, Refused),
}


@pytest.mark.parametrize("kind", SPREADS)
def test_what_a_term_reads_decides_of_the_spread(kind):
    measure, how = SPREADS[kind]
    assert isinstance(spread_of(measure), how)


@pytest.mark.parametrize("measure", [Half, Squared, FirstHit @ 3, Both, Share, Discounted], ids=str)
def test_spreads_of_declarations_keep_the_law(measure):
    check_metric(ul.SD(measure), longest=4)


@pytest.mark.parametrize(
    ("measure", "upper", "expected"),
    [
        # each document is relevant with chance 1/2
        (Half, 1 / 2 + 1 / 4, (1 / 2 + 1 / 4 + 1 / 8 + 1 / 16) / 2),
        (Discounted @ 2, 1 + 1 / log2(3), (1 + 1 / log2(3)) / 2),
        # first at 1: 1/2; at 2: 1/2 * 2/3; at 3: 1/2 * 1/3 * 1
        (FirstHit, 1.0, 1 / 2 + (1 / 2 * 2 / 3) / 2 + (1 / 2 * 1 / 3) / 3),
        (FirstHit @ 2, 1.0, 1 / 2 + (1 / 2 * 2 / 3) / 2),
        # both are found in any order: 1 for the first, 2^2 for the second
        (Squared, 1 + 4, 1 + 4),
        # at 2: rank 1 hits 1 with chance 1/2; rank 2 with chance 1/2, above it one of three is
        (Squared @ 2, 1 + 4, 1 / 2 + 1 / 2 * (2 / 3 * 1 + 1 / 3 * 4)),
        (Found @ 2, 2.0, 2 / 2),
        (Share @ 2, 2 / 2, 1 / 2),
        # 2 + 3 * (1 + 2), and affine in the sum
        (Both, 2 + 3 * 3, 2 + 3 * 3),
        (Both @ 1, 2 + 3, 2 + 3 / 2),
    ],
    ids=str,
)
def test_bounds_and_expectations_of_declarations(measure, upper, expected):
    row = ul.evaluate(FOUR, {"q": {"a": 1.0}}, measure).collect()
    assert row["upper"].item() == pytest.approx(upper, abs=1e-12)
    assert row["expected"].item() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [3, 30, 300])
def test_distributions_equal_the_closed_forms(n):
    """RR and Success have forms of their own for speed; the law gives the same."""
    qrels = {"q": {f"d{i}": int(i % 7 in (1, 4)) for i in range(n)}}
    success = ul.declare("Any", lambda m: pl.when(m.hits == 1).then(m.relevant).otherwise(0))
    pairs = [(FirstHit, ul.RR), (FirstHit @ 20, ul.RR @ 20), (success @ 10, ul.Success @ 10)]
    for own, form in pairs:
        rows = ul.evaluate(qrels, {"q": {"d0": 1.0}}, [own, form], pool=2 * n).collect()
        assert rows["expected"][0] == pytest.approx(rows["expected"][1], rel=1e-11)


def test_a_term_that_reads_the_ideal_ranking():
    """The gain over what an ideal ranking has gained by then: the mean over the six orders."""
    from ulframe.metrics.inputs import RunningSum

    gain = LABEL.clip(lower_bound=0)
    along = ul.declare(
        "Along",
        lambda m: gain / m.ideal("best"),
        ladder=(RunningSum("best", gain),),
        totals=(ul.Total("gaining", (LABEL > 0).cast(pl.Int64)),),
        ideal=ul.Approximate("a low gain first costs more than a high one later brings"),
    )
    best = [3, 5, 5]
    mean = fmean(sum(g / best[i] for i, g in enumerate(order)) for order in permutations([3, 2, 0]))
    row = ul.evaluate({"q": {"a": 3, "b": 2, "c": 0}}, {"q": {"a": 1.0}}, along).collect()
    assert row["expected"].item() == pytest.approx(mean)
    with pytest.raises(ul.BadUsage, match="no V2 of Along: a low gain first"):
        ul.V2(along)
    assert "approximate" in ul.explain(along)


def declared(name, term, **fields):
    return lambda: ul.declare(name, term, **fields)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (declared("Odd", pl.col("nothing") + 1), "Odd reads nothing, which there is not"),
        (declared("Odd", LABEL > 0), "the term of Odd is no number, but Boolean"),
        (declared("Odd", LABEL.cast(pl.String) + 1), "the term of Odd c|is no number"),
        (declared("Odd", relevant, per=pl.col("x")), "Odd reads x, which there is not"),
        (declared("RR", relevant), "RR is the name of another measure"),
        (declared("MRR", relevant), "MRR is the name of another measure"),
        (declared("map", relevant), "map is the name of another measure"),
        (declared("V2", relevant), "V2 is the name of another measure"),
    ],
)
def test_what_is_refused_when_it_is_declared(make, message):
    with pytest.raises(ul.BadUsage, match=message):
        make()


def test_a_division_by_0_is_told():
    divided = ul.declare("Divided", lambda m: m.relevant / m.r)
    with pytest.raises(ul.BadUsage, match="a bound of Divided@1 is no number, as 0/0 is"):
        ul.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, divided).collect()


def test_a_plain_expression_cannot_follow_rel():
    with pytest.raises(ul.BadUsage, match="Halved has no parameter rel"):
        Half(rel=2)


def test_a_declared_metric_goes_by_its_name():
    assert ul.parse("V2(FirstHit(rel=2)@5)") == ul.V2(FirstHit(rel=2) @ 5)


# Declarations that break a law each, and how the first counterexample reads.
BROKEN = {
    "adds at label 0": (
        declared("Plus", (LABEL + 1).clip(lower_bound=0) / RANK),
        "labels 0, the order 0 what `adds` excludes adds 1",
    ),
    "a negative gain": (
        declared("Minus", pl.when(LABEL < 0).then(-1.0).otherwise(relevant / RANK)),
        "labels -1, the order -1 what `adds` excludes adds 1",
    ),
    "later is better": (
        declared("Late", relevant * RANK),
        r"V2\(Late@2\) .* labels -1, 1, the order -1, 1 scores 2, above its upper bound 1",
    ),
    "a wrong form": (
        declared("Wrong", relevant / RANK, expected=Form(lambda m, pools: pools["n"] * 0.0 + 9)),
        "its expectation is 9, but the mean of all orders 0",
    ),
    "not 0 for nothing": (
        declared("Offset", relevant / RANK, finish=ul.TOTAL + 1),
        "scores 1 where nothing that adds is returned; V1 and V2 need 0",
    ),
}


@pytest.mark.parametrize("law", BROKEN)
def test_a_broken_law_is_refused_with_the_counterexample(law):
    make, message = BROKEN[law]
    measure = ul.V2(make())
    with pytest.raises(ul.BadUsage, match=message):
        ul.evaluate(FOUR, {"q": {"a": 1.0}}, measure)
    with pytest.raises(AssertionError, match=message):
        check_metric(measure, longest=3)


@pytest.mark.parametrize("make", [lambda: Half, lambda: FirstHit, lambda: ul.V2(Squared)])
def test_check_metric_passes_what_is_right(make):
    check_metric(make(), longest=4)


def test_minus_that_says_so_keeps_the_laws():
    minus = ul.declare(
        "Minus2",
        pl.when(LABEL < 0).then(-1 / RANK).otherwise(relevant / RANK),
        adds=LABEL != 0,
        ideal=ul.Refused("what is harmful and not returned cannot be seen in its ideal"),
    )
    ul.evaluate(FOUR, {"q": {"a": 1.0}}, minus)
    with pytest.raises(ul.BadUsage, match="no U of Minus2: what is harmful"):
        ul.U(minus)


# ---------------------------------------------------------------- the catalogue
def operators_of(measure):
    yield measure
    if measure.operator.name == "" and not isinstance(measure.metric.ideal, Refused):
        yield ul.WLB(measure)
        if is_compared(measure) and measure.metric.zero is None:
            yield ul.V2(measure)


TRIED = [one for m in CATALOG.values() for one in operators_of(m.example)]
SET = [
    "P(rel=2)@3", "AP(rel=0.5)", "DCG(gains={1:3,2:1})@3", "ERR(max=2)", "GAP(max=2)",
    "RR(rel=1.5)", "Success(rel=2)@2", "SetAP(rel=2)", "SP(expectation=independent)@2",
    "Accuracy(rel=2)@3", "DCG(base=3)", "RBP(p=0.1)", "NumNonrelRet(rel=2)",
]  # fmt: skip


@pytest.mark.parametrize("measure", [*TRIED, *map(ul.parse, SET)], ids=str)
def test_the_catalogue_keeps_every_law(measure):
    labels = labels_tried(measure.base)
    lists = [(one,) for one in labels] + [(labels[0], 0, 1, 1), (2, 1, 1, 0), (2, 2, 1, -1)]
    limit = measure.base.number("max") if "max" in measure.parameters else 9
    kept = [tuple(min(label, limit) for label in one) for one in lists]
    assert first_broken([measure], kept) == ""


def test_accuracy_of_a_run_that_returns_one_document():
    qrels = {"q": {"a": 1, "b": 1, "c": 0}}
    row = ul.evaluate(qrels, {"q": {"a": 1.0}}, "U(Accuracy)").collect()
    assert (row["value"].item(), row["upper"].item(), row["score"].item()) == (1, 1, 1)


# ---------------------------------------------------------------- mutations
@pytest.mark.parametrize(
    ("change", "law"),
    [
        ({"adds": LABEL > 1}, 0),  # labels up to 1 add, though excluded
        ({"term": lambda m: m.relevant * m.hits * RANK}, 1),  # later is better
        ({"expected": Form(lambda m, pools: pools["n"] * 0.0)}, 3),
        ({"finish": ul.TOTAL + 1}, 5),
        ({"finish": -ul.TOTAL, "expected": None}, 1),
    ],
)
def test_a_mutated_metric_breaks_its_law(change, law):
    mutant = replace(ul.V2(ul.SP), metric=replace(ul.SP.metric, **change))
    broken = first_broken([mutant], [(1.0, 0.0), (2.0, 1.0, 0.0)])
    assert LAWS[law].says.partition("{")[0] in broken


def test_a_wrong_spread_breaks_its_law():
    wrong = replace(ul.SP.metric, spread=Form(lambda m, pools: pools["n"] * 0.0 + 9))
    broken = first_broken([replace(ul.Z(ul.SP), metric=wrong)], [(1.0, 0.0)])
    assert "its standard deviation is 3, but that of all orders" in broken
    assert first_broken([replace(ul.V2(ul.SP), metric=wrong)], [(1.0, 0.0)]) == ""


# ---------------------------------------------------------------- what bends at one place
HITS_8 = relevant * (1 / RANK + ((HITS == RANK) & (RANK == 8)))
HITS_5 = relevant * (1 / RANK + ((HITS == 5) & (RANK == 5)))


@pytest.mark.parametrize(("n", "term"), [(9, HITS_8), (5, HITS_5)])
def test_a_term_that_bends_at_one_rank_and_number(n, term):
    """All are relevant, so that every order scores alike, and the expectation is that score."""
    bent = ul.declare("Bent", term)
    qrels = {"q": {f"d{i}": 1 for i in range(n)}}
    runs = {"q": {f"d{i}": 1.0 for i in range(n)}}
    row = ul.evaluate(qrels, runs, bent).collect()
    assert row["expected"].item() == pytest.approx(row["value"].item())
    assert row["value"].item() == pytest.approx(sum(1 / i for i in range(1, n + 1)) + 1)
    with pytest.raises(ul.BadUsage, match='ties="average" is exact for what is affine'):
        ul.evaluate(qrels, runs, bent, ties="average")


@pytest.mark.parametrize(
    ("term", "labels"),
    [
        (relevant * pl.when(RANK > 6).then(5.0).otherwise(1 / RANK), [0] * 6 + [1]),
        (relevant * ((HITS >= 4) & (RANK >= 10)), [0] * 5 + [1] * 8),
    ],
)
def test_bounds_that_short_lists_cannot_tell_are_refused_where_they_are_wrong(term, labels):
    far = ul.declare("Far", term)
    docs = {f"d{i:02}": label for i, label in enumerate(labels)}
    run = {doc: -float(place) for place, doc in enumerate(docs)}
    with pytest.raises(ul.BadUsage, match="Far has wrong bounds: for query 'q' its value is"):
        ul.evaluate({"q": docs}, {"q": run}, far).collect()


def test_a_threshold_at_a_high_label_is_seen():
    four = ul.declare(
        "Four", pl.when(LABEL >= 4).then(0.1).otherwise(LABEL.clip(lower_bound=0)) / RANK
    )
    with pytest.raises(ul.BadUsage, match="Four@1 would have wrong bounds"):
        ul.evaluate(FOUR, {"q": {"a": 1.0}}, four)


def test_a_count_of_floats():
    state = ul.RunningSum("others", (LABEL < 1).cast(pl.Float64))
    over = ul.declare("Over", relevant / (1 + pl.col("others")), states=(state,))
    row = ul.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}, over).collect()
    assert row["expected"].item() == pytest.approx((1 + 1 / 2) / 2)


def test_the_range_of_utility_from_equal_bounds_is_undefined():
    qrels, run = {"q": {"a": 0, "b": 0}}, {"q": {"a": 1.0, "b": 2.0}}
    assert ul.evaluate(qrels, run, "MinMax(Utility)").collect()["score"].item() is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"aggregate": "median"}, "aggregate='median' is not one of mean, sum, geometric mean"),
        ({"cutoff": "maybe"}, "cutoff='maybe' is not one of none, optional, required"),
        ({"expected": "linear"}, "expected='linear' is none of"),
        ({"ideal": "x"}, "ideal='x' is none of"),
        ({"finish": ul.TOTAL + RANK}, "`finish` of Odd reads rank, no constant of a query"),
        ({"per": RANK}, "`per` of Odd reads rank, no constant of a query"),
        ({"totals": (ul.Total("n", LABEL),)}, "'n' is a column already"),
        ({"states": (ul.RunningSum("rank", LABEL),)}, "'rank' is a column already"),
    ],
)
def test_fields_that_cannot_be(fields, message):
    with pytest.raises(ul.BadUsage, match=message):
        ul.declare("Odd", relevant, **fields)


@pytest.mark.parametrize("name", ["ap", "sp", "official", "all_trec", "recall", "ndcg_cut", "Mrr"])
def test_names_that_mean_another_in_any_case(name):
    with pytest.raises(ul.BadUsage, match=f"{name} is the name of another measure"):
        ul.declare(name, relevant)


def test_a_ladder_needs_no_total_of_its_own():
    along = ul.declare(
        "Beside",
        lambda m: relevant * m.ideal("ones") / RANK,
        ladder=(ul.RunningSum("ones", relevant),),
        ideal=ul.Approximate("what comes later counts more"),
    )
    assert ul.evaluate(FOUR, {"q": {"a": 1.0}}, along).collect()["value"].item() == 1
