"""LETOR text: labels as qrels, one feature or a file of scores as a run."""

import gzip

import polars as pl
import pytest

from ulframe.frames import (
    BadData,
    BadUsage,
    scan_feature_run,
    scan_qrels,
    scan_runs,
    scan_score_run,
)

TEXT = """\
2 qid:10 1:0.5 2:-1e-3 #docid = GX-1 inc = 0.01 prob = 0.1

# a comment
0 qid:10 1:0.25 12:9 # docid=GX-2
1 qid:9 2:3
0 qid:10 1:0
0.0 qid:9 2:4 #
"""
IDS = [("10", "GX-1"), ("10", "GX-2"), ("9", "000001"), ("10", "000003"), ("9", "000002")]


@pytest.fixture
def letor(tmp_path):
    path = tmp_path / "fold1.txt"
    path.write_text(TEXT)
    return path


def test_labels_are_qrels(letor):
    qrels = scan_qrels(letor).collect()
    expected = [(*ids, label) for ids, label in zip(IDS, [2, 0, 1, 0, 0], strict=True)]
    assert qrels.rows() == expected
    assert qrels.schema["label"] == pl.Int32


@pytest.mark.parametrize(
    ("feature", "scores"), [(1, [0.5, 0.25, 0, 0, 0]), (2, [-0.001, 0, 3, 0, 4]), (7, [0] * 5)]
)
def test_a_feature_is_a_run_and_is_0_where_absent(letor, feature, scores):
    run = scan_feature_run(letor, feature).collect()
    expected = [(f"feature {feature}", *ids, score) for ids, score in zip(IDS, scores, strict=True)]
    assert run.rows() == expected


def test_a_comment_is_no_feature(tmp_path):
    (tmp_path / "a").write_text("1 qid:1 1:1 #docid = d 2:5\n")
    assert scan_feature_run(tmp_path / "a", 2).collect()["score"].to_list() == [0.0]


def test_a_file_of_scores_is_a_run(letor):
    scores = letor.with_name("model.v2.txt")
    scores.write_text("0.1\n 2\n-3e-1\n0\n5.5\n\n")
    run = scan_score_run(letor, scores).collect()
    expected = [
        ("model.v2", *ids, score) for ids, score in zip(IDS, [0.1, 2, -0.3, 0, 5.5], strict=True)
    ]
    assert run.rows() == expected
    assert scan_score_run(letor, scores, run="net").collect()["run"].unique().to_list() == ["net"]


@pytest.mark.parametrize("numbers", ["1\n2\n3\n4\n", "1\n2\n3\n4\n5\n6\n"])
def test_scores_and_documents_must_pair_up(letor, numbers):
    scores = letor.with_name("scores")
    scores.write_text(numbers)
    with pytest.raises(BadData, match=r"scores must have one number for each document line of"):
        scan_score_run(letor, scores).collect()


def test_a_score_must_be_a_number(letor):
    scores = letor.with_name("scores")
    scores.write_text("1\n2\nthree\n4\n5\n")
    with pytest.raises(BadData, match=r"scores: score must be a number, .*score='three'"):
        scan_score_run(letor, scores).collect()


def test_features_count_from_1(letor):
    with pytest.raises(BadUsage, match="feature 0: LETOR numbers its features from 1"):
        scan_feature_run(letor, 0)


@pytest.mark.parametrize("line", ["1 1:0.5", "x qid:1 1:0.5", "1", "nan qid:1"])
def test_a_bad_line_is_named_with_its_number(tmp_path, line):
    path = tmp_path / "fold.txt"
    path.write_text(f"# made by hand\n1 qid:1 1:0.5\n{line}\n")
    with pytest.raises(BadData) as error:
        scan_qrels(path)
    assert str(error.value).startswith(f"{path}, line 3: {line!r} is no LETOR line")


def test_letor_text_is_no_run_by_itself(letor):
    with pytest.raises(BadUsage, match=r"no run\. Make one with scan_feature_run"):
        scan_runs(letor)


def test_real_folds(shared):
    folds = sorted((shared / "mq2008").glob("S*.txt.gz"))
    qrels = scan_qrels(folds).collect()
    counts = dict(qrels.group_by("label").len().rows())
    assert counts == {0: 12_279, 1: 2_001, 2: 931}
    assert qrels["query_id"].n_unique() == 784
    with gzip.open(folds[0], "rt") as file:
        first = next(file).split()
    run = scan_feature_run(folds[0], 46).collect()
    assert run.row(0) == ("feature 46", first[1][4:], first[50], float(first[47][3:]))
