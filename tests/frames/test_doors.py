"""What is taken wherever a frame is: paths, globs, folders, lists, ranked lists, runs by name."""

import gzip
from functools import partial
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import ulframe as ul
from ulframe import analysis
from ulframe.evaluation.query_sets import as_sets
from ulframe.frames import convert, write_table
from ulframe.frames.contract import conform_qrels, conform_runs
from ulframe.frames.intake import as_lazy, as_written

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"d": 1}}
RUNS = {
    "x": {"1": {"a": 3.0, "b": 2.0, "c": 2.0}, "2": {"d": 1.0}},
    "y": {"1": {"b": 3.0, "c": 2.0}, "2": {"e": 2.0, "d": 1.0}},
}
MEASURES = ["AP", "nDCG@2"]


def run_of(name: str) -> pl.DataFrame:
    return ul.scan_runs({name: RUNS[name]}).drop("run").collect()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Qrels, and two runs, packed and named by their files."""
    monkeypatch.chdir(tmp_path)
    convert(ul.scan_qrels(QRELS), "qrels.txt")
    Path("runs").mkdir()
    for name in RUNS:
        convert({name: RUNS[name]}, f"runs/{name}.gz")
    return tmp_path


@pytest.fixture
def scores() -> pl.DataFrame:
    return ul.evaluate(QRELS, RUNS, MEASURES).collect()


# ------------------------------------------------ paths in the place of frames
@pytest.mark.parametrize(
    "runs", ["runs/*.gz", "runs", Path("runs"), ["runs/x.gz", Path("runs/y.gz")]], ids=str
)
@pytest.mark.parametrize(
    "door",
    [
        partial(ul.evaluate, measures=MEASURES),
        partial(ul.tie_report, measures=MEASURES),
        lambda qrels, runs: ul.examine(qrels, runs, "AP").coverage,
        lambda qrels, runs: ul.histogram(qrels, pool="retrieved", runs=runs),
    ],
)
def test_paths_of_qrels_and_runs(folder, door, runs):
    found = door("qrels.txt", runs).collect()
    assert found.height > 0
    by = [name for name in found.columns if found[name].dtype == pl.String or name == "label"]
    expected = door(QRELS, RUNS).collect()
    assert found.sort(by, maintain_order=True).equals(expected.sort(by, maintain_order=True))


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.tsv", "t.jsonl.gz", "t.arrow"])
@pytest.mark.parametrize(
    "door", [ul.summarise, ul.means, analysis.compare, analysis.real_and_expected]
)
def test_paths_of_scores(tmp_path, scores, door, name):
    named = scores.with_columns(pl.col("run").replace({"x": "07", "y": "7"}))  # text, not numbers
    write_table(named.lazy(), tmp_path / name)
    assert door(tmp_path / name).collect().equals(door(named).collect())


def test_several_tables_of_scores_are_one(tmp_path, scores):
    for run in RUNS:
        write_table(scores.filter(run=run).lazy(), tmp_path / f"{run}.csv")
    whole = ul.means(scores).collect()
    for source in (tmp_path, str(tmp_path / "*.csv"), [tmp_path / "x.csv", tmp_path / "y.csv"]):
        assert ul.means(source).collect().equals(whole)


def test_tables_of_different_columns_are_not_put_together(scores):
    with pytest.raises(ul.BadData, match="one of several tables: no column 'upper'; there are"):
        ul.means([scores, scores.drop("upper")])


def test_pairs_from_a_text(tmp_path, scores):
    pairs = analysis.compare(scores).collect()
    write_table(pairs.lazy(), tmp_path / "pairs.csv")
    read = as_lazy(tmp_path / "pairs.csv", "p_value").collect()
    assert read["significant"].dtype == pl.Boolean
    assert read.select("run_a", "run_b", "p_value", "significant").equals(
        pairs.select("run_a", "run_b", "p_value", "significant")
    )


def test_query_sets_from_a_file_keep_what_is_written(tmp_path):
    (tmp_path / "queries.csv").write_text("qid,length\n01,02\n2,2\n")
    assert as_sets(tmp_path / "queries.csv").collect().rows() == [
        ("length=02", "01"),
        ("length=2", "2"),
    ]


def test_query_sets_of_a_summary_are_read(tmp_path, scores):
    (tmp_path / "sets.csv").write_text("query_id,set\n1,first\n")
    summary = ul.means(scores, sets=tmp_path / "sets.csv").collect()
    assert summary["set"].unique().to_list() == ["first"]
    assert summary["n_queries"].unique().to_list() == [1]


def test_a_column_of_a_file_of_qrels_is_a_pool(tmp_path):
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,label,docs\n1,a,1,4\n1,b,0,4\n")
    found = ul.histogram(tmp_path / "qrels.csv", pool="docs").sort("label").collect()
    # two of four documents are judged
    assert found.select("label", "count", "n").rows() == [(-1, 2, 4), (0, 1, 4), (1, 1, 4)]


# ------------------------------------------------ values of a text
@pytest.mark.parametrize(
    ("values", "read"),
    [
        (["1", "2"], [1.0, 2.0]),
        (["1e-7", "-inf"], [1e-7, float("-inf")]),
        (["1", ""], [1.0, None]),
        (["true", "false"], [True, False]),
        (["true", "1"], ["true", "1"]),
        (["1", "x"], ["1", "x"]),
        (["", ""], [None, None]),
    ],
)
def test_a_column_of_a_text_is_numbers_where_all_are(tmp_path, values, read):
    lines = [f"{number},{value}\n" for number, value in enumerate(values)]
    (tmp_path / "t.csv").write_text("".join(["n,value\n", *lines]))
    assert as_lazy(tmp_path / "t.csv", "value").collect()["value"].to_list() == read
    written = as_written(tmp_path / "t.csv", "value").collect()["value"].to_list()
    assert written == [value or None for value in values]


@pytest.mark.parametrize("name", ["run", "run_id", "query_id", "qid", "doc_id", "set", "run_a"])
def test_ids_of_a_text_are_text(tmp_path, name):
    (tmp_path / "t.csv").write_text(f"{name},value\n01,01\n")
    assert as_lazy(tmp_path / "t.csv", "value").collect().rows() == [("01", 1.0)]


# ------------------------------------------------ the readers' messages, everywhere
def test_a_path_to_nothing():
    for door in (partial(ul.evaluate, runs=RUNS, measures="AP"), ul.means, as_sets):
        with pytest.raises(ul.BadData, match=r"^none\.txt: no such file or folder$"):
            door("none.txt")


def test_a_text_that_is_no_table(folder):
    with pytest.raises(ul.BadData, match=r"qrels\.txt: not a table \(parquet, csv, tsv, jsonl"):
        ul.means("qrels.txt")


def test_a_table_without_a_column(folder):
    Path("t.csv").write_text("qid,text\n1,a\n")
    with pytest.raises(ul.BadData, match=r"t\.csv: no column 'doc_id', 'label'; there are 'qid'"):
        ul.evaluate("t.csv", RUNS, "AP")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"run,score\na,caf\xe9\n", r"t\.csv, line 2: not UTF-8 text"),
        (b"run,score\na,1\na,1,2,3\n", r"t\.csv, row 2 behind the header: more values than .* 2"),
    ],
)
def test_a_table_that_cannot_be_read(tmp_path, text, says):
    (tmp_path / "t.csv").write_bytes(text)
    with pytest.raises(ul.BadData, match=says):
        ul.means(tmp_path / "t.csv")


@pytest.mark.parametrize("cut", [12, 40])
def test_a_packed_file_that_was_cut_off(tmp_path, cut):
    whole = gzip.compress(b"".join(b"1 Q0 d%d 1 0.5 t\n" % number for number in range(5000)))
    (tmp_path / "run.gz").write_bytes(whole[:cut])
    with pytest.raises(ul.BadData, match=r"run\.gz: cannot be unpacked"):
        ul.scan_runs(tmp_path / "run.gz")


def test_many_columns_are_not_all_listed():
    frame = pl.DataFrame({f"f{number}": [0] for number in range(136)})
    with pytest.raises(ul.BadData, match=r"'f11', \.\.\. \(136 in all\)") as error:
        ul.scan_qrels(frame)
    assert len(str(error.value)) < 3 * 100


# ------------------------------------------------ ranked lists
@pytest.mark.parametrize("ranked", [["a", "c"], ("a", "c")])
def test_a_ranked_list_is_best_first(ranked):
    # 1 of 2 relevant documents at rank 1, the other at rank 2
    assert ul.evaluate(QRELS, {"1": ranked}, "AP").collect()["value"].to_list() == [1.0, 0.0]
    turned = ul.evaluate(QRELS, {"1": ["b", *ranked]}, "AP").collect()["value"][0]
    assert turned == (1 / 2 + 2 / 3) / 2


def test_ranked_lists_of_several_runs():
    runs = ul.scan_runs({"x": {"q": ["a", 7]}, "y": {"q": {"a": 0.5}, "p": []}}).collect()
    assert runs.rows() == [("x", "q", "a", 2.0), ("x", "q", "7", 1.0), ("y", "q", "a", 0.5)]


@pytest.mark.parametrize("doc", [("a", 0.5), 0.5, None, {"a": 1}, ["a"], True])
def test_a_ranked_list_holds_ids(doc):
    with pytest.raises(ul.BadUsage, match="a ranked list holds ids of documents, best first, but"):
        ul.scan_runs({"q": ["b", doc]})


def test_a_document_twice_in_a_ranked_list():
    with pytest.raises(ul.BadData, match="a run returns a document twice"):
        ul.evaluate(QRELS, {"1": ["a", "b", "a"]}, "AP").collect()


def test_a_list_of_documents_is_no_qrels():
    with pytest.raises(ul.BadUsage, match=r"'q' there is a list, .* dict\.fromkeys\(docs, 1\)$"):
        ul.scan_qrels({"q": ["a", "b"]})
    assert ul.scan_qrels({"q": dict.fromkeys(["a", "b"], 1)}).collect().height == 2


@pytest.mark.parametrize("values", [list, pl.Series])
@pytest.mark.parametrize("ids", [("query_id", "doc_id"), ("qid", "docno")])
def test_a_dict_of_columns_is_no_ranked_list(ids, values):
    columns = {ids[0]: values(["1"]), ids[1]: values(["a"]), "score": values([0.5])}
    with pytest.raises(ul.BadUsage, match=r"a dict with the columns .*: make a frame of it"):
        ul.scan_runs(columns)
    with pytest.raises(ul.BadUsage, match=r"a dict with the columns .*: make a frame of it"):
        ul.scan_qrels(columns)


# ------------------------------------------------ runs by name
MAKERS = {
    "DataFrame": run_of,
    "LazyFrame": lambda name: run_of(name).lazy(),
    "pandas": lambda name: pd.DataFrame(run_of(name).to_dict(as_series=False)),
    "Arrow": lambda name: run_of(name).to_arrow(),
    "other columns": lambda name: run_of(name).rename({"query_id": "qid", "doc_id": "docno"}),
    "a run of another name": lambda name: ul.scan_runs({"other": RUNS[name]}),
    "a path": lambda name: f"runs/{name}.gz",
    "a list": lambda name: [run_of(name)[:2], run_of(name)[2:]],
    "a dict": lambda name: RUNS[name],
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_runs_by_name(folder, make):
    runs = {"one": run_of("x"), "two": make("y")}
    expected = ul.scan_runs({"one": RUNS["x"], "two": RUNS["y"]}).collect()
    assert ul.scan_runs(runs).collect().equals(expected)


def test_parts_of_a_run_by_name(folder):
    for part in (0, 1):
        write_table(run_of("x")[part::2].lazy(), f"part-{part}.parquet")
    runs = ul.scan_runs({"x": "part-*.parquet"}).collect()
    assert runs.sort("query_id", "doc_id").equals(
        ul.scan_runs({"x": RUNS["x"]}).sort("query_id", "doc_id").collect()
    )


def test_several_runs_have_not_one_name():
    runs = ul.scan_runs({"z": ul.scan_runs(RUNS)})
    with pytest.raises(ul.BadData, match=r"the run 'z' holds several, as 'x', 'y'\. Give it by"):
        runs.collect()


def test_a_named_run_without_a_column():
    with pytest.raises(ul.BadData, match="the run 'x': no column 'doc_id'; there are"):
        ul.scan_runs({"x": run_of("x").drop("doc_id")})


# ------------------------------------------------ checked once
@pytest.mark.parametrize(
    ("scan", "conform", "source", "number"),
    [
        (ul.scan_qrels, conform_qrels, QRELS, "label"),
        (ul.scan_runs, conform_runs, RUNS, "score"),
    ],
)
def test_what_was_read_is_not_checked_again(scan, conform, source, number):
    read = scan(source)
    assert scan(read) is read
    assert conform(read) is read
    spoilt = read.with_columns(pl.lit(None, pl.Float64).alias(number))
    with pytest.raises(ul.BadData, match="ids must not be null"):
        scan(spoilt).collect()


def test_qrels_are_no_runs_though_they_were_checked():
    with pytest.raises(ul.BadData, match="no column 'score'"):
        ul.scan_runs(ul.scan_qrels(QRELS))
