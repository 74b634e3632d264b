"""`ulframe paper`: what it fills a folder with, says and refuses."""

import pytest

import ulframe as ul
from ulframe.cli.main import main


def test_the_command(tmp_path, capsys):
    scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), ["nDCG@5", "nDCG@10"])
    scores.sink_parquet(tmp_path / "s.parquet")
    out = tmp_path / "out"
    assert main(["paper", f"MQ2007={tmp_path / 's.parquet'}", "-o", str(out)]) == 0
    err = capsys.readouterr().err
    assert "Table 10 cannot be made: it takes two data sets" in err
    # of DCG's ten tables not the two of the other data set, nor that of both; Figures 1 and 2
    assert f"{10 - 2 - 1} tables and 2 figures in" in err
    assert (out / "table-03.md").is_file()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["s.parquet"], "s.parquet: write NAME=SCORES"),
        (["a=s.parquet", "a=t.parquet"], "the data set a is given twice"),
    ],
)
def test_bad_usage(given, message, tmp_path, capsys):
    assert main(["paper", *given, "-o", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err
