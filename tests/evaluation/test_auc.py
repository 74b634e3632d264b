"""AUC by hand, over every ranking, and as scikit-learn has it."""

import random
from itertools import permutations
from math import sqrt
from statistics import fmean, pstdev

import polars as pl
import pytest

from ulframe.cli.main import main
from ulframe.evaluation.auc import auc, summarise_auc

TWICE = pl.DataFrame({"query_id": ["q", "q"], "doc_id": "a", "score": [1.0, 2.0]})
QRELS = {"q": {"a": 1, "b": 0, "c": 0, "d": 2}, "p": {"a": 1, "b": 0}}


def of_query(run, qrels=QRELS, query="q", **options):
    found = auc(qrels, {query: run}, **options).collect()
    return dict(found.select("query_id", "auc").iter_rows())[query]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ({"a": 4, "d": 3, "b": 2, "c": 1}, 1),
        ({"a": 1, "d": 2, "b": 3, "c": 4}, 0),
        ({"a": 4, "d": 2, "b": 3, "c": 1}, 3 / 4),
        ({"a": 4, "d": 2, "b": 2, "c": 1}, 7 / 8),  # a tie counts half
        ({"a": 1, "b": 1, "c": 1, "d": 1}, 1 / 2),
        ({"a": 4, "b": 3}, 1 / 2 + 1 / 8),  # a above both; d below b, and tied with c
        ({"a": 4, "d": 3, "b": 2, "c": 1, "unjudged": 9}, 1),
    ],
)
def test_by_hand(run, expected):
    assert of_query({doc: float(score) for doc, score in run.items()}) == expected


def test_the_least_label_that_is_relevant():
    run = {"d": 4.0, "a": 1.0, "b": 2.0, "c": 3.0}
    assert of_query(run, rel=2) == 1
    assert of_query(run, rel=1) == 1 / 2
    assert of_query(run, rel=3) is None


def test_chance_is_that_of_every_ranking():
    qrels = {"q": {"a": 1, "b": 0, "c": 0, "d": 1, "e": 0}}
    orders = list(permutations("abcde"))
    runs = {f"{at:03}": {"q": list(order)} for at, order in enumerate(orders)}
    found = auc(qrels, runs).collect()
    assert fmean(found["auc"]) == pytest.approx(found["expected"][0])
    assert pstdev(found["auc"]) == pytest.approx(found["spread"][0])


def test_three_means():
    run = {"q": {"a": 4.0, "d": 2.0, "b": 3.0, "c": 1.0}, "p": {"a": 0.1, "b": 0.2}}
    (row,) = summarise_auc(QRELS, run).collect().rows(named=True)
    assert row["mean"] == (3 / 4 + 0) / 2
    assert row["gauc"] == pytest.approx((3 / 4 * 4 + 0 * 2) / 6)
    # of all: 4 and 2 and .1 against 3, 1 and .2: 3 + 2 + 0 of 9 pairs
    assert row["pooled"] == pytest.approx(5 / 9)
    # spread of q sqrt(5/(12*4)), of p sqrt(3/12), weighted 4/6 and 2/6
    spread = sqrt((4 / 6) ** 2 * 5 / 48 + (2 / 6) ** 2 * 3 / 12)
    assert row["z"] == pytest.approx((0.5 - 0.5) / spread)
    assert (row["queries"], row["undefined"]) == (2, 0)


def test_queries_of_one_kind_are_left_out():
    qrels = QRELS | {"all": {"a": 1}, "none": {"a": 0}}
    (row,) = summarise_auc(qrels, {"p": {"a": 2.0, "b": 1.0}}).collect().rows(named=True)
    assert (row["queries"], row["undefined"]) == (4, 2)
    assert row["mean"] == (1 + 1 / 2) / 2  # q is not in the run: all tied
    (row,) = summarise_auc({"all": {"a": 1}}, {"all": {"a": 2.0}}).collect().rows(named=True)
    assert (row["gauc"], row["mean"], row["pooled"], row["z"]) == (None, None, None, None)


def test_as_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = random.Random(0)
    labels = {f"d{at}": rng.choice([0, 1]) for at in range(100)}
    run = {doc: float(rng.randint(0, 20)) for doc in labels}
    wanted = metrics.roc_auc_score(list(labels.values()), list(run.values()))
    assert of_query(run, {"q": labels}) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("qrels", "runs", "says"),
    [
        ({"q": {"a": 1}}, {"other": {"a": 1.0}}, "no query in common"),
        ({"q": {"a": 1}}, {"q": {"a": float("nan")}}, "score must be a number"),
        ({"q": {"a": 1}}, TWICE, "a run returns a document twice"),
    ],
)
def test_what_is_refused(qrels, runs, says):
    with pytest.raises(Exception, match=says):
        auc(qrels, runs)


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0\nq 0 c 0\n")
    (tmp_path / "run").write_text("q Q0 a 1 2 x\nq Q0 b 2 1 x\n")
    assert main(["auc", "qrels", "run"]) == 0
    out, err = capsys.readouterr()
    assert "run 'x' has no score for 1 of 3 judged" in err
    assert out.splitlines()[2].split("|")[1:5] == [" x   ", " 1.0000 ", " 1.0000 ", " 1.0000 "]
    assert main(["auc", "qrels", "run", "--per-query", "-o", "auc.parquet"]) == 0
    assert capsys.readouterr().out.startswith("run,query_id,documents,returned,auc,")
