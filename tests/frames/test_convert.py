"""From any format to any other, whole or not at all."""

import io
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

from ulframe.frames import (
    BadData,
    BadUsage,
    appearing,
    convert,
    scan_qrels,
    scan_runs,
    write_table,
)

RUNS = {"x": {"01": {"a,b": 0.1 + 0.2, "#c": 1e-7}, "1": {'"d"': -3}}, "y": {"1": {"e": 2}}}
QRELS = pl.DataFrame({"qid": ["01", "1"], "docno": ["a,b", '"d"'], "label": [2, -1]})
NAMES = [
    *("t.parquet", "t.arrow", "t.csv", "t.tsv", "t.jsonl", "t.txt", "t.run", "t"),
    *("t.csv.gz", "t.tsv.zst", "t.jsonl.gz", "t.qrels.zst", "t.gz"),
]


@pytest.mark.parametrize("name", NAMES)
def test_there_and_back(tmp_path, name):
    convert(RUNS, tmp_path / name)
    runs = scan_runs(RUNS).collect()
    assert scan_runs(tmp_path / name).collect().equals(runs)
    convert(tmp_path / name, tmp_path / "back.parquet")
    assert pl.read_parquet(tmp_path / "back.parquet").equals(runs)

    convert(QRELS, tmp_path / name)
    qrels = scan_qrels(QRELS).collect()
    assert scan_qrels(tmp_path / name).collect().equals(qrels)
    convert(tmp_path / name, tmp_path / "back.parquet")
    assert pl.read_parquet(tmp_path / "back.parquet").equals(qrels)


def test_trec_text_ranks_by_score_within_run_and_query(tmp_path):
    convert({"q": {"a": 1, "b": 3, "c": 1}, "p": {"a": 0}}, tmp_path / "t.run")
    assert (tmp_path / "t.run").read_text().splitlines() == [
        "q Q0 a 2 1.0 run",
        "q Q0 b 1 3.0 run",
        "q Q0 c 3 1.0 run",
        "p Q0 a 1 0.0 run",
    ]


def test_qrels_as_trec_text(tmp_path):
    convert(QRELS.with_columns(label=pl.Series([0.5, 2])), tmp_path / "t.qrels")
    assert (tmp_path / "t.qrels").read_text() == '01 0 a,b 0.5\n1 0 "d" 2.0\n'


def test_letor_labels_become_qrels(tmp_path):
    (tmp_path / "fold").write_text("2 qid:1 1:0.5 #docid = d\n")
    convert(tmp_path / "fold", tmp_path / "qrels")
    assert (tmp_path / "qrels").read_text() == "1 0 d 2\n"


def test_columns_decide_what_a_table_is(tmp_path):
    (tmp_path / "beir.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    convert(tmp_path / "beir.tsv", tmp_path / "qrels", columns={"score": "label"})
    assert (tmp_path / "qrels").read_text() == "q 0 d 1\n"


def test_standard_input_is_read_once(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"q 0 d 1\n")))
    convert("-", tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "query_id,doc_id,label\nq,d,1\n"


def test_many_files_become_one(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text("q Q0 d 1 2.5 STANDARD\n")
    convert(tmp_path / "*.run", tmp_path / "all.csv")
    assert set(pl.read_csv(tmp_path / "all.csv")["run"]) == {"a", "b"}


@pytest.mark.parametrize("ids", [("a b", "d"), ("q", "a\tb"), ("", "d"), ("#q", "d")])
def test_trec_text_cannot_hold_every_id(tmp_path, ids):
    with pytest.raises(BadData, match=r"t\.run: TREC text holds no empty id, no id with a blank"):
        convert({ids[0]: {ids[1]: 1}}, tmp_path / "t.run")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_what_was_there(tmp_path):
    (tmp_path / "run").write_text("q Q0 d 1 2.5 t\nq Q0 d\n")
    (tmp_path / "out.parquet").write_text("before")
    with pytest.raises(BadData, match="line 2"):
        convert(tmp_path / "run", tmp_path / "out.parquet")
    assert (tmp_path / "out.parquet").read_text() == "before"
    assert {path.name for path in tmp_path.iterdir()} == {"run", "out.parquet"}


def test_a_file_can_be_converted_onto_itself(tmp_path):
    convert(RUNS, tmp_path / "t.parquet")
    convert(tmp_path / "t.parquet", tmp_path / "t.parquet", duplicates="max")
    assert pl.read_parquet(tmp_path / "t.parquet").height == 4


def test_an_interrupted_block_leaves_nothing(tmp_path):
    def write():
        with appearing(tmp_path / "out.txt") as unfinished:
            unfinished.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["t.parquet.gz", "t.arrow.zst"])
def test_a_format_with_its_own_packing_is_not_packed(tmp_path, name):
    with pytest.raises(BadUsage, match="is compressed inside; leave"):
        convert(RUNS, tmp_path / name)


def test_the_folder_must_be_there(tmp_path):
    with pytest.raises(BadUsage, match=r"there is no folder '.*none' to write to"):
        convert(RUNS, tmp_path / "none" / "t.parquet")


def test_any_frame_can_be_written_as_a_table(tmp_path):
    frame = pl.LazyFrame({"measure": ["AP"], "score": [0.5]})
    write_table(frame, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "measure,score\nAP,0.5\n"
    with pytest.raises(BadUsage, match=r"t\.txt: a table's name ends in one of \.parquet, \.csv"):
        write_table(frame, tmp_path / "t.txt")


def test_a_link_stays_one_and_rights_are_kept(tmp_path):
    run = tmp_path / "run.txt"
    run.write_text("1 Q0 a 1 2.0 t\n")
    (tmp_path / "kept.csv").touch(0o600)
    (tmp_path / "link.csv").symlink_to(tmp_path / "kept.csv")
    convert(run, tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "kept.csv").read_text() == "run,query_id,doc_id,score\nt,1,a,2.0\n"
    assert (tmp_path / "kept.csv").stat().st_mode & 0o777 == 0o600


def test_a_pipe_is_written_to_and_read_from(tmp_path):
    run, pipe = tmp_path / "run.txt", tmp_path / "pipe"
    run.write_text("1 Q0 a 1 2.0 t\n")
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_text)
        convert(run, pipe)
        assert read.result(timeout=30) == "1 Q0 a 1 2.0 t\n"
        written = pool.submit(pipe.write_text, "1 Q0 a 1 2.0 t\n")
        assert scan_runs(pipe).collect().rows() == [("t", "1", "a", 2.0)]
        written.result(timeout=30)
    assert pipe.is_fifo()


@pytest.mark.parametrize("number", ["score", "label"])
def test_repetitions_are_refused_unless_resolved(tmp_path, number):
    rows = pl.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "a"], number: [1, 2]})
    with pytest.raises(BadData, match=r"twice, in 1 cases: .*--duplicates max"):
        convert(rows, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []
    convert(rows, tmp_path / "out.csv", duplicates="max")
    assert pl.read_csv(tmp_path / "out.csv")[number].to_list() == [2]


@pytest.mark.parametrize("name", ["-", "run.json", "run.xlsx"])
def test_what_cannot_be_written_is_refused(tmp_path, name):
    with pytest.raises(BadUsage):
        convert({"1": {"a": 1.0}}, name if name == "-" else tmp_path / name)
