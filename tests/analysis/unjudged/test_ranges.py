"""The range of a score over every filling of what nobody judged: by hand, and by trying all."""

from itertools import product

import polars as pl
import pytest

import ulframe as ul
from ulframe.analysis.unjudged.laws import never_falls, require_exchange
from ulframe.analysis.unjudged.ranges import ranges
from ulframe.analysis.unjudged.rankings import rankings
from ulframe.frames import BadUsage
from ulframe.metrics.catalog import CATALOG
from ulframe.metrics.grammar import named, parse
from ulframe.metrics.measure import measured

TWO, THREE = (0.0, 1.0), (0.0, 1.0, 2.0)


def extremes(qrels, run, name, levels=TWO):
    """What `ranges` finds of one query."""
    found = ranges(rankings({"q": qrels}, {"q": run}), named([name]), levels)
    return found.select("lowest", "highest", "exact").row(0)


def ranked(labels):
    """Labels from the top down as qrels and a run; None is not judged, and stands only there."""
    run = {f"d{at}": -at for at in range(len(labels))}
    return {f"d{at}": label for at, label in enumerate(labels) if label is not None}, run


@pytest.mark.parametrize(
    ("labels", "name", "lowest", "highest"),
    [
        ([1, 0, None], "P@3", 1 / 3, 2 / 3),
        ([1, 0, None], "AP", (1 + 2 / 3) / 2, 1),  # the truth may lie below today's 1
        ([0, None, 1], "AP", 1 / 3, (1 / 2 + 2 / 3) / 2),
        ([None, 1, 0], "RR", 1 / 2, 1),
        ([None, 1, 0], "R@1", 0, 1 / 2),
        ([1, None, None], "R@1", 1 / 3, 1),
        ([None, 1, None], "RBP(p=0.5)", 0.5 * 0.5, 0.5 * (1 + 0.5 + 0.25)),
        ([0, 1, None], "DCG@3", 1 / 1.584962500721156, 1 / 1.584962500721156 + 1 / 2),
        ([1, 0, None], "Success@3", 1, 1),
        ([0, None, None], "Success@2", 0, 1),
        ([1, 0, None], "U(P@1)", 1, 1),
        ([0, 1], "AP", 1 / 2, 1 / 2),
    ],
)
def test_three_documents_by_hand(labels, name, lowest, highest):
    qrels, run = ranked(labels)
    if None not in labels:
        assert ranges(rankings({"q": qrels}, {"q": run}), named([name]), TWO).is_empty()
        return
    assert extremes(qrels, run, name) == pytest.approx((lowest, highest, True))


def by_trying(qrels, run, measure, levels):
    """The least and the most over all fillings, each evaluated as qrels of its own."""
    holes = [doc for doc in run if doc not in qrels]
    fillings = [
        dict(zip(holes, labels, strict=True)) for labels in product(levels, repeat=len(holes))
    ]
    many = {str(at): {**qrels, **filling} for at, filling in enumerate(fillings)}
    scores = ul.evaluate(many, dict.fromkeys(many, run), measure).collect()["score"]
    return scores.fill_null(0.0).min(), scores.fill_null(0.0).max()


LISTS = [
    [1, None, 0, None, None, 1],
    [None, 0, 1, None, None, None],
    [0, None, None, 0, None],
    [None, None, None, None, None, None],
    [2, None, 0, None, 1],
]


@pytest.mark.parametrize("labels", LISTS, ids=str)
@pytest.mark.parametrize(
    "name",
    ["AP", "AP@2", "P@3", "R@2", "RR", "ERR@3", "nDCG", "nDCG@2", "bpref", "Rprec", "RBP", "F@2",
     "Success@1", "infAP", "GAP", "U(AP)", "V1(AP@3)", "V2(DCG@3)", "V2(AP)", "Adjusted(P@2)",
     "Compat", "ndcg_rel", "SetF", "AP(rel=2)", "nDCG(gain=linear)@3"],
)  # fmt: skip
@pytest.mark.parametrize("levels", [TWO, THREE], ids=["two", "three"])
def test_every_filling_of_short_lists(labels, name, levels):
    qrels, run = ranked(labels)
    qrels |= {"elsewhere": 1, "other": 0}  # judged, and not returned
    measure = named([name])
    least, most = by_trying(qrels, run, measure, levels)
    assert extremes(qrels, run, name, levels) == pytest.approx((least, most, True), abs=1e-12)


@pytest.mark.parametrize(
    ("labels", "name", "levels"),
    [
        ([1, *[None] * 5], "nDCG@3", THREE),
        ([None, 2, None, None, 0, None], "V2(nDCG)", THREE),
        ([None, 2, None, None, 0, None], "V1(nDCG@2)", THREE),
        ([0, None, 1, None, None, None], "U(ERR)", (0.0, 1.0, 2.0, 3.0)),
    ],
)
def test_what_is_not_tried_holds_all_that_is(monkeypatch, labels, name, levels):
    """With many labels and documents, from outside: no filling is beyond it."""
    qrels, run = ranked(labels)
    qrels |= {"elsewhere": 1}
    inside = extremes(qrels, run, name, levels)
    assert inside[2] is True
    monkeypatch.setattr("ulframe.analysis.unjudged.ranges.MOST", 1)
    lowest, highest, exact = extremes(qrels, run, name, levels)
    assert exact is False
    assert lowest <= inside[0] + 1e-12
    assert highest >= inside[1] - 1e-12
    assert -1 <= lowest <= highest <= 1


def test_what_cannot_be_told_is_refused(monkeypatch):
    monkeypatch.setattr("ulframe.analysis.unjudged.ranges.MOST", 1)
    qrels, run = ranked([1, None, None])
    with pytest.raises(BadUsage, match=r"GAP over 3 labels .* 2 unjudged .*--labels 0 2"):
        extremes(qrels, run, "GAP", THREE)


@pytest.mark.parametrize("name", [name for name, one in CATALOG.items() if not one.wants])
def test_no_metric_prefers_the_lower_label(name):
    require_exchange([CATALOG[name]], THREE)


def test_a_metric_that_prefers_the_lower_label_is_refused():
    late = measured(
        "Late", pl.col("rank") * (pl.col("label") > 0), ideal=ul.Refused("the last is the best")
    )
    with pytest.raises(BadUsage, match=r"no holes of Late: it scores labels .* with \d, but"):
        require_exchange([late], TWO)


@pytest.mark.parametrize(
    ("name", "never"),
    [("P@10", True), ("DCG@5", True), ("ERR", True), ("RBP", True), ("RR", True),
     ("Success@5", True), ("AP", False), ("R@5", False), ("nDCG@5", False), ("V2(P@5)", False)],
)  # fmt: skip
def test_which_scores_no_label_lowers(name, never):
    assert never_falls(parse(name), TWO) is never
