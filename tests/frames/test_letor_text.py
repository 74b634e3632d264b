"""LETOR text: labels as qrels, one feature or a file of scores as a run."""

import gzip

import polars as pl
import pytest

import ulframe as ul
from ulframe.frames import (
    BadData,
    BadUsage,
    convert,
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


def test_features_count_from_1_or_from_0(letor, tmp_path):
    with pytest.raises(BadUsage, match=r"feature 0: LETOR numbers its features from 1, as .* does"):
        scan_feature_run(letor, 0)
    (tmp_path / "from0").write_text("1 qid:1 0:0.5 1:3\n0 qid:1 1:4\n")
    assert scan_feature_run(tmp_path / "from0", 0).collect()["score"].to_list() == [0.5, 0.0]


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


# ------------------------------------------------ without qid, and what was predicted
BARE = "2 1:0.5\n0 1:0.25\n1 1:3\n"
BARE_IDS = [("bare:1", "000001"), ("bare:1", "000002"), ("bare:2", "000001")]


@pytest.fixture
def bare(tmp_path):
    (tmp_path / "bare.txt").write_text(BARE)
    (tmp_path / "bare.txt.group").write_text("\ufeff2\n1\n")
    return tmp_path / "bare.txt"


@pytest.mark.parametrize("sizes", ["bare.query", "bare.group", "bare.txt.query", "bare.txt.group"])
def test_query_sizes_beside_the_text(bare, sizes):
    bare.with_name("bare.txt.group").rename(bare.with_name(sizes))
    labels = zip(BARE_IDS, [2, 0, 1], strict=True)
    assert scan_qrels(bare).collect().rows() == [(*ids, label) for ids, label in labels]


def test_query_sizes_that_differ(bare):
    bare.with_name("bare.query").write_text("1\n2\n")
    with pytest.raises(
        BadData, match=r"bare\.query and bare\.txt\.group give it other query sizes"
    ):
        scan_qrels(bare)


def test_no_query_sizes(bare):
    bare.with_name("bare.txt.group").unlink()
    with pytest.raises(BadData, match=r"no line has `qid:N`, and there is no file of query sizes"):
        scan_qrels(bare)


def predictions(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", ["1\n2\n3\n", "\ufeff 1\r\n2\r\n3\r\n\r\n", "1e0\n+2\n3.\n"])
def test_predictions_are_a_run_of_the_text(bare, text):
    run = predictions(bare.with_name("net.pred"), text)
    scored = [("net.pred", *ids, score) for ids, score in zip(BARE_IDS, [1, 2, 3], strict=True)]
    assert scan_runs(run, documents=bare).collect().rows() == scored
    # the relevant one of the first query is second; that of the other is alone
    got = ul.evaluate(bare, run, "AP").collect()
    assert got["score"].to_list() == [1 / 2, 1.0]


def test_several_predictions_are_several_runs(bare):
    runs = [predictions(bare.with_name(f"{name}.txt"), "1\n2\n3\n") for name in ("a", "b")]
    assert set(scan_runs(runs, documents=bare).collect()["run"]) == {"a", "b"}


def test_predictions_are_converted_with_their_text(bare):
    run = predictions(bare.with_name("net.pred"), "1\n2\n3\n")
    convert(run, bare.with_name("net.run"), documents=bare)
    assert scan_runs(bare.with_name("net.run")).collect()["score"].to_list() == [1.0, 2.0, 3.0]


RANKLIB = "10\t0\t-1.5\n10\t1\t2\n9\t0\t0.5\n10\t2\t1\n9\t1\t0.75\n"


def test_scores_of_ranklib_are_of_positions(letor):
    run = predictions(letor.with_name("model.score"), RANKLIB)
    scored = zip(IDS, [-1.5, 2, 0.5, 1, 0.75], strict=True)
    assert scan_runs(run, documents=letor).collect().rows() == [
        ("model.score", *ids, score) for ids, score in scored
    ]


def test_ids_that_look_like_positions_are_ids(tmp_path):
    text = "1 qid:1 1:1 #docid = 1\n0 qid:1 1:1 #docid = 0\n"
    (tmp_path / "fold").write_text(text)
    run = predictions(tmp_path / "run", "1\t0\t0.5\n1\t1\t0.25\n")
    assert ul.evaluate(tmp_path / "fold", run, "RR").collect()["score"].to_list() == [1 / 2]


def test_scores_of_ranklib_must_be_of_all_documents(letor):
    run = predictions(letor.with_name("model.score"), "10\t0\t1.5\n10\t1\t2\n")
    with pytest.raises(BadData, match=r"2 scores of query '10', which has 3 documents in .*fold1"):
        scan_runs(run, documents=letor)


def test_lightgbm_without_qid(shared):
    qrels = scan_qrels(shared / "lightgbm-lambdarank" / "rank.train.gz").collect()
    assert qrels.height == 3005
    assert qrels["query_id"].n_unique() == 201
