"""The gate: its table of verdicts, what it says, and its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from math import sqrt
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from scipy import stats

import ulframe as ul
from ulframe.analysis import gate, queries_needed
from ulframe.testing import assert_not_worse

HALVES = [0.5] * 10


def scored(run: str, values: list[float | None], measure: str = "AP") -> pl.DataFrame:
    names = [f"q{n}" for n in range(len(values))]
    return pl.DataFrame({"run": run, "query_id": names, "measure": measure, "score": values})


def shifted(by: float, spread: float = 0.0) -> list[float]:
    """Ten scores whose differences from a half have that mean, and + and - that spread."""
    return [0.5 + by + spread * (-1) ** n for n in range(10)]


# The half width of the interval is 2.262157 * sd / sqrt(10), sd = spread * sqrt(10 / 9).
@pytest.mark.parametrize(
    ("by", "spread", "verdict"),
    [
        (0.0, 0.0, "passes"),  # the same run
        (0.05, 0.01, "passes"),
        (-0.005, 0.001, "passes"),  # a significant loss, within the margin
        (-0.05, 0.01, "worse"),
        (-0.02, 0.0, "worse"),  # everywhere as much
        (-0.005, 0.1, "undecided"),
        (0.0, 0.1, "undecided"),
    ],
)
@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_verdicts(by, spread, verdict, test):
    found = gate(scored("old", HALVES), scored("new", shifted(by, spread)), test=test)
    assert found.verdict == verdict


def test_numbers_by_hand():
    found = gate(scored("old", HALVES), scored("new", shifted(0.0, 0.1)))
    row = found.measures.row(0, named=True)
    sd = 0.1 * sqrt(10 / 9)
    half = stats.t.ppf(0.975, 9) * sd / sqrt(10)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((-half, half))
    assert row["needed"] == queries_needed(0.01 / sd)  # to be above -.01
    assert gate(scored("a", HALVES), scored("b", shifted(-0.02, 0.1))).measures["needed"][0] is None


def test_of_several_measures_all_must_pass_and_one_may_be_worse_after_holm():
    old = pl.concat([scored("old", HALVES, m) for m in ("AP", "RR")])

    def against(*values: list[float]) -> pl.DataFrame:
        return pl.concat(scored("new", v, m) for v, m in zip(values, ("AP", "RR"), strict=True))

    good, open_, bad = shifted(0.05, 0.01), shifted(0.0, 0.1), shifted(-0.05, 0.01)
    assert gate(old, against(good, good)).verdict == "passes"
    assert gate(old, against(good, open_)).verdict == "undecided"
    assert gate(old, against(bad, open_)).verdict == "worse"
    # p = .034 alone, and .068 of two
    faint = shifted(-0.04, 0.0475)
    alone = gate(old.filter(measure="AP"), scored("new", faint))
    assert (alone.verdict, gate(old, against(faint, open_)).verdict) == ("worse", "undecided")


def test_a_significant_loss_within_the_margin_is_said():
    found = gate(scored("old", HALVES), scored("new", shifted(-0.005, 0.001)))
    assert found.lines[0].startswith("PASS: new against old, 10 queries, margin 0.01")
    assert found.lines[2] == "a significant loss, but within the margin: AP"


def test_queries_are_those_that_both_have_and_most_lost_first():
    found = gate(scored("old", HALVES), scored("new", [0.5, 0.1, 0.9, None]))
    assert found.queries["query_id"].to_list() == ["q3", "q1", "q0", "q2"]
    assert found.queries["diff"].to_list() == pytest.approx([-0.5, -0.4, 0.0, 0.4])
    skipped = gate(scored("old", HALVES), scored("new", [0.5, 0.1, 0.9, None]), undefined="skip")
    assert skipped.measures["n_queries"].item() == 3


TWO_RUNS = pl.concat([scored("a", HALVES), scored("c", HALVES)])


@pytest.mark.parametrize(
    ("old", "new", "options", "error"),
    [
        (scored("a", HALVES), scored("b", HALVES), {"margin": -1}, ul.BadUsage),
        (scored("a", HALVES), scored("b", HALVES), {"test": "sign"}, ul.BadUsage),
        (scored("a", HALVES), scored("b", HALVES, "RR"), {}, ul.BadUsage),
        (scored("a", [0.5]), scored("b", [0.5]), {}, ul.BadData),
        (TWO_RUNS, scored("b", HALVES), {}, ul.BadData),
    ],
)  # fmt: skip
def test_what_is_refused(old, new, options, error):
    with pytest.raises(error):
        gate(old, new, **options)


# ---------------------------------------------------------------- the command
@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    """Twelve queries: `good` finds the one relevant document first, `bad` second, `mixed` both."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    queries = range(12)
    Path("qrels.txt").write_text("".join(f"{q} 0 a 1\n{q} 0 b 0\n" for q in queries))
    firsts = {"good": "aaaaaaaaaaaa", "bad": "bbbbbbbbbbbb", "mixed": "aaaaaaabaaaa"}
    for name, first in firsts.items():
        lines = (
            f"{q} Q0 {doc} 1 {1 + (doc == first[q])} {name}\n" for q in queries for doc in "ab"
        )
        Path(f"{name}.run").write_text("".join(lines))
    return tmp_path


def command(*words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "ulframe", "gate", "qrels.txt", *words]
    return subprocess.run(line, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["bad.run", "good.run", "-m", "RR"], 0, "PASS: good against bad, 12 queries"),
        (["good.run", "bad.run", "-m", "RR"], 3, "WORSE: bad against good"),
        (["good.run", "mixed.run", "-m", "RR"], 4, "UNDECIDED: mixed against good"),
        (["good.run", "none.run", "-m", "RR"], 1, "none.run: no such file"),
        (["good.run", "bad.run", "-m", "nothing"], 2, "nothing"),
    ],
)
def test_exit_codes(words, code, says, files):
    done = command(*words)
    assert done.returncode == code
    assert says in done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == (3 if code in (0, 3, 4) else 0)


def test_formats(files, monkeypatch):
    asked = ["good.run", "bad.run", "-m", "RR", "--format"]
    told = json.loads(command(*asked, "json").stdout)
    assert (told["verdict"], told["measures"][0]["diff"]) == ("worse", -0.5)
    assert len(told["lost"]) == 10
    suite = ElementTree.fromstring(command(*asked, "junit").stdout)
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    printed = command(*asked, "github").stdout
    assert printed == (
        "::error title=ulframe gate::RR worse%3A -0.5000 [-0.5000%2C -0.5000]%2C margin 0.01\n"
    )
    assert "queries that lost most" in Path("summary.md").read_text()


def test_scores_kept_from_before(files):
    made = [sys.executable, "-m", "ulframe", "eval", "qrels.txt", "good.run", "-m", "RR"]
    subprocess.run([*made, "-o", "old.parquet"], check=True, capture_output=True)
    assert command("old.parquet", "bad.run", "-m", "RR").returncode == 3
    other = command("old.parquet", "bad.run", "-m", "AP")
    assert (other.returncode, "no scores of AP; it has RR" in other.stderr) == (1, True)
    Path("qrels.txt").write_text("0 0 a 1\n1 0 a 1\n")
    changed = command("old.parquet", "bad.run", "-m", "RR")
    assert (changed.returncode, "made with qrels" in changed.stderr) == (1, True)


def test_the_assertion_says_the_same(files):
    assert_not_worse("qrels.txt", "bad.run", "good.run", "RR")
    with pytest.raises(AssertionError, match=r"^WORSE: bad against good, 12 queries"):
        assert_not_worse("qrels.txt", "good.run", "bad.run", "RR")
