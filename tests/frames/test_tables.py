"""Tables on disk: parquet, csv, tsv, jsonl and arrow, plain and packed, with any column names."""

import gzip

import polars as pl
import pyarrow as pa
import pytest

from ulframe.frames import BadData, BadUsage, scan_qrels, scan_runs
from ulframe.frames.remarks import Remark

RUN = pl.DataFrame(
    {
        "run": ["bm25", "bm25", "dl"],
        "query_id": ["01", "1", "1"],
        "doc_id": ["a,b", 'c"d', "#e"],
        "score": [2.5, -1.0, 1e-7],
    }
)
QRELS = pl.DataFrame(
    {"query_id": ["01", "1"], "doc_id": ["a,b", "007"], "label": [2, -1]},
    schema_overrides={"label": pl.Int32},
)
ROWS = {"run": RUN, "qrels": QRELS}


def stream(frame, path):
    with pa.ipc.new_stream(path, frame.to_arrow().schema) as writer:
        writer.write_table(frame.to_arrow())


def packed(write):
    def pack(frame, path):
        with gzip.open(path, "wb") as file:
            write(frame, file)

    return pack


WRITERS = {
    "t.parquet": lambda frame, path: frame.write_parquet(path),
    "t.csv": lambda frame, path: frame.write_csv(path),
    "t.CSV": lambda frame, path: frame.write_csv(path, line_terminator="\r\n", include_bom=True),
    "t.csv.gz": packed(lambda frame, file: frame.write_csv(file)),
    "t.tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    "t.jsonl": lambda frame, path: frame.write_ndjson(path),
    "t.ndjson": lambda frame, path: frame.write_ndjson(path),
    "t.jsonl.gz": packed(lambda frame, file: frame.write_ndjson(file)),
    "t.arrow": lambda frame, path: frame.write_ipc(path),
    "stream.arrow": stream,
    # without a telling name, by the first bytes or lines
    "parquet": lambda frame, path: frame.write_parquet(path),
    "arrow": lambda frame, path: frame.write_ipc(path),
    "stream": stream,
    "csv.txt": lambda frame, path: frame.write_csv(path),
    "tsv.txt": lambda frame, path: frame.write_csv(path, separator="\t"),
    "jsonl.txt": lambda frame, path: frame.write_ndjson(path),
    "csv.txt.gz": packed(lambda frame, file: frame.write_csv(file)),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_reads_alike(tmp_path, name):
    WRITERS[name](RUN, tmp_path / name)
    assert scan_runs(tmp_path / name).collect().equals(RUN)
    WRITERS[name](QRELS, tmp_path / name)
    assert scan_qrels(tmp_path / name).collect().equals(QRELS)


@pytest.mark.parametrize(
    "names",
    [
        ["run", "query_id", "doc_id", "score"],
        ["run_id", "qid", "docno", "score"],
        ["tag", "query-id", "corpus-id", "score"],
        ["tag", "qid", "docid", "score"],
    ],
)
def test_the_names_of_other_tools_are_understood(tmp_path, names):
    RUN.rename(dict(zip(RUN.columns, names, strict=True))).write_csv(tmp_path / "run.csv")
    assert scan_runs(tmp_path / "run.csv").collect().equals(RUN)


@pytest.mark.parametrize("label", ["label", "relevance", "rel"])
def test_labels_have_other_names_too(label):
    assert scan_qrels(QRELS.rename({"label": label})).collect().equals(QRELS)


def test_of_two_names_the_first_known_one_counts():
    frame = pl.DataFrame({"docid": [7], "docno": ["d"], "qid": ["q"], "query": ["w"], "score": [1]})
    assert scan_runs(frame).collect().rows() == [("run", "q", "d", 1.0)]


def test_columns_maps_any_other_name_and_goes_first(tmp_path):
    table = pl.DataFrame({"user_id": [1], "doc_id": ["wrong"], "item": ["d"], "score": [3]})
    table.write_csv(tmp_path / "t.csv")
    columns = {"user_id": "query_id", "item": "doc_id", "score": "label"}
    assert scan_qrels(tmp_path / "t.csv", columns=columns).collect().rows() == [("1", "d", 3)]
    # a header that is told by nothing but the mapping
    (tmp_path / "t.txt").write_text("u,i,v\n1,d,3\n")
    columns = {"u": "query_id", "i": "doc_id", "v": "label"}
    assert scan_qrels(tmp_path / "t.txt", columns=columns).collect().rows() == [("1", "d", 3)]


def test_further_columns_are_dropped():
    run = scan_runs(RUN.with_columns(rank=1, Q0=pl.lit("Q0"))).collect()
    assert run.columns == ["run", "query_id", "doc_id", "score"]


def test_missing_columns_are_listed_with_what_is_there(tmp_path):
    (tmp_path / "t.csv").write_text("qid,text,score\n1,a,2\n")
    message = r"t\.csv: no column 'doc_id'; there are 'qid', 'text', 'score'\. Map yours with"
    with pytest.raises(BadData, match=message):
        scan_runs(tmp_path / "t.csv")
    with pytest.raises(BadData, match="no column 'doc_id'; there are 'qid'"):
        scan_qrels(tmp_path / "t.csv")


def test_a_mapping_must_name_columns_on_both_sides():
    with pytest.raises(BadUsage, match=r"columns= names \['user'\], but the columns are \['run'"):
        scan_runs(RUN, columns={"user": "query_id"})
    with pytest.raises(BadUsage, match=r"columns= maps to \['topic'\]; it can map to \['run', 'qu"):
        scan_runs(RUN, columns={"query_id": "topic"})


def test_a_tsv_without_a_header_is_trec_text(tmp_path):
    (tmp_path / "qrels.dev.small.tsv").write_text("300674\t0\t7067032\t1\n")
    qrels = scan_qrels(tmp_path / "qrels.dev.small.tsv").collect()
    assert qrels.rows() == [("300674", "7067032", 1)]


def test_ids_in_jsonl_may_be_numbers_and_text(tmp_path):
    lines = [
        '{"qid": 1, "docno": "01", "relevance": 1}',
        '{"qid": "1", "docno": 2, "relevance": 0}',
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    assert scan_qrels(tmp_path / "t.jsonl").collect().rows() == [("1", "01", 1), ("1", "2", 0)]


@pytest.mark.parametrize(
    ("labels", "dtype"), [(["1", "2.0"], pl.Int32), (["1", "0.5"], pl.Float64)]
)
def test_labels_in_text_are_int32_if_all_are_whole(tmp_path, labels, dtype):
    rows = [f"q,d{number},{label}\n" for number, label in enumerate(labels)]
    (tmp_path / "t.csv").write_text("".join(["qid,docno,label\n", *rows]))
    assert scan_qrels(tmp_path / "t.csv").collect_schema()["label"] == dtype


def test_a_header_and_no_rows_is_said(tmp_path):
    (tmp_path / "t.csv").write_text("qid,docno,label\n")
    with pytest.warns(Remark, match=r"t\.csv: a header \(qid, docno, label\) and no rows"):
        assert scan_qrels(tmp_path / "t.csv").collect_schema()["label"] == pl.Int32


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "q1,d1,high",
            "t.csv: score must be a number, but there is run='t', query_id='q1', doc_id",
        ),
        ("q1,d1,", "ids must not be null and score must be a number, but there is run='t', query_"),
        ("q1,d1,NaN", "doc_id='d1', score=nan"),
        (",d1,1", "query_id=None, doc_id='d1'"),
        ("q1", "doc_id=None, score=None"),
    ],
)
def test_a_bad_row_is_named(tmp_path, row, message):
    (tmp_path / "t.csv").write_text(f"qid,docno,score\nq0,d0,1\n{row}\n")
    with pytest.raises(BadData) as error:
        scan_runs(tmp_path / "t.csv").collect()
    assert message in str(error.value)


@pytest.mark.parametrize("kind", ["parquet", "arrow", "csv", "jsonl"])
def test_a_file_that_is_not_what_its_name_says(tmp_path, kind):
    (tmp_path / f"t.{kind}").write_bytes(b"")
    with pytest.raises(BadData, match=rf"t\.{kind}: cannot be read as {kind}"):
        scan_runs(tmp_path / f"t.{kind}")


def test_real_parquet(shared):
    qrels = scan_qrels(shared / "mq2007-agg" / "qrels.parquet").collect()
    counts = dict(qrels.group_by("label").len().rows())
    assert counts == {0: 51_632, 1: 14_128, 2: 3_863}
    runs = scan_runs(shared / "mq2007-agg" / "runs.parquet").collect()
    assert runs.height == 953_702
    assert runs["run"].n_unique() == 21
