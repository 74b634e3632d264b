"""`ulframe pool`: making a pool, and telling what pools do."""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl
import pytest

import ulframe as ul
from ulframe.cli.main import main


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> tuple[str, str]:
    """Thirty queries of the sample as files: runs, qrels."""
    folder: Path = tmp_path_factory.mktemp("pool")
    some = pl.col("query_id") <= "q030"
    ul.sample_runs().filter(some).sink_parquet(folder / "runs.parquet")
    ul.sample_qrels().filter(some).sink_parquet(folder / "qrels.parquet")
    return str(folder / "runs.parquet"), str(folder / "qrels.parquet")


def test_a_new_pool(files, tmp_path, capsys):
    out = tmp_path / "to_judge.parquet"
    assert main(["pool", files[0], "--depth", "3", "-o", str(out)]) == 0
    pool = pl.read_parquet(out)
    assert pool.columns == ["query_id", "doc_id", "place", "depth"]
    ranked = ul.rank(ul.scan_runs(files[0])).filter(pl.col("rank") <= 3).collect()
    assert set(pool.select("query_id", "doc_id").iter_rows()) == set(
        ranked.select("query_id", "doc_id").iter_rows()
    )
    assert f"|      30 | {pool.height:>9} |" in capsys.readouterr().out


def test_a_new_pool_on_stdout(files, capsys):
    assert main(["pool", files[0], "--depth", "1"]) == 0
    pool = pl.read_csv(io.StringIO(capsys.readouterr().out))
    assert pool["depth"].unique().to_list() == [1]


def test_what_pools_do(files, tmp_path, capsys):
    out, picture = tmp_path / "effects.parquet", tmp_path / "effects.svg"
    order = tmp_path / "order.csv"
    pl.read_parquet(files[1]).select("query_id", "doc_id", priority="label").write_csv(order)
    asked = ["--methods", "depth", "mtf", "rboost", "rsvm", "--order", f"mine={order}"]
    sizes = ["--sizes", "5", "100", "-m", "AP", "--training-queries", "5"]
    assert main(["pool", *files, *asked, *sizes, "-o", str(out), "--charts", str(picture)]) == 0
    found = pl.read_parquet(out)
    names = ["depth", "mtf", "rboost", "rsvm", "mine"]
    assert found["method"].unique(maintain_order=True).to_list() == ["full", *names]
    assert found.filter(method="mine", size=5)["recall"].item() > 0
    made = json.loads(pl.read_parquet_metadata(out)["ulframe"])
    assert made["options"]["training_queries"] == 5
    assert picture.read_text().startswith("<svg")
    printed = capsys.readouterr()
    assert all(f"| {name}" in printed.out for name in names)
    assert "for all larger sizes" in printed.err


def test_csv_has_every_row(files, capsys):
    asked = ["--methods", "depth", "--sizes", "5", "10", "-m", "P@5", "--format", "csv"]
    assert main(["pool", *files, *asked]) == 0
    rows = pl.read_csv(io.StringIO(capsys.readouterr().out))
    assert rows.select("method", "size").rows() == [("full", None), ("depth", 5), ("depth", 10)]


def test_missing_queries_are_remarked_on(files, tmp_path, capsys):
    runs = pl.read_parquet(files[0])
    first = runs["run"].min()
    gaps = runs.filter((pl.col("run") != first) | (pl.col("query_id") != "q001"))
    gaps = gaps.with_columns(pl.col("query_id").replace("q002", "unknown"))
    gaps.write_parquet(tmp_path / "gaps.parquet")
    asked = ["--methods", "depth", "--sizes", "5", "-m", "P@5"]
    assert main(["pool", str(tmp_path / "gaps.parquet"), files[1], *asked]) == 0
    printed = capsys.readouterr().err
    assert "left out, for want of qrels: 1 query" in printed
    assert f"run {first!r} misses 2 queries of the qrels" in printed


@pytest.mark.parametrize(
    ("asked", "code", "message"),
    [
        (["RUNS"], 2, "give either QRELS"),
        (["RUNS", "QRELS", "--depth", "5"], 2, "give either QRELS"),
        (["RUNS", "--depth", "0"], 2, "--depth 0 is below 1"),
        (["RUNS", "QRELS", "--sizes", "0"], 2, "none below 1"),
        (["RUNS", "QRELS", "--methods"], 2, "there must be a judging list"),
        (["RUNS", "QRELS", "--order", "mine"], 2, "write NAME=FILE"),
        (["RUNS", "QRELS", "--order", "mtf=QRELS"], 2, "a method is called so"),
        (["RUNS", "QRELS", "-m", "nDCX"], 2, "nDCX"),
        (["RUNS", "nowhere.txt"], 1, "nowhere.txt"),
        (["RUNS", "QRELS", "--level", "2"], 2, "Kendall's tau is from -1 to 1"),
        (["RUNS", "QRELS", "--rel", "5"], 1, "nothing is relevant: no label is at least 5"),
        (["RUNS", "QRELS", "--seed", "-1"], 2, "seed=-1"),
        (["RUNS", "QRELS", "--charts", "x.jpg"], 2, "a chart's file ends in"),
        (["RUNS", "QRELS", "-o", "x.doc"], 2, "a table's name ends in"),
        (["RUNS", "QRELS", "-o", "nowhere/x.parquet"], 2, "there is no folder"),
        (["RUNS", "QRELS", "-o", "QRELS"], 2, "is read as well"),
        (["RUNS", "--depth", "2", "-o", "RUNS"], 2, "is read as well"),
        (["RUNS", "--depth", "2", "--methods", "mtf"], 2, "of no use without QRELS: methods"),
        (["RUNS", "QRELS", "--order", "mine=QRELS"], 1, "no column 'priority'"),
    ],
)
def test_what_is_refused(files, asked, code, message, capsys):
    named = {"RUNS": files[0], "QRELS": files[1]}
    filled = [named.get(word, word.replace("=QRELS", f"={files[1]}")) for word in asked]
    assert main(["pool", *filled]) == code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("q001,x,1\nq001,x,2\n", "order.csv lists a document twice in query 'q001'"),
        ("q001,x,\n", "order.csv: priority must be a number"),
        ("q001,x,high\n", "order.csv: priority must be a number"),
        ("other,x,1\n", "the list 'mine' shares no query with the qrels"),
    ],
)
def test_orders_that_are_refused(files, tmp_path, rows, message, capsys):
    order = tmp_path / "order.csv"
    order.write_text(f"query_id,doc_id,priority\n{rows}")
    asked = ["--methods", "depth", "--order", f"mine={order}", "--sizes", "5", "-m", "P@5"]
    assert main(["pool", *files, *asked]) == 1
    assert message in capsys.readouterr().err
    assert main(["pool", *files, *asked, "-o", str(order)]) == 2
    assert "is read as well" in capsys.readouterr().err


def test_what_never_agrees_is_remarked_on(files, tmp_path, capsys):
    asked = ["--methods", "depth", "--sizes", "1", "-m", "AP", "--level", "1"]
    assert main(["pool", *files, *asked]) == 0
    assert "depth does not agree at the largest size that was tried: AP" in capsys.readouterr().err
    one = tmp_path / "tied.parquet"
    runs = pl.read_parquet(files[0]).filter(pl.col("run") == pl.col("run").min())
    pl.concat([runs, runs.with_columns(run=pl.lit("same"))]).write_parquet(one)
    assert main(["pool", str(one), files[1], *asked]) == 0
    assert "all judgements tie all systems, so no order agrees: AP" in capsys.readouterr().err


def test_what_to_judge_next(files, tmp_path, capsys):
    """In one command; what is judged is not asked again."""
    out = tmp_path / "next.csv"
    for method in ("depth", "mtf", "rboost", "rsvm"):
        words = ["--methods", method, "--next", "50", "--training-queries", "5"]
        assert main(["pool", *files, *words, "-o", str(out)]) == 0
        found = pl.read_csv(out)
        assert found.height == 50
        judged = pl.read_parquet(files[1])
        assert found.join(judged, on=["query_id", "doc_id"]).is_empty()
        assert "50 documents of 2" in capsys.readouterr().err


def test_next_goes_by_one_method(files, capsys):
    assert main(["pool", *files, "--next", "5"]) == 2
    assert "--next goes by one method" in capsys.readouterr().err


def test_means_over_draws_of_training_queries(files, tmp_path):
    words = ["--methods", "rboost", "--sizes", "5", "-m", "P@5", "--training-queries", "3"]
    recalls = []
    for seed in ("0", "1"):
        out = str(tmp_path / f"{seed}.parquet")
        assert main(["pool", *files, *words, "--seed", seed, "-o", out]) == 0
        recalls.append(pl.read_parquet(out).filter(method="rboost")["recall"].item())
    out = str(tmp_path / "both.parquet")
    assert main(["pool", *files, *words, "--draws", "2", "-o", out]) == 0
    row = pl.read_parquet(out).filter(method="rboost").row(0, named=True)
    assert row["recall"] == pytest.approx(sum(recalls) / 2)
    assert row["recall_sd"] == pytest.approx(abs(recalls[0] - recalls[1]) / 2**0.5)
