"""What the readers take besides one file: frames of any library, dicts, globs, folders, stdin."""

import gzip
import io
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ulframe.frames import (
    BadData,
    BadUsage,
    conform_qrels,
    conform_runs,
    scan_qrels,
    scan_runs,
)

QRELS = {"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "a"], "label": [2, 0, -1]}
RUN = {"query_id": ["1", "2"], "doc_id": ["a", "b"], "score": [0.5, -1.5]}
RUN_FRAME = pl.DataFrame(RUN)
TAKEN = {
    "LazyFrame": pl.LazyFrame,
    "DataFrame": pl.DataFrame,
    "pandas": pd.DataFrame,
    "pyarrow": pa.table,
    "a stream of batches": lambda data: pa.RecordBatchReader.from_batches(
        pa.table(data).schema, pa.table(data).to_batches()
    ),
}


@pytest.mark.parametrize("make", TAKEN.values(), ids=TAKEN)
def test_frames_of_any_library_are_taken(make):
    qrels = scan_qrels(make(QRELS))
    assert isinstance(qrels, pl.LazyFrame)
    assert qrels.collect().rows() == [("1", "a", 2), ("1", "b", 0), ("2", "a", -1)]
    assert qrels.collect_schema() == {"query_id": pl.String, "doc_id": pl.String, "label": pl.Int32}
    runs = scan_runs(make(RUN))
    assert runs.collect().rows() == [("run", "1", "a", 0.5), ("run", "2", "b", -1.5)]
    assert list(runs.collect_schema()) == ["run", "query_id", "doc_id", "score"]


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ({"q": {"a": 1, "b": 0}, "p": {"a": 2}}, [("q", "a", 1), ("q", "b", 0), ("p", "a", 2)]),
        ({1: {7: 1}}, [("1", "7", 1)]),
        ({"q": {}}, []),
        ({}, []),
    ],
)
def test_a_nested_dict_is_qrels(source, rows):
    assert scan_qrels(source).collect().rows() == rows


def test_a_nested_dict_is_one_run_or_several():
    assert scan_runs({"q": {"a": 1, "b": 0.5}}).collect().rows() == [
        ("run", "q", "a", 1.0),
        ("run", "q", "b", 0.5),
    ]
    several = {"bm25": {"q": {"a": 1}}, "dl": {"q": {"b": 0.5}}}
    assert scan_runs(several).collect().rows() == [("bm25", "q", "a", 1.0), ("dl", "q", "b", 0.5)]


@pytest.mark.parametrize(
    "source", [{"q": 1}, {"r": {"q": {"a": {"b": 1}}}}, {"q": {"a": 1}, "p": 2}]
)
def test_a_dict_of_another_depth_is_refused(source):
    with pytest.raises(BadUsage, match=r"a dict must be \{query: \{doc: score\}\}, nested evenly"):
        scan_runs(source)


def test_what_is_no_frame_is_refused():
    with pytest.raises(BadUsage, match="cannot take a int as a frame: give a Polars"):
        scan_runs(42)


@pytest.mark.parametrize(
    ("ids", "text"),
    [
        ([1, 2], ["1", "2"]),
        (pl.Series([1, 2], dtype=pl.UInt8), ["1", "2"]),
        (pl.Series(["x", "y"], dtype=pl.Categorical), ["x", "y"]),
        (pl.Series(["x", "y"], dtype=pl.Enum(["y", "x"])), ["x", "y"]),
        (["01", "1"], ["01", "1"]),
    ],
)
def test_ids_of_any_type_become_text(ids, text):
    frame = RUN_FRAME.with_columns(pl.Series("query_id", ids))
    assert conform_runs(frame).collect()["query_id"].to_list() == text


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        (pl.Int8, pl.Int32),
        (pl.UInt64, pl.Int32),
        (pl.Boolean, pl.Int32),
        (pl.Float32, pl.Float64),
        (pl.Decimal(5, 1), pl.Float64),
        (pl.String, pl.Float64),
    ],
)
def test_labels_become_one_of_two_types(dtype, expected):
    qrels = conform_qrels(pl.DataFrame(QRELS).with_columns(label=pl.Series([1, 0, 1]).cast(dtype)))
    assert qrels.collect_schema()["label"] == expected
    assert qrels.collect()["label"].to_list() == [1, 0, 1]


def test_conforming_twice_changes_nothing():
    once = conform_runs(RUN_FRAME)
    assert conform_runs(once).collect().equals(once.collect())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": [None, 1.0]}, "score must be a number, but there is .*doc_id='a', score=None"),
        ({"score": [0.5, float("nan")]}, "score must be a number, but there is .*score=nan"),
        ({"score": ["0.5", "x"]}, "score must be a number, but there is .*score='x'"),
        ({"doc_id": ["a", None]}, "ids must not be null .*but there is .*doc_id=None"),
        ({"query_id": [None, "1"]}, "ids must not be null .*but there is .*query_id=None"),
    ],
)
def test_bad_rows_of_a_run_are_shown(change, message):
    with pytest.raises(BadData, match=f"the run: .*{message}"):
        conform_runs(RUN_FRAME.with_columns(pl.Series(*pair) for pair in change.items())).collect()


@pytest.mark.parametrize("label", [None, float("nan"), float("inf")])
def test_a_label_must_be_a_finite_number(label):
    frame = pl.DataFrame(QRELS).with_columns(label=pl.Series([0.5, label, 1.0]))
    with pytest.raises(BadData, match=r"the qrels: ids must not .* label must be a finite number"):
        conform_qrels(frame).collect()


def test_a_label_beyond_int32_is_refused():
    with pytest.raises(BadData, match="label must be a finite number"):
        conform_qrels({"q": {"d": 2**31}}).collect()


def test_only_the_first_bad_rows_are_shown():
    frame = pl.DataFrame({"query_id": "q", "doc_id": ["d"] * 9, "score": [float("nan")] * 9})
    with pytest.raises(BadData, match=r"score=nan; \.\.\.$") as error:
        conform_runs(frame).collect()
    assert str(error.value).count("doc_id") == 3


@pytest.mark.parametrize("bad", [[["a"], ["b"]], [{"a": 1}, {"a": 2}]])
def test_nested_columns_are_refused(bad):
    with pytest.raises(BadData, match=r"the run: column 'doc_id' is .*, which cannot be String"):
        conform_runs(RUN_FRAME.with_columns(doc_id=pl.Series(bad)))


@pytest.fixture
def folder(tmp_path):
    for name in ["b.run", "a.run", "c.txt", ".hidden"]:
        (tmp_path / name).write_text(f"1 Q0 d 1 1 {name}\n")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "d.run").write_text("1 Q0 d 1 1 inner\n")
    return tmp_path


def tags(source):
    return scan_runs(source).collect()["run"].to_list()


def test_a_folder_is_its_files_and_those_of_its_folders_in_order_of_name(folder):
    assert tags(folder) == ["a.run", "b.run", "c.txt", "inner"]


def test_globs(folder, monkeypatch):
    assert tags(folder / "*.run") == ["a.run", "b.run"]
    assert tags(str(folder / "**" / "*.run")) == ["a.run", "b.run", "inner"]
    monkeypatch.chdir(folder)
    assert tags("[ac].*") == ["a.run", "c.txt"]


def test_a_file_whose_name_looks_like_a_glob_is_a_file(folder):
    for name in ["x[1].run", "x[1].csv", "x[1].jsonl"]:
        RUN_FRAME.write_csv(folder / name)
    RUN_FRAME.write_ndjson(folder / "x[1].jsonl")
    assert scan_runs([folder / "x[1].run", folder / "x[1].jsonl"]).collect().height == 2 * 2
    assert tags(folder / "x[1].csv") == ["x[1]"] * 2


def test_a_list_may_mix_files_and_frames(folder):
    frame = RUN_FRAME.with_columns(run=pl.lit("mine"))
    assert tags([folder / "a.run", frame]) == ["a.run", "mine", "mine"]


def test_a_file_met_twice_is_read_once(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert tags(["b.run", folder / "*.run", "./b.run"]) == ["b.run", "a.run"]


def test_qrels_of_several_files_are_one(tmp_path):
    (tmp_path / "a").write_text("1 0 d 1\n")
    (tmp_path / "b").write_text("2 0 d 0.5\n")
    assert scan_qrels(tmp_path).collect().rows() == [("1", "d", 1.0), ("2", "d", 0.5)]


@pytest.mark.parametrize(
    "content",
    [
        b"1 Q0 a 1 0.5 stdin\n2 Q0 b 1 -1.5 stdin\n",
        gzip.compress(b"1 Q0 a 1 0.5 stdin\n2 Q0 b 1 -1.5 stdin\n", mtime=0),
        RUN_FRAME.write_csv().encode(),
    ],
)
def test_standard_input(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert scan_runs("-").collect().rows() == [("stdin", "1", "a", 0.5), ("stdin", "2", "b", -1.5)]


ROWS_TWICE = {"query_id": ["1", "2", "1"], "doc_id": ["a", "a", "a"], "score": [1.0, 5.0, 3.0]}


@pytest.mark.parametrize(
    ("duplicates", "rows"),
    [
        ("error", [("1", 1.0), ("2", 5.0), ("1", 3.0)]),  # left for the evaluation to refuse
        ("first", [("1", 1.0), ("2", 5.0)]),
        ("max", [("1", 3.0), ("2", 5.0)]),
    ],
)
def test_duplicates_are_kept_or_settled(duplicates, rows):
    run = scan_runs(pl.DataFrame(ROWS_TWICE), duplicates=duplicates).collect()
    assert run.select("query_id", "score").rows() == rows
    qrels = pl.DataFrame(ROWS_TWICE).rename({"score": "label"})
    assert scan_qrels(qrels, duplicates=duplicates).collect()["label"].to_list() == [
        score for _, score in rows
    ]


def test_duplicates_are_settled_within_a_run():
    frame = pl.DataFrame(ROWS_TWICE).with_columns(run=pl.Series(["x", "x", "y"]))
    assert scan_runs(frame, duplicates="first").collect().height == 3


def test_an_unknown_way_with_duplicates_is_refused():
    with pytest.raises(BadUsage, match=r"duplicates='last': it is one of \['error', 'first', 'max"):
        scan_runs(RUN_FRAME, duplicates="last")


def test_nothing_is_collected_on_the_way():
    def run(batch):
        raise AssertionError("collected")

    lazy = pl.LazyFrame(RUN).map_batches(run, schema=RUN_FRAME.schema)
    scan_runs([lazy, lazy.with_columns(run=pl.lit("b"))], duplicates="max")
    scan_qrels(lazy.rename({"score": "label"}))
