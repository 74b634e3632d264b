"""`ulframe experts`: what it prints, writes, draws and refuses."""

import json
from pathlib import Path

import polars as pl
import pytest

from ulframe.cli.main import main

JUDGES = """ranking,item,position
ann,x,1
ann,y,2
ann,z,3
ben,y,1
ben,x,2
ben,z,2
cid,x,1
"""


@pytest.fixture
def judges(tmp_path):
    path = tmp_path / "judges.csv"
    path.write_text(JUDGES)
    return str(path)


def test_every_pair(judges, capsys):
    assert main(["experts", judges, "-m", "pairs.P", "pairs.uncertain", "--format", "csv"]) == 0
    out, err = capsys.readouterr()
    # ann and ben: xy reversed, yz alike, xz open in ben; with cid a single person is shared
    assert out.splitlines() == [
        "contest,ranking,pairs.P,pairs.uncertain",
        f"judges,ann,{1 / 3},{1 / 3}",
        f"judges,ben,{1 / 2},{1 / 3}",
        "judges,cid,,",
    ]
    assert (
        "4 comparisons of rankings that share a single person, first 'ann' and 'cid' of contest"
        in err
    )


def test_a_reference_maximal_similarity_and_all_people(judges, capsys, tmp_path):
    out = tmp_path / "scores.parquet"
    argv = ["experts", judges, "--reference", "ann", "-m", "pairs.R", "P@2", "--no-homogenise"]
    assert main([*argv, "--complete", "-o", str(out), "--format", "json"]) == 0
    printed, err = capsys.readouterr()
    assert json.loads(printed) == [
        # ben: z and x tied, broken as ann has them; y above x stays reversed
        {"contest": "judges", "ranking": "ben", "pairs.R": pytest.approx(2 / 3), "P@2": 1.0},
        {"contest": "judges", "ranking": "cid", "pairs.R": 1.0, "P@2": 1 / 2},
    ]
    assert "in 1 comparison maximal similarity is a bound" in err
    written = pl.read_parquet(out)
    assert written.columns == [
        *("contest", "ranking", "reference", "n", "completion", "measure", "score")
    ]
    assert written["completion"].to_list() == ["exact", "exact", "bound", "bound"]


def test_the_others_and_the_relevance_of_the_top(judges, capsys):
    argv = ["experts", judges, "--others", "-m", "AP", "--relevance", "top:1", "--format", "json"]
    assert main(argv) == 0
    # ann: ben and cid have x at 2.5 and 1, y at 1, z at 2.5, so y is first, and ann's second.
    # ben: ann and cid have x first, which ben ties for ranks 2 and 3. cid ranks x alone.
    found = {row["ranking"]: row["AP"] for row in json.loads(capsys.readouterr().out)}
    assert found == pytest.approx({"ann": 1 / 2, "ben": (1 / 2 + 1 / 3) / 2, "cid": 1.0})


@pytest.mark.parametrize("ending", ["html", "svg", "json"])
def test_charts(judges, tmp_path, ending):
    heat, lines = tmp_path / f"heat.{ending}", tmp_path / f"lines.{ending}"
    argv = ["experts", judges, "--heat-map", str(heat), "--curves", str(lines)]
    assert main(argv) == 0
    assert "Agreement of rankings by pairs.P" in heat.read_text()
    assert "CG@k" in lines.read_text()
    assert {path.name for path in tmp_path.iterdir()} == {"judges.csv", heat.name, lines.name}


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        (["-m", "pairs.Q"], 2, "no measure 'pairs.Q'"),
        (["--reference", "dan"], 1, "no ranking 'dan'"),
        (["--heat-map", "x.doc"], 2, "a chart's file ends in"),
        (["-o", "scores.doc"], 2, "scores.doc"),
    ],
)
def test_refused(judges, capsys, argv, code, message):
    assert main(["experts", judges, *argv]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.startswith("ulframe experts: ") or "share a single person" in err


def test_options_that_argparse_refuses(judges, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["experts", judges, "--relevance", "best"])
    assert stop.value.code == 2
    assert "neither linear nor top:K" in capsys.readouterr().err


def test_what_is_read_is_not_replaced(judges, capsys):
    for option in ("-o", "--heat-map", "--curves"):
        assert main(["experts", judges, option, judges]) == 2
        assert capsys.readouterr().out == ""
    assert Path(judges).read_text() == JUDGES


def test_more_pairs_than_can_be_held_are_refused_with_advice(tmp_path, capsys):
    path = tmp_path / "votes.soc"
    path.write_text("1500: 1,2\n501: 2,1\n")
    assert main(["experts", str(path)]) == 2
    err = capsys.readouterr().err
    assert f"{2001 * 2000:,} comparisons" in err
    assert "--reference" in err
    assert main(["experts", str(path), "--reference", "0001", "-m", "pairs.P"]) == 0
