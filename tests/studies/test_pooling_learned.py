"""Learned pools: the features, the two rankers against plain ones, and who is trained on whom."""

from __future__ import annotations

from math import exp, log

import numpy as np
import polars as pl
import pytest
from scipy import optimize

import ulframe as ul
from ulframe.studies.pooling import rboost, rsvm
from ulframe.studies.pooling.features import described
from ulframe.studies.pooling.rankers import STEPS, Examples, rank_svm, rankboost

RANKERS = {"rboost": rboost, "rsvm": rsvm}


# ---------------------------------------------------------------- features
def test_documents_are_described_by_ranks_and_scores():
    runs = {"a": {"t": {"x": 5.0, "y": 2.0, "z": 1.0}}, "b": {"t": {"y": 7.0}}}
    documents = described(runs)
    assert documents.rows["doc_id"].to_list() == ["x", "y", "z"]
    by_rank = [1 - log(rank) / log(4) for rank in (1, 2, 3)]
    want = [  # a's rank, b's rank, a's score, b's score
        [by_rank[0], 0, (5 - 1) / 4, 0],
        [by_rank[1], by_rank[0], (2 - 1) / 4, 1],
        [by_rank[2], 0, (1 - 1) / 4, 0],
    ]
    assert documents.values == pytest.approx(np.array(want), abs=1e-6)


def test_an_infinite_score_is_a_number_all_the_same():
    documents = described({"a": {"t": {"x": float("inf"), "y": 2.0, "z": 1.0}}})
    assert np.isfinite(documents.values).all()


# ---------------------------------------------------------------- rankers
def random_topics(seed: int, features: int = 3) -> list[Examples]:
    """Two queries in which the first feature is better in relevant documents; some cells are 0."""
    rng = np.random.default_rng(seed)

    def draw(n: int, bonus: float) -> np.ndarray:
        values = rng.random((n, features)) * 0.7
        values[:, 0] += bonus
        return np.where(rng.random(values.shape) < 0.2, 0, values).astype(np.float32)

    return [Examples(draw(4, 0.3), draw(6, 0.0)), Examples(draw(2, 0.3), draw(7, 0.0))]


def plain_rankboost(queries: list[Examples], rounds: int):
    """RankBoost as it is written: all pairs, all thresholds, weights made to sum to 1."""
    pairs = [(x, y, 1 / (len(t.relevant) * len(t.other) * len(queries)))
             for t in queries for x in t.relevant for y in t.other]  # fmt: skip
    weights = [weight for _, _, weight in pairs]
    chosen = []
    n_features = queries[0].relevant.shape[1]
    learners = [(f, step / STEPS) for f in range(n_features) for step in range(STEPS)]

    def r(f: int, threshold: float) -> float:
        return sum(weight * order(x, y, f, threshold)
                   for weight, (x, y, _) in zip(weights, pairs, strict=True))  # fmt: skip

    def order(x, y, f: int, threshold: float) -> float:
        return float(x[f] > threshold) - float(y[f] > threshold)

    for _ in range(rounds):
        f, threshold = max(learners, key=lambda learner: round(abs(r(*learner)), 9))
        alpha = log((1 + r(f, threshold)) / (1 - r(f, threshold))) / 2
        chosen.append((f, threshold, alpha))
        new = [weight * exp(-alpha * order(x, y, f, threshold))
               for weight, (x, y, _) in zip(weights, pairs, strict=True)]  # fmt: skip
        weights[:] = [weight / sum(new) for weight in new]
    return lambda row: sum(a for f, threshold, a in chosen if row[f] > threshold)


@pytest.mark.parametrize("seed", range(3))
def test_rankboost_against_all_pairs(seed):
    queries = random_topics(seed)
    plain, ours = plain_rankboost(queries, rounds=4), rankboost(queries, rounds=4)
    for query in queries:
        for part in (query.relevant, query.other):
            assert ours(part) == pytest.approx([plain(row) for row in part], abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_ranking_svm_against_all_pairs(seed):
    queries = random_topics(seed)
    penalty = 0.1

    def loss(w):
        short = [
            [max(0.0, 1 - float(w @ (x - y))) ** 2 for x in t.relevant for y in t.other]
            for t in queries
        ]
        return np.mean([np.mean(pairs) for pairs in short]) + penalty * float(w @ w)

    plain = optimize.minimize(loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-7})
    ours = rank_svm(queries, penalty=penalty)(np.eye(3, dtype=np.float32))
    assert loss(ours) == pytest.approx(plain.fun, abs=1e-5)
    assert ours == pytest.approx(plain.x, abs=1e-2)


@pytest.mark.parametrize("ranker", [rankboost, rank_svm])
def test_what_one_feature_tells_is_learned_whole(ranker):
    good = np.array([[0.9, 0.1], [0.8, 0.9]], dtype=np.float32)
    bad = np.array([[0.3, 0.2], [0.0, 0.8]], dtype=np.float32)
    scorer = ranker([Examples(good, bad)])
    assert scorer(good).min() > scorer(bad).max()


# ---------------------------------------------------------------- who is trained on whom
def judged_and_returned(queries: int) -> tuple[dict, dict]:
    """Two runs of 8 documents a query; the one that both have at the top are relevant."""
    qrels, runs = {}, {"a": {}, "b": {}}
    for number in range(queries):
        docs = [f"d{i}" for i in range(8)]
        name = f"t{number:02}"
        runs["a"][name] = {doc: float(-i) for i, doc in enumerate(docs)}
        runs["b"][name] = {doc: float(-((i * 3 + number) % 8)) for i, doc in enumerate(docs)}
        qrels[name] = {doc: int(i < 2) for i, doc in enumerate(docs[:6])}
    return qrels, runs


@pytest.mark.parametrize("method", RANKERS)
def test_no_query_is_ordered_by_its_own_judgements(method):
    qrels, runs = judged_and_returned(6)

    def orders(labels):
        rows = RANKERS[method](labels, runs, queries=2, depth=8).collect()
        return {
            name: part["doc_id"].to_list()
            for (name,), part in rows.group_by("query_id", maintain_order=True)
        }

    before = orders(qrels)
    changed = 0
    for name in qrels:
        inverted = qrels | {name: {doc: 1 - label for doc, label in qrels[name].items()}}
        after = orders(inverted)
        assert after[name] == before[name]
        changed += after != before
    assert changed > 0  # some queries are trained on, and then others change


@pytest.mark.parametrize("method", RANKERS)
def test_a_list_has_all_documents_and_says_what_was_judged(method):
    qrels, runs = judged_and_returned(6)
    rows = RANKERS[method](qrels, runs, queries=2, depth=3).collect()
    assert rows.schema == {
        "query_id": pl.String, "doc_id": pl.String, "place": pl.Int64, "training": pl.Boolean,
    }  # fmt: skip
    assert (
        rows.group_by("query_id").agg(pl.col("place").sort())["place"].to_list()
        == [list(range(1, 9))] * 6
    )
    trained = rows.filter("training")
    assert trained["query_id"].n_unique() == 2 * 2
    top = {
        (name, doc)
        for queries in runs.values()
        for name, scores in queries.items()
        for doc in sorted(scores, key=scores.__getitem__, reverse=True)[:3]
    }
    assert set(trained.select("query_id", "doc_id").iter_rows()) <= top


def test_few_queries_are_trained_on_by_halves():
    qrels, runs = judged_and_returned(3)
    rows = rboost(qrels, runs, queries=10, depth=8).collect()
    assert rows.filter("training")["query_id"].n_unique() == 2


def test_queries_without_qrels_are_listed_but_teach_nothing():
    qrels, runs = judged_and_returned(6)
    known = {name: qrels[name] for name in list(qrels)[:2]}
    rows = rsvm(known, runs, queries=5, depth=8).collect()
    assert rows["query_id"].n_unique() == 6
    assert set(rows.filter("training")["query_id"]) == set(known)


def test_nothing_to_learn_from():
    qrels, runs = judged_and_returned(4)
    barren = {name: dict.fromkeys(docs, 0) for name, docs in qrels.items()}
    with pytest.raises(ul.BadData, match="nothing to learn from: of 1 queries none has relevant"):
        rboost(barren, runs, queries=1).collect()
    only = {name: docs for name, docs in qrels.items() if name == "t00"}
    with pytest.raises(ul.BadData, match="takes two queries with qrels, but there are 1"):
        rsvm(only, runs).collect()


@pytest.mark.parametrize("number", ["queries", "depth"])
def test_numbers_below_one_are_refused_at_once(number):
    qrels, runs = judged_and_returned(2)
    with pytest.raises(ul.BadUsage, match=f"{number}=0"):
        rboost(qrels, runs, **{number: 0})
