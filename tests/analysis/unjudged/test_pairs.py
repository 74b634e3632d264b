"""Whether a winner stays one: by hand, and against all fillings of both runs alike."""

from itertools import product

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ulframe as ul
from ulframe.analysis import holes
from ulframe.analysis.unjudged import pairs as choices
from ulframe.frames import BadUsage

QRELS = {"q": {"r": 1, "n": 0}}


def run(*documents):
    """A run of these documents, best first."""
    return {"q": {doc: -at for at, doc in enumerate(documents)}}


def pair(qrels, a, b, name, **options):
    """The row of the pair."""
    found = holes(qrels, {"a": a, "b": b}, name, **options).pairs
    return found.row(0, named=True)


@pytest.mark.parametrize(
    ("a", "b", "name", "diff", "lowest", "highest", "holds"),
    [
        # both returned x: one label
        (run("r", "x"), run("n", "x"), "P@2", 1 / 2, 1 / 2, 1 / 2, True),
        (run("r", "x"), run("n", "y"), "P@2", 1 / 2, 0, 1, False),
        (run("r", "x", "n"), run("n", "x", "r"), "AP", 1 - 1 / 3, (1 + 1) / 2 - (1 / 2 + 2 / 3) / 2,
         1 - 1 / 3, True),
        (run("r", "n", "x"), run("n", "r", "y"), "AP", 1 / 2, 1 / 2 - (1 / 2 + 2 / 3) / 2,
         5 / 6 - 1 / 4, False),
        (run("r", "x"), run("x", "r"), "RR", 1 / 2, 0, 1 / 2, False),
        (run("x", "r"), run("n", "x", "r"), "RR", 1 / 2 - 1 / 3, 1 / 2 - 1 / 3, 1 / 2, True),
        (run("r"), run("n", "r"), "RR", 1 / 2, 1 / 2, 1 / 2, True),
        (run("r", "x"), run("x", "r"), "P@2", 0, 0, 0, None),
    ],
)  # fmt: skip
def test_pairs_by_hand(a, b, name, diff, lowest, highest, holds):
    found = pair(QRELS, a, b, name)
    assert (found["diff"], found["lowest"], found["highest"]) == pytest.approx(
        (diff, lowest, highest)
    )
    assert found["holds"] is holds


def by_trying(qrels, a, b, measure, levels):
    """The least and most mean difference over all fillings, each evaluated."""
    low = high = 0.0
    for query, judged in qrels.items():
        free = sorted({*a[query], *b[query]} - {*judged})
        fillings = [dict(zip(free, ls, strict=True)) for ls in product(levels, repeat=len(free))]
        many = {str(at): {**judged, **filling} for at, filling in enumerate(fillings)}
        runs = {name: dict.fromkeys(many, one[query]) for name, one in (("a", a), ("b", b))}
        scores = (
            ul.evaluate(many, runs, measure).collect().with_columns(pl.col("score").fill_null(0))
        )
        wide = scores.pivot("run", index="query_id", values="score")
        diffs = wide["a"] - wide["b"]
        low, high = low + min(diffs), high + max(diffs)
    return low / len(qrels), high / len(qrels)


TWO_QUERIES = {"1": {"a": 1, "b": 0, "z": 1}, "2": {"a": 0, "c": 1}}
A = {"1": {"a": 9, "x": 8, "b": 7, "y": 6}, "2": {"c": 9, "x": 8, "u": 7}}
B = {"1": {"x": 9, "b": 8, "v": 7, "a": 6}, "2": {"w": 9, "a": 8, "c": 7, "x": 6}}


@pytest.mark.parametrize(
    "name", ["AP", "P@2", "DCG@3", "nDCG", "RR", "R@2", "RBP", "V2(AP)", "ERR", "CG@3", "U(P@3)"]
)
@pytest.mark.parametrize("labels", [(0, 1), (0, 1, 2)])
def test_every_filling_of_short_lists(name, labels):
    lowest, highest = by_trying(TWO_QUERIES, A, B, name, labels)
    found = holes(TWO_QUERIES, {"a": A, "b": B}, name, labels=labels).pairs.row(0, named=True)
    if found["run_a"] == "b":
        lowest, highest = -highest, -lowest
    assert (found["lowest"], found["highest"]) == pytest.approx((lowest, highest), abs=1e-12)
    assert found["holds"] is (lowest > 0 if found["diff"] else None)


@pytest.mark.parametrize("name", ["AP", "nDCG", "RR", "R@2", "V2(AP)", "DCG@2", "ERR", "U(P@2)"])
@pytest.mark.parametrize("labels", [(0, 1), (0, 1, 2)])
def test_what_is_not_tried_holds_all_that_is(monkeypatch, name, labels):
    """From outside nothing is beyond, and no winner is called sure, or lost, that is not."""
    lowest, highest = by_trying(TWO_QUERIES, A, B, name, labels)
    monkeypatch.setattr(choices, "MOST", 1)
    found = holes(TWO_QUERIES, {"a": A, "b": B}, name, labels=labels).pairs.row(0, named=True)
    if found["run_a"] == "b":
        lowest, highest = -highest, -lowest
    assert found["lowest"] is None or found["lowest"] <= lowest + 1e-12
    assert found["highest"] is None or found["highest"] >= highest - 1e-12
    assert found["holds"] in (None, lowest > 0)


def test_random_fillings_follow_the_rate_of_the_runs():
    """Of two judged documents of each run one is relevant, so x and y are so half of the time."""
    qrels = {"q": {"r": 1, "n": 0}}
    a, b = run("r", "n", "x"), run("n", "r", "y")
    # a wins unless y is relevant and x is not: 1/2 against 7/12, so in 3 of 4
    share = pair(qrels, a, b, "AP", draws=4000)["share"]
    assert share == pytest.approx(3 / 4, abs=4 * (3 / 16 / 4000) ** 0.5)
    assert pair(qrels, a, b, "AP", draws=4000)["share"] == share  # seeded
    assert pair(qrels, a, b, "AP", draws=4000, seed=1)["share"] != share


def test_queries_of_which_all_is_judged_count_as_they_are():
    """As in the test before, and a second query in which all is judged, and b leads by 1/2."""
    qrels = {"q": {"r": 1, "n": 0}, "p": {"r": 1, "n": 0}}
    a = run("r", "n", "x") | {"p": {"n": 2, "r": 1}}
    b = run("n", "r", "y") | {"p": {"r": 2, "n": 1}}
    # in q a leads by 1/2, or 5/6 - 1/4 if x alone is relevant, 5/9 - 7/18 if both are, or loses
    share = pair(qrels, a, b, "AP", draws=4000)["share"]
    assert share == pytest.approx(1 / 4, abs=4 * (3 / 16 / 4000) ** 0.5)
    c = run("r", "n", "x") | {"p": {"r": 2, "n": 1}}
    # against c q alone decides, as before
    share = pair(qrels, c, b, "AP", draws=4000)["share"]
    assert share == pytest.approx(3 / 4, abs=4 * (3 / 16 / 4000) ** 0.5)


def test_documents_that_tell_runs_apart_come_first():
    """One is first in one run and nowhere in the other, y last in both."""
    a, b = run("x", "r", "n", "y"), run("r", "n", "w", "y")
    found = holes(QRELS, {"a": a, "b": b}, "DCG").documents
    assert found["doc_id"].to_list() == ["x", "w", "y"]
    # of the two or two judged documents of each run one is relevant
    discount = 1 / 2  # log2(1 + 3), of w in b
    assert found["influence"].to_list() == pytest.approx([1 / 2, discount / 2, 0])
    assert found["best_rank"].to_list() == [1, 3, 4]
    assert found["runs"].to_list() == [1, 1, 2]


def test_with_a_baseline_only_its_pairs():
    runs = {"a": run("r", "x"), "b": run("n", "y"), "c": run("x", "r")}
    found = holes(QRELS, runs, "P@1", baseline="b")
    assert {frozenset(row) for row in found.pairs.select("run_a", "run_b").rows()} == {
        frozenset("ab"), frozenset("cb"),
    }  # fmt: skip
    with pytest.raises(BadUsage, match="no run 'd' to be the baseline; there is a, b, c"):
        holes(QRELS, runs, "P@1", baseline="d")


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("gm_map", {}, "no holes of gm_map: its queries make a geometric mean"),
        ("AP(judged_only=true)", {}, "sees judged documents alone"),
        ("AP", {"labels": [1, 2]}, "0 and at least one above it"),
        ("AP", {"labels": [0]}, "0 and at least one above it"),
        ("AP", {"labels": [-1, 0, 1]}, "0 and at least one above it"),
    ],
)
def test_refused(name, options, says):
    with pytest.raises(BadUsage, match=says):
        holes(QRELS, {"a": run("r", "x")}, name, **options)


def test_shares_judged_and_means():
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    found = holes(qrels, {"1": {"a": 2, "x": 1}}, "P@2")
    judged = dict(found.judged.select("depth", "judged").rows())
    assert judged[5] == (1 / 2 + 0) / 2  # the second query is missed
    row = found.runs.row(0, named=True)
    assert (row["score"], row["lowest"], row["highest"]) == (1 / 4, 1 / 4, 1 / 2)
    assert (row["unjudged"], row["exact"]) == (1, True)
    assert row["condensed"] == 1 / 4  # a alone, of two places
    assert found.pairs.is_empty()
    assert found.documents.is_empty()


@pytest.mark.parametrize("name", ["AP", "V2(P@2)", "nDCG", "bpref"])
def test_a_negative_label_is_no_judgement(name):
    a, b = run("r", "x", "n"), run("n", "r", "y")
    a, b = a | {"p": {"x": 1}}, b | {"p": {"x": 1}}
    unjudged = holes(QRELS | {"p": {"z": 0}}, {"a": a, "b": b}, name)
    judged = {"q": QRELS["q"] | {"x": -1, "y": -2}, "p": {"x": -1, "z": 0}}
    negative = holes(judged, {"a": a, "b": b}, name)
    for frame in ("judged", "pairs", "documents"):
        assert_frame_equal(getattr(negative, frame), getattr(unjudged, frame))
    extremes = ["lowest", "highest", "unjudged", "exact"]
    assert_frame_equal(negative.runs.select(extremes), unjudged.runs.select(extremes))
