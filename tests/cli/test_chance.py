"""`ulframe chance`: what it prints, writes, says and refuses."""

from __future__ import annotations

import polars as pl
import pytest

from ulframe.cli.main import BAD_USAGE, DONE, main

LABELS = [2, 1, 1, 0, 0, 0]


@pytest.fixture
def files(tmp_path):
    """One query with six documents, in a run as good as can be and in one as bad."""
    docs = [f"d{i}" for i in range(6)]
    qrels, runs = tmp_path / "qrels.parquet", tmp_path / "runs.parquet"
    pl.DataFrame({"query_id": "q", "doc_id": docs, "label": LABELS}).write_parquet(qrels)
    pl.concat(
        pl.DataFrame({"run": run, "query_id": "q", "doc_id": docs, "score": scores})
        for run, scores in (("best", [6.0, 5, 4, 3, 2, 1]), ("worst", [1.0, 2, 3, 4, 5, 6]))
    ).write_parquet(runs)
    return str(qrels), str(runs)


def test_the_table_and_what_is_said(files, capsys):
    assert main(["chance", *files, "-m", "nDCG@3"]) == DONE
    out, err = capsys.readouterr()
    best, worst = out.splitlines()[2:]
    assert "best" in best
    assert "DCG@3" in best
    assert "yes" in best
    assert "worst" in worst
    assert "yes" not in worst
    assert err.splitlines() == [
        "nDCG@3 orders rankings as DCG@3 does, which is compared",
        "exact: 2 p-values",
        "DCG@3: not better than chance at 0.05: worst",
    ]


def test_the_queries_are_written(files, tmp_path, capsys):
    out = tmp_path / "queries.csv"
    assert main(["chance", *files, "-m", "DCG@3", "-o", str(out), "--format", "csv"]) == DONE
    rows = pl.read_csv(out)
    assert rows.columns == [
        "run", "query_id", "measure", "value", "expected", "spread", "p_value", "p_adjusted",
        "beyond_chance", "draws",
    ]  # fmt: skip
    assert rows["p_value"].to_list() == pytest.approx([1 / 60, 1.0])
    assert rows["beyond_chance"].to_list() == [True, False]
    assert capsys.readouterr().out.startswith("run,measure,n_queries,")


def test_how_fine_the_draws_are(shared, capsys):
    folder = shared / "mq2007-agg"
    given = [str(folder / "qrels.parquet"), str(folder / "runs.parquet"), "-m", "AP"]
    assert main(["chance", *given, "--draws", "199"]) == DONE
    err = capsys.readouterr().err
    assert "of 199 draws, so 0.005 at least: " in err
    assert "of 1990 draws, so 0.0005 at least: " in err
    assert "run 'system01' misses 29 queries of the qrels" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-m", "unj@5"], "unj@5 is not compared with chance"),
        (["-m", "SD(AP)"], "SD(AP) says nothing of the run; ask for AP"),
        (["-m", "AP", "--alpha", "2"], "alpha=2.0"),
    ],
)
def test_what_is_refused(files, options, message, capsys):
    assert main(["chance", *files, *options]) == BAD_USAGE
    assert message in capsys.readouterr().err
