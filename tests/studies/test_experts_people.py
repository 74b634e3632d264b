"""Measures over people: by hand, over every order of the tied, and against `evaluate`."""

from itertools import permutations, product
from math import log2
from random import Random
from statistics import fmean

import polars as pl
import pytest

import ulframe as ul
from tests import oracle
from tests.judges import scored
from ulframe.studies.experts import compare, every_pair, to_reference, top

# Reference: p > {q r} > s, so relevance 4, 2.5, 2.5, 1. Ranking: {p q} > s > r.
A = [["p", "q"], "s", "r"]
B = ["p", ["q", "r"], "s"]
ON_AVERAGE = (4 + 2.5) / 2
BY_HAND = {
    "P@1": (1 / 2 * 1) / 1,  # p is first in half of the orders of A
    "P@2": (1 * 1 + 1 * (1 / 2)) / 2,  # p surely in both; q in half of the orders of B
    "P@3": (1 + 1 + 0) / 3,  # p and q; s is not in B's, r not in A's
    "CG@1": ON_AVERAGE,
    "CG@3": 4 + 2.5 + 1,
    "CG": 4 + 2.5 + 1 + 2.5,
    "DCG(gain=linear)@3": ON_AVERAGE / log2(2) + ON_AVERAGE / log2(3) + 1 / log2(4),
    "DCG@2": (2**4 - 1 + 2**2.5 - 1) / 2 * (1 / log2(2) + 1 / log2(3)),
    "nDCG(gain=linear)@1": ON_AVERAGE / 4,
    "AP": 1.0,
    "Rprec": 1.0,
    "AP(rel=2.5)": fmean([1 / 1, 2 / 2, 3 / 4]),
    "Rprec(rel=2.5)": 2 / 3,
    "nCG@2": 2 * ON_AVERAGE / (4 + 2.5),
}
COMPLETED = {  # A: p q s r; B: p q r s, relevance 4 3 2 1
    "P@1": 1.0,
    "P@3": 2 / 3,
    "DCG(gain=linear)@3": 4 / log2(2) + 3 / log2(3) + 1 / log2(4),
    "nDCG(gain=linear)@1": 1.0,
    "AP(rel=2)": fmean([1 / 1, 2 / 2, 3 / 4]),
}
# A has x above and B has y, whom the other does not rank: ranks {x p q} s r, relevance of y 5.
AS_GIVEN = {
    "P@1": 0.0,
    "CG@3": 4 * 1 + 2.5 + 0,
    # p and q at two of the ranks 1 2 3, each two as likely; then s and r at 4 and 5; y is missed
    "AP": (fmean([1 / 1 + 2 / 2, 1 / 1 + 2 / 3, 1 / 2 + 2 / 3]) + 3 / 4 + 4 / 5) / 5,
    "Rprec": 4 / 5,
}  # fmt: skip


def test_by_hand():
    assert scored(A, B, BY_HAND) == pytest.approx(BY_HAND)


def test_completed_by_hand():
    assert scored(A, B, COMPLETED, complete=True) == pytest.approx(COMPLETED)


def test_people_left_out_by_hand():
    a, b = [["x", "p", "q"], "s", "r"], ["y", *B]
    assert scored(a, b, AS_GIVEN, homogenise=False) == pytest.approx(AS_GIVEN)


def test_relevance_of_ones_own():
    # relevance 1 for the reference's best two places, p q r: found at ranks {1 2} and 4
    want = {"AP": fmean([1 / 1, 2 / 2, 3 / 4]), "Rprec": 2 / 3, "CG@3": 2.0}
    assert scored(A, B, want, relevance=top(2)) == pytest.approx(want)
    # a step of 10 for the first, ranks squared for the others
    squares = pl.when(pl.col("rank") == 1).then(10).otherwise(pl.col("rank") ** 2)
    assert scored(A, B, ["CG@2"], relevance=squares) == {"CG@2": 10 + 2.5**2}


# ---------------------------------------------------------------- every order of the tied
PEOPLE = "pqrst"


def tied_pairs(seed, count):
    random = Random(seed)
    for _ in range(count):
        size = random.randint(1, 5)
        yield [
            {i: random.randint(1, 3) for i in random.sample(PEOPLE, size if name else 5)}
            for name in range(2)
        ]


def orders(ranking):
    """Every order of the people that a ranking with ties allows."""
    places = sorted(set(ranking.values()))
    groups = [[i for i in sorted(ranking) if ranking[i] == place] for place in places]
    for parts in product(*(permutations(group) for group in groups)):
        yield [item for part in parts for item in part]


def relevance(reference):
    """N + 1 less the mean of the ranks that a tie spans."""
    values = list(reference.values())
    middle = {v: sum(x < v for x in values) + (values.count(v) + 1) / 2 for v in values}
    return {item: len(values) + 1 - middle[place] for item, place in reference.items()}


CASES = {
    "AP": oracle.ap,
    "AP(rel=3)@2": lambda x, j: oracle.ap(x, j, 2, rel=3),
    "Rprec": oracle.rprec,
    "SP@3": lambda x, j: oracle.sp(x, j, 3),
    "CG@2": lambda x, j: oracle.cg(x, j, 2),
    "DCG": oracle.dcg,
    "DCG@3": lambda x, j: oracle.dcg(x, j, 3),
    "DCG(gain=linear)@3": lambda x, j: oracle.dcg_linear(x, j, 3),
    "R(rel=2)@2": lambda x, j: oracle.recall(x, j, 2, rel=2),
    "RBP": oracle.rbp,
}


@pytest.mark.parametrize("homogenise", [True, False])
def test_the_expectation_over_tie_orders(homogenise):
    pairs = list(tied_pairs(1, 40))
    rows = [
        (str(contest), name, item, place)
        for contest, both in enumerate(pairs)
        for name, ranking in zip("ab", both, strict=True)
        for item, place in ranking.items()
    ]
    names = ["contest", "ranking", "item", "position"]
    rankings = pl.LazyFrame(rows, schema=names, orient="row")
    measures = [*CASES, "P@1", "P@2", "P@3", "P@6"]
    got = compare(rankings, to_reference(rankings, "b"), measures, homogenise=homogenise).collect()
    assert got.height == len(pairs) * len(measures)
    for contest, measure, score in got.select("contest", "measure", "score").iter_rows():
        a, b = pairs[int(contest)]
        if homogenise:
            a, b = ({i: x[i] for i in x if i in a and i in b} for x in (a, b))
        if measure in CASES:
            label = relevance(b)
            values = [
                CASES[measure]([label.get(i, 0) for i in order], list(label.values()))
                for order in orders(a)
            ]
        else:
            k = int(measure[2:])
            values = [len(set(x[:k]) & set(y[:k])) / k for x, y in product(orders(a), orders(b))]
        assert score == pytest.approx(fmean(values)), (measure, a, b)


# ---------------------------------------------------------------- the catalogue's own
def test_total_orders_are_runs_and_qrels():
    random = Random(2)
    a, b = ([*random.sample(PEOPLE, 5)] for _ in range(2))
    measures = ["nDCG@3", "nDCG(gain=linear)", "V1(DCG@2)", "V2(nDCG@3)", "V2(AP(rel=3)@4)", "CG@2"]
    qrels = {"q": {item: 5 - rank for rank, item in enumerate(b)}}
    runs = {"q": {item: 5.0 - rank for rank, item in enumerate(a)}}
    want = ul.evaluate(qrels, runs, measures).select("measure", "score").collect()
    assert scored(a, b, measures) == pytest.approx(dict(want.iter_rows()))


def test_a_precision_with_a_relevance_of_its_own_is_the_catalogues():
    # relevance of at least 2.5: p q r, of which A has p and q first
    assert scored(A, B, ["P(rel=2.5)@3"]) == {"P(rel=2.5)@3": 2 / 3}


def test_measures_by_names_of_ones_own():
    rankings = {"a": A, "b": B}
    asked = {"first two": ul.P @ 2, "pairs": "pairs.P"}
    got = compare(rankings, to_reference(rankings, "b"), asked).collect()
    assert got["measure"].to_list() == ["first two", "pairs"]
    assert got["score"][0] == BY_HAND["P@2"]


def test_measures_as_objects():
    rankings = {"a": A, "b": B}
    asked = [ul.P @ 2, ul.nDCG(gain="linear") @ 1]
    got = compare(rankings, to_reference(rankings, "b"), asked).collect()
    assert got["score"].to_list() == pytest.approx([BY_HAND["P@2"], BY_HAND["nDCG(gain=linear)@1"]])


# ---------------------------------------------------------------- what is refused
def test_a_gain_beyond_floats_is_refused():
    line = [str(i) for i in range(1100)]
    rankings = {"a": line, "b": line}
    with pytest.raises(
        ul.BadData, match=r"DCG is above 1e.150, the most that is taken.*gain=linear"
    ):
        compare(rankings, every_pair(rankings), "nDCG").collect()


@pytest.mark.parametrize("name", ["AP(judged_only=True)", "nDCG(gains={1:3})@2"])
def test_what_is_about_judged_documents_is_refused(name):
    rankings = {"a": A, "b": B}
    with pytest.raises(ul.BadUsage, match="are for judged documents, not for people"):
        compare(rankings, every_pair(rankings), name).collect()


def test_a_relevance_that_is_no_number_is_refused():
    rankings, bad = {"a": A, "b": B}, (1 - pl.col("rank")).log()
    with pytest.raises(ul.BadUsage, match="finite number"):
        compare(rankings, every_pair(rankings), "CG", relevance=bad).collect()
