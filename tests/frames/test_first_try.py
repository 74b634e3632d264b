"""Shapes of files that people have: read as what they are, or refused by their name."""

import bz2
import gzip
import io
import json
import lzma
import zipfile
from contextlib import nullcontext

import polars as pl
import pytest

import ulframe as ul
from ulframe.frames import BadData, BadUsage, convert, scan_qrels, scan_runs
from ulframe.frames.remarks import Remark

QRELS = [("t7", "D1", 1), ("t7", "D2", 0), ("t7", "D3", 2), ("t9", "E1", 1), ("t9", "E2", 0)]
RUN = [
    ("t7", "D2", 9.5),
    ("t7", "D1", 8.25),
    ("t7", "D3", 7.0),
    ("t9", "E2", 3.0),
    ("t9", "E1", 2.0),
]
PAIRS = [(query, doc, 1) for query, doc, label in QRELS if label]
ORDER = {"t7": ["D2", "D1", "D3"], "t9": ["E2", "E1"]}


def lines(template, rows):
    """A line for each row, its places filled in: `{0}` the query, `{1}` the document ..."""
    return "".join(template.format(*row) + "\n" for row in rows)


def ranked(template, start=1):
    """A line for each row of the run, `{3}` being its rank."""
    return lines(template, [(*row, ORDER[row[0]].index(row[1]) + start) for row in RUN])


def given(tmp_path, name, content):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def parquet(rows, names):
    made = io.BytesIO()
    pl.DataFrame(rows, schema=names, orient="row").write_parquet(made)
    return made.getvalue()


def zipped(*names):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in names:
            archive.writestr(name, TREC_RUN)
    return made.getvalue()


TREC_QRELS, TREC_RUN = lines("{0} 0 {1} {2}", QRELS), lines("{0} Q0 {1} 0 {2} mine", RUN)

OF_QRELS = {
    "blanks, a tab before the document": ("q.txt", lines("{0} 0\t{1} {2}", QRELS)),
    "blanks, a tab in the last line": ("q.txt", TREC_QRELS[:-3] + "\t0\n"),
    "blanks, a tab before the label, Q0": ("q.tsv", lines("{0} Q0 {1}\t{2}", QRELS)),
    "blanks, a tab before the label, another constant": (
        "q.txt",
        lines("{0} 1 {1}\t{2}", QRELS),
    ),
    "blanks, a tab behind a comment": ("q", "# mine\n" + lines("{0} 0 {1}\t{2}", QRELS)),
    "BEIR in upper case": ("q.tsv", "Query-ID\tCorpus-ID\tScore\n" + lines("{0}\t{1}\t{2}", QRELS)),
    "BEIR as csv with a mark": (
        "q.csv",
        "\ufeffquery-id,corpus-id,score\n" + lines("{0},{1},{2}", QRELS),
    ),
    "MovieLens": (
        "ratings.csv",
        "userId,movieId,rating,timestamp\n" + lines("{0},{1},{2},9", QRELS),
    ),
    "Book-Crossing": (
        "r.csv",
        '"User-ID";"ISBN";"Book-Rating"\n' + lines('"{0}";"{1}";"{2}"', QRELS),
    ),
    "RecBole": (
        "x.inter",
        "user_id:token\titem_id:token\trating:float\n" + lines("{0}\t{1}\t{2}", QRELS),
    ),
    "trectools": ("q.csv", "query,q0,docid,rel\n" + lines("{0},0,{1},{2}", QRELS)),
    "PyTerrier": ("q.csv", "qid,docno,docid,label,query\n" + lines("{0},{1},7,{2},text", QRELS)),
    "PyTerrier in capitals": (
        "q.csv",
        "QID,DocNo,DocID,Label,QUERY\n" + lines("{0},{1},7,{2},text", QRELS),
    ),
    "blanks and capitals in names": (
        "q.csv",
        "Query ID,DocNo,Relevance\n" + lines("{0},{1},{2}", QRELS),
    ),
    "pipes": ("q.csv", "qid|docno|rel\n" + lines("{0}|{1}|{2}", QRELS)),
    "semicolons in txt": ("q.txt", "qid;docno;rel\n" + lines("{0};{1};{2}", QRELS)),
    "decimal commas": ("q.csv", "user;item;rating\n" + lines("{0};{1};{2},0", QRELS)),
    "tabs in csv": ("q.csv", "qid\tdocno\trel\n" + lines("{0}\t{1}\t{2}", QRELS)),
    "jsonl in txt with a mark": (
        "q.txt",
        "\ufeff" + lines('{{"q_id": "{0}", "doc_id": "{1}", "score": {2}}}', QRELS),
    ),
    "parquet of floats": (
        "q.parquet",
        parquet(QRELS, {"q_id": str, "doc_id": str, "score": float}),
    ),
    "json": ("q.json", json.dumps({"t7": {"D1": 1, "D2": 0, "D3": 2}, "t9": {"E1": 1, "E2": 0}})),
    "json, indented, no ending": (
        "q",
        json.dumps({"t7": {"D1": 1, "D2": 0, "D3": 2}, "t9": {"E1": 1, "E2": 0}}, indent=2),
    ),
    "json rows": (
        "q.json",
        pl.DataFrame(QRELS, ["qid", "docno", "rel"], orient="row").write_json(),
    ),
    "json columns, as pandas writes them": (
        "q.json",
        json.dumps(
            {
                name: {str(row): value for row, value in enumerate(values)}
                for name, values in zip(
                    ["qid", "docno", "rel"], zip(*QRELS, strict=True), strict=True
                )
            }
        ),
    ),
    "UTF-16, as PowerShell writes it": ("q.txt", TREC_QRELS.encode("utf-16")),
    "bz2 of a table": (
        "q.csv.bz2",
        bz2.compress(("qid,docno,rel\n" + lines("{0},{1},{2}", QRELS)).encode()),
    ),
}


@pytest.mark.parametrize(("name", "content"), OF_QRELS.values(), ids=OF_QRELS)
def test_qrels(tmp_path, name, content):
    assert scan_qrels(given(tmp_path, name, content)).collect().rows() == QRELS


OF_PAIRS = {
    "MS MARCO": ("p.tsv", lines("{0}\t{1}", PAIRS)),
    "numbers": ("p.txt", "7\t12\n7\t13\n"),
    "a line a query": ("p.txt", "t7\tD1\nt7\tD3\nt9\tE1\n"),
}


@pytest.mark.parametrize(("name", "content"), OF_PAIRS.values(), ids=OF_PAIRS)
def test_pairs(tmp_path, name, content):
    qrels = scan_qrels(given(tmp_path, name, content)).collect()
    expected = [("7", "12", 1), ("7", "13", 1)] if name == "p.txt" and "12" in content else PAIRS
    assert qrels.rows() == expected


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Films by Kubrick\t1\n", [("Films by Kubrick", "1", 1)]),
        (
            "Films by Kubrick\t1\nFilms by Lynch\t2\nFilms by Lynch\t3\n",
            [
                ("Films by Kubrick", "1", 1),
                ("Films by Lynch", "2", 1),
                ("Films by Lynch", "3", 1),
            ],
        ),
        (
            "big 2 movies\t5828\nthe matrix cast\t17856\n",
            [
                ("big 2 movies", "5828", 1),
                ("the matrix cast", "17856", 1),
            ],
        ),
    ],
)
def test_a_benchmark_stays_one(tmp_path, text, rows):
    assert scan_qrels(given(tmp_path, "b.txt", text)).collect().rows() == rows


POSITIONS = [
    (query, doc, -(place + 1)) for query, docs in ORDER.items() for place, doc in enumerate(docs)
]
OF_RUNS = {  # with the scores that are read: only their order says something
    "blanks, a tab in every line": ("r.txt", lines("{0} Q0 {1} 0\t{2} mine", RUN), RUN, False),
    "blanks, a tab before the tag": ("r.txt", lines("{0} 0 {1} 0 {2}\tmine", RUN), RUN, False),
    "MS MARCO": ("r.tsv", ranked("{0}\t{1}\t{3}"), POSITIONS, True),
    "MS MARCO from 0": (
        "r",
        ranked("{0} {1} {3}", 0),
        [(q, d, s + 1) for q, d, s in POSITIONS],
        True,
    ),
    "blanks, a tab before the rank": ("r.txt", ranked("{0} {1}\t{3}"), POSITIONS, True),
    "three fields of a csv": ("r.csv", ranked("{0},{1},{3}"), POSITIONS, True),
    "three fields, scores": ("r.txt", lines("{0} {1} {2}", RUN), RUN, False),
    "three fields, whole scores that fall": (
        "r.txt",
        "t7 D2 9\nt7 D1 8\nt9 E2 4\n",
        [
            ("t7", "D2", 9.0),
            ("t7", "D1", 8.0),
            ("t9", "E2", 4.0),
        ],
        False,
    ),
    "three fields, ranks that skip": (
        "r.txt",
        "t7 D2 1\nt7 D1 5\nt7 D3 6\nt9 E1 3\n",
        [
            ("t7", "D2", -1.0),
            ("t7", "D1", -5.0),
            ("t7", "D3", -6.0),
            ("t9", "E1", -3.0),
        ],
        True,
    ),
    "three fields, ranks in another order": (
        "r.txt",
        "t7 D1 2\nt7 D3 3\nt7 D2 1\n",
        [
            ("t7", "D1", -2.0),
            ("t7", "D3", -3.0),
            ("t7", "D2", -1.0),
        ],
        True,
    ),
    "three fields, one row a query": (
        "r.txt",
        "t7 D1 5\nt9 E1 1\n",
        [
            ("t7", "D1", 5.0),
            ("t9", "E1", 1.0),
        ],
        False,
    ),
    "ColBERT": ("r.tsv", ranked("{0}\t{1}\t{3}\t{2}"), RUN, False),
    "ColBERT from 0 with blanks": ("r.txt", ranked("{0} {1} {3} {2}", 0), RUN, False),
    "a header with Rank": ("r.tsv", "QID\tPID\tRank\n" + ranked("{0}\t{1}\t{3}"), POSITIONS, True),
    "recommenders": (
        "r.csv",
        "user,item,rating,prediction\n" + lines("{0},{1},3,{2}", RUN),
        RUN,
        False,
    ),
    "Surprise": ("r.csv", "uid,iid,r_ui,est\n" + lines("{0},{1},3,{2}", RUN), RUN, False),
    "decimal commas": (
        "r.csv",
        "qid;docno;score\n" + lines("{0};{1};{2}", RUN).replace(".", ","),
        RUN,
        False,
    ),
    "json of ranked lists": (
        "r.json",
        json.dumps(ORDER),
        [
            ("t7", "D2", 3.0),
            ("t7", "D1", 2.0),
            ("t7", "D3", 1.0),
            ("t9", "E2", 2.0),
            ("t9", "E1", 1.0),
        ],
        False,
    ),
    "json": (
        "r.json.gz",
        gzip.compress(
            json.dumps(
                {query: {doc: score for q, doc, score in RUN if q == query} for query in ORDER}
            ).encode()
        ),
        RUN,
        False,
    ),
    "xz": ("r.xz", lzma.compress(TREC_RUN.encode()), RUN, False),
    "bz2 without an ending": ("r", bz2.compress(TREC_RUN.encode()), RUN, False),
    "zip, made on a Mac": ("r.zip", zipped("runs/r.txt", "__MACOSX/r.txt"), RUN, False),
}


@pytest.mark.parametrize(("name", "content", "rows", "remarked"), OF_RUNS.values(), ids=OF_RUNS)
def test_runs(tmp_path, name, content, rows, remarked):
    with pytest.warns(Remark, match="no scores, so its ranks are") if remarked else nullcontext():
        run = scan_runs(given(tmp_path, name, content)).collect()
    assert run.select("query_id", "doc_id", "score").rows() == rows


# ------------------------------------------------ refused by name
REFUSED_QRELS = {
    "ratings with blanks": (
        "u.dat",
        "u1 0 3 881250949\nu1 5 4 881250950\n",
        "1=query_id 2=doc_id 3=label",
    ),
    "ratings of MovieLens 1M": (
        "u.dat",
        "1::1193::5::978300760\n1::661::3::978302109\n",
        "3=label",
    ),
    "ratings as csv": ("u.txt", "1,31,2.5,1260759144\n1,1029,3.0,1260759179\n", "3=label"),
    "ratings with a tab": ("u.txt", "1 31 2\t1260759144\n1 29 3\t1260759179\n", "3=label"),
    "subtopics with tabs": ("d.qrels", "t7\t1\tD1\t1\nt7\t2\tD1\t0\nt7\t1\tD2\t1\n", "subtopic"),
    "subtopics with one tab": ("d.qrels", "t7 1 D1\t1\nt7 2 D1\t0\n", "subtopic"),
    "three fields": ("cranqrel", "1 184 2\n1 29 2\n", "1=query_id 2=doc_id 3=label"),
    "preferences": ("p.txt", "t7 0 1 D1 1\nt7 0 1 D2 2\n", "preferences"),
    "PrefLib": ("x.soc", "# FILE NAME: x.soc\n1: 2,{1,3}\n", "ulframe experts"),
    "a run": ("r.txt", TREC_RUN, "A run in the place of qrels? QRELS come first"),
    "a run of three fields": ("r.tsv", ranked("{0}\t{1}\t{3}"), "3=rank"),
    "a run of a table": (
        "r.csv",
        "qid,docno,score\n" + lines("{0},{1},{2}", RUN),
        "run in the place of qrels",
    ),
    "a table of a run": (
        "r.csv",
        "run,qid,docno,score\na,t7,D1,1\n",
        "a run in the place of qrels: it has 'run'",
    ),
    "a json run": ("r.json", json.dumps({"t7": {"D1": 9.5}}), "run in the place of qrels"),
    "predictions": ("p.txt", "0.5\n0.25\n", "a run in the place of qrels"),
    "queries and texts": (
        "q.tsv",
        "7\tfilms by kubrick\n8\tthe matrix\n",
        "neither `query TAB relevant ids` nor TREC text",
    ),
    "both": ("q.txt", "top 10 films\t1\ntop 10 books\t2\n", "or both"),
    "json with a key twice": ("q.json", '{"t7": {"D1": 1, "D1": 0}}', "'D1' stands twice"),
    "two labels": (
        "q.csv",
        "qid,docno,label,rating\nt7,D1,1,5\n",
        "'label' and 'rating' could be the label",
    ),
    "two queries": ("q.csv", "qid,user_id,docno,rel\nt7,u,D1,1\n", "'qid' and 'user_id' could be"),
    "lz4 under another name": ("q.txt", b"\x04\x22\x4d\x18rest", "lz4"),
    "zip of two": ("q.zip", zipped("a.txt", "b.txt"), "a zip archive of 2 files"),
    "xz that was cut off": ("q.xz", lzma.compress(TREC_QRELS.encode())[:-20], "cannot be unpacked"),
}


@pytest.mark.parametrize(("name", "content", "says"), REFUSED_QRELS.values(), ids=REFUSED_QRELS)
def test_no_qrels(tmp_path, name, content, says):
    with pytest.raises(BadData) as error:
        scan_qrels(given(tmp_path, name, content)).collect()
    said = str(error.value).replace(str(tmp_path), "")
    assert says.lower() in said.lower()
    assert f"/{name}" in said
    assert len(said) <= 3 * 100


REFUSED_RUNS = {
    "qrels": ("q.txt", TREC_QRELS, "QRELS come first"),
    "qrels with one tab": ("q.txt", lines("{0} 0 {1}\t{2}", QRELS), "QRELS come first"),
    "ratings": ("u.data", "u1\t0\t3\t881250949\nu1\t5\t4\t881250950\n", "of a run: 3=score"),
    "ranks in one query, scores in the other": ("r.txt", "a x 1\na y 2\nb x 9\nb y 5\n", "3=rank"),
    "whole numbers without an order": ("r.txt", "a x 7\na y 9\na z 2\n", "3=rank"),
    "one number for all": ("r.txt", "a x 1\na y 1\n", "3=rank"),
    "predictions of nothing": ("p.txt", "0.5\n0.25\n", "needs the LETOR text"),
    "another width below": ("r.txt", "a x 1\na y 2\n" * 600 + "a y\n", "line 1201"),
    "scores and predictions": (
        "r.csv",
        "u,i,score,prediction\na,x,1,2\n",
        "'score' and 'prediction' could",
    ),
}


@pytest.mark.parametrize(("name", "content", "says"), REFUSED_RUNS.values(), ids=REFUSED_RUNS)
def test_no_run(tmp_path, name, content, says):
    with pytest.raises(BadData) as error:
        scan_runs(given(tmp_path, name, content)).collect()
    said = str(error.value).replace(str(tmp_path), "")
    assert says.lower() in said.lower()
    assert f"/{name}" in said
    assert len(said) <= 3 * 100


def test_a_table_of_qrels_is_no_run():
    with pytest.raises(BadData, match=r"no column 'score'; .* Qrels in the place of a run\? QRELS"):
        scan_runs(pl.DataFrame({"qid": ["q"], "docno": ["d"], "rel": [1]}))


@pytest.mark.parametrize("source", [{"a": ORDER, "b": ORDER}, {"a": {"q": {"d": 0.5}}, "b": {}}])
def test_json_of_runs(tmp_path, source):
    path = given(tmp_path, "runs.json", json.dumps(source))
    assert set(scan_runs(path).collect()["run"]) <= {"a", "b"}


@pytest.mark.parametrize("path", ["s3://bucket/run.parquet", "gs://b/x", "https://x.org/run.gz"])
def test_what_lies_elsewhere(path):
    with pytest.raises(BadUsage, match=f"^{path}: [a-z0-9]+:// is not read here"):
        scan_runs(path)


# ------------------------------------------------ said to be what they are
@pytest.mark.parametrize(
    ("content", "columns", "rows"),
    [
        ("u1\t0\t3\t881250949\n", {"1": "query_id", "2": "doc_id", "3": "label"}, ("u1", "0", 3)),
        (
            "1::1193::5::978300760\n",
            {"1": "query_id", "2": "doc_id", "3": "label"},
            ("1", "1193", 5),
        ),
        ("01 1410  0 0\n", {"1": "query_id", "2": "doc_id"}, ("01", "1410", 1)),
        ("1 184 2\n", {"1": "query_id", "2": "doc_id", "3": "label"}, ("1", "184", 2)),
        ("top 10 films\t1\n", {"1": "query_id", "2": "doc_id"}, ("top 10 films", "1", 1)),
        ("top 10 films\t1\n", {"1": "query_id", "3": "doc_id", "4": "label"}, ("top", "films", 1)),
        ("q1,0,a,1\n", {"1": "query_id", "3": "doc_id", "4": "label"}, ("q1", "a", 1)),
    ],
)
def test_fields_by_their_places(tmp_path, content, columns, rows):
    path = given(tmp_path, "u.csv" if "," in content else "u.data", content)
    assert scan_qrels(path, columns=columns).collect().rows() == [rows]


def test_places_that_are_not_there(tmp_path):
    path = given(tmp_path, "u.data", "u1 0 3 1\nu1 0 3\n")
    with pytest.raises(BadData, match="not every line has 4 fields; places count from 1"):
        scan_qrels(path, columns={"1": "query_id", "2": "doc_id", "4": "label"})


@pytest.mark.parametrize(("rank", "score"), [("rank", None), (None, "score")])
def test_of_three_fields_it_can_be_said(tmp_path, rank, score):
    path = given(tmp_path, "r.txt", "a x 7\na y 9\n")
    columns = {"1": "query_id", "2": "doc_id", "3": rank or score}
    with pytest.warns(Remark) if rank else nullcontext():
        run = scan_runs(path, columns=columns).collect()
    assert run["score"].to_list() == ([-7.0, -9.0] if rank else [7.0, 9.0])


# ------------------------------------------------ ranks and scores
def test_ranks_turned_round_are_worth_what_they_are():
    """AP 1 for the relevant document at rank 1, whatever the order of rows; as scores 1/2."""
    rows = {"query_id": ["q", "q"], "doc_id": ["bad", "good"], "rank": [2, 1]}
    with pytest.warns(Remark, match="its ranks are the order, the lowest first"):
        scores = ul.evaluate({"q": {"good": 1, "bad": 0}}, pl.DataFrame(rows), "AP").collect()
    assert scores["score"].to_list() == [1.0]


def test_ranks_and_scores_that_disagree():
    rows = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "rank": [1, 2], "score": [0.5, 0.75]}
    run = scan_runs(pl.DataFrame(rows))
    with pytest.warns(Remark, match="ranks and scores disagree; the scores are the order"):
        assert run.collect()["score"].to_list() == [0.5, 0.75]


def test_ranks_and_scores_that_agree_are_not_remarked_on():
    rows = {"query_id": ["q", "q", "p"], "doc_id": ["a", "b", "a"], "rank": [1, 2, 1]}
    scan_runs(pl.DataFrame(rows | {"score": [0.75, 0.5, 0.9]})).collect()  # warnings are errors


def test_a_second_field_that_varies_is_said_to_count_for_nothing(tmp_path):
    path = given(tmp_path, "covid.txt", "1 1 a 2\n1 2 b 1\n")
    with pytest.warns(Remark, match="the second field varies; as TREC's iteration it counts for"):
        assert scan_qrels(path).collect().rows() == [("1", "a", 2), ("1", "b", 1)]


# ------------------------------------------------ folders
def parts(folder, rows, n=2):
    folder.mkdir(parents=True)
    for part in range(n):
        names = {"query_id": str, "doc_id": str, "score": float}
        (folder / f"part-0000{part}.parquet").write_bytes(parquet(rows[part::n], names))


@pytest.mark.parametrize(
    ("folders", "runs"),
    [
        (["run=bm25", "run=dense"], ["bm25", "dense"]),
        (["model=bm25", "model=dense"], ["bm25", "dense"]),
        (["system=bm%2B", "system=dl"], ["bm+", "dl"]),
        (["day=1/run=a", "day=1/run=b"], ["a", "b"]),
        (["bm25", "dense"], ["bm25", "dense"]),
        (["bm25/2026/11", "dense/day=3"], ["bm25", "dense"]),
    ],
)
@pytest.mark.parametrize("source", ["", "*", "**/*.parquet"])
def test_parts_of_a_folder_are_one_run(tmp_path, folders, runs, source):
    for folder in folders:
        parts(tmp_path / "lake" / folder, RUN)
    given(tmp_path, "lake/_SUCCESS", b"")
    given(tmp_path, "lake/_temporary/0/part-0.parquet", b"dead")
    given(tmp_path, f"lake/{folders[0]}/.part-00000.parquet.crc", b"crc")
    found = scan_runs(tmp_path / "lake" / source).collect()
    assert dict(found.group_by("run").len().rows()) == dict.fromkeys(runs, len(RUN))


def test_a_folder_of_days_is_one_run(tmp_path):
    for day, query in (("11", "t7"), ("12", "t9")):
        parts(tmp_path / "bm25" / "2026" / day, [row for row in RUN if row[0] == query])
    found = scan_runs(tmp_path / "bm25").collect()
    assert found["run"].unique().to_list() == ["bm25"]
    assert found.height == len(RUN)


def test_text_in_a_folder_of_a_run(tmp_path):
    given(tmp_path, "run=a/r.txt", TREC_RUN)
    given(tmp_path, "run=b/r.txt", TREC_RUN)
    assert set(scan_runs(tmp_path).collect()["run"]) == {"a", "b"}


def test_what_a_file_says_goes_before_its_folder(tmp_path):
    given(tmp_path, "user=u/q.csv", "qid,docno,rel\nt7,D1,1\n")
    assert scan_qrels(tmp_path).collect().rows() == [("t7", "D1", 1)]


@pytest.mark.parametrize("source", ["", "*.parquet", "run=a/*.parquet"])
def test_a_delta_table_is_refused(tmp_path, source):
    parts(tmp_path / "delta" / "run=a", RUN)
    given(tmp_path, "delta/old.parquet", parquet(RUN, {"qid": str, "docno": str, "score": float}))
    given(tmp_path, "delta/new.parquet", parquet(RUN, {"qid": str, "docno": str, "score": float}))
    given(tmp_path, "delta/_delta_log/0.json", "{}")
    with pytest.raises(
        BadData, match=r"a Delta table \(_delta_log\), some files of which may be d"
    ):
        scan_runs(tmp_path / "delta" / source)


# ------------------------------------------------ converted
def test_what_is_read_can_be_converted(tmp_path):
    convert(given(tmp_path, "r.tsv", lines("{0}\t{1}\t{2}", RUN)), tmp_path / "r.run")
    assert (
        scan_runs(tmp_path / "r.run").collect().select("query_id", "doc_id", "score").rows() == RUN
    )


@pytest.mark.parametrize(("score", "remarked"), [("1", True), ("0.5", False), ("2000", False)])
def test_converting_what_may_be_qrels_is_remarked_on(tmp_path, score, remarked):
    """`convert` has no place that says which it is, as BEIR's qrels and a run look alike."""
    beir = given(tmp_path, "test.tsv", f"query-id\tcorpus-id\tscore\nq\td\t{score}\n")
    with pytest.warns(Remark, match="--columns score=label") if remarked else nullcontext():
        convert(beir, tmp_path / "out.csv")


@pytest.mark.parametrize("name", ["r.csv.bz2", "r.xz", "r.zip"])
def test_what_is_read_only_is_not_written(tmp_path, name):
    with pytest.raises(BadUsage, match=r"is read, but not written; \.gz and \.zst are"):
        convert({"q": {"d": 1}}, tmp_path / name)


# Of what a stranger tried: blanks behind commas, quotes in ids, times as labels.
Q3 = {("11", "d1"): 1, ("11", "d3"): 2, ("12", "e1"): 1}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("blank.csv", "qid, docno, label\n11, d1, 1\n11, d3, 2\n12, e1, 1\n", Q3),
        ("blank.tsv", "query-id\tcorpus-id\tscore\n11\t d1\t1\n11\td3 \t2\n12\te1\t1\n", Q3),
        ("quoted.tsv", '"qid"\t"docno"\tlabel\n"11"\t"d1"\t1\n11\td3\t2\n12\te1\t1\n', Q3),
        (
            "stray.tsv",
            'query-id\tcorpus-id\tscore\n11\t"d1\t1\n11\td3"\t2\n12\te"1\t1\n',
            {("11", '"d1'): 1, ("11", 'd3"'): 2, ("12", 'e"1'): 1},
        ),
    ],
)
def test_blanks_and_quotes_around_values(tmp_path, name, text, expected):
    (tmp_path / name).write_text(text)
    rows = scan_qrels(tmp_path / name).collect().rows()
    assert {(query, doc): label for query, doc, label in rows} == expected


@pytest.mark.parametrize("second", ["d1 d3 e1", "7 7 7"])
@pytest.mark.parametrize("time", ["881250949", "881250949.5"])
def test_times_are_no_labels(tmp_path, second, time):
    items = second.split()
    rows = [f"{user} {item} 5 {time}" for user, item in zip([11, 11, 12], items, strict=True)]
    (tmp_path / "ratings.data").write_text("\n".join(rows) + "\n")
    with pytest.raises(ul.BadData, match="--columns"):
        scan_qrels(tmp_path / "ratings.data").collect()


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("11 Q0 d2 1 20.5 s\n11 Q0 d1 2 19.25 s\n", False),
        ("11 Q0 d1 2 19.25 s\n11 Q0 d2 1 20.5 s\n", False),
        ("11 Q0 d2 0 20.5 s\n11 Q0 d1 0 21 s\n", False),  # no ranks at all
        ("11 Q0 d2 1 0 s\n11 Q0 d1 2 0 s\n", False),  # ties
        ("11 Q0 d2 20.5 1 s\n11 Q0 d1 19.25 2 s\n", True),  # rank and score exchanged
        ("11 Q0 d2 1 20.5 s\n11 Q0 d1 2 21 s\n", True),
    ],
)
def test_scores_that_contradict_the_ranks_are_told(tmp_path, rows, told):
    (tmp_path / "run.txt").write_text(rows)
    with pytest.warns(Remark, match="ranks and scores disagree") if told else nullcontext():
        scan_runs(tmp_path / "run.txt").collect()


def test_subtopics_may_have_names(tmp_path):
    (tmp_path / "qrels.txt").write_text("11 s1 d1 1\n11 s2 d1 1\n12 s1 e1 1\n")
    with pytest.raises(ul.BadData, match="subtopic"):
        scan_qrels(tmp_path / "qrels.txt").collect()
