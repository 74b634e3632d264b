"""TREC text: every untidiness that trec_eval takes, read as if it were tidy; the rest refused."""

import gzip

import polars as pl
import pytest

from ulframe.frames import BadData, scan_qrels, scan_runs

TIDY = b"1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n"
ROWS = [("t", "1", "d1", 2.5), ("t", "1", "d2", 1.5)]
UNTIDY = {
    "tidy": TIDY,
    "no newline at the end": TIDY.rstrip(b"\n"),
    "tabs": TIDY.replace(b" ", b"\t"),
    "a tab among blanks": TIDY.replace(b"d2 ", b"d2\t"),
    "a blank among tabs": TIDY.replace(b" ", b"\t").replace(b"d2\t", b"d2 "),
    "runs of blanks": TIDY.replace(b"Q0 d", b"Q0    d"),
    "padded numbers between tabs": TIDY.replace(b" ", b"\t").replace(b"2.5", b"  2.5"),
    "leading and trailing blanks": b"  " + TIDY.replace(b"t\n", b"t \t\n"),
    "CRLF": TIDY.replace(b"\n", b"\r\n"),
    "byte order mark": b"\xef\xbb\xbf" + TIDY,
    "byte order mark before a comment": b"\xef\xbb\xbf# made by hand\n" + TIDY,
    "blank lines": b"\n" + TIDY.replace(b"\n", b"\n\n \t \n"),
    "comments": b"# a run of mine\n" + TIDY.replace(b"1 Q0 d2", b"  # 1 Q0 x 9 9 t\n1 Q0 d2"),
    "junk after the sixth field": TIDY.replace(b"t\n", b"t more junk\n"),
}


@pytest.mark.parametrize("text", UNTIDY.values(), ids=UNTIDY)
def test_an_untidy_run_reads_like_a_tidy_one(tmp_path, text):
    (tmp_path / "run.txt").write_bytes(text)
    assert scan_runs(tmp_path / "run.txt").collect().rows() == ROWS


@pytest.mark.parametrize("text", UNTIDY.values(), ids=UNTIDY)
def test_packed_text_reads_like_plain_text(tmp_path, text):
    with gzip.open(tmp_path / "run.gz", "wb") as file:
        file.write(text)
    pl.DataFrame({"": [text.decode()]}).lazy().sink_csv(
        tmp_path / "run.zst",
        include_header=False,
        quote_style="never",
        compression="zstd",
        check_extension=False,
    )
    for name in ("run.gz", "run.zst"):
        assert scan_runs(tmp_path / name).collect().rows() == ROWS
        (tmp_path / name).rename(tmp_path / "run")  # the bytes say it as well as the name
        assert scan_runs(tmp_path / "run").collect().rows() == ROWS


@pytest.mark.parametrize(
    "doc", ['"quoted"', 'half"', "a,b", "d#1", "#d", "01", "1.0", "ü", "'", "\\"]
)
def test_ids_are_text_as_they_stand(tmp_path, doc):
    (tmp_path / "run").write_text(f"01 Q0 {doc} 1 1 t#1\n1 Q0 {doc} 1 1 t#1\n")
    assert scan_runs(tmp_path / "run").collect().rows() == [
        ("t#1", "01", doc, 1.0),
        ("t#1", "1", doc, 1.0),
    ]


@pytest.mark.parametrize(
    ("text", "score"),
    [("3", 3), ("-1.5", -1.5), ("1e-3", 0.001), ("+2", 2), (".5", 0.5), ("inf", float("inf"))],
)
def test_scores_are_numbers_of_any_spelling(tmp_path, text, score):
    (tmp_path / "run").write_text(f"1 Q0 d 1 {text} t\n")
    assert scan_runs(tmp_path / "run").collect()["score"].to_list() == [score]


def test_the_order_of_lines_is_kept_where_some_are_mended(tmp_path):
    docs = [f"d{number}" for number in range(1000)]
    lines = (f"1{' ' * (1 + number % 3)}Q0 {doc} 1 0 t\n" for number, doc in enumerate(docs))
    (tmp_path / "run").write_text("".join(lines))
    assert scan_runs(tmp_path / "run").collect()["doc_id"].to_list() == docs


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [(["0", "2", "-1"], pl.Int32), (["0", "1.0"], pl.Int32), (["0", "0.5"], pl.Float64)],
)
def test_labels_are_int32_if_all_are_whole(tmp_path, labels, dtype):
    lines = [f"1 0 d{number} {label}" for number, label in enumerate(labels)]
    (tmp_path / "qrels").write_text("\n".join(lines))
    qrels = scan_qrels(tmp_path / "qrels").collect()
    assert qrels.schema == {"query_id": pl.String, "doc_id": pl.String, "label": dtype}
    assert qrels["label"].to_list() == [float(label) for label in labels]


def test_untidy_qrels_read_like_tidy_ones(tmp_path):
    (tmp_path / "qrels").write_text("\ufeff# judged by me\n\n1\t0  d1 \t1 \r\n 2 0 #d 2\n")
    assert scan_qrels(tmp_path / "qrels").collect().rows() == [("1", "d1", 1), ("2", "#d", 2)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 Q0 d2 2 1.5", "has 5 fields, not 6; a run's line is"),
        ("1 Q0", "has 2 fields, not 6"),
        ("hello", "has 1 field, not 6"),
        ("1 Q0 d2 2 high t", "has no number as its score"),
        ("1 Q0 d2 2 nan t", "has no number as its score"),
        ("1\tQ0\td2\t2\t\t1.5", "has 5 fields, not 6"),
    ],
)
def test_a_bad_line_of_a_run_is_named_with_its_number(tmp_path, line, message):
    (tmp_path / "run").write_text(f"# a comment\n\n1 Q0 d1 1 2.5 t\n{line}\n1 Q0 d3 3 0.5 t\n")
    with pytest.raises(BadData) as error:
        scan_runs(tmp_path / "run").collect()
    assert str(error.value).startswith(f"{tmp_path / 'run'}, line 4: {line!r} {message}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 0 d2", "has 3 fields, not 4; a qrels line is"),
        ("1 0 d2 1 more", "has 5 fields, not 4"),
        ("1 0 d2 yes", "has no number as its label"),
    ],
)
def test_a_bad_line_of_qrels_is_named_with_its_number(tmp_path, line, message):
    (tmp_path / "qrels").write_text(f"1 0 d1 1\n{line}\n")
    with pytest.raises(BadData) as error:
        scan_qrels(tmp_path / "qrels")
    assert str(error.value).startswith(f"{tmp_path / 'qrels'}, line 2: {line!r} {message}")


def plain(path, fields):
    """The fields of a file's lines, split by Python."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return [[line.split()[field] for field in fields] for line in file if line.strip()]


@pytest.mark.parametrize("name", ["results.test", "results.trunc", "results.comment.test"])
def test_runs_of_trec_eval_read_as_python_splits_them(shared, name):
    run = scan_runs(shared / "trec_eval" / name).collect()
    expected = [
        (tag, query, doc, float(score))
        for query, doc, score, tag in plain(shared / "trec_eval" / name, [0, 2, 4, 5])
        if not query.startswith("#")
    ]
    assert run.rows() == expected


@pytest.mark.parametrize("name", ["qrels.test", "qrels.rel_level", "qrels.comment.test"])
def test_qrels_of_trec_eval_read_as_python_splits_them(shared, name):
    qrels = scan_qrels(shared / "trec_eval" / name).collect()
    expected = [
        (query, doc, int(label))
        for query, doc, label in plain(shared / "trec_eval" / name, [0, 2, 3])
        if not query.startswith("#")
    ]
    assert qrels.rows() == expected


def test_packed_runs_as_submitted_read_as_python_splits_them(shared):
    path = shared / "robust03" / "runs" / "input.pircRBa1.gz"
    expected = [
        (tag, query, doc, float(score)) for query, doc, score, tag in plain(path, [0, 2, 4, 5])
    ]
    assert scan_runs(path).collect().rows() == expected
    assert scan_qrels(shared / "robust03" / "qrels.txt.gz").collect().height == 128_796


def test_many_files_with_lines_to_mend_are_read_at_once(tmp_path):
    """Batches are mended while others are read: that must never wait for itself."""
    for number in range(40):
        lines = [
            f"{query}  Q0 d{doc} 0 {doc} t{number}" for query in range(20) for doc in range(50)
        ]
        (tmp_path / f"run{number}.txt").write_text("\n".join(lines))
    runs = scan_runs(tmp_path).collect()
    assert runs.height == 40 * 1000
    assert runs["run"].n_unique() == 40
