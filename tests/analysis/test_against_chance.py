"""Runs against random rankings: by hand, against all orders, and on real runs."""

from __future__ import annotations

from itertools import permutations
from math import log2, sqrt
from statistics import NormalDist

import numpy as np
import polars as pl
import pytest

import ulframe as ul
from tests.oracle import CASES as PLAIN
from tests.oracle_graded import CASES as GRADED
from tests.oracle_sets import CASES as SETS
from ulframe.analysis import against_chance, mean_of_v2
from ulframe.analysis.chance import distribution as distributions
from ulframe.analysis.chance.rankings import drawn, number_of_sequences, sequences

ORACLES = PLAIN | GRADED | SETS


def judged(labels):
    return {"q": {f"d{i}": label for i, label in enumerate(labels)}}


def ranked(order):
    return {"q": {f"d{doc}": -float(rank) for rank, doc in enumerate(order)}}


def p_value(labels, order, measure, **options):
    found = against_chance(judged(labels), ranked(order), measure, **options)
    return found.queries.collect().row(0, named=True)


# ---------------------------------------------------------------- by hand
def test_one_order_of_sixty():
    """2, 1, 1 scores 3 + 1/log2(3) + 1/2 = 4.13; the next, 2, 1, 0, scores 3.63."""
    row = p_value([2, 1, 1, 0, 0, 0], [0, 1, 2, 3, 4, 5], "DCG@3")
    assert row["value"] == pytest.approx(3 + 1 / log2(3) + 1 / 2)
    assert row["p_value"] == pytest.approx(1 / 60)
    assert row["spread"] == pytest.approx(1.103657, abs=5e-7)
    assert row["draws"] is None


def test_equal_sums_in_another_order_count_as_equal():
    """Any order of 1, 1, 1 down to 3 scores what the run does: only one does not have all three."""
    row = p_value([1, 1, 1, 0], [2, 1, 0, 3], "DCG@3")
    assert row["p_value"] == pytest.approx(1 / 4)


COMPARED = ["DCG@4", "AP", "SP@2", "RR", "RR@2", "Success@3", "P@4", "bpref", "ERR", "G", "GAP",
            "ndcg_rel", "Rndcg", "infAP", "binG", "SetAP", "Accuracy", "IPrec@0.4", "Compat",
            "Utility", "Judged@3"]  # fmt: skip
LABELS = [2, 1, 1, 0, 0, -1]


@pytest.mark.parametrize("measure", COMPARED)
def test_all_orders(measure):
    """P is the share of all orders that reach the value; unjudged documents are labelled -1."""
    values = {order: ORACLES[measure]([LABELS[doc] for doc in order], LABELS)
              for order in permutations(range(len(LABELS)))}  # fmt: skip
    some = [(0, 1, 2, 3, 4, 5), (3, 1, 0, 4, 5, 2), (5, 4, 3, 2, 1, 0), (1, 3, 5, 0, 2, 4)]
    for order in some:
        row = p_value(LABELS, order, measure)
        reached = [value >= values[order] - 1e-9 for value in values.values()]
        assert row["value"] == pytest.approx(values[order])
        if row["spread"] == 0:
            assert row["p_value"] is None
            assert all(reached)
        else:
            assert row["p_value"] == pytest.approx(sum(reached) / len(reached))


@pytest.mark.parametrize("measure", ["DCG@20", "AP", "ERR@20", "GAP", "bpref"])
def test_draws_agree_with_all_sequences(measure, monkeypatch):
    labels, order = [2, 1, 1] + [0] * 17, [3, 0, 4, 1, 5, 6, 2, *range(7, 20)]
    exact = p_value(labels, order, measure)
    assert exact["draws"] is None
    monkeypatch.setattr(distributions, "FEW", 0)
    draws = 4_000
    found = p_value(labels, order, measure, draws=draws, seed=7)
    assert found["draws"] == draws
    error = sqrt(exact["p_value"] * (1 - exact["p_value"]) / draws)
    assert abs(found["p_value"] - exact["p_value"]) < 4 * error + 1 / draws


def test_a_pool_with_documents_that_are_in_no_qrels():
    """1 relevant document of 10 of which 2 are judged: it stands first in 1 of 10 orders."""
    row = p_value([1, 0], [0, 1], "P@1", pool=10)
    assert row["p_value"] == pytest.approx(1 / 10)
    for measure in ("AP", "ERR@5", "Compat"):
        assert p_value([1, 0], [0, 1], measure, pool=10)["p_value"] == pytest.approx(1 / 10)


def test_by_run():
    """Two queries of P@1 with chance 1/2 and 1/4: the variances are 1/4 and 3/16."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0, "c": 0, "d": 0}, "3": {"a": 0}}
    runs = {"up": {"1": {"a": 1.0}, "2": {"a": 1.0}}, "down": {"1": {"b": 1.0}}}
    found = against_chance(qrels, runs, "P@1")
    rows = {row["run"]: row for row in found.runs.collect().iter_rows(named=True)}
    root = sqrt(1 / 4 + 3 / 16)
    for run, z in (("up", (1 / 2 + 3 / 4) / root), ("down", -(1 / 2 + 1 / 4) / root)):
        assert rows[run]["z"] == pytest.approx(z)
        assert rows[run]["p_value"] == pytest.approx(1 - NormalDist().cdf(z))
        assert rows[run]["n_queries"] == 3
        assert rows[run]["n_undefined"] == 1
    assert [rows["up"]["better"], rows["down"]["better"]] == [True, False]
    queries = found.queries.collect().filter(run="up")
    # 1/2 and 1/4: adjusted 1/2 * 2/2 and 1/4 * 2/1
    assert queries["p_value"].to_list() == pytest.approx([1 / 2, 1 / 4, None])
    assert queries["p_adjusted"].to_list() == pytest.approx([1 / 2, 1 / 2, None])


def test_what_so_few_draws_cannot_tell_is_drawn_again():
    """With 9 draws p is 1/10 at least; 90 can tell less, and are taken for this query alone."""
    labels = [1] * 10 + [0] * 30
    qrels = {query: judged(labels)["q"] for query in ("best", "worst")}
    runs = {
        "best": {f"d{i}": -float(i) for i in range(40)},
        "worst": {f"d{i}": float(i) for i in range(40)},
    }
    rows = against_chance(qrels, runs, "AP", draws=9).queries.collect()
    assert rows["draws"].to_list() == [90, 9]
    assert rows["p_value"].to_list() == pytest.approx([1 / 91, 1.0])


def test_seeds_repeat_and_queries_do_not_depend_on_each_other():
    labels, order = [2, 2, 1] + [0] * 40, [5, 0, 9, 1, 7, 2, *range(10, 43), 3, 4, 6, 8]
    one, same, other = (
        p_value(labels, order, measures, seed=seed)["p_value"]
        for measures, seed in (("AP", 0), (["AP", "DCG", "P@5"], 0), ("AP", 1))
    )
    assert one == same
    assert one != other


@pytest.mark.parametrize(
    ("measure", "options", "message"),
    [
        ("unj@5", {}, "unj@5 is not compared with chance: it counts what was not judged"),
        ("RLB(AP)", {}, r"RLB\(AP\) says nothing of the run; ask for AP"),
        ("SP(expectation=independent)", {}, "its expectation comes near the exact one only"),
        ("AP", {"ties": "average"}, "scores no one ranking"),
        ("AP", {"draws": 0}, "resamples=0"),
    ],
)
def test_refusals(measure, options, message):
    with pytest.raises(ul.BadUsage, match=message):
        against_chance(judged([1, 0]), ranked([0, 1]), measure, **options)


# ---------------------------------------------------------------- random rankings
@pytest.mark.parametrize(
    ("counts", "m", "number"),
    [([1, 2, 3], 3, 19), ([5], 3, 1), ([2, 2], 2, 4), ([1, 1000], 10, 11), ([30, 30], 25, 1e15)],
)
def test_number_of_sequences(counts, m, number):
    assert number_of_sequences(np.array(counts), m) == number
    if number < 100:
        codes, chances = sequences(np.array(counts), m)
        assert codes.shape == (m, number)
        assert chances.sum() == pytest.approx(1)


def test_draws_are_uniform():
    """Of 1, 2 and 3 documents each of the 60 orders down to rank 6 comes alike often."""
    draws, counts = 60_000, np.array([1, 2, 3])
    codes = drawn(counts, 6, draws, seed=3)
    _, found = np.unique(codes, axis=1, return_counts=True)
    assert len(found) == 60
    assert ((found - draws / 60) ** 2 / (draws / 60)).sum() < 59 + 5 * sqrt(2 * 59)


# ---------------------------------------------------------------- the mean of V2
@pytest.mark.parametrize(
    ("labels", "measure", "mean"),
    [
        ([2, 1, 0, 0, 0], "DCG@2", -0.181131),
        ([1, 1, 1, 0], "DCG@2", 1 / 3),
        ([1, 0, 0], "DCG@1", -1 / 3),
    ],
)
def test_mean_of_v2_by_hand(labels, measure, mean):
    row = mean_of_v2(judged(labels), measure).collect()
    assert row["mean"].item() == pytest.approx(mean, abs=5e-7)
    assert row["error"].item() == 0


@pytest.mark.parametrize("measure", ["DCG@4", "AP", "RR", "P@4", "Success@1", "ERR", "bpref"])
def test_mean_of_v2_of_all_orders(measure):
    labels = [2, 1, 1, 0, 0, 0]
    values = [ORACLES[measure](order, labels) for order in set(permutations(labels))]
    best, mean = max(values), sum(values) / len(values)
    each = [(v - mean) / (best - mean if v >= mean else mean) for v in values]
    row = mean_of_v2(judged(labels), measure).collect()
    assert row["mean"].item() == pytest.approx(sum(each) / len(each))


@pytest.mark.parametrize("measure", ["DCG@10", "AP"])
def test_mean_of_v2_by_draws_is_within_its_error(measure):
    """Against the mean over as many shuffled runs."""
    labels = [2] * 4 + [1] * 8 + [0] * 28
    rng = np.random.default_rng(5)
    docs = [f"d{i}" for i in range(40)]
    runs = pl.concat(
        pl.DataFrame({"run": f"{i}", "query_id": "q", "doc_id": docs, "score": rng.random(40)})
        for i in range(1000)
    )
    shuffled = ul.evaluate(judged(labels), runs, f"V2({measure})").collect()["score"]
    row = mean_of_v2(judged(labels), measure).collect().row(0, named=True)
    assert row["error"] > 0
    error = sqrt(shuffled.var() / 1000 + row["error"] ** 2)
    assert abs(row["mean"] - shuffled.mean()) < 4 * error


def test_mean_of_v2_where_there_is_none():
    qrels = {"none": {"a": 0, "b": 0}, "all": {"a": 1, "b": 1}}
    assert mean_of_v2(qrels, "AP").collect()["mean"].to_list() == [None, None]
    with pytest.raises(ul.BadUsage, match="how many documents a run returned"):
        mean_of_v2(qrels, "SetP")
    with pytest.raises(ul.BadUsage, match="no V2 of Utility"):
        mean_of_v2(qrels, "Utility")
    with pytest.raises(ul.BadUsage, match="its expectation comes near"):
        mean_of_v2(qrels, "SP(expectation=independent)")


# ---------------------------------------------------------------- real runs
@pytest.fixture(scope="module")
def mq2007(shared):
    folder = shared / "mq2007-agg"
    return pl.read_parquet(folder / "qrels.parquet"), pl.read_parquet(folder / "runs.parquet")


def plain_z(qrels, scores):
    """By the closed form of DCG@10, over the queries of one run."""
    weights = [1 / log2(i + 1) for i in range(1, 11)]
    gap = variance = 0.0
    gains = qrels.group_by("query_id").agg(gain=2.0 ** pl.col("label") - 1)
    for gain, value in gains.join(scores, on="query_id").select("gain", "value").iter_rows():
        if len(set(gain)) == 1:
            continue  # chance can score one thing only
        n, w = len(gain), weights[: len(gain)]
        w1, w2, mean = sum(w), sum(x**2 for x in w), sum(gain) / n
        gap += value - mean * w1
        s2 = sum(g**2 for g in gain) / n - mean**2
        variance += s2 * (n * w2 - w1**2) / (n - 1) if n > 1 else 0
    return gap / sqrt(variance)


def test_systems_of_mq2007(mq2007):
    qrels, runs = mq2007
    found = against_chance(qrels, runs, "DCG@10", draws=999)
    z = dict(found.runs.collect().select("run", "z").iter_rows())
    values = found.queries.collect()
    for run in ("system01", "system11"):
        assert z[run] == pytest.approx(plain_z(qrels, values.filter(run=run)))
    assert z["system01"] == pytest.approx(4.25, abs=0.005)
    assert z["system05"] == pytest.approx(46.8, abs=0.05)
    assert z["system11"] == pytest.approx(-8.88, abs=0.005)
    assert z["system16"] == pytest.approx(7.8, abs=0.05)
    v2 = ul.evaluate(qrels, runs.filter(pl.col("run") == "system16"), "V2(DCG@10)").collect()
    assert v2["score"].mean() == pytest.approx(-0.110, abs=5e-4)
