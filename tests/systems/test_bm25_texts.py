"""Collections and queries: every format, and what is wrong with a bad one."""

import gzip

import polars as pl
import pytest

import ulframe as ul
from ulframe.cli.main import main
from ulframe.frames.write import write_table
from ulframe.systems import bm25
from ulframe.systems.bm25.tokens import tokenised

ROWS = [("7", "wing flutter"), ("8", "heat"), ("9", "")]
FRAME = pl.DataFrame(ROWS, schema=["doc_id", "text"], orient="row")
SMART = ".I 7\n.T\nwing\n.A\nbrenckman,m.\n.W\nflutter\n.I 8\n.B\n1958\n.W\nheat\n.I 9\n.T\n.W\n"


def write(folder, name, text):
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("docs.tsv", "7\twing flutter\n8\theat\n9\t\n"),
        ("docs.tsv", "doc_id\ttext\n7\twing flutter\n8\theat\n9\t\n"),
        ("docs.csv", "docno,text\n7,wing flutter\n8,heat\n9,\n"),
        ("docs.jsonl", '{"_id": "7", "text": "wing flutter"}\n{"_id": "8", "text": "heat"}\n'
                       '{"_id": "9", "text": null}\n'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_table_of_documents(tmp_path, name, text, ending):
    path = write(tmp_path, name + ending, text)
    assert bm25.scan_documents(path).collect().rows() == ROWS


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_binary_table_of_documents(tmp_path, ending):
    path = tmp_path / f"docs.{ending}"
    write_table(FRAME.lazy(), path)
    assert bm25.scan_documents(path).collect().rows() == ROWS


@pytest.mark.parametrize("source", [FRAME, FRAME.lazy(), FRAME.to_arrow(), dict(ROWS)])
def test_documents_in_memory(source):
    assert bm25.scan_documents(source).collect().rows() == ROWS


def test_one_document_a_line_is_called_by_its_number(tmp_path):
    path = write(tmp_path, "docs.txt", "wing flutter\n\nheat\tflow\r\n")
    assert bm25.scan_documents(path).collect().rows() == [
        ("1", "wing flutter"), ("2", ""), ("3", "heat\tflow"),
    ]  # fmt: skip


def test_the_kind_can_be_said_where_the_name_misleads(tmp_path):
    path = write(tmp_path, "movies.tsv", "Alien\tin space\nAlien\tonce more\n")
    assert bm25.scan_documents(path, kind="lines").collect()["doc_id"].to_list() == ["1", "2"]
    with pytest.raises(ul.BadUsage, match="kind='line': it is one of lines, pairs, smart"):
        bm25.scan_documents(path, kind="line")


def test_smart_records_and_their_fields(tmp_path):
    path = write(tmp_path, "collection.all", SMART)
    assert bm25.scan_documents(path).collect().rows() == [
        ("7", "wing\nflutter"), ("8", "heat"), ("9", ""),
    ]  # fmt: skip
    only = bm25.scan_documents(path, fields="AB").collect()["text"].to_list()
    assert only == ["brenckman,m.", "1958", ""]


def test_several_columns_can_make_the_text():
    frame = pl.DataFrame({"key": [1], "title": ["wing"], "body": ["flutter"], "views": [3]})
    columns = {"key": "doc_id", "title": "text", "body": "text", "views": "prior"}
    found = bm25.scan_documents(frame, columns=columns).collect()
    assert found.row(0, named=True) == {"doc_id": "1", "text": "wing flutter", "prior": 3.0}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("q.txt", "wing flutter\nheat\n", [("1", "wing flutter"), ("2", "heat")]),
        ("q.txt", "q1\twing flutter\nq2\theat\n", [("q1", "wing flutter"), ("q2", "heat")]),
        ("q.tsv", "1048585\twhat is 42\n12\t12\n", [("1048585", "what is 42"), ("12", "12")]),
        ("q.tsv", "qid\tquery\n1\twing\n", [("1", "wing")]),
        ("q.tsv", "films by kubrick\t238 290\n", [("films by kubrick", "films by kubrick")]),
        ("q.qry", ".I 001\n.W\nwing\n.N\nme\n.I 004\n.W\nheat\n",
         [("001", "wing"), ("004", "heat")]),
    ],
)  # fmt: skip
def test_queries(tmp_path, name, text, expected):
    assert bm25.scan_queries(write(tmp_path, name, text)).collect().rows() == expected


def test_real_collections_are_read_whole(shared):
    sizes = {"cranfield/cran.all.1400.gz": 1400, "cacm/cacm.all.gz": 3204}
    for name, size in sizes.items():
        found = bm25.scan_documents(shared / name).collect()
        assert found["doc_id"].to_list() == [str(number + 1) for number in range(size)]
    first = found["text"][0]
    assert first == "Preliminary Report-International Algebraic Language"
    queries = bm25.scan_queries(shared / "cranfield" / "cran.qry")
    assert queries.collect().height == 225
    assert bm25.numbered(queries).collect()["query_id"].to_list()[-1] == "225"


# ---------------------------------------------------------------- tokens
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ocean's 12", ["ocean", "s", "12"]),
        ("ÉCOLE straße STRASSE Ωmega", ["école", "strasse", "strasse", "ωmega"]),
        ("東京都 is 京", ["東京", "京都", "is", "京"]),  # pairs of what parts no words
        ("東京abc都市x한국어", ["東京", "abc", "都市", "x", "한국", "국어"]),
        ("カタカナ", ["カタ", "タカ", "カナ"]),
        ("e\u0301cole", ["école"]),  # a letter and its accent, apart
        ("हिन्दी में", ["हिन्दी", "में"]),  # vowel signs belong to the word
        ("snake_case x-y", ["snake", "case", "x", "y"]),
        ("... !", []),
    ],
)
def test_tokens_are_runs_of_letters_and_digits(text, expected):
    frame = pl.DataFrame({"doc_id": ["1"], "text": [text]})
    assert tokenised(frame, bm25.Tokens())["term"].to_list() == expected


def test_html_on_request():
    frame = pl.DataFrame({"doc_id": ["1"], "text": ["<p>AT&amp;T <b>wing</b></p>"]})
    assert tokenised(frame, bm25.Tokens(html=True))["term"].to_list() == ["at", "t", "wing"]
    assert "amp" in tokenised(frame, bm25.Tokens())["term"].to_list()


def test_a_sentence_without_blanks_is_found_by_its_words():
    index = bm25.build_index(
        {"1": "私は東京都に住んでいます", "2": "大阪に住んでいます", "3": "京都"}
    )
    found = bm25.search(index, {"q": "東京"}).collect()["doc_id"].to_list()
    assert found == ["1"]


def test_stop_words_are_left_out_and_the_rest_is_stemmed():
    pytest.importorskip("Stemmer")
    frame = pl.DataFrame({"doc_id": ["1"], "text": ["The flying of the wings"]})
    tokens = bm25.Tokens(stop=bm25.ENGLISH, stem="english")
    assert tokenised(frame, tokens)["term"].to_list() == ["fli", "wing"]
    with pytest.raises(ul.BadUsage, match="no stemmer 'klingon'; there are arabic"):
        bm25.Tokens(stem="klingon")
    with pytest.raises(ul.BadUsage, match=r"pattern='\[a' is no regular expression"):
        bm25.Tokens(pattern="[a")


def test_another_tokeniser_gives_terms():
    documents = pl.DataFrame({"doc_id": ["1", "2"], "terms": [["a b", "c"], []]})
    index = bm25.build_index(documents)
    assert bm25.postings(index).collect().rows() == [("a b", "1", 1), ("c", "1", 1)]
    queries = pl.DataFrame({"query_id": ["q"], "terms": [["a b"]]})
    assert bm25.search(index, queries).collect()["doc_id"].to_list() == ["1"]
    with pytest.raises(ul.BadUsage, match="the index was made of 'terms': queries must have them"):
        bm25.search(index, {"q": "a b"})


# ---------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"doc_id": ["1"], "words": ["a"]}, r"no column 'text'; there are 'doc_id', 'words'"),
        ({"doc_id": [None], "text": ["a"]}, "doc_id must not be null"),
        ({"doc_id": ["1", ""], "text": ["a", "b"]}, "doc_id must not be empty"),
        ({"doc_id": ["1"], "text": ["a"], "prior": [-1.0]}, "that of document '1' is -1.0"),
        ({"doc_id": ["1"], "text": ["a"], "prior": ["x"]}, "that of document '1' is None"),
        ({"doc_id": ["1", "2", "1"], "text": ["a"] * 3}, r"1 document ids occur more .* \['1'\]"),
    ],
)
def test_bad_documents_are_refused(frame, message):
    with pytest.raises(ul.BadData, match=message):
        bm25.build_index(pl.DataFrame(frame))


def test_bad_files_are_refused(tmp_path):
    with pytest.raises(ul.BadData, match="line 2: 'no tab' has no tab; a line is `id TAB text`"):
        bm25.scan_documents(write(tmp_path, "a.tsv", "1\tb\nno tab\n")).collect()
    with pytest.raises(ul.BadData, match=r"no line `\.I ID`"):
        bm25.scan_documents(write(tmp_path, "a.txt", "wing\n"), kind="smart").collect()
    with pytest.raises(ul.BadUsage, match=r"names \['nme'\]"):
        bm25.scan_documents(FRAME, columns={"nme": "text"})


def test_stop_words_from_a_file(tmp_path, capsys):
    docs, stop = write(tmp_path, "docs.txt", "Wing of\n\n"), write(tmp_path, "stop.txt", "Of\nthe")
    command = ["index", str(docs), "-o", str(tmp_path / "index"), "--stop", str(stop)]
    assert main(command) == 0
    assert "2 documents, 1 terms, 1 tokens\n1 documents are empty" in capsys.readouterr().err
    stop.write_bytes(b"f\xfcr")
    assert main(command) == 1
    assert "stop.txt: not UTF-8 text" in capsys.readouterr().err


def test_bytes_that_are_no_text_are_named_by_file_and_line(tmp_path, capsys):
    path = tmp_path / "docs.txt"
    path.write_bytes(b"wing\nfl\xfctter\n")
    code = main(["index", str(path), "-o", str(tmp_path / "index")])
    assert (code, (tmp_path / "index").exists()) == (1, False)
    assert f"{path}, line 2: not UTF-8 text" in capsys.readouterr().err
