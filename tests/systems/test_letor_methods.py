"""Eight learning-to-rank methods: what they learn, that it repeats, that their steps are right."""

import math
from functools import partial
from itertools import pairwise, permutations

import numpy as np
import polars as pl
import pytest
from scipy.optimize import check_grad

import ulframe as ul
from ulframe.systems.letor import (
    METHODS,
    Queries,
    ada_rank,
    as_queries,
    coordinate_ascent,
    list_net,
    logistic,
    method,
    normalised,
    objective,
    rank_boost,
    rank_net,
    settings,
)
from ulframe.systems.letor.methods import SEEDED, refuse_measure
from ulframe.systems.letor.objective import best_of
from ulframe.systems.letor.queries import instructive, subset

WEIGHTS = np.array([3.0, -2.0, 1.0, 0.0, 0.0])  # of the planted ranking; two features are noise


def planted(seed, queries=60, documents=12, grades=3):
    """Documents whose labels follow a linear ranking of their features, in equal parts."""
    random = np.random.default_rng(seed)
    frames = []
    for query in range(queries):
        features = random.uniform(size=(documents, len(WEIGHTS)))
        order = np.argsort(np.argsort(features @ WEIGHTS))
        frames.append(
            pl.DataFrame(features, schema=[f"f{i + 1}" for i in range(len(WEIGHTS))]).select(
                pl.lit(f"{seed}-{query:03}").alias("query_id"),
                pl.int_range(pl.len()).cast(pl.String).str.zfill(2).alias("doc_id"),
                pl.Series("label", order * grades // documents),
                pl.all(),
            )
        )
    return as_queries(pl.concat(frames))


@pytest.fixture(scope="module")
def data():
    return planted(1, queries=120), planted(2, queries=40), planted(3, queries=40)


def few(labels, features=None, owner=None):
    """Queries written by hand; documents are named so that the given order is kept."""
    n = len(labels)
    features = [[0.0]] * n if features is None else features
    names = [f"d{n - i:03}" for i in range(n)]
    frame = pl.DataFrame({"query_id": owner or ["q"] * n, "doc_id": names, "label": labels})
    values = np.array(features, np.float32)
    return as_queries(
        frame.with_columns(pl.Series(f"f{i}", column) for i, column in enumerate(values.T))
    )


# ------------------------------------------------------------ every method
@pytest.mark.parametrize("name", METHODS)
def test_a_planted_ranking_is_recovered(name, data):
    train, valid, test = data
    scores = method(name)(train, valid, ul.nDCG @ 5, 0)(test)
    reached = objective(ul.nDCG @ 5, test)(scores).mean()
    chance = objective(ul.nDCG @ 5, test)(np.random.default_rng(0).random(len(scores))).mean()
    assert chance < 0.6
    assert reached > 0.85


@pytest.mark.parametrize("name", METHODS)
def test_the_same_seed_gives_the_same_scores(name, data):
    train, valid, test = data
    once, again = (method(name)(train, valid, ul.AP, 7)(test) for _ in range(2))
    assert np.array_equal(once, again)


@pytest.mark.parametrize("name", METHODS)
def test_the_seed_changes_what_is_said_to_be_drawn(name, data):
    train, valid, test = data
    once, other = (method(name)(train, valid, ul.AP, seed)(test) for seed in (0, 1))
    assert np.array_equal(once, other) is (name not in SEEDED)


@pytest.mark.parametrize("name", METHODS)
def test_useless_features_and_queries_do_no_harm(name, data):
    train, valid, test = data
    constant = np.full((len(train.labels), 1), 7.0, np.float32)
    missing = np.full((len(train.labels), 1), np.nan, np.float32)
    labels = train.labels.copy()
    labels[: train.starts[10]] = 0  # ten queries with nothing relevant
    labels[train.starts[10] : train.starts[20]] = 2  # ten where all is
    wide = Queries(train.ids, np.hstack([train.features, constant, missing]), labels, train.starts)

    def widened(queries):
        more = np.repeat([[7.0, np.nan]], len(queries.labels), axis=0).astype(np.float32)
        features = np.hstack([queries.features, more])
        return Queries(queries.ids, features, queries.labels, queries.starts)

    scores = method(name)(wide, widened(valid), ul.AP, 0)(widened(test))
    assert np.isfinite(scores).all()
    assert objective(ul.AP, test)(scores).mean() > 0.9


@pytest.mark.parametrize("name", METHODS)
def test_nothing_can_be_learnt_where_labels_do_not_differ(name):
    same = few([1, 1, 0, 0], owner=["a", "a", "b", "b"])
    with pytest.raises(ul.BadData, match="nothing can be learnt: no query has documents with"):
        method(name)(same, same, ul.AP, 0)


@pytest.mark.parametrize("name", METHODS)
def test_nothing_can_be_learnt_where_no_feature_differs_within_a_query(name):
    """RankBoost died with "argmax of an empty sequence", the others learnt a constant."""
    same = few([1, 0, 1, 0], features=[[1.0], [1.0], [2.0], [2.0]], owner=["a", "a", "b", "b"])
    with pytest.raises(ul.BadData, match="nothing can be learnt: within every query each feature"):
        method(name)(same, same, ul.AP, 0)


def noisy(seed):
    """Twenty queries of ten documents: one feature, the label and noise."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 3, 200)
    return few(
        labels.tolist(),
        features=(labels + random.normal(size=200) / 2)[:, None].tolist(),
        owner=[f"{at // 10:02}" for at in range(200)],
    )


@pytest.mark.parametrize("name", METHODS)
def test_few_queries_are_enough_for_one_good_feature(name):
    """RankNet had two steps an epoch and stopped; trees had leaves as large as all data."""
    scores = method(name)(noisy(1), noisy(2), ul.nDCG @ 10, 0)(test := noisy(3))
    assert objective(ul.nDCG @ 10, test)(scores).mean() > 0.88
    assert np.unique(scores).size > 10


@pytest.mark.parametrize("name", ["DCG@10", "CG@5"])
def test_ada_rank_refuses_a_measure_before_anything_is_read(name):
    with pytest.raises(ul.BadUsage, match=f"which {name} is not"):
        refuse_measure("ARank", ul.parse(name))
    for other in METHODS:
        refuse_measure(other, ul.parse("nDCG@10"))
        refuse_measure(other, ul.parse("AP"))


def test_methods_are_known_by_the_names_of_the_paper():
    assert set(METHODS) == {"RNet", "RBoost", "ARank", "RF", "LMART", "CA", "LNet", "L2LR"}
    with pytest.raises(ul.BadUsage, match="no method 'SVM'; there are RNet, RBoost"):
        method("SVM")
    assert settings(method("CA"))["restarts"] == 3


def test_what_is_not_installed_is_said_with_the_remedy(monkeypatch):
    monkeypatch.setitem(METHODS, "LMART", "lambda_mart_without")
    with pytest.raises(ul.BadUsage, match=r"LMART needs .* pip install 'ulframe\[letor\]'"):
        method("LMART")


# ------------------------------------------------------- gradients, updates
@pytest.fixture
def batch():
    random = np.random.default_rng(5)
    starts = np.array([0, 4, 9])
    return random.normal(size=(9, 3)), np.array([0, 1, 2, 1, 0, 0, 3, 1, 0]), starts


def test_gradient_of_list_net(batch):
    point = np.random.default_rng(1).normal(size=3)
    assert check_grad(list_net.loss, list_net.gradient, point, *batch) < 1e-6


def test_gradient_of_rank_net(batch):
    point = np.random.default_rng(1).normal(size=4 * (3 + 2))
    assert check_grad(rank_net.loss, rank_net.gradient, point, *batch) < 1e-6


def test_gradient_of_logistic_regression(batch):
    features, labels, _ = batch
    point = np.random.default_rng(1).normal(size=4)
    more = (features, labels / 3, 0.1)
    assert check_grad(logistic.loss, logistic.gradient, point, *more) < 1e-6


def test_loss_of_list_net_by_hand():
    # labels 1, 0 against scores 0, 0: both first with 1/2, wanted e/(1+e) and 1/(1+e)
    value = list_net.loss(np.zeros(1), np.ones((2, 1)), np.array([1, 0]), np.array([0, 2]))
    assert value == pytest.approx(math.log(2))


def test_rank_boost_weighs_pairs_as_if_it_listed_them(batch):
    _, labels, starts = batch
    scores = np.random.default_rng(2).normal(size=9) * 3
    pairs = {
        (better, worse): math.exp(scores[worse] - scores[better])
        for first, end in pairwise(starts)
        for better, worse in permutations(range(first, end), 2)
        if labels[better] > labels[worse]
    }
    expected = np.zeros(9)
    for (better, worse), weight in pairs.items():
        expected[better] += weight / sum(pairs.values())
        expected[worse] -= weight / sum(pairs.values())
    assert rank_boost.potential(scores, labels, starts) == pytest.approx(expected)


def pull_of(queries):
    return partial(rank_boost.potential, labels=queries.labels, starts=queries.starts)


def test_rank_boost_may_weigh_queries():
    # at equal scores a pair weighs 1: query a has two of them, at half the weight of b's only one
    pull = rank_boost.potential(
        np.zeros(5), np.array([1, 0, 0, 1, 0]), np.array([0, 3, 5]), np.array([0.5, 1])
    )
    assert pull == pytest.approx(np.array([2 / 2, -1 / 2, -1 / 2, 1, -1]) / (1 / 2 + 1 / 2 + 1))


def test_first_round_of_rank_boost_by_hand():
    # 3 pairs (d1 over d2, d3, d4). Above 0.5: d1 wins 2 of them and ties with d2: r = 2/3.
    # The other threshold, 0.2, has d3 above too: r = 1/3.
    queries = few([1, 0, 0, 0], [[0.9], [0.9], [0.3], [0.1]])
    edges = [rank_boost.cuts(queries.features[:, 0], 10)]
    assert edges[0] == pytest.approx([(0.1 + 0.3) / 2, (0.3 + 0.9) / 2])
    bins = rank_boost.binned(queries.features, edges)
    steps = next(rank_boost.boosted(bins, edges, pull_of(queries), 1))
    alpha = 0.5 * math.log((1 + 2 / 3) / (1 - 2 / 3))
    assert steps == pytest.approx(np.array([[0, 0, alpha]]))


def test_rank_boost_lowers_the_exponential_loss(data):
    train = instructive(data[0])
    edges = [rank_boost.cuts(column, 50) for column in train.features.T]
    bins = rank_boost.binned(train.features, edges)

    def lost(steps):
        scores = rank_boost.summed(bins, steps)
        return sum(
            math.exp(scores[b] - scores[a]) + 0.0
            for first, end in pairwise(train.starts)
            for a, b in permutations(range(first, end), 2)
            if train.labels[a] > train.labels[b]
        )

    losses = [lost(steps) for steps in rank_boost.boosted(bins, edges, pull_of(train), 8)]
    assert losses == sorted(losses, reverse=True)


def test_first_rounds_of_ada_rank_by_hand():
    # Feature 1 ranks query a perfectly (AP 1) and b at AP 1/2; feature 2 the other way round for
    # b, and a at AP 1/3.
    labels = [1, 0, 0, 1, 0]
    features = [[3, 1], [2, 2], [1, 3], [1, 2], [2, 1]]
    queries = few(labels, features, ["a", "a", "a", "b", "b"])
    rounds = ada_rank.boosted(queries.features, objective(ul.AP, queries), 2)
    first = 0.5 * math.log((1 + 3 / 4) / (1 - 3 / 4))
    assert next(rounds) == pytest.approx([first, 0])
    a, b = math.exp(-1), math.exp(-1 / 2)  # importance of the queries, before it sums to 1
    ones, twos = (a * 1 + b / 2) / (a + b), (a / 3 + b * 1) / (a + b)
    assert ones < twos
    second = 0.5 * math.log((1 + twos) / (1 - twos))
    assert next(rounds) == pytest.approx([first, second])


def test_ada_rank_with_a_perfect_feature_and_with_an_unbounded_measure():
    queries = few([1, 0], [[1], [0]])
    weights = method("ARank")(queries, queries, ul.AP, 0)(queries)
    assert weights[0] > weights[1]
    with pytest.raises(ul.BadUsage, match="AdaRank needs a measure from 0 to 1"):
        method("ARank")(few([2, 0], [[1], [0]]), queries, ul.DCG, 0)


def test_coordinate_ascent_only_ascends(data):
    train = data[0]
    performance = objective(ul.AP, train)
    begin = np.full(5, 1 / 5)
    walk = list(
        coordinate_ascent.passes(
            train.features, performance, begin, np.random.default_rng(0), 5, 1e-4
        )
    )
    reached = [performance(train.features @ weights).mean() for weights in walk]
    assert reached == sorted(reached)
    assert reached[-1] > performance(train.features @ begin).mean()
    assert all(np.abs(weights).sum() == pytest.approx(1) for weights in walk)


def test_lambda_mart_steps_by_the_lambdas():
    """One tree of single documents is, leaf by leaf, -gradient / curvature of Burges' lambdas."""
    lightgbm = pytest.importorskip("lightgbm")
    labels = np.array([0, 2, 1, 0])
    scores = np.array([0.8, 0.1, 0.4, -0.3])
    gains = 2.0**labels - 1
    order = np.argsort(-scores)
    discount = 1 / np.log2(2 + np.argsort(order))
    ideal = sum(sorted(gains, reverse=True) / np.log2(2 + np.arange(4)))
    slope, curve = np.zeros(4), np.zeros(4)
    for i, j in permutations(range(4), 2):
        if labels[i] > labels[j]:
            change = abs((gains[i] - gains[j]) * (discount[i] - discount[j])) / ideal
            doubt = 1 / (1 + math.exp(scores[i] - scores[j]))
            for document, sign in ((i, -1), (j, 1)):
                slope[document] += sign * doubt * change
                curve[document] += doubt * (1 - doubt) * change
    data = lightgbm.Dataset(
        np.arange(4.0)[:, None], labels, group=[4], init_score=scores,
        params={"min_data_in_bin": 1, "verbosity": -1},
    )  # fmt: skip
    parameters = {
        "objective": "lambdarank", "lambdarank_norm": False, "learning_rate": 1.0,
        "num_leaves": 4, "min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0, "verbosity": -1,
        "min_data_in_bin": 1,
    }  # fmt: skip
    booster = lightgbm.train(parameters, data, 1)
    assert booster.predict(np.arange(4.0)[:, None]) == pytest.approx(-slope / curve, rel=1e-3)


def test_random_forest_predicts_mean_labels(data):
    train, valid, test = data
    scores = method("RF")(train, valid, ul.AP, 0)(test)
    assert scores.min() >= 0
    assert scores.max() <= 2
    assert scores.mean() == pytest.approx(train.labels.mean(), abs=0.1)


# --------------------------------------------------------------- the measure
@pytest.mark.parametrize(
    "name",
    ["AP", "AP@5", "nDCG", "nDCG@3", "nDCG(gain=linear)@10", "DCG@5", "U(SP@5)", "P@5", "R@5",
     "AP(rel=2)", "RR", "Rprec", "Success@3", "RBP", "F@5"],
)  # fmt: skip
def test_the_objective_is_the_measure(name):
    random = np.random.default_rng(3)
    sizes = [1, 2, 7, 15, 30]
    labels = np.concatenate([random.integers(0, 4, size) for size in sizes])
    labels[1:3] = 0  # nothing relevant in the second query
    owner = [f"q{number}" for number, size in enumerate(sizes) for _ in range(size)]
    queries = few(labels, owner=owner)
    scores = random.integers(0, 6, len(labels)) / 4  # with ties
    ids = queries.ids
    qrels = ids.with_columns(label=pl.Series(queries.labels))
    expected = ul.evaluate(qrels, ids.with_columns(score=pl.Series(scores)), name).collect()
    reached = objective(ul.parse(name), queries)(scores)
    assert reached == pytest.approx(expected["score"].fill_null(0).to_numpy())


@pytest.mark.parametrize("name", ["V2(SP@5)", "bpref", "RLB(DCG@5)"])
def test_some_measures_cannot_be_learnt_for(name):
    with pytest.raises(ul.BadUsage, match=r"cannot be learnt for; nDCG@10, AP, P@10 or"):
        objective(ul.parse(name), few([1, 0]))


def test_the_best_round_is_kept():
    assert best_of([1, 5, 2, 9], float, patience=1) == 5
    assert best_of([1, 5, 2, 9], float, patience=2) == 9
    assert best_of([3, 3.0], float, patience=2) == 3


# --------------------------------------------------------------- the queries
def test_documents_come_by_query_and_as_ties_rank():
    rows = {"query_id": ["b", "a", "b"], "doc_id": ["1", "2", "3"], "label": [1.0, 2.0, 3.0]}
    queries = as_queries(pl.DataFrame(rows | {"f1": [0.1, 0.2, 0.3]}))
    assert queries.ids.rows() == [("a", "2"), ("b", "3"), ("b", "1")]
    assert queries.labels.tolist() == [2, 3, 1]
    assert queries.starts.tolist() == [0, 1, 3]
    assert queries.owner.tolist() == [0, 1, 1]
    assert queries.features.dtype == np.float32


def test_subsets_keep_what_belongs_together(data):
    train = data[0]
    part = subset(train, np.array([5, 2]))
    for at, number in enumerate([5, 2]):
        rows = slice(train.starts[number], train.starts[number + 1])
        own = slice(part.starts[at], part.starts[at + 1])
        assert np.array_equal(part.features[own], train.features[rows])
        assert part.ids[own].equals(train.ids[rows])


def test_normalising_is_within_the_query():
    queries = few([0] * 5, [[1], [3], [2], [10], [10]], ["a", "a", "a", "b", "b"])
    assert normalised(queries).ravel().tolist() == [0, 1, 0.5, 0, 0]
    missing = few([0] * 3, [[np.nan, np.nan], [2, np.nan], [4, np.nan]])
    assert normalised(missing).tolist() == [[0, 0], [0, 0], [1, 0]]


@pytest.mark.parametrize("label", [-1, 31, 0.5])
def test_labels_to_learn_from_are_small_whole_numbers(label):
    with pytest.raises(ul.BadData, match=rf"from 0 to 30, but document 'd001' .* has {label}"):
        few([0.0, label])


def test_a_document_stands_once():
    rows = {"query_id": ["a", "a"], "doc_id": ["1", "1"], "label": [1, 0], "f1": [0.1, 0.2]}
    with pytest.raises(ul.BadData, match=r"\('a', '1'\) stand there twice"):
        as_queries(pl.DataFrame(rows))
    with pytest.raises(ul.BadData, match="there are no documents"):
        as_queries(pl.DataFrame(rows).clear())
