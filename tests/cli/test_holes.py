"""`ulframe holes`: what it prints, writes and refuses. The values are those of `analysis.holes`."""

import json
from pathlib import Path

import polars as pl
import pytest

from ulframe.cli.main import main

QRELS = "1 0 r 1\n1 0 n 0\n"
A, B = "1 Q0 r 1 3 t\n1 Q0 x 2 2 t\n", "1 Q0 n 1 3 t\n1 Q0 y 2 2 t\n"
ASKED = ["holes", "qrels.txt", "a.run", "b.run", "-m", "P@2"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> None:
    """Where qrels lie, and two runs of which each returned something that nobody judged."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels.txt", QRELS), ("a.run", A), ("b.run", B)):
        Path(name).write_text(text)


def test_what_is_printed(capsys):
    assert main(ASKED) == 0
    printed = capsys.readouterr()
    assert "labels 0, 1; those not returned have 0" in printed.err
    assert "| a   |   0.5000 |    0.5000 |    0.5000 |     0.5000 |        1 |" in printed.out
    assert "| a   | P@2     | 0.5000 | 0.5000 |  1.0000 |    0.5000 |" in printed.out
    # b wins where y is relevant and x is not
    assert "| a     | b     | P@2     | 0.5000 | 0.0000 |  1.0000 | no    |" in printed.out


def test_many_pairs_are_counted(capsys):
    names = [f"r{at}.run" for at in range(9)]
    for name in names:
        Path(name).write_text(A)
    assert main(["holes", "qrels.txt", *names, "-m", "P@2"]) == 0
    assert "| P@2     |    36 |    0 |      0 |        36 |" in capsys.readouterr().out


@pytest.mark.parametrize(("kind", "reads"), [("csv", "run_a,run_b,measure"), ("json", '"run":"a"')])
def test_formats(kind, reads, capsys):
    assert main([*ASKED, "--format", kind]) == 0
    assert reads in capsys.readouterr().out


def test_what_is_written(capsys):
    assert main([*ASKED, "-o", "ranges.parquet", "--judge", "next.csv"]) == 0
    ranges = pl.read_parquet("ranges.parquet")
    assert ranges.filter(run="a").select("score", "lowest", "highest").row(0) == (0.5, 0.5, 1.0)
    made = json.loads(pl.read_parquet_metadata("ranges.parquet")["ulframe"])
    assert [one["path"] for one in made["inputs"]] == ["qrels.txt", "a.run", "b.run"]
    assert pl.read_csv("next.csv")["doc_id"].sort().to_list() == ["x", "y"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([*ASKED, "--baseline", "c"], "no run 'c' to be the baseline; there is a, b"),
        ([*ASKED, "--labels", "1", "2"], "0 and at least one above it"),
        (["holes", "qrels.txt", "a.run", "-m", "gm_map"], "no holes of gm_map"),
        ([*ASKED, "-o", "a.run"], "a.run"),
    ],
)
def test_refused(words, says, capsys):
    assert main(words) == 2
    assert says in capsys.readouterr().err
