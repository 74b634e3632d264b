"""`ulframe measures` lists every measure, and explains each under all of its names."""

from __future__ import annotations

import pytest

from ulframe.cli.main import BAD_USAGE, DONE, main
from ulframe.metrics.catalog import ALIASES, CATALOG
from ulframe.metrics.explain import explain
from ulframe.metrics.operators import OPERATORS
from ulframe.metrics.trec_names import FAMILIES

METRICS = {measure.metric.name: measure.metric for measure in CATALOG.values()}


@pytest.mark.parametrize("name", METRICS)
def test_every_declaration_is_documented(name):
    about = METRICS[name].about
    for said in (about.doc, about.formula, about.range, about.source):
        assert said


@pytest.mark.parametrize("name", [*CATALOG, *ALIASES, *FAMILIES, *OPERATORS])
def test_every_name_has_a_page(name):
    page = explain(name)
    assert page.splitlines()[0]
    assert "  range " in page
    assert max(map(len, page.splitlines())) <= 88


def test_the_list_has_every_metric(capsys):
    assert main(["measures"]) == DONE
    first = {line.split()[0].partition("@")[0] for line in capsys.readouterr().out.splitlines()}
    assert first >= {*METRICS, "V2(A)"}


def test_a_page_says_what_other_tools_call_it(capsys):
    assert main(["measures", "iprec_at_recall"]) == DONE
    page = capsys.readouterr().out
    assert page.startswith("iprec_at_recall is IPrec@0.")
    assert "its expectation under a random ranking has no closed form" in page
    assert "  ir_measures   IPrec@0.1" in page


def test_an_unknown_name_is_refused_with_the_nearest(capsys):
    assert main(["measures", "nGCD"]) == BAD_USAGE
    assert "no measure 'nGCD'; did you mean nCG" in capsys.readouterr().err


OWN = """
import ulframe as ul

streak = ul.declare(
    "StreakOfFile", lambda m: m.relevant * (m.hits == ul.RANK), about=ul.About(doc="Hits in a row.")
)
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n1 0 c 2\n")
    (tmp_path / "run.txt").write_text("1 Q0 a 1 3 x\n1 Q0 c 2 2 x\n1 Q0 b 3 1 x\n")
    return tmp_path


def test_metrics_of_a_file_go_by_their_names(files, capsys):
    own, qrels, run = (str(files / name) for name in ("own.py", "qrels.txt", "run.txt"))
    asked = ["-m", "StreakOfFile", "V2(StreakOfFile(rel=2))", "--format", "trec"]
    assert main(["eval", qrels, run, "--metrics", own, *asked]) == DONE
    lines = capsys.readouterr().out.splitlines()
    # a and c are relevant, in a row; with rel=2 a is not, and -1 is the V2 of a value of 0
    assert [line.split()[2] for line in lines[1:]] == ["2.0000", "-1.0000"]
    assert main(["measures", "--metrics", own, "--", "StreakOfFile"]) == DONE
    assert "Hits in a row." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / 0", "cannot be run: ZeroDivisionError"),
        ("x = 1", "declares no metric; write ulframe.declare"),
        ("import ulframe as ul; ul.declare('AP', ul.relevant)", "AP is the name of another"),
    ],
)
def test_files_that_declare_nothing(files, capsys, text, message):
    (files / "own.py").write_text(text)
    assert main(["measures", "--metrics", str(files / "own.py")]) == BAD_USAGE
    assert message in capsys.readouterr().err
