"""Novelty and diversity: by hand, over every ranking, and as ndeval where pyndeval is there."""

import random
from itertools import permutations
from math import log2

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ulframe as ul
from ulframe.cli.main import main
from ulframe.evaluation.diversity import MEASURES, diversity, parse
from ulframe.evaluation.diversity.measures import NORMALISED
from ulframe.evaluation.users import USERS
from ulframe.metrics.elsewhere import said_of

# a is on both subtopics, b on the first, c on none, d on the second
QRELS = {"q": {"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 1, "d": 1, "c": 0}}}
D2, D3 = 1 / log2(3), 1 / log2(4)


def scores(measures, run, qrels=QRELS):
    found = diversity(qrels, {"q": run}, measures).collect()
    return dict(found.select("measure", "score").iter_rows())


@pytest.mark.parametrize(
    ("measure", "run", "expected"),
    [
        ("alpha_DCG@2", "ab", (2 + 1 / 2 * D2) / (2 * (1 + 1 / 2 * D2))),
        ("alpha_DCG(alpha=0)@2", "ab", (2 + D2) / (2 * (1 + D2))),
        ("alpha_DCG@1", "b", 1 / 2),
        # greedily a, then d (of two that add 1/2 the higher id), then b
        ("alpha_nDCG@2", "bd", (1 + D2) / (2 + D2 / 2)),
        ("alpha_nDCG@3", "adb", 1),
        ("ERR_IA@2", "ba", (1 + (1 / 2 + 1) / 2) / (2 * (1 + 1 / 2 / 2))),
        ("nERR_IA@2", "ba", (1 + (1 / 2 + 1) / 2) / (2 + 1 / 2 / 2)),
        ("NRBP", "cb", 1 / 2 * (1 - 1 / 4) / 2),
        ("NRBP(alpha=0.5,beta=0.8)", "cb", 0.8 * (1 - 0.4) / 2),
        ("nNRBP", "cb", 1 / 2 / (2 + 1 / 2 * 1 / 2 + 1 / 4 * 1 / 2)),
        ("StRecall@1", "ba", 1 / 2),
        ("StRecall@2", "bd", 1),
        ("P_IA@2", "ab", (2 + 1) / (2 * 2)),
        ("P_IA@4", "ab", (2 + 1) / (2 * 4)),
        ("U(P_IA@2)", "bd", 2 / 3),
        ("MAP_IA", "ba", ((1 + 2 / 2) / 2 + 1 / 2 / 2) / 2),
    ],
)
def test_by_hand(measure, run, expected):
    assert scores([measure], list(run))[measure] == pytest.approx(expected)


ALL = [
    "alpha_DCG@3",
    "ERR_IA@2",
    "NRBP",
    "StRecall@2",
    "P_IA@3",
    "MAP_IA",
    "alpha_DCG(alpha=0.9)@5",
]


def made(seed, documents, subtopics):
    rng = random.Random(seed)
    names = [f"d{at}" for at in range(documents)]
    return {"q": {str(s): {d: rng.choice([0, 0, 1, 2]) for d in names} for s in range(subtopics)}}


@pytest.mark.parametrize("qrels", [QRELS, made(1, 5, 3), made(2, 6, 2)])
def test_chance_is_the_mean_over_every_ranking(qrels):
    pool = sorted({doc for labels in qrels["q"].values() for doc in labels})
    runs = {f"{at:03}": {"q": list(order)} for at, order in enumerate(permutations(pool))}
    found = diversity(qrels, runs, ALL).collect()
    means = found.group_by("measure").agg(pl.col("value").mean(), pl.col("expected").first())
    for _, value, expected in means.iter_rows():
        assert expected == pytest.approx(value)
    # of P_IA the best is the best of all
    of_p = found.filter(pl.col("measure") == "P_IA@3")
    assert of_p["upper"].first() == pytest.approx(of_p["value"].max())


def test_v2_of_what_has_an_exact_best():
    # of 4 documents 2 answer each of 2 subtopics: a random one is on 1 subtopic, the best on 2
    assert scores(["V2(P_IA@1)", "RLB(P_IA@1)", "IUB(P_IA@1)"], ["a"]) == pytest.approx(
        {"V2(P_IA@1)": 1, "RLB(P_IA@1)": 1 / 2, "IUB(P_IA@1)": 1}
    )


def test_queries_and_runs_that_miss_or_have_nothing():
    qrels = {"q": {"1": {"a": 1}}, "none": {"1": {"a": 0}}, "missed": {"1": {"a": 1}}}
    found = diversity(qrels, {"r": {"q": {"a": 1.0}}}, ["StRecall@5", "alpha_nDCG@5"]).collect()
    assert found.select("query_id", "measure", "score").rows() == [
        ("missed", "StRecall@5", 0), ("missed", "alpha_nDCG@5", 0),
        ("none", "StRecall@5", None), ("none", "alpha_nDCG@5", None),
        ("q", "StRecall@5", 1), ("q", "alpha_nDCG@5", 1),
    ]  # fmt: skip
    assert found.columns == ul.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP").collect().columns


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("alpha_nDGC@20", "there is alpha_DCG|there is alpha_nDCG"),
        ("alpha_nDCG", "needs a cutoff, as in"),
        ("NRBP@20", "NRBP has no cutoff"),
        ("P_IA@0", "a cutoff is at least 1"),
        ("alpha_DCG(alpha=2)@5", "it is from 0 to 1"),
        ("V2(alpha_DCG@20)", "its best ranking is only approached"),
        ("V2(alpha_nDCG@20)", "nests two operators"),
        ("U(MAP_IA)", "has to be searched for"),
        ("", "cannot read the measure"),
    ],
)
def test_what_is_refused(text, says):
    with pytest.raises(ul.BadUsage, match=says):
        parse(text)


@pytest.mark.parametrize(
    ("qrels", "run", "says"),
    [
        ({"q": {"1": {"a": float("nan")}}}, ["a"], "ids and labels must be there"),
        (pl.DataFrame({"query_id": ["q"], "doc_id": "a", "label": 1}), ["a"],
         "no column 'subtopic'"),
        (pl.DataFrame({"query_id": ["q"] * 2, "subtopic": 1, "doc_id": "a", "label": 1}), ["a"],
         "judge a document twice: query_id 'q', subtopic '1', doc_id 'a'"),
        ({"other": {"1": {"a": 1}}}, ["a"], "no query in common"),
    ],
)  # fmt: skip
def test_bad_data_is_refused(qrels, run, says):
    with pytest.raises(Exception, match=says):
        diversity(qrels, {"q": run}, "StRecall@5").collect()


def test_text_tables_and_dicts_are_read_alike(tmp_path):
    lines = [(q, s, d, x) for q, of in QRELS.items() for s, ls in of.items() for d, x in ls.items()]
    (tmp_path / "qrels").write_text("".join(f"{q} {s} {d} {x}\n" for q, s, d, x in lines))
    table = pl.DataFrame(lines, schema=["qid", "subtopic", "docno", "rel"], orient="row")
    table.write_csv(tmp_path / "qrels.csv")
    wanted = diversity(QRELS, {"q": ["b", "a"]}, ALL).collect()
    for source in (tmp_path / "qrels", tmp_path / "qrels.csv", table):
        assert_frame_equal(diversity(source, {"q": ["b", "a"]}, ALL).collect(), wanted)


OF_NDEVAL = [
    f"{name}@{k}" for name in ("alpha-DCG", "alpha-nDCG", "ERR-IA", "nERR-IA", "P-IA", "strec")
    for k in (2, 5, 10, 20)
] + ["NRBP", "nNRBP", "MAP-IA"]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_the_same_as_ndeval(seed):
    pyndeval = pytest.importorskip("pyndeval")
    rng = random.Random(seed)
    names = [f"d{at:02}" for at in range(60)]
    rows = [
        (str(q), str(s), d, rng.choice([0, 0, 1, 2]))
        for q in range(10) for s in range(rng.randint(1, 6)) for d in rng.sample(names, 30)
    ]  # fmt: skip
    found = [(str(q), d, rng.random()) for q in range(10) for d in rng.sample(names, 40)]
    theirs = pyndeval.ndeval(rows, sorted(found, key=lambda row: row[0]), OF_NDEVAL)
    columns = {"schema": ["query_id", "subtopic", "doc_id", "label"], "orient": "row"}
    runs = pl.DataFrame(found, schema=["query_id", "doc_id", "score"], orient="row")
    ours = diversity(pl.DataFrame(rows, **columns), runs, OF_NDEVAL).collect()
    for query, measure, score in ours.select("query_id", "measure", "score").iter_rows():
        assert score == pytest.approx(theirs[query][measure], abs=1e-9), (query, measure)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q 1 a 1\nq 1 b 1\nq 2 a 1\n")
    (tmp_path / "run").write_text("q Q0 b 1 2 x\nq Q0 a 2 1 x\n")


def test_the_command_prints_means_and_writes_scores(files, capsys):
    words = ["-m", "StRecall@1", "StRecall@2", "-o", "scores.parquet"]
    assert main(["diversity", "qrels", "run", *words]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[2].split("|")[2:4] == ["     0.5000 ", "     1.0000 "]
    assert pl.read_parquet("scores.parquet")["score"].to_list() == [1 / 2, 1]


def test_eval_says_where_diversity_is(files, capsys):
    assert main(["eval", "qrels", "run", "-m", "AP"]) == 1
    assert "ulframe diversity" in capsys.readouterr().err
    assert main(["eval", "qrels", "run", "-m", "alpha_nDCG@20"]) == 2
    assert "ulframe diversity" in capsys.readouterr().err


def test_all_that_eval_does_not_know_is_said_to_be_elsewhere():
    for name in (*MEASURES, *NORMALISED):
        assert "ulframe diversity" in said_of(name)
    for name in {*USERS} - {*ul.metrics.catalog.CATALOG}:
        assert "ulframe users" in said_of(name)
