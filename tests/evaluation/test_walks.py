"""Users by C/W/L: by hand, by a plain oracle, and as cwl_eval computes them where it is there."""

import random
from math import log2

import polars as pl
import pytest

import ulframe as ul
from ulframe.cli.main import main
from ulframe.evaluation.users import FOUND, GAIN, RANK, USERS, User
from ulframe.evaluation.walks import MEASURED, walk

QRELS = {"q": {"a": 1, "b": 0}}
RUN = {"q": ["b", "a"]}


def measured(user, qrels=QRELS, run=RUN, **options):
    found = walk(qrels, run, user, **options).collect()
    return found.drop("run", "query_id", "user").row(0, named=True)


@pytest.mark.parametrize(
    ("user", "depth", "utility", "total", "documents"),
    [
        ("P(k=1)", 1000, 0, 0, 1),
        ("P(k=4)", 1000, 1 / 4, 1, 4),
        ("RR", 1000, 1 / 2, 1, 2),
        ("AP", 1000, 1 / 2, 1, 2),
        # seen with 1, 1/2, 1/4; the last document is not stopped at, but left by all
        ("RBP(p=0.5)", 3, 1 / 2 / (7 / 4), 1 / 4 + 1 / 8, 7 / 4),
        ("SDCG(k=2)", 1000, 1 / log2(3) / (1 + 1 / log2(3)), 1 / log2(3), 1 + 1 / log2(3)),
        # goes on with (2/3)^2 from 1, (3/4)^2 from 2
        ("INSQ(T=1)", 2, 4 / 9 / (13 / 9), 4 / 9 * (1 - 9 / 16), 13 / 9),
        # with (2/3)^2 from 1, where nothing was found, ((1 + 1)/(2 + 1))^2 from 2, where 1 was
        ("INST(T=1)", 2, 4 / 9 / (13 / 9), 4 / 9 * (1 - 4 / 9), 13 / 9),
        ("BPM(T=1,K=10)", 1000, 1 / 2, 1, 2),
        ("BPM(T=2,K=5)", 1000, 1 / 5, 1, 5),
        ("NERR8(k=5)", 1000, 1 / 2, 1, 2),
        ("NERR9(k=5)", 1000, 1 / 2 / (3 / 2), 1 / 2, 3 / 2),
        ("NERR10(p=0.5)", 1000, 1 / 2 / (3 / 2), 1 / 2, 3 / 2),
        ("NERR11(T=1)", 1000, 4 / 9 / (13 / 9), 4 / 9, 13 / 9),
    ],
)
def test_a_user_by_hand(user, depth, utility, total, documents):
    found = measured(user, depth=depth)
    assert found["utility"] == pytest.approx(utility)
    assert found["total_utility"] == pytest.approx(total)
    assert found["documents"] == pytest.approx(documents)
    assert found["cost"] == pytest.approx(1)


def test_the_residual_is_what_the_unjudged_could_be():
    # of five, the second is relevant, the first is not, three are not judged
    found = measured("P(k=5)")
    assert found["residual_utility"] == pytest.approx(3 / 5)
    assert found["residual_total_utility"] == pytest.approx(3)
    # a better third document changes nothing for who stops at the second
    assert measured("RR")["residual_utility"] == pytest.approx(0)


def test_costs_are_spent():
    costs = pl.DataFrame({"doc_id": ["b"], "cost": [3.0]})
    found = measured("P(k=3)", costs=costs, dearest=2.0, cheapest=1.0)
    assert found["total_cost"] == pytest.approx(3 + 2 + 2)
    assert found["cost"] == pytest.approx(7 / 3)
    assert found["residual_total_cost"] == pytest.approx(-2)
    assert measured("BPM(T=9,K=4)", costs=costs, dearest=2.0)["documents"] == 2


def test_gains_are_shares_of_the_highest_label():
    qrels = {"q": {"a": 2, "b": 4, "c": -1}}
    assert measured("P(k=1)", qrels, {"q": ["a"]})["utility"] == 2 / 4
    assert measured("P(k=1)", qrels, {"q": ["a"]}, highest=8)["utility"] == 2 / 8
    assert measured("P(k=1)", qrels, {"q": ["c"]})["utility"] == 0


def test_a_user_of_ones_own_is_one_expression():
    curious = User(pl.when(FOUND > 0).then(0.0).otherwise(1 / RANK))
    found = walk(QRELS, RUN, {"curious": curious}).collect()
    # sees the second for sure, stops there
    assert found.select("user", "utility").rows() == [("curious", 1 / 2)]
    assert GAIN.meta.output_name() == "gain"


def test_every_query_of_the_qrels_and_every_run_in_order():
    qrels = {"q": {"a": 1}, "p": {"a": 1}}
    found = walk(qrels, {"x": {"q": {"a": 1.0}}, "w": {"q": {"b": 1.0}}}, ["P(k=1)", "RR"])
    rows = found.select("run", "query_id", "user", "utility").collect().rows()
    none_found = 0.0  # RR of what is nowhere found, of 1,000 ranks
    assert rows == [
        ("w", "p", "P(k=1)", 0), ("w", "p", "RR", none_found),
        ("w", "q", "P(k=1)", 0), ("w", "q", "RR", none_found),
        ("x", "p", "P(k=1)", 0), ("x", "p", "RR", none_found),
        ("x", "q", "P(k=1)", 1), ("x", "q", "RR", 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("user", "options", "kind", "says"),
    [
        ("INSTT", {}, ul.BadUsage, "no 'INSTT'; there is INST"),
        ("INST(k=1)", {}, ul.BadUsage, "INST has no setting 'k': it takes T"),
        ("P", {}, ul.BadUsage, r"P needs k, as in P\(k=10\)"),
        ("P(k=1.5)", {}, ul.BadUsage, "k is a whole number"),
        ("RBP(p=1)", {}, ul.BadUsage, "p is between 0 and 1"),
        ("INSQ(T=0)", {}, ul.BadUsage, "T is above 0"),
        ("RR", {"depth": 0}, ul.BadUsage, "depth=0"),
        ("RR", {"cheapest": 2.0}, ul.BadUsage, "cheapest=2, dearest=1"),
        ("RR", {"costs": {"doc_id": "a", "cost": 0.0}}, ul.BadData, "of 'a' 0.0; each .* above 0"),
        ("RR", {"costs": {"doc_id": ["a", "a"], "cost": 1.0}}, ul.BadData, "each document has one"),
        ("RR", {"highest": 0.5}, ul.BadData, "a label 1, above highest=0.5"),
        ("RR", {"costs": {"doc_id": ["a"]}}, ul.BadData, "no column 'cost'"),
    ],
)
def test_what_is_refused(user, options, kind, says):
    if "costs" in options:
        options = {"costs": pl.DataFrame(options["costs"])}
    with pytest.raises(kind, match=says):
        walk(QRELS, RUN, user, **options)


def test_a_document_twice_is_refused():
    twice = pl.DataFrame({"query_id": "q", "doc_id": "a", "score": [1.0, 2.0]})
    with pytest.raises(Exception, match="a run returns a document twice"):
        walk(QRELS, twice, "RR").collect()


CWL = {
    "P(k=5)": ("precision", "PrecisionCWLMetric", (5,)),
    "RBP(p=0.8)": ("rbp", "RBPCWLMetric", (0.8,)),
    "SDCG(k=10)": ("dcg", "NDCGCWLMetric", (10,)),
    "RR": ("rr", "RRCWLMetric", ()),
    "AP": ("ap", "APCWLMetric", ()),
    "INSQ(T=2)": ("insq", "INSQCWLMetric", (2.0,)),
    "INST(T=2)": ("inst", "INSTCWLMetric", (2.0,)),
    "BPM(T=1,K=7)": ("bpm", "BPMCWLMetric", (1.0, 7.0)),
    "NERR8(k=10)": ("nerr", "NERReq8CWLMetric", (10,)),
    "NERR9(k=10)": ("nerr", "NERReq9CWLMetric", (10,)),
    "NERR10(p=0.8)": ("nerr", "NERReq10CWLMetric", (0.8,)),
    "NERR11(T=3)": ("nerr", "NERReq11CWLMetric", (3.0,)),
}


def test_the_same_as_cwl_eval():
    pytest.importorskip("cwl")
    from importlib import import_module

    from cwl.ruler.ranking import Ranking

    assert {name.partition("(")[0] for name in CWL} == {*USERS}
    rng = random.Random(0)
    documents = [f"d{at:02}" for at in range(30)]
    for _ in range(5):
        labels = {one: rng.choice([0, 0, 1, 2, 4]) for one in rng.sample(documents, 20)}
        order = rng.sample(documents, 25)
        costs = {one: rng.choice([0.5, 1.0, 2.0]) for one in rng.sample(documents, 25)}
        table = pl.DataFrame({"doc_id": [*costs], "cost": [*costs.values()]})
        qrels = {"q": labels | {"elsewhere": 4}}
        found = walk(qrels, {"q": order}, list(CWL), costs=table, dearest=2.0, cheapest=0.5)
        for row in found.collect().iter_rows(named=True):
            module, kind, settings = CWL[row["user"]]
            user = getattr(import_module(f"cwl.ruler.measures.cwl_{module}"), kind)(*settings)
            gains = [labels[one] / 4 if one in labels else float("nan") for one in order]
            spent = [costs.get(one, float("nan")) for one in order]
            user.residuals = True
            user.measure(Ranking("q", gains, spent, max_cost=2.0, min_cost=0.5))
            parts = ("utility", "total_utility", "cost", "total_cost", "items")
            theirs = [
                getattr(user, f"{case}expected_{one}")
                for case in ("", "residual_")
                for one in parts
            ]
            ours = [row[f"{case}{one}"] for case in ("", "residual_") for one in MEASURED]
            assert ours == pytest.approx(theirs, abs=1e-9), row["user"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q 0 a 2\nq 0 b 0\n")
    (tmp_path / "run").write_text("q Q0 b 1 2 x\nq Q0 a 2 1 x\n")


def test_the_command_prints_means_and_says_what_gains_1(files, capsys):
    assert main(["users", "qrels", "run", "-m", "RR", "P(k=4)"]) == 0
    out, err = capsys.readouterr()
    assert "label 2 gains 1" in err
    assert [line.split("|")[2:4] for line in out.splitlines()[2:]] == [
        [" RR     ", "  0.5000 "], [" P(k=4) ", "  0.2500 "],
    ]  # fmt: skip


def test_the_command_writes_what_the_function_gives(files, capsys):
    words = ["--highest", "4", "--per-query", "-o", "users.parquet"]
    assert main(["users", "qrels", "run", "-m", "RR", *words]) == 0
    written = pl.read_parquet("users.parquet")
    assert written["utility"].to_list() == [2 / 4 / 2]
    assert pl.read_csv(capsys.readouterr().out.encode()).columns == written.columns


def test_the_command_refuses_an_unknown_user(files, capsys):
    assert main(["users", "qrels", "run", "-m", "nDCG@10"]) == 2


def test_the_command_says_which_queries_are_missing(files, tmp_path, capsys):
    (tmp_path / "qrels").write_text("q 0 a 1\nmissed 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 2 x\nunjudged Q0 a 1 2 x\n")
    for command in (["users"], ["auc"], ["diversity", "-m", "StRecall@5"]):
        assert main([command[0], "qrels", "run", *command[1:]]) == 0
        err = capsys.readouterr().err
        assert "left out, for want of qrels: 1 query" in err
        assert "run 'x' misses 1 query of the qrels" in err
