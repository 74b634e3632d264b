"""Wrong calls, of each of which a type checker tells the user, and right ones that it takes."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from ulframe.analysis import corrections, power, procedures, transforms
from ulframe.analysis.rbo import VARIANTS, Ties
from ulframe.evaluation import evaluate, summarise
from ulframe.systems.bm25 import kinds
from ulframe.systems.letor import methods

CHECKOUT = Path(__file__).resolve().parents[1]

GIVEN = """
import altair as alt
import pandas as pd
import polars as pl

import ulframe as ul
from ulframe import analysis
from ulframe.report import charts
from ulframe.report.findings import Findings, find
from ulframe.report.pictures import save_chart
from ulframe.report.table import Table
from ulframe.report.tables import marked, pivot, runs_by_measures
from ulframe.report.write import write_report
from ulframe.studies import experts, paper, pooling
from ulframe.systems import bm25, letor


def calls(
    frame: pl.DataFrame,
    lazy: pl.LazyFrame,
    foreign: pd.DataFrame,
    table: Table,
    findings: Findings,
    index: bm25.Index,
    queries: letor.Queries,
    chart: alt.VConcatChart,
) -> None:
"""

WRONG = """
analysis.compare(5)
analysis.compare(frame, test="z")
analysis.compare(frame, correction="tukey")
analysis.compare(frame, undefined="drop")
analysis.compare(frame, sets=3)
analysis.compare(frame, "t")
analysis.compared(frame, undefined="null")
analysis.corrected(frame, "fdr")
analysis.group_a([5])
analysis.agreement(0.5)
analysis.real_and_expected(frame, include_undefined="yes", only=3)
analysis.pad(frame, nonpositive="zero")
analysis.rbo(["a"], ["b"], 0.9, ties="c")
analysis.swap_rate(frame)
analysis.split_swaps(frame, undefined="no")
analysis.difference_needed(frame, undefined="no")
analysis.ranks(None)
find(7)
find(frame, undefined="no")
find(frame, baselines="bm25")
write_report(frame, "report.html")
runs_by_measures(7)
marked(frame, frame, "bm25")
pivot(frame, index="run", columns="measure", values="mean")
table.title = "Means"
table.markdown().frame
charts.query_map(7, "nDCG@10")
charts.difference_plot(frame, "AP", "a", "b", undefined="no")
save_chart("chart", "chart.svg")
paper.make_book([frame])
pooling.effects(frame, frame, {"mine": 3})
pooling.effects(frame, frame, {"mine": frame}, transform="log")
pooling.rboost(frame, frame, topics=10)
pooling.rsvm(frame, frame, depth="deep")
pooling.move_to_front(frame, 7)
experts.compare(7, lazy)
experts.scan_rankings(7)
bm25.search(index, 7)
bm25.scan_documents("a.pdf", kind="pdf")
bm25.grid(c=[1.0])
bm25.features(index, {"q": "wing"}, 7)
letor.method("SVM")
letor.method("RF")(queries, queries, ul.AP, 0, trees=100)
letor.method("RF")(queries, queries, ul.AP, 0, leaves="many")
"""

RIGHT = """
analysis.compare(frame, test="hsd", sets=lazy, undefined="skip")
analysis.compare(foreign, correction="bh")
analysis.agreement(lazy)
analysis.rbo(["a", {"b", "c"}], ["b"], 0.9, ties="b")
find(frame, undefined="skip", baseline="bm25")
write_report(findings, "report.html", title="Spring")
marked(runs_by_measures(frame), lazy, "bm25").latex()
table.frame.filter(run="bm25")
charts.query_map(analysis.real_and_expected(frame), "nDCG@10").properties(width=300)
save_chart(charts.query_map(frame, "nDCG@10"), "map.svg")
save_chart(chart, "all.pdf")
paper.make_book({"mine": lazy})
pooling.effects({"q": {"a": 1}}, frame, {"mine": {"q": {"a": 3}}}, transform="arcsine")
pooling.rboost(frame, foreign, queries=10, depth=20, seed=1)
experts.compare({"ann": ["x", ["y", "z"]]}, experts.every_pair(frame), ["pairs.P", ul.AP])
experts.scan_rankings(["a.csv", {"ann": ["x"]}, frame])
bm25.search(index, {"q": "wing"}, bm25.BM25(k=1.2))
bm25.scan_documents(["a.tsv", frame], kind="pairs")
bm25.grid(k=[1.2], log_prior=(0, 1))
letor.method("RF")(queries, queries, ul.AP, 0, leaves=50)
"""


def source(calls: str) -> str:
    return GIVEN + "".join(f"    {call}\n" for call in calls.strip().splitlines())


@pytest.fixture
def files(tmp_path):
    """Two modules of a user's: one of wrong calls, one of right ones."""
    (tmp_path / "wrong.py").write_text(source(WRONG))
    (tmp_path / "right.py").write_text(source(RIGHT))
    return tmp_path


def calls_at(path: Path, numbers: set[int]) -> list[str]:
    lines = path.read_text().splitlines()
    return [lines[number - 1].strip() for number in sorted(numbers)]


def told(folder: Path, found: set[tuple[str, int]]) -> dict[str, list[str]]:
    """The calls that a checker complained of, by file."""
    return {
        name: calls_at(folder / name, {line for file, line in found if file == name})
        for name in ("wrong.py", "right.py")
    }


EVERY = {"wrong.py": WRONG.strip().splitlines(), "right.py": []}


def test_mypy_tells_of_every_wrong_call_and_of_no_right_one(files):
    how = ["--strict", "--config-file=", "--follow-imports=silent", "--ignore-missing-imports",
           f"--cache-dir={files / 'cache'}"]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *how, "wrong.py", "right.py"],
        cwd=files, env=os.environ | {"MYPYPATH": str(CHECKOUT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    errors = re.findall(r"^(\w+\.py):(\d+): error", done.stdout, re.MULTILINE)
    assert told(files, {(name, int(line)) for name, line in errors}) == EVERY, done.stdout


PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
PYRIGHT = shutil.which("pyright", path=PATH)


@pytest.mark.skipif(PYRIGHT is None, reason="pyright is not installed")
def test_so_does_pyright(files):
    config = {"extraPaths": [str(CHECKOUT)], "include": ["wrong.py", "right.py"]}
    (files / "pyrightconfig.json").write_text(json.dumps(config))
    done = subprocess.run(
        [str(PYRIGHT), "--outputjson", "--pythonpath", sys.executable], cwd=files,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = {
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1)
        for one in found
        if one["severity"] == "error"
    }
    assert told(files, errors) == EVERY, found


@pytest.mark.parametrize(
    ("words", "table"),
    [
        (summarise.Undefined, summarise.UNDEFINED),
        (evaluate.Queries, evaluate.QUERIES),
        (corrections.Correction, corrections.CORRECTIONS),
        (power.Nonpositive, power.KEPT),
        (procedures.Test, procedures.TESTS),
        (Ties, VARIANTS),
        (transforms.Transform, transforms.TRANSFORMS),
        (kinds.Kind, kinds.READERS),
        (methods.Method, methods.METHODS),
    ],
)
def test_the_words_of_a_type_are_those_of_its_table(words, table):
    assert set(get_args(words)) == set(table)
