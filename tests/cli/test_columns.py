"""`--columns`, for every command that reads a table; and what evaluating says of ratings."""

import polars as pl
import pytest

import ulframe as ul
from ulframe.cli.main import main
from ulframe.frames import write_table

QRELS = "who,what,stars\nu1,a,5\nu1,b,1\nu2,c,4\n"
RUN = "who,what,est\nu1,b,0.5\nu1,a,0.25\nu2,c,1\n"
IDS = ["who=query_id", "what=doc_id"]


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.csv").write_text(QRELS)
    (tmp_path / "r.csv").write_text(RUN)
    (tmp_path / "u.data").write_text(QRELS.partition("\n")[2].replace(",", "::"))


def run(capsys, *args):
    code = main([*args])
    out, err = capsys.readouterr()
    assert code == 0, err
    return out, err


# at rank 2 of u1 and rank 1 of u2 is what has at least 4 stars: (1/2 + 1) / 2
@pytest.mark.parametrize(
    "args",
    [
        ["q.csv", "r.csv", "--columns", *IDS, "stars=label"],
        ["q.csv", "r.csv", "--columns", *IDS, "--columns", "stars=label"],
        ["u.data", "r.csv", "--columns", *IDS, "1=query_id", "2=doc_id", "3=label"],
    ],
)
def test_eval(capsys, args):
    out, _ = run(capsys, "eval", *args, "-m", "AP(rel=4)", "--format", "trec")
    assert out.split()[-1] == "0.7500"


def test_trec_eval(capsys):
    out, _ = run(
        capsys, "trec_eval", "-l4", "-m", "map", "q.csv", "r.csv", "--columns", *IDS, "stars=label"
    )
    assert out.split()[-1] == "0.7500"


def test_a_name_that_is_nowhere(capsys):
    assert main(["eval", "q.csv", "r.csv", "-m", "AP", "--columns", *IDS, "points=label"]) == 2
    assert "no column 'points' to map; there are 'who', 'what', 'stars'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["compare", "report", "queries"])
def test_tables_of_scores(capsys, command, tmp_path):
    qrels = {f"q{n}": {"a": 1, "b": n % 2} for n in range(8)}
    runs = {run: dict.fromkeys(qrels, ("b", "a")) for run in "xy"}
    scores = ul.evaluate(qrels, runs, ["AP", "V2(AP)"]).rename({"run": "system", "score": "points"})
    write_table(scores, "s.csv")
    more = {"queries": ["--uninformative", "2", "--ideal", "2"], "report": ["-o", "r.md"]}
    args = ["s.csv", *more.get(command, []), "--columns", "system=run", "points=score"]
    if command == "queries":
        args += ["-m", "AP"]
    run(capsys, command, *args)


def test_pool(capsys):
    out, _ = run(capsys, "pool", "r.csv", "--depth", "1", "--columns", *IDS)
    assert "u1" in out


def test_convert_with_documents(capsys, tmp_path):
    (tmp_path / "fold").write_text("1 qid:7 1:1 #docid = a\n0 qid:7 1:2 #docid = b\n")
    (tmp_path / "p").write_text("0.5\n0.75\n")
    run(capsys, "convert", "p", "p.run", "--documents", "fold")
    assert (tmp_path / "p.run").read_text() == "7 Q0 a 2 0.5 p\n7 Q0 b 1 0.75 p\n"


# ------------------------------------------------ ratings
@pytest.mark.parametrize(
    ("labels", "measure", "remarked"),
    [
        ([5, 1, 4], "AP", True),
        ([5, 0, 4], "AP", False),
        ([1, 1, 1], "AP", False),  # pairs, not ratings
        ([5, 1, 4], "AP(rel=4)", False),
        ([5, 1, 4], "nDCG", False),
    ],
)
def test_where_every_label_is_relevant(capsys, labels, measure, remarked):
    pl.DataFrame({"user": ["u1", "u1", "u2"], "item": list("abc"), "rating": labels}).write_csv(
        "l.csv"
    )
    _, err = run(capsys, "eval", "l.csv", "r.csv", "-m", measure, "--columns", *IDS)
    assert ("every label is at least 1" in err) == remarked
    assert ("rel=4" in err) == remarked
