"""Arrays in: as qrels and run, and as what trainers call."""

from types import SimpleNamespace

import polars as pl
import pytest

import ulframe as ul
from ulframe.interop.arrays import from_arrays
from ulframe.interop.models import lightgbm_metric, mean_score, xgboost_metric

numpy = pytest.importorskip("numpy")

LABELS, SCORES = [0, 1, 1, 0, 2], [0.9, 0.5, 0.7, 0.1, 0.2]
# of the first query 1 is second of two; of the other the best is first of three, then second
BY_QUERY = {"RR": (1 / 2 + 1) / 2, "P@1": (0 + 1) / 2}


class Tensor:
    """What PyTorch's tensors do, as far as we ask them."""

    def __init__(self, values):
        self.values = numpy.array(values)

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return self.values


@pytest.mark.parametrize("kind", [list, tuple, numpy.array, pl.Series, Tensor])
@pytest.mark.parametrize(
    "which", [{"groups": ["b", "b", "a", "a", "a"]}, {"groups": [7, 7, 3, 3, 3]}, {"sizes": [2, 3]}]
)
@pytest.mark.parametrize("measure", BY_QUERY)
def test_every_kind_of_array_and_of_grouping(kind, which, measure):
    assert mean_score(measure, kind(LABELS), kind(SCORES), **which) == BY_QUERY[measure]


@pytest.mark.parametrize("kind", [list, numpy.array, Tensor])
def test_a_row_a_query(kind):
    pair = from_arrays(kind([[0, 1], [1, 0]]), kind([[0.9, 0.5], [0.7, 0.1]]))
    scores = ul.evaluate(*pair, "RR").collect()
    assert scores["score"].to_list() == [1 / 2, 1]


def test_rows_of_unlike_lengths():
    pair = from_arrays([[0, 1], [1]], [[0.9, 0.5], [0.7]])
    assert ul.evaluate(*pair, "RR").collect()["score"].to_list() == [1 / 2, 1]


def test_without_groups_all_are_one_query():
    assert mean_score("RR", LABELS, SCORES) == 1 / 2


def test_groups_need_not_stand_together():
    assert mean_score("RR", [0, 1, 1], [0.9, 0.7, 0.5], ["a", "b", "a"]) == (1 / 2 + 1) / 2


def test_order_of_queries_and_documents_is_that_of_the_arrays():
    qrels = from_arrays(range(12), range(12), sizes=[10, 2]).qrels.collect()
    assert qrels["query_id"].to_list() == ["1"] * 10 + ["2"] * 2
    assert qrels["doc_id"].to_list() == [f"{i:02}" for i in range(1, 11)] + ["1", "2"]


def test_equal_scores_count_with_the_mean_over_their_orders():
    assert mean_score("P@1", [1, 0], [0.5, 0.5], ties="average") == 1 / 2


@pytest.mark.parametrize(
    ("labels", "scores", "which", "kind", "says"),
    [
        ([1, 0], [0.5], {}, ul.BadData, "2 labels and 1 scores"),
        ([1, 0], [0.5, 0.1], {"groups": ["a"]}, ul.BadUsage, "1 groups of 2 documents"),
        ([1, 0, 1], [0.5, 0.1, 0], {"groups": [1, 2]}, ul.BadUsage, "one for each; sizes="),
        ([1, 0], [0.5, 0.1], {"sizes": [3]}, ul.BadData, "add up to 3 documents; there are 2"),
        ([1, 0], [0.5, 0.1], {"sizes": [3, -1]}, ul.BadData, "sizes add up"),
        ([1, 0], [0.5, 0.1], {"sizes": [2], "groups": [1, 1]}, ul.BadUsage, "groups are .*: one"),
        ([[1, 0]], [0.5, 0.1], {}, ul.BadUsage, "both, or neither"),
        ([[1, 0]], [[0.5, 0.1]], {"sizes": [2]}, ul.BadUsage, "then without groups"),
        ([[1, 0]], [[0.5]], {}, ul.BadData, "differ in length"),
        (["x", "y"], [0.5, 0.1], {}, ul.BadUsage, "cannot take values of String"),
        ([[[1]]], [[[1]]], {}, ul.BadUsage, "one or two dimensions"),
        ([1, None], [0.5, 0.1], {}, Exception, "label must be a finite number"),
        ([1, 0], [0.5, float("nan")], {}, Exception, "score must be a number"),
    ],
)  # fmt: skip
def test_what_is_refused(labels, scores, which, kind, says):
    with pytest.raises(kind, match=says):
        mean_score("P@1", labels, scores, **which)


def test_lightgbm_calls_it(shared):
    lightgbm = pytest.importorskip("lightgbm")
    rng = numpy.random.default_rng(0)
    features, labels = rng.random((60, 3)), rng.integers(0, 3, 60)
    data = lightgbm.Dataset(features, labels, group=[20] * 3, free_raw_data=False)
    seen = {}
    settings = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [5], "verbose": -1,
                "min_data_in_leaf": 1, "num_threads": 1}  # fmt: skip
    booster = lightgbm.train(
        settings, data, 5, valid_sets=[data], feval=lightgbm_metric("nDCG@5"),
        callbacks=[lightgbm.record_evaluation(seen)],
    )  # fmt: skip
    wanted = mean_score("nDCG@5", labels, booster.predict(features), sizes=[20] * 3)
    assert seen["training"]["nDCG@5"][-1] == pytest.approx(wanted)
    assert seen["training"]["nDCG@5"][-1] == pytest.approx(seen["training"]["ndcg@5"][-1], abs=0.02)


def test_xgboost_is_given_what_it_expects():
    held = {"group_ptr": [0, 2, 5]}
    data = SimpleNamespace(get_label=lambda: LABELS, get_uint_info=held.get)
    assert xgboost_metric("RR")(SCORES, data) == ("RR", BY_QUERY["RR"])


def test_xgboost_calls_it():
    xgboost = pytest.importorskip("xgboost")
    rng = numpy.random.default_rng(0)
    features, labels = rng.random((60, 3)), rng.integers(0, 3, 60)
    data = xgboost.DMatrix(features, labels)
    data.set_group([20] * 3)
    seen = {}
    booster = xgboost.train(
        {"objective": "rank:ndcg"}, data, 3, evals=[(data, "training")], evals_result=seen,
        custom_metric=xgboost_metric("nDCG@5"), maximize=True, verbose_eval=False,
    )  # fmt: skip
    wanted = mean_score("nDCG@5", labels, booster.predict(data), sizes=[20] * 3)
    assert seen["training"]["nDCG@5"][-1] == pytest.approx(wanted)


def test_scikit_learn_calls_it():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import GroupKFold, cross_validate

    from ulframe.interop.sklearn import make_ranking_scorer

    rng = numpy.random.default_rng(0)
    features, labels, groups = rng.random((40, 2)), rng.integers(0, 2, 40), numpy.arange(40) // 10
    scorer = make_ranking_scorer("RR")
    fitted = LinearRegression().fit(features, labels)
    wanted = mean_score("RR", labels, fitted.predict(features), groups)
    assert scorer(fitted, features, labels, groups=groups) == pytest.approx(wanted)
    folds = cross_validate(
        LinearRegression(), features, labels, cv=GroupKFold(2), scoring=scorer,
        params={"groups": groups},
    )  # fmt: skip
    assert len(folds["test_score"]) == 2
    assert all(0 < score <= 1 for score in folds["test_score"])


@pytest.mark.filterwarnings("ignore")  # ranx's compiler warns of ranx
def test_ranx_takes_them():
    ranx = pytest.importorskip("ranx")
    from ulframe.interop.ranx import qrels_to_ranx, to_ranx

    qrels, runs = {"q": {"a": 1, "b": 0}}, {"x": {"q": {"a": 0.1, "b": 0.2}}}
    (run,) = to_ranx(runs).values()
    assert run.name == "x"
    assert ranx.evaluate(qrels_to_ranx(qrels), run, "mrr") == 1 / 2
    with pytest.raises(ul.BadData, match="whole labels only"):
        qrels_to_ranx({"q": {"a": 0.5}})
