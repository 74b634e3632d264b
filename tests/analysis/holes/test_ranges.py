"""The range of a score over every filling of what nobody judged: by hand, and by trying all."""

from itertools import product

import pytest

import ulframe as ul
from ulframe.analysis.holes.laws import classes_of, never_falls, require_exchange
from ulframe.analysis.holes.ranges import ranges
from ulframe.analysis.holes.rankings import rankings
from ulframe.frames import BadUsage
from ulframe.metrics.catalog import CATALOG
from ulframe.metrics.grammar import named

TWO, THREE = (0.0, 1.0), (0.0, 1.0, 2.0)


def asked(name):
    """A measure by its name, under that name."""
    return {name: named(name)[name]}


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
    scores = ul.evaluate(many, {query: run for query in many}, measure).collect()["score"]
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
