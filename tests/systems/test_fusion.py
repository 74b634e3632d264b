"""Fusion by hand: every method, norm and refusal on runs of a few documents."""

from math import log, sqrt

import polars as pl
import pytest

import ulframe as ul
from ulframe.cli.main import main
from ulframe.systems.fusion import (
    METHODS,
    NORMS,
    TRAINED,
    Method,
    fuse,
    fuse_trained,
    tune_weights,
    weights_of,
)
from ulframe.systems.fusion.columns import SCORE

# min-max: a gives x 1, y 1/2, z 0; b gives y 1, w 0
RUNS = {"a": {"q": {"x": 9.0, "y": 5.0, "z": 1.0}}, "b": {"q": {"y": 0.4, "w": 0.2}}}


def scores(frame):
    return dict(frame.select("doc_id", "score").collect().iter_rows())


@pytest.mark.parametrize(
    ("method", "weights", "expected"),
    [
        ("combsum", None, {"x": 1, "y": 1 / 2 + 1, "z": 0, "w": 0}),
        ("combsum", {"a": 2, "b": 3}, {"x": 2, "y": 2 / 2 + 3, "z": 0, "w": 0}),
        ("combmnz", None, {"x": 1, "y": (1 / 2 + 1) * 2, "z": 0, "w": 0}),
        ("combmnz", {"a": 2, "b": 3}, {"x": 2, "y": (1 / 2 + 1) * 5, "z": 0, "w": 0}),
        ("combgmnz(gamma=2)", None, {"x": 1, "y": (1 / 2 + 1) * 2**2, "z": 0, "w": 0}),
        ("combanz", None, {"x": 1, "y": (1 / 2 + 1) / 2, "z": 0, "w": 0}),
        ("combmin", None, {"x": 1, "y": 1 / 2, "z": 0, "w": 0}),
        ("combmax", None, {"x": 1, "y": 1, "z": 0, "w": 0}),
        ("combmed", None, {"x": 1, "y": 3 / 4, "z": 0, "w": 0}),
        ("mixed", {"a": 2, "b": 3}, {"x": 2, "y": (2 / 2 + 3) * sqrt(2), "z": 0, "w": 0}),
        ("rrf", None, {"x": 1 / 61, "y": 1 / 62 + 1 / 61, "z": 1 / 63, "w": 1 / 62}),
        ("rrf(k=0)", {"a": 2, "b": 3}, {"x": 2, "y": 2 / 2 + 3, "z": 2 / 3, "w": 3 / 2}),
        ("isr", None, {"x": 1, "y": (1 / 4 + 1) * 2, "z": 1 / 9, "w": 1 / 4}),
        ("log-isr", None, {"x": 0, "y": (1 / 4 + 1) * log(2), "z": 0, "w": 0}),
        ("logn-isr(sigma=1)", None,
         {"x": log(2), "y": (1 / 4 + 1) * log(3), "z": log(2) / 9, "w": log(2) / 4}),
        ("rbc(phi=.5)", None, {"x": 1 / 2, "y": 1 / 4 + 1 / 2, "z": 1 / 8, "w": 1 / 4}),
        # of 4 candidates, w shares 1 point of a with none; x and z share 2 + 1 of b
        ("borda", None, {"x": 4 + 3 / 2, "y": 3 + 4, "z": 2 + 3 / 2, "w": 1 + 3}),
        # y by both over w; x and y, x and z, z and w: one for each, or none; so as by ranks
        ("condorcet", None, {"y": 4, "x": 3, "w": 2, "z": 1}),
    ],
)  # fmt: skip
def test_a_method(method, weights, expected):
    assert scores(fuse(RUNS, method, weights=weights)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        ("none", {"x": 9, "y": 5.4, "z": 1, "w": 0.2}),
        ("min-max", {"x": 1, "y": 1 / 2 + 1, "z": 0, "w": 0}),
        ("max", {"x": 1, "y": 5 / 9 + 1, "z": 1 / 9, "w": 1 / 2}),
        ("sum", {"x": 8 / 12, "y": 4 / 12 + 1, "z": 0, "w": 0}),
        # of a the mean is 5, the deviation sqrt(32/3); of b .3 and .1
        ("z", {"x": 4 / sqrt(32 / 3), "y": 1, "z": -4 / sqrt(32 / 3), "w": -1}),
        ("rank", {"x": 1, "y": 2 / 3 + 1, "z": 1 / 3, "w": 1 / 2}),
        # a: 1, 3/4, 1/2, and 1/2 - 2/8 for w; b: y 1, w 3/4, and 1/2 - 1/8 for x and z
        ("borda", {"x": 1 + 3 / 8, "y": 3 / 4 + 1, "z": 1 / 2 + 3 / 8, "w": 1 / 4 + 3 / 4}),
    ],
)
def test_a_norm(norm, expected):
    assert scores(fuse(RUNS, "combsum", norm=norm)) == pytest.approx(expected)


def test_every_norm_and_method_is_here():
    assert {*NORMS} == {"none", "min-max", "max", "sum", "z", "rank", "borda"}
    assert {*METHODS} & {*TRAINED} == set()


def test_a_majority_decides_and_weights_are_votes():
    runs = {"a": {"q": ["x", "y", "z"]}, "b": {"q": ["x", "z", "y"]}, "c": {"q": ["z", "y", "x"]}}
    assert scores(fuse(runs, "condorcet")) == {"x": 3, "z": 2, "y": 1}
    heavy = {"a": 1, "b": 1, "c": 3}
    assert scores(fuse(runs, "condorcet", weights=heavy)) == {"z": 3, "y": 2, "x": 1}


@pytest.mark.parametrize("method", METHODS)
def test_two_that_all_runs_treat_alike_tie_and_stand_by_doc_id(method):
    runs = {f"r{at}": {"q": {"a": 1.0, "b": 0.5}} for at in range(7)}
    mirrored = {f"s{at}": {"q": {"b": 1.0, "a": 0.5}} for at in range(7)}
    found = fuse(runs | mirrored, method).collect()
    assert found["doc_id"].to_list() == ["b", "a"]


def test_equal_scores_are_ranked_as_trec_eval_does():
    tied = {"a": {"q": {"x": 1.0, "y": 1.0}}, "b": {"q": {"z": 1.0}}}
    assert scores(fuse(tied, "rrf(k=0)")) == {"y": 1, "x": 1 / 2, "z": 1}


def test_a_run_without_the_query_has_no_say():
    runs = RUNS | {"c": {"other": {"v": 1.0}}}
    for method in METHODS:
        here = fuse(runs, method).filter(pl.col("query_id") == "q")
        assert scores(here) == pytest.approx(scores(fuse(RUNS, method)))


def test_order_depth_and_name():
    found = fuse(RUNS | {"c": {"p": {"v": 1.0}}}, depth=2, name="both").collect()
    assert found.select("run", "query_id", "doc_id").rows() == [
        ("both", "p", "v"), ("both", "q", "y"), ("both", "q", "x"),
    ]  # fmt: skip


def test_a_method_of_ones_own():
    assert scores(fuse(RUNS, Method(SCORE**2), norm="none"))["y"] == pytest.approx(25 + 0.16)


# Two queries, a fold each. Of q2 (x relevant, rank 1 of a; not in b) is learned for q1.
QRELS = {"q1": {"x": 1}, "q2": {"x": 1, "y": 1}}
LEARNED = {"a": {"q1": ["v", "w"], "q2": ["x", "u"]}, "b": {"q1": ["w"], "q2": ["u"]}}


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("posfuse", {"v": 1, "w": 0}),
        ("probfuse(segments=1)", {"v": 1 / 2, "w": 1 / 2}),
        ("probfuse(segments=2)", {"v": 1, "w": 0}),
        # one of five ranks; min-max scores of v 1, of w 0 and, alone in b, 0
        ("segfuse", {"v": 1 / 5 * 2, "w": 1 / 5}),
        # average precision of a 1/2, of b 0
        ("mapfuse", {"v": 1 / 2, "w": 1 / 2 / 2}),
        ("bayesfuse", {"v": log(1 / 4) + log(1 / 999), "w": log(1 / 4) + log(0.001)}),
    ],
)
def test_a_trained_method(method, expected):
    found = fuse_trained(QRELS, LEARNED, method, folds=2)
    assert scores(found.filter(pl.col("query_id") == "q1")) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        # of a v 1, w 1/2; of b, alone, w 1: of both ranks of a 1/5, of b nothing
        ("rank", {"v": 1 / 5 * (1 + 1), "w": 1 / 5 * (1 / 2 + 1)}),
        # of two candidates the same; v is not in b, whose rank is then none
        ("borda", {"v": 1 / 5 * (1 + 1), "w": 1 / 5 * (1 / 2 + 1)}),
        ("none", {"v": 1 / 5 * (2 + 1), "w": 1 / 5 * (1 + 1)}),
    ],
)
def test_a_trained_method_of_every_kind_of_norm(norm, expected):
    found = fuse_trained(QRELS, LEARNED, "segfuse", folds=2, norm=norm)
    assert scores(found.filter(pl.col("query_id") == "q1")) == pytest.approx(expected)


def test_a_query_is_never_learned_from_for_itself():
    # b is right in q1 alone: for q1 nothing is known of it, for q2 all
    runs = {"a": {"q1": ["u"], "q2": ["u"]}, "b": {"q1": ["x"], "q2": ["v"]}}
    found = fuse_trained({"q1": {"x": 1}, "q2": {"z": 1}}, runs, "posfuse", folds=2)
    best = found.group_by("query_id").agg(pl.col("score").max()).collect()
    assert dict(best.iter_rows()) == {"q1": 0, "q2": 1}


def test_weights_are_tried_on_other_queries():
    # a is right in q1 and q3, b in q2 and q4: chosen on two of one kind, tried on the other
    right, wrong = ["x", "y"], ["y", "x"]
    runs = {
        "a": {"q1": right, "q2": wrong, "q3": right, "q4": wrong},
        "b": {"q1": wrong, "q2": right, "q3": wrong, "q4": right},
    }
    qrels = {query: {"x": 1} for query in runs["a"]}
    tuned = tune_weights(qrels, runs, "RR", step=1, folds=2)
    assert tuned.folds.select("fold", "a", "b", "trained", "tested").rows() == [
        (0, 0, 1, 1, 1 / 2), (1, 1, 0, 1, 1 / 2),
    ]  # fmt: skip
    assert (tuned.trained, tuned.tested, tuned.equal) == (3 / 4, 1 / 2, 1 / 2)
    assert tuned.weights == {"a": 1, "b": 0}  # the first tried of two that are equal
    evaluated = ul.means(ul.evaluate(qrels, tuned.run, "RR")).collect()
    assert evaluated["mean"].to_list() == [tuned.tested]


def test_weights_share_one():
    assert len(weights_of("abc", 0.25)) == 15  # 6 choose 2
    assert all(sum(weights.values()) == 1 for weights in weights_of("abc", 0.25))


TWICE = pl.DataFrame({"run": ["a", "a", "b"], "query_id": "q", "doc_id": "x", "score": [1.0, 2, 3]})
INFINITE = {"a": {"q": {"x": float("inf"), "y": 1.0}}, "b": {"q": {"x": 1.0}}}
BELOW = {"a": {"q": {"x": -1.0, "y": -2.0}}, "b": {"q": {"x": 1.0}}}


@pytest.mark.parametrize(
    ("runs", "method", "options", "kind", "says"),
    [
        ({"a": {"q": {"x": 1.0}}}, "rrf", {}, ul.BadData, "two runs at least; there is 'a'"),
        (RUNS, "comsum", {}, ul.BadUsage, "no 'comsum'; there is combsum"),
        (RUNS, "rrf(j=1)", {}, ul.BadUsage, "rrf has no setting 'j': it takes k"),
        (RUNS, "combsum(k=1)", {}, ul.BadUsage, "combsum has no setting 'k': it takes none"),
        (RUNS, "rrf(k=a)", {}, ul.BadUsage, "'a' is no number"),
        (RUNS, "rrf(k=nan)", {}, ul.BadUsage, "'nan' is no number"),
        (RUNS, "rrf(k=-1)", {}, ul.BadUsage, "k is at least 0"),
        (RUNS, "rbc(phi=1)", {}, ul.BadUsage, "phi is between 0 and 1"),
        (RUNS, "logn-isr(sigma=2)", {}, ul.BadUsage, "sigma is from 0 to 1"),
        (RUNS, "rrf(", {}, ul.BadUsage, "it looks like rrf"),
        (RUNS, "rrf", {"norm": "z"}, ul.BadUsage, "norm=z would change nothing"),
        (RUNS, "combsum", {"norm": "zz"}, ul.BadUsage, "norm='zz' is not one of none, min-max"),
        (RUNS, "combmax", {"weights": {"a": 1, "b": 1}}, ul.BadUsage, "combmax takes no weights"),
        (RUNS, "rrf", {"weights": {"a": 1}}, ul.BadUsage, "not so 'b', of a, b"),
        (RUNS, "rrf", {"weights": {"a": 1, "b": 1, "c": 1}}, ul.BadUsage, "not so 'c', of a, b"),
        (RUNS, "rrf", {"weights": {"a": 1, "b": float("nan")}}, ul.BadUsage, "which is no number"),
        (RUNS, "rrf", {"depth": 0}, ul.BadUsage, "depth=0 is below 1"),
        (TWICE, "rrf", {}, Exception, "a run returns a document twice"),
        (TWICE, "combsum", {}, Exception, "a run returns a document twice"),
        (TWICE, "condorcet", {}, Exception, "a run returns a document twice"),
        (INFINITE, "combsum", {}, Exception, "query 'q', document '.': the fused score is"),
        (BELOW, "combsum", {"norm": "max"}, Exception, "run 'a', query 'q': norm=max divides by"),
    ],
)  # fmt: skip
def test_what_is_refused(runs, method, options, kind, says):
    with pytest.raises(kind, match=says):
        fuse(runs, method, **options).collect()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: fuse_trained(QRELS, LEARNED, "posfuse", folds=1), "folds=1"),
        (lambda: fuse_trained(QRELS, LEARNED, "posfuse", folds=3), "2 queries, too few for 3"),
        (lambda: fuse_trained(QRELS, LEARNED, "posfuse", norm="z"), "would change nothing"),
        (lambda: fuse_trained(QRELS, LEARNED, "probfuse(segments=1.5)"), "a whole number"),
        (lambda: fuse_trained(QRELS, LEARNED, "rrf"), "no 'rrf'; there is"),
        (lambda: weights_of("ab", 0.3), "step=0.3: 1 is no multiple"),
        (lambda: weights_of("abcdefgh"), "19,448 combinations"),
        (lambda: tune_weights(QRELS, LEARNED, ["AP", "RR"], folds=2), "one measure"),
    ],
)
def test_what_learning_refuses(make, says):
    with pytest.raises(ValueError, match=says):
        make()


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--files", "sample"]) == 0
    return ["sample/bm25.run", "sample/dense.run"]


def test_the_command_writes_what_the_function_gives(files, capsys):
    assert main(["fuse", *files, "--method", "rrf(k=10)", "--depth", "5", "-o", "f.run"]) == 0
    by_hand = fuse(files, "rrf(k=10)", depth=5).select("query_id", "doc_id").collect()
    assert ul.scan_runs("f.run").select("query_id", "doc_id").collect().equals(by_hand)
    assert ul.scan_runs("f.run").collect()["run"].unique().to_list() == ["fused"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--qrels", "sample/qrels.txt"], "--qrels would have no effect"),
        (["--tune", "AP"], "AP needs judgements: --qrels QRELS"),
        (["--method", "probfuse"], "probfuse needs judgements: --qrels QRELS"),
        (["--method", "probfuse", "--tune", "AP"], "--tune is for weights"),
        (["--method", "combsum", "--weights", "bm25"], "write RUN=NUMBER"),
        (["--tune", "AP", "--qrels", "sample/qrels.txt", "--weights", "a=1"], "one of these"),
    ],
)
def test_the_command_refuses_contradictions(files, words, says, capsys):
    capsys.readouterr()
    assert main(["fuse", *files, *words]) == 2
    assert says in capsys.readouterr().err


def test_the_command_says_what_tuning_is_worth(files, capsys):
    capsys.readouterr()
    tune = ["--tune", "AP", "--qrels", "sample/qrels.txt", "--step", "0.25", "-o", "t.parquet"]
    assert main(["fuse", *files, *tune]) == 0
    said = capsys.readouterr().err
    tuned = tune_weights("sample/qrels.txt", files, "AP", step=0.25, depth=1000)
    assert f"AP {tuned.trained:.4f} on the queries they were chosen on" in said
    assert f"{tuned.tested:.4f} on others (5 folds), equal weights {tuned.equal:.4f}" in said
    scored = ul.means(ul.evaluate("sample/qrels.txt", "t.parquet", "AP")).collect()
    assert scored["mean"].to_list() == pytest.approx([tuned.tested])
