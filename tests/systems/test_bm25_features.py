"""Features of (query, document) pairs, by hand and against the runs that they repeat."""

import math

import polars as pl
import pytest

import ulframe as ul
from ulframe.frames.letor_runs import scan_feature_run
from ulframe.systems import bm25

DOCUMENTS = pl.DataFrame(
    {
        "doc_id": ["1", "2", "3", "4"],
        "text": ["wing wing wing flutter", "wing", "heat flow", ""],
        "prior": [7, 0, 1, 3],
    }
)
QUERIES = {"q": "wing flutter wing drag", "r": "heat"}
AVERAGE = (4 + 1 + 2 + 0) / 4


@pytest.fixture(scope="module")
def index():
    return bm25.build_index(DOCUMENTS)


def test_features_by_hand(index):
    pairs = pl.DataFrame({"query_id": ["r", "q", "q"], "doc_id": ["3", "1", "9"], "label": 1})
    found = bm25.features(index, QUERIES, pairs).collect()
    assert found.columns == ["query_id", "doc_id", *bm25.FEATURES]
    assert found.select("query_id", "doc_id").rows() == [("r", "3"), ("q", "1"), ("q", "9")]
    wing, flutter = math.log2(4 / 2), math.log2(4 / 1)
    expected = {
        "words": 2,
        "covered": 2 / 3,
        "tf": 3 + 1,
        "tf_relative": (3 + 1) / (4 / AVERAGE),
        "idf": 2 * wing + flutter,
        "tf_idf": 2 * 3 * wing + 1 * flutter,
        "length": 4,
        "prior": 7,
        "log_prior": math.log2(1 + 7),
    }
    row = found.row(1, named=True)
    assert {name: row[name] for name in expected} == pytest.approx(expected)
    assert set(found.row(2)[2:]) == {0.0}  # a document that the index does not hold


@pytest.mark.parametrize(
    ("name", "scoring"),
    [
        ("idf", bm25.BM25(k=0, b=0)),
        ("tf_idf", bm25.BM25(k=math.inf, b=0)),
        ("bm25", bm25.BM25()),
        ("bm25_flat", bm25.BM25(b=0)),
    ],
)
def test_scores_are_those_of_the_runs(index, name, scoring):
    run = bm25.search(index, QUERIES, scoring).collect()
    found = bm25.features(index, QUERIES, run).collect()
    assert found[name].to_list() == pytest.approx(run["score"].to_list())


def test_features_become_letor_text(index, tmp_path):
    run = pl.DataFrame({"query_id": ["q", "r", "q"], "doc_id": ["1", "3", "2"]})
    found = bm25.features(index, QUERIES, run).select("query_id", "doc_id", "tf", "length")
    bm25.write_letor(found, {"q": {"1": 2}}, tmp_path / "train.txt")
    assert (tmp_path / "train.txt").read_text().splitlines() == [
        "2 qid:q 1:4.0 2:4.0 #docid = 1",
        "0 qid:q 1:1.0 2:1.0 #docid = 2",
        "0 qid:r 1:1.0 2:2.0 #docid = 3",
    ]
    read = scan_feature_run(tmp_path / "train.txt", 1).collect()
    assert read.select("query_id", "doc_id", "score").rows() == [
        ("q", "1", 4.0), ("q", "2", 1.0), ("r", "3", 1.0),
    ]  # fmt: skip


def test_letor_text_holds_no_id_with_a_blank(index, tmp_path):
    run = pl.DataFrame({"query_id": ["two words"], "doc_id": ["1"]})
    found = bm25.features(index, {"two words": "wing"}, run)
    with pytest.raises(ul.BadData, match=r"no id with a blank, but there is \('two words', '1'\)"):
        bm25.write_letor(found, {"two words": {"1": 2}}, tmp_path / "train.txt")
