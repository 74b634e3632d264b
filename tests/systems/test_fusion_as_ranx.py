"""The same fused scores as ranx, on runs of TREC 2003 Robust, to 1e-9.

ranx breaks ties inside a run in an order of its own, so ties are broken before. Its Condorcet
sorts sets of ids, whose order differs from process to process; it is tested elsewhere by hand.
"""

import json
import subprocess
from pathlib import Path

import polars as pl
import pytest

import ulframe as ul
from ulframe.systems.fusion import fuse, fuse_trained

SCRIPT = Path(__file__).resolve().parents[1] / "peers" / "with_ranx.py"
RUNS = ["input.NLPR03vb10.gz", "input.MU03rob01.gz", "input.Sel50.gz", "input.pircRBa1.gz"]
DEPTH, QUERIES = 300, 20
WEIGHTS = [0.1, 0.2, 0.3, 0.4]

# ours: method, norm; ranx: method, norm, parameters
UNTRAINED = [
    ("combsum", "min-max", False, "sum", "min-max", {}),
    ("combsum", "none", False, "sum", None, {}),
    ("combsum", "max", False, "sum", "max", {}),
    ("combsum", "sum", False, "sum", "sum", {}),
    ("combsum", "z", False, "sum", "zmuv", {}),
    ("combsum", "rank", False, "sum", "rank", {}),
    ("combsum", "borda", False, "sum", "borda", {}),
    ("combmnz", "borda", False, "mnz", "borda", {}),
    ("combmnz", "min-max", False, "mnz", "min-max", {}),
    ("combgmnz(gamma=0.5)", "min-max", False, "gmnz", "min-max", {"gamma": 0.5}),
    ("combanz", "min-max", False, "anz", "min-max", {}),
    ("combmin", "min-max", False, "min", "min-max", {}),
    ("combmax", "z", False, "max", "zmuv", {}),
    ("combmed", "sum", False, "med", "sum", {}),
    ("combsum", "min-max", True, "wsum", "min-max", {"weights": WEIGHTS}),
    ("combmnz", "min-max", True, "wmnz", "min-max", {"weights": WEIGHTS}),
    ("mixed", "min-max", True, "mixed", "min-max", {"weights": WEIGHTS}),
    ("rrf", None, False, "rrf", None, {}),
    ("rrf(k=10)", None, False, "rrf", "min-max", {"k": 10}),
    ("isr", None, False, "isr", None, {}),
    ("log-isr", None, False, "log_isr", None, {}),
    ("logn-isr(sigma=0.5)", None, False, "logn_isr", None, {"sigma": 0.5}),
    ("rbc(phi=0.9)", None, False, "rbc", None, {"phi": 0.9}),
    ("borda", None, False, "bordafuse", None, {}),
    ("borda", None, True, "w_bordafuse", None, {"weights": WEIGHTS}),
]
TRAINED = [
    ("posfuse", None, "posfuse", None, {}),
    ("probfuse(segments=7)", None, "probfuse", None, {"n_segments": 7}),
    ("segfuse", "min-max", "segfuse", "min-max", {}),
    ("mapfuse", None, "mapfuse", None, {}),
    ("bayesfuse", None, "bayesfuse", None, {}),
]


def nested(frame, number):
    found = {}
    for query, document, value in frame.select("query_id", "doc_id", number).iter_rows():
        found.setdefault(query, {})[document] = value
    return found


@pytest.fixture(scope="module")
def real(shared):
    """Qrels and runs of some queries, no two scores of which are equal."""
    folder = shared / "robust03"
    qrels = ul.scan_qrels(folder / "qrels.txt.gz").collect()
    queries = qrels["query_id"].unique().sort().head(QUERIES)
    runs = ul.scan_runs([folder / "runs" / name for name in RUNS]).filter(
        pl.col("query_id").is_in(queries.implode())
    )
    apart = ul.rank(runs, depth=DEPTH).select("run", "query_id", "doc_id", "rank")
    scored = runs.join(apart, on=["run", "query_id", "doc_id"]).with_columns(
        score=pl.col("score") - pl.col("rank") * 1e-7
    )
    found = scored.sort("run", "query_id", "rank").collect()
    return qrels.filter(pl.col("query_id").is_in(queries.implode())), found


@pytest.fixture(scope="module")
def theirs(real, peers):
    """What ranx makes of every job; it learns on the odd queries, which are ours of fold 1."""
    qrels, runs = real
    by_run = {name: nested(of_run, "score") for (name,), of_run in runs.group_by("run")}
    judged = nested(qrels, "label")
    jobs = [(*job[3:],) for job in UNTRAINED] + [(*job[2:],) for job in TRAINED]
    asked = {
        "runs": dict(sorted(by_run.items())),
        "qrels": judged,
        "train": sorted(judged)[1::2],
        "jobs": [{"method": m, "norm": n, "params": p} for m, n, p in jobs],
    }
    done = subprocess.run(
        [peers, SCRIPT], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assert_same(fused, expected):
    found = nested(fused.collect(), "score")
    assert {query: {*of} for query, of in found.items()} == {
        query: {*of} for query, of in expected.items()
    }
    for query, documents in expected.items():
        assert found[query] == pytest.approx(documents, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("at", range(len(UNTRAINED)), ids=lambda at: str(UNTRAINED[at][:3]))
def test_a_method_as_in_ranx(at, real, theirs):
    method, norm, weighted, *_ = UNTRAINED[at]
    runs = real[1]
    names = sorted(runs["run"].unique())
    weights = dict(zip(names, WEIGHTS, strict=True)) if weighted else None
    assert_same(fuse(runs, method, norm=norm, weights=weights), theirs[at])


@pytest.mark.parametrize("at", range(len(TRAINED)), ids=lambda at: TRAINED[at][0])
def test_a_trained_method_as_in_ranx(at, real, theirs):
    method, norm, *_ = TRAINED[at]
    qrels, runs = real
    expected = theirs[len(UNTRAINED) + at]
    fused = fuse_trained(qrels, runs, method, folds=2, norm=norm)
    assert_same(fused.filter(pl.col("query_id").is_in([*expected])), expected)
