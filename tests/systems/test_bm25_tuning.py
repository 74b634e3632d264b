"""Tuning: the best on the training queries, measured once on the test queries; real collections."""

import json

import polars as pl
import pytest

import ulframe as ul
from ulframe.cli.main import main
from ulframe.systems import bm25
from ulframe.systems.bm25.tuning import at_edge

GRID = bm25.grid(k=[0.0, 2.0], b=[0.0])
DOCUMENTS = {"1": "a a a", "2": "a b", "3": "c", "4": "d"}
QUERIES = {"train": "a b", "test": "a", "other": "c"}
QRELS = {"train": {"2": 1}, "test": {"1": 1}, "other": {"3": 1}}


@pytest.fixture(scope="module")
def index():
    return bm25.build_index(DOCUMENTS)


def test_the_best_on_the_training_queries_is_tested(index):
    # `a b` finds 2 first whatever k is; so the grid's first is taken, by which 2 beats 1 for `a`.
    tuned = bm25.tune(
        index, QUERIES, QRELS, train=["train"], test=["test"], scorings=GRID, measures=["AP", "P@1"]
    )
    assert tuned.best == GRID[0]
    assert tuned.curve.select("k", "b", "measure", "mean").rows() == [
        (0.0, 0.0, "AP", 1.0), (2.0, 0.0, "AP", 1.0),
    ]  # fmt: skip
    assert tuned.run.collect()["doc_id"].to_list() == ["2", "1"]
    scores = tuned.test.scores.collect().select("query_id", "measure", "score")
    assert scores.rows() == [("test", "AP", 1 / 2), ("test", "P@1", 0.0)]


def test_another_training_query_chooses_otherwise(index):
    tuned = bm25.tune(index, QUERIES, QRELS, train=["test"], test=["train"], scorings=GRID)
    assert tuned.best == GRID[1]  # 1 has `a` three times
    assert tuned.curve["mean"].to_list() == [1 / 2, 1.0]


def test_a_weight_of_the_prior_is_searched():
    documents = pl.DataFrame({"doc_id": ["1", "2"], "text": ["a a", "a a"], "prior": [3, 1]})
    tuned = bm25.tune(
        bm25.build_index(documents), {"x": "a", "y": "a"}, {"x": {"1": 1}, "y": {"1": 1}},
        train=["x"], test=["y"], scorings=bm25.grid(k=[1], b=[0], log_prior=[0, 1]),
    )  # fmt: skip
    # without the prior all documents score 0, and none is found
    assert (tuned.best.log_prior, tuned.curve["mean"].to_list()) == (1, [0.0, 1.0])


def test_shared_queries_are_warned_of(index):
    with pytest.warns(UserWarning, match=r"1 of the 2 test queries are training .*\['train'\]"):
        bm25.tune(
            index, QUERIES, QRELS, train=["train"], test=["test", "train"], scorings=GRID
        )  # fmt: skip


@pytest.mark.parametrize("scoring", [bm25.BM25(prior=1), bm25.BM25(log_prior=-1)])
def test_a_weight_of_a_prior_that_no_document_has_is_refused(index, scoring):
    with pytest.raises(ul.BadUsage, match="needs documents that have one, and none in this index"):
        bm25.search(index, QUERIES, scoring).collect()


@pytest.mark.parametrize(
    ("train", "test", "says"),
    [
        (["train", "x"], ["test"], r"the training queries: 1 of 2 .* not among .* \['x'\]"),
        (["train"], ["test", "unjudged"], r"the test queries: 1 of 2 .* not in the qrels, .*"),
    ],
)
def test_unknown_queries_of_a_set_are_warned_of(index, train, test, says):
    queries, qrels = QUERIES | {"unjudged": "d"}, QRELS | {"x": {"1": 1}}
    with pytest.warns(UserWarning, match=says) as caught:
        bm25.tune(index, queries, qrels, train=train, test=test, scorings=GRID)
    assert len(caught) == 1


def test_a_set_without_a_known_query_is_refused_by_its_name(index, tmp_path):
    path = tmp_path / "train.txt"
    for lines, says in {
        "x\ny\n": r"train\.txt: none of 2 queries is among .*--numbered.*, such as \['x', 'y'\]",
        "unjudged\n": r"train\.txt: none of 1 queries is in the qrels, such as \['unjudged'\]",
    }.items():
        path.write_text(lines)
        with pytest.raises(ul.BadData, match=says):
            bm25.tune(
                index, QUERIES | {"unjudged": "d"}, QRELS,
                train=path, test=["test"], scorings=GRID,
            )  # fmt: skip


@pytest.mark.parametrize(
    ("best", "values", "edges"),
    [
        ({"k": 2}, {"k": [1, 2], "b": [0.75]}, {"k": "highest"}),
        ({"k": 1, "b": 0.5}, {"k": [1, 2], "b": [0.5, 0.75]}, {"k": "lowest", "b": "lowest"}),
        ({"k": 2}, {"k": [1, 2, 3], "b": [0.75]}, {}),
        ({"k": 0, "b": 1}, {"k": [0, 1], "b": [0, 1]}, {}),  # a number's range ends there
        ({"log_prior": 0}, {"k": [1.75], "b": [0.75], "log_prior": [0, 1]}, {}),
        (
            {"log_prior": 1},
            {"k": [1.75], "b": [0.75], "log_prior": [0, 1]},
            {"log_prior": "highest"},
        ),
    ],
)
def test_a_best_at_the_edge_of_the_grid(best, values, edges):
    assert at_edge(bm25.BM25(**best), bm25.grid(**values)) == edges


def test_an_empty_grid_is_refused(index):
    with pytest.raises(ul.BadUsage, match="there is no scoring to choose from"):
        bm25.tune(index, QUERIES, QRELS, train=["train"], test=["test"], scorings=[])


def test_sets_of_queries(tmp_path):
    expected = ["q 1", "q2"]
    (tmp_path / "ids.txt").write_text("q 1\n\nq2\nq 1\n")
    (tmp_path / "set.csv").write_text("set,qid\nA,q 1\nA,q2\n")
    (tmp_path / "benchmark.tsv").write_text("q 1\t12\nq2\t3\n")
    (tmp_path / "queries.tsv").write_text("q 1\twhat\nq2\twho\n")
    for name in ("ids.txt", "set.csv", "benchmark.tsv", "queries.tsv"):
        assert bm25.query_set(tmp_path / name).collect()["query_id"].to_list() == expected, name
    frame = pl.DataFrame({"query_id": expected})
    assert bm25.query_set(frame).collect().equals(frame)
    with pytest.raises(ul.BadData, match=r"no column 'query_id'; there are 'id2'"):
        bm25.query_set(pl.DataFrame({"id2": [1]}))


def test_the_heat_map_shows_the_curve():
    rows = [(0.5, 0.3, 0.20), (0.5, 0.7, 0.25), (float("inf"), 0.3, 0.22), (0.5, 0.3, 0.21)]
    curve = pl.DataFrame(rows, schema=["k", "b", "mean"], orient="row").with_columns(
        measure=pl.lit("AP")
    )
    chart = bm25.heatmap(curve).to_dict()
    (data,) = chart["datasets"].values()
    assert [(row["k"], row["b"], row["mean"], row["best"]) for row in data] == [
        ("0.5", "0.3", 0.21, False), ("0.5", "0.7", 0.25, True), ("inf", "0.3", 0.22, False),
    ]  # fmt: skip
    assert "best: 0.250 at k = 0.5, b = 0.7" in chart["title"]["subtitle"][0]


# ---------------------------------------------------------------- Cranfield and CACM
def cranfield_qrels(folder):
    """Cleverdon's codes turned round; -1, one a query, is not in his scale and ranks high."""
    grades = {"-1": 5, "1": 4, "2": 3, "3": 2, "4": 1}
    lines = (folder / "cranfield" / "cranqrel").read_text().splitlines()
    rows = [line.split() for line in lines]
    return pl.DataFrame([(query, doc, grades[code]) for query, doc, code in rows],
                        schema=["query_id", "doc_id", "label"], orient="row")  # fmt: skip


def cacm_qrels(folder):
    rows = [line.split() for line in (folder / "cacm" / "qrels.text").read_text().splitlines()]
    return pl.DataFrame([(str(int(query)), doc, 1) for query, doc, *_ in rows],
                        schema=["query_id", "doc_id", "label"], orient="row")  # fmt: skip


def cranfield(folder, stem):
    texts = bm25.scan_documents(folder / "cranfield" / "cran.all.1400.gz")
    queries = bm25.numbered(bm25.scan_queries(folder / "cranfield" / "cran.qry"))
    return bm25.build_index(texts, bm25.Tokens(stem=stem)), queries, cranfield_qrels(folder)


def mean_ap(qrels, run):
    return ul.means(ul.evaluate(qrels, run, "AP")).collect()["mean"].item()


@pytest.mark.parametrize(
    ("stem", "top", "elsewhere"),
    [(None, 4, 0.28), ("english", 4, 0.31), (None, 5, 0.40), ("english", 5, 0.43)],
)
def test_untuned_cranfield_is_as_measured_elsewhere(shared, stem, top, elsewhere):
    index, queries, qrels = cranfield(shared, stem)
    judged = qrels.filter(pl.col("label") <= top)
    assert mean_ap(judged, bm25.search(index, queries)) == pytest.approx(elsewhere, abs=0.02)


def test_untuned_cacm_is_as_measured_elsewhere(shared):
    index = bm25.build_index(bm25.scan_documents(shared / "cacm" / "cacm.all.gz"))
    queries = bm25.scan_queries(shared / "cacm" / "query.text")
    run = bm25.search(index, queries)
    assert mean_ap(cacm_qrels(shared), run) == pytest.approx(0.27, abs=0.02)


def test_tuned_on_one_half_cranfield_is_better_on_the_other(shared):
    index, queries, qrels = cranfield(shared, "english")
    ids = qrels["query_id"].unique(maintain_order=True)
    halves = [ids.gather_every(2, offset).to_list() for offset in (0, 1)]
    scorings = bm25.grid(k=[1.75, 2.5, 4.0], b=[0.6, 0.75])
    scores = [
        bm25.tune(index, queries, qrels, train=train, test=test, scorings=scorings)
        .test.scores.collect()
        for train, test in (halves, halves[::-1])
    ]  # fmt: skip
    assert pl.concat(scores)["score"].mean() > mean_ap(qrels, bm25.search(index, queries))


# ---------------------------------------------------------------- the command
def test_the_command_tunes_draws_and_writes(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"doc_id": [*DOCUMENTS], "text": [*DOCUMENTS.values()]}).write_csv("docs.csv")
    pl.DataFrame({"qid": [*QUERIES], "query": [*QUERIES.values()]}).write_csv("queries.csv")
    rows = [f"{query} 0 {doc} 1\n" for query, docs in QRELS.items() for doc in docs]
    (tmp_path / "qrels.txt").write_text("".join(rows))
    (tmp_path / "train.txt").write_text("test\nother\n")
    (tmp_path / "test.txt").write_text("train\nother\n")
    assert main(["index", "docs.csv", "-o", "index"]) == 0
    command = "tune index queries.csv qrels.txt --train train.txt --test test.txt"
    outputs = "--k 0 2 --b 0 -o scores.parquet --curve curve.csv --chart curve.svg"
    assert main([*command.split(), *outputs.split(), "-m", "AP", "P@1"]) == 0
    out, err = capsys.readouterr()
    assert "warning: 1 of the 2 test queries are training queries too, such as ['other']" in err
    assert "best of 2 on the training queries: AP 1.0000\n--k 2 --b 0 --every 0" in err
    assert "--k is the highest that was tried: beyond it may be better" in err
    assert [line.split("|")[1:3] for line in out.splitlines()[2:]] == [
        [" AP      ", " 1.0000 "], [" P@1     ", " 1.0000 "],
    ]  # fmt: skip
    assert pl.read_csv("curve.csv")["mean"].to_list() == [3 / 4, 1.0]
    assert "<svg" in (tmp_path / "curve.svg").read_text()
    footer = json.loads(pl.read_parquet_metadata("scores.parquet")["ulframe"])
    assert footer["options"]["best"]["k"] == 2.0


def test_the_command_refuses_and_warns_before_it_tunes(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"doc_id": [*DOCUMENTS], "text": [*DOCUMENTS.values()]}).write_csv("docs.csv")
    (tmp_path / "queries.tsv").write_text("007\ta b\n009\ta\n")
    (tmp_path / "qrels.txt").write_text("1 0 2 1\n2 0 1 1\n")
    (tmp_path / "train.txt").write_text("1\n3\n")
    (tmp_path / "test.txt").write_text("2\n")
    assert main(["index", "docs.csv", "-o", "index"]) == 0
    command = "tune index queries.tsv qrels.txt --train train.txt --test test.txt --k 1 --b 0"
    for more, code, says in [
        ("", 1, "train.txt: none of 2 queries is among the queries to search with (--numbered, "),
        ("--numbered", 0, "warning: train.txt: 1 of 2 queries are not in qrels.txt, such as ['3']"),
        ("--numbered --prior 1", 2, "a weight of the prior needs documents that have one"),
        ("--numbered -o scores.txt", 2, "scores.txt: a table's name ends in one of .parquet"),
        ("--numbered --curve no/curve.csv", 2, "there is no folder 'no' to write to"),
        ("--numbered --chart qrels.txt", 2, "qrels.txt is read as well"),
        ("--numbered --chart curve.jpg", 2, "a chart's file ends in one of .html, .svg"),
        ("--numbered --chart curve.html", 0, "best of 1"),
    ]:
        assert main([*command.split(), *more.split()]) == code
        assert says in capsys.readouterr().err
