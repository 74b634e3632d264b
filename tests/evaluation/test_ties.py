"""Tied documents: the mean over all their orders, and how far a score can move with them."""

from __future__ import annotations

from itertools import pairwise, permutations, product
from math import isclose
from statistics import fmean

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ulframe as ul
from tests.oracle import CASES

AFFINE = [name for name in CASES if not name.startswith(("RR", "Success", "bpref"))]
GROUPS = [(1,), (2,), (3,), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (1, 1, 2), (4,)]
GRADES = (None, 0, 1, 2)


def cases() -> dict[str, tuple[tuple[int, ...], tuple[int | None, ...]]]:
    return {
        f"{sizes}{labels}": (sizes, labels)
        for sizes in GROUPS
        for labels in product(GRADES, repeat=sum(sizes))
    }


def orders(sizes, labels):
    """Every ranking that the groups allow."""
    ends = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
    groups = [labels[a:b] for a, b in pairwise(ends)]
    for order in product(*(permutations(group) for group in groups)):
        yield [label for group in order for label in group]


@pytest.fixture(scope="module")
def frames():
    """A query per case; each has one relevant document that the run misses."""
    rows: list[tuple] = []
    for query, (sizes, labels) in cases().items():
        group = [-i for i, size in enumerate(sizes) for _ in range(size)]
        rows += [(query, str(d), x, s) for d, (x, s) in enumerate(zip(labels, group, strict=True))]
        rows.append((query, "missed", 1, None))
    frame = pl.DataFrame(rows, schema=["query_id", "doc_id", "label", "score"], orient="row")
    judged = frame.drop("score").drop_nulls("label")
    return judged, frame.drop("label").drop_nulls("score")


@pytest.mark.parametrize("depth", [None, 2])
def test_the_mean_over_all_orders(frames, depth):
    scores = ul.evaluate(frames[0], frames[1], AFFINE, ties="average", depth=depth).collect()
    got = {(query, name): value for _, query, name, _, value, *_ in scores.iter_rows()}
    for query, (sizes, labels) in cases().items():
        judged = [label for label in (*labels, 1) if label is not None]
        rankings = [ranking[:depth] for ranking in orders(sizes, labels)]
        for name in AFFINE:
            want = fmean(CASES[name](ranking, judged) for ranking in rankings)
            assert isclose(got[query, name], want, rel_tol=1e-12, abs_tol=1e-12), (query, name)


def test_it_is_the_same_without_ties(frames):
    qrels, runs = frames
    untied = runs.with_columns(score=-pl.col("doc_id").cast(pl.Float64))
    broken, averaged = (
        ul.evaluate(qrels, untied, AFFINE, ties=ties).collect() for ties in ("score", "average")
    )
    assert_frame_equal(broken, averaged)


@pytest.mark.parametrize(
    "name",
    ["RR", "Success@3", "bpref", "ERR", "yaap", "AP(judged_only=True)", "V2(AP)", "V1(DCG@3)"],
)
def test_what_is_not_affine_in_the_hits_is_refused(frames, name):
    with pytest.raises(ul.BadUsage, match="is exact for what is affine in the hits, not for"):
        ul.evaluate(frames[0], frames[1], name, ties="average")


def test_how_far_scores_can_move(frames):
    qrels, runs = frames
    report = ul.tie_report(qrels, runs, ["RR", "nDCG@2"]).collect()
    got = {row["query_id"]: row for row in report.filter(measure="RR").iter_rows(named=True)}
    for query, (sizes, labels) in cases().items():
        values = [CASES["RR"](ranking, ()) for ranking in orders(sizes, labels)]
        ends = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
        groups = [{(x or 0) > 0 for x in labels[a:b]} for a, b in pairwise(ends)]
        mixed = [size for size, kinds in zip(sizes, groups, strict=True) if len(kinds) == 2]
        assert (query in got) == bool(mixed) or min(values) != max(values)
        if query in got:
            row = got[query]
            assert (row["groups"], row["documents"]) == (len(mixed), sum(mixed))
            assert (row["lowest"], row["highest"]) == (min(values), max(values))
            assert row["lowest"] <= row["score"] <= row["highest"]


def test_a_run_without_ties_has_no_report():
    qrels, runs = {"q": {"a": 1, "b": 0}}, {"q": {"a": 0.2, "b": 0.1}}
    assert ul.tie_report(qrels, runs, "nDCG").collect().is_empty()
