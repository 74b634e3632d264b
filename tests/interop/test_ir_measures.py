"""ulframe as ir_measures' provider: its own measures, ours, its command, and PyTerrier."""

import subprocess
import sys

import ir_measures
import pytest
from ir_measures import (
    AP,
    RR,
    NumRelRet,
    NumRet,
    P,
    R,
    Rprec,
    SetF,
    Success,
    infAP,
    nDCG,
)

import ulframe as ul
from tests.evaluation.test_peers import made, robust
from ulframe.interop import ir_measures as interop
from ulframe.interop.ir_measures import PROVIDER, RLB, V2, Adjusted, Ulframe, Z, as_ours

OWN = [
    AP, AP(rel=2) @ 10, AP(judged_only=True), nDCG, nDCG @ 10, nDCG(judged_only=True) @ 5,
    nDCG(gains={0: 0, 1: 4, 2: 5}) @ 10, P @ 5, P(rel=2) @ 10, R @ 20, RR, RR(rel=2), Rprec, infAP,
    NumRet, NumRelRet, SetF(beta=2.0), Success @ 5, ir_measures.Bpref, ir_measures.SetAP,
]  # fmt: skip
QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1, "b": 0}, "q3": {"a": 0}}
RUN = {"q1": {"a": 0.5, "b": 0.7, "c": 0.1}}


@pytest.fixture
def untouched(monkeypatch):
    """ir_measures as it was, whatever a test prefers."""
    monkeypatch.setattr(
        ir_measures.DefaultPipeline, "providers", [*ir_measures.DefaultPipeline.providers]
    )


def assert_alike(qrels, run, measure):
    theirs = {
        (m.query_id): m.value for m in ir_measures.pytrec_eval.iter_calc([measure], qrels, run)
    }
    ours = {(m.query_id): m.value for m in PROVIDER.iter_calc([measure], qrels, run)}
    assert ours == pytest.approx(theirs, abs=1e-9)
    means = (
        one.calc_aggregate([measure], qrels, run)[measure]
        for one in (ir_measures.pytrec_eval, PROVIDER)
    )
    assert next(means) == pytest.approx(next(means), abs=1e-9)


@pytest.mark.parametrize("measure", OWN, ids=str)
def test_its_own_measures_are_as_its_own_provider_computes_them(measure):
    assert_alike(*made(3, 5, [-1, 0, 0, 1, 2]), measure)


def test_its_own_measures_on_robust_2003(shared):
    qrels, run = robust(shared, "input.NLPR03vb10.gz")
    assert_alike(qrels, run, nDCG @ 10)
    assert_alike(qrels, run, AP)


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        (V2("nDCG@2"), "V2(nDCG@2)"),
        (V2(nDCG @ 2), "V2(nDCG(gain=linear)@2)"),
        (V2(ul.SP @ 2), "V2(SP@2)"),
        (Adjusted("AP"), "Adjusted(AP)"),
        (Z(AP), "Z(AP)"),
        (RLB("P@2"), "RLB(P@2)"),
        (Ulframe("SP@2"), "SP@2"),
        (Ulframe("NumRet"), "NumRet"),
    ],
)
def test_measures_of_ours_are_as_we_compute_them(measure, name):
    assert ir_measures.parse_measure(str(measure)) == measure
    wanted = ul.means(ul.evaluate(QRELS, RUN, name)).collect()["mean"].item()
    found = ir_measures.calc_aggregate([measure, nDCG], QRELS, RUN)
    assert found[measure] == pytest.approx(wanted)


def test_every_form_of_input_gives_the_same():
    docs = [ir_measures.ScoredDoc(q, d, s) for q, run in RUN.items() for d, s in run.items()]
    qrels = [ir_measures.Qrel(q, d, x) for q, labels in QRELS.items() for d, x in labels.items()]
    pandas = pytest.importorskip("pandas")
    wanted = ir_measures.calc_aggregate([V2("AP")], QRELS, RUN)
    assert ir_measures.calc_aggregate([V2("AP")], iter(qrels), iter(docs)) == wanted
    frames = pandas.DataFrame(qrels), pandas.DataFrame(docs)
    assert ir_measures.calc_aggregate([V2("AP")], *frames) == wanted


def test_nothing_is_taken_over_before_it_is_asked_for(untouched):
    def first():
        pipeline = ir_measures.DefaultPipeline.providers
        return next(one.NAME for one in pipeline if one.supports(AP))

    while ir_measures.DefaultPipeline.providers[0] is PROVIDER:  # by a doctest before
        ir_measures.DefaultPipeline.providers.append(ir_measures.DefaultPipeline.providers.pop(0))
    assert first() == "pytrec_eval"
    interop.prefer()
    assert first() == "ulframe"


def test_what_is_not_ours_is_left_to_others():
    assert not PROVIDER.supports(ir_measures.Compat)
    assert (
        not PROVIDER.supports(ir_measures.nDCG(dcg="exp-log2") @ 5)
        or as_ours(ir_measures.nDCG(dcg="exp-log2") @ 5) == ul.nDCG @ 5
    )


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: V2("no-such"), "no-such"),
        (lambda: V2("IPrec"), "IPrec needs a recall"),
        (lambda: Ulframe("gm_map"), "takes no geometric mean over queries"),
    ],
)
def test_what_is_refused(make, says):
    with pytest.raises(ul.BadUsage, match=says):
        make()


def test_its_command(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "run").write_text("q1 Q0 b 1 2 x\nq1 Q0 a 2 1 x\n")
    words = [tmp_path / "qrels", tmp_path / "run", "V2(of='RR')", "AP"]
    command = [sys.executable, "-m", "ulframe.interop.ir_measures", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    # of two orders RR is 1 or 1/2, 3/4 in the mean: (1/2 - 3/4) / (3/4)
    assert done.stdout == f"V2(of='RR')\t{-1 / 3:.4f}\nAP\t0.5000\n"


def test_pyterrier_takes_them():
    pandas, pt = pytest.importorskip("pandas"), pytest.importorskip("pyterrier")
    topics = pandas.DataFrame({"qid": ["q1", "q2"], "query": ["x", "y"]})
    found = pandas.DataFrame([
        {"qid": q, "docno": d, "score": s, "rank": 0, "query": ""}
        for q, run in RUN.items() for d, s in run.items()
    ])  # fmt: skip
    qrels = pandas.DataFrame([
        {"qid": q, "docno": d, "label": x} for q, labels in QRELS.items() for d, x in labels.items()
    ])  # fmt: skip
    asked = [V2("nDCG@2"), AP]
    table = pt.Experiment([found], topics, qrels, asked, names=["mine"])
    within = {q: labels for q, labels in QRELS.items() if q in ("q1", "q2")}
    for measure, name in zip(asked, ["V2(nDCG@2)", "AP"], strict=True):
        wanted = ul.means(ul.evaluate(within, RUN, name)).collect()["mean"].item()
        assert table[str(measure)].item() == pytest.approx(wanted)
