"""Collections and topics as TREC, NPL, BEIR, PyTerrier, Anserini and MS MARCO have them."""

import json

import pytest

from ulframe.cli.main import main
from ulframe.frames import BadData, BadUsage
from ulframe.frames.remarks import Remark
from ulframe.systems import bm25

SGML = """<DOC>
<DOCNO> FT911-1 </DOCNO>
<HEADLINE>
AT&amp;T's wing
</HEADLINE>
<TEXT>
Flutter at <b>high</b> speed.
<P>
Second paragraph
</TEXT>
</DOC>

<doc>
<docno>FT911-2</docno>
</doc>
<DOC><DOCNO>FT911-3</DOCNO><TEXT>one line</TEXT></DOC>
"""
SGML_ROWS = [
    ("FT911-1", "AT&T's wing\nFlutter at high speed.\nSecond paragraph"),
    ("FT911-2", ""),
    ("FT911-3", "one line"),
]

TOPICS = """
<top>
<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations that participate
in crime.

<narr> Narrative:
A relevant document must name one.
</top>

<top>
<num>302</num>
<title>Poliomyelitis &amp; others</title>
<desc>Is it under control?</desc>
</top>
"""
CRIME, POLIO = "International Organized Crime", "Poliomyelitis & others"
DESC = "Identify organizations that participate\nin crime."

NPL = "1\ncompact memories have\nflexible capacities\n   /\n2\nan electronic analogue\n  /\n"
NPL_ROWS = [("1", "compact memories have\nflexible capacities"), ("2", "an electronic analogue")]


def written(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


DOCUMENTS = {
    "TREC": ("docs", SGML, SGML_ROWS),
    "NPL": ("doc-text", NPL, NPL_ROWS),
    "NPL with blank lines at its end": ("doc-text", NPL + "\n\n", NPL_ROWS),
    "Anserini": (
        "a.jsonl",
        '{"id": "1", "contents": "wing"}\n{"id": "2", "contents": "heat"}\n',
        [("1", "wing"), ("2", "heat")],
    ),
    "Anserini, a list": (
        "a.json",
        json.dumps([{"id": "1", "contents": "wing"}, {"id": "2", "contents": "heat"}], indent=1),
        [("1", "wing"), ("2", "heat")],
    ),
    "Anserini, an object": (
        "a.json",
        json.dumps({"id": "1", "contents": "wing"}, indent=1),
        [("1", "wing")],
    ),
    "PyTerrier": ("p.csv", "docno,text\nd1,wing\n", [("d1", "wing")]),
    "MS MARCO": (
        "collection.tsv",
        "0\twing flutter\n1\theat\n",
        [("0", "wing flutter"), ("1", "heat")],
    ),
}


@pytest.mark.parametrize(("name", "text", "rows"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_documents(tmp_path, name, text, rows):
    assert bm25.scan_documents(written(tmp_path, name, text)).collect().rows() == rows


def test_a_title_goes_before_the_text(tmp_path):
    """BEIR has both; the title was dropped once."""
    row = {"_id": "1", "title": "wing", "text": "flutter", "metadata": {}}
    path = written(tmp_path, "corpus.jsonl", json.dumps(row) + "\n")
    with pytest.warns(Remark, match=r"corpus.jsonl: the text is that of title and text"):
        assert bm25.scan_documents(path).collect().rows() == [("1", "wing flutter")]
    only = bm25.scan_documents(path, columns={"text": "text"}).collect()
    assert only.rows() == [("1", "flutter")]


def test_a_title_alone_is_no_text_of_a_document(tmp_path):
    path = written(tmp_path, "corpus.jsonl", '{"_id": "1", "title": "wing"}\n')
    with pytest.raises(BadData, match="text"):
        bm25.scan_documents(path)


@pytest.mark.parametrize(
    ("fields", "rows"),
    [
        (None, [("301", CRIME), ("302", POLIO)]),
        ("T", [("301", CRIME), ("302", POLIO)]),
        ("D", [("301", DESC), ("302", "Is it under control?")]),
        ("TD", [("301", f"{CRIME}\n{DESC}"), ("302", f"{POLIO}\nIs it under control?")]),
        ("N", [("301", "A relevant document must name one."), ("302", "")]),
    ],
)
def test_topics(tmp_path, fields, rows):
    path = written(tmp_path, "topics.301-302", TOPICS)
    assert bm25.scan_queries(path, fields=fields).collect().rows() == rows


def test_fields_that_topics_have_not(tmp_path):
    path = written(tmp_path, "topics", TOPICS)
    with pytest.raises(BadUsage, match="fields='TW': of topics there are T, D, N"):
        bm25.scan_queries(path, fields="TW").collect()


BROKEN = {
    "no DOCNO": ("<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\n<DOC>\n<TEXT>a</TEXT>\n</DOC>\n",
                 r"x, line 4: the document that begins here has no <DOCNO>"),
    "empty DOCNO": ("<DOC>\n<DOCNO> </DOCNO>\n</DOC>\n", "x, line 1: .* has no <DOCNO>"),
    "NPL without a number": ("1\na\n/\nb\nc\n/\n", "x, line 4: 'b' is no number"),
    "XML": ('<?xml version="1.0"?>\n<docs>\n', r"x, line 1: '<\?xml.*': markup that is neither"),
    "HTML": ("<html>\n<body>\n", "x, line 1: '<html>': markup .*--kind lines"),
    "JSON": ('{"a": {"b": 1}}', "JSON is read as rows with an id and a text"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "says"), BROKEN.values(), ids=BROKEN)
def test_broken_documents(tmp_path, text, says):
    with pytest.raises(BadData, match=says):
        bm25.scan_documents(written(tmp_path, "x", text)).collect()


def test_a_topic_without_a_number(tmp_path):
    path = written(tmp_path, "t", "<top>\n<title> a\n</top>\n")
    with pytest.raises(BadData, match="t, line 1: the topic that begins here has no <num>"):
        bm25.scan_queries(path).collect()


def test_markup_can_be_lines(tmp_path):
    path = written(tmp_path, "x", "<p>wing</p>\n<p>heat</p>\n")
    assert bm25.scan_documents(path, kind="lines").collect().height == 2


def test_a_collection_of_trec_in_three_commands(tmp_path, monkeypatch, capsys):
    """Index, search by titles, evaluate."""
    monkeypatch.chdir(tmp_path)
    documents = "".join(
        f"<DOC>\n<DOCNO>D{n}</DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n"
        for n, text in enumerate(["organized crime", "polio under control", "wing flutter"])
    )
    written(tmp_path, "docs.sgml", documents)
    written(tmp_path, "topics", TOPICS)
    written(tmp_path, "qrels.txt", "301 0 D0 1\n301 0 D1 0\n302 0 D1 1\n")
    assert main(["index", "docs.sgml", "-o", "x.index"]) == 0
    assert "3 documents" in capsys.readouterr().err
    assert main(["search", "x.index", "topics", "--fields", "TD", "-o", "run.txt"]) == 0
    assert main(["eval", "qrels.txt", "run.txt", "-m", "RR"]) == 0
    assert "| 1.0000 |" in capsys.readouterr().out
