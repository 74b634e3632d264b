"""Words of a command line: which are files, which are measures, and what is said where neither."""

from __future__ import annotations

import pytest

from ulframe.cli.lines import WIDTH, placed
from ulframe.cli.main import main
from ulframe.cli.words import DEFAULT, sorted_words
from ulframe.frames.errors import BadData, BadUsage

QRELS = "1 0 a 2\n1 0 b 0\n2 0 c 1\n3 0 d 0\n"
RUN = "1 Q0 b 1 9.0 bm25\n1 Q0 a 2 8.0 bm25\n2 Q0 c 1 7.5 bm25\n"
LINES = 3


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with qrels `q`, runs `run.txt` and `other`, and a run that is called `AP`."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("q", QRELS), ("run.txt", RUN), ("other", RUN.replace("bm25", "dl"))):
        (tmp_path / name).write_text(text)
    (tmp_path / "AP").write_text(RUN.replace("bm25", "ap"))
    return tmp_path


SORTED = [
    # bare, behind each -m, files, measures
    ("q run.txt", [], "q run.txt", ""),
    ("q run.txt RR P@1", [], "q run.txt", "RR P@1"),
    ("RR q P@1 run.txt", [], "q run.txt", "RR P@1"),
    ("q run.txt", ["RR P@1"], "q run.txt", "RR P@1"),
    ("", ["RR P@1 q run.txt"], "q run.txt", "RR P@1"),
    ("", ["RR q run.txt P@1"], "q run.txt", "RR P@1"),
    ("q", ["RR run.txt"], "q run.txt", "RR"),
    ("q run.txt", ["RR", "P@1"], "q run.txt", "RR P@1"),
    ("q run.txt", ["AP"], "q run.txt", "AP"),  # directly behind -m it is the measure
    ("q ./AP", ["AP"], "q ./AP", "AP"),
    ("", ["AP q ./AP"], "q ./AP", "AP"),
    ("q -", ["RR"], "q -", "RR"),
    ("", ["RR q -"], "q -", "RR"),
    ("q *.txt", ["RR"], "q *.txt", "RR"),
    ("", ["RR q *.txt"], "q *.txt", "RR"),
    ("q none.txt", [], "q none.txt", ""),  # who reads it says that it is missing
    ("q runs/none", [], "q runs/none", ""),
    ("", ["RR q none.txt"], "q none.txt", "RR"),
    ("q run.txt P.5,10", [], "q run.txt", "P.5,10"),
    ("q run.txt official", [], "q run.txt", "official"),
    ("q run.txt", ["V2(P)"], "q run.txt", "V2(P)"),  # who reads measures says what it wants
    ("q run.txt", ["nDGC"], "q run.txt", "nDGC"),
]


@pytest.mark.parametrize(("bare", "behind", "files", "measures"), SORTED)
def test_words_are_sorted(here, bare, behind, files, measures):
    found = sorted_words(bare.split(), [group.split() for group in behind])
    assert (found.files, found.measures) == (files.split(), measures.split())


@pytest.mark.parametrize(
    ("bare", "behind", "error", "message"),
    [
        ("q AP", [], BadUsage, "AP is a file here, and a measure. For the file, write ./AP;"),
        ("", ["RR q AP"], BadUsage, "write ./AP"),
        ("q rum", [], BadData, "rum: no such file, and no measure 'rum'"),
        ("q run.txt nDGC@10", [], BadUsage, "no measure 'nDGC' in 'nDGC@10'; did you mean nDCG"),
    ],
)
def test_words_are_refused(here, bare, behind, error, message):
    with pytest.raises(error) as refused:
        sorted_words(bare.split(), [group.split() for group in behind])
    assert message in str(refused.value)


# AP of bm25: query 1 has a at rank 2, query 2 c at rank 1, query 3 nothing: (1/2 + 1) / 3
ORDERS = [
    "q run.txt -m AP RR --digits 2",
    "-m AP RR q run.txt --digits 2",
    "-m AP RR q --digits 2 run.txt",
    "q -m AP RR --digits 2 run.txt",
    "--digits 2 -m AP q run.txt RR",
    "q --digits 2 run.txt -m AP -m RR",
    "q -m AP -- run.txt",
    "RR q run.txt -mAP",
]


@pytest.mark.parametrize("words", ORDERS)
def test_options_may_stand_anywhere(here, capsys, words):
    assert main(["eval", "--format", "csv", *words.split()]) == 0
    rows = [row.split(",") for row in capsys.readouterr().out.splitlines()[1:]]
    assert {row[0] for row in rows} == {"bm25"}
    assert {row[2]: float(row[3]) for row in rows}["AP"] == pytest.approx(0.5, abs=0.01)


def test_files_keep_their_order_wherever_they_stand(here, capsys):
    assert main(["eval", "-m", "AP", "q", "--digits", "2", "other", "--depth", "9", "run.txt"]) == 0
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()[2:]] == ["bm25", "dl"]


def test_places_are_kept():
    assert [(word, word.place) for word in placed(["a", "-m", "a"])] == [
        ("a", 0), ("-m", 1), ("a", 2),
    ]  # fmt: skip


def test_without_a_measure_there_is_a_set_of_them(here, capsys):
    assert main(["eval", "q", "run.txt"]) == 0
    out, err = capsys.readouterr()
    heading = out.splitlines()[0].replace("nDCG@10 (gain=exp)", "nDCG@10")
    assert [cell.strip() for cell in heading.split("|")[2:-1]] == [*DEFAULT]
    assert "no measure is named (-m), so these are taken" in err
    assert "exponential gain" in err


def test_a_measure_that_is_a_file_too_is_told(here, capsys):
    assert main(["eval", "q", "run.txt", "-m", "AP"]) == 0
    assert "AP is taken as the measure; the file of that name is ./AP" in capsys.readouterr().err


def exit_code(command):
    """What the process would end with: argparse ends it itself."""
    try:
        return main(command.split())
    except SystemExit as stopped:
        return stopped.code


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("eval q run.txt -l 2 -m AP", 2, "as in AP(rel=2)"),
        ("eval q run.txt -l2", 2, "as in AP(rel=2)"),
        ("eval q run.txt -l", 2, "as in AP(rel=N)"),
        ("eval -M 100 q run.txt", 2, "--depth 100 reads"),
        ("eval -q q run.txt", 2, "--per-query prints each"),
        ("eval -c q run.txt", 2, "--queries both counts those of the run alone"),
        ("eval -n q run.txt", 2, "--per-query prints no means"),
        ("eval -J q run.txt", 2, "P(judged_only=true)@10"),
        ("eval -N 1000 q run.txt", 2, "--pool 1000"),
        ("compare -q q run.txt other", 2, "--per-query"),
        ("report q run.txt -l 2 -o x.html", 2, "as in AP(rel=2)"),
        ("trec_eval -m P_5 q run.txt", 2, "write P.5"),
        ("trec_eval -m ndcg_cut_10 q run.txt", 2, "write ndcg_cut.10"),
        ("trec_eval -m mapp q run.txt", 2, "did you mean map"),
        ("eval", 2, "QRELS and at least one RUN are wanted, but none is given"),
        ("eval q", 2, "QRELS and at least one RUN are wanted, but only q is given"),
        ("eval q AP", 2, "write ./AP"),
        ("eval q rum", 1, "rum: no such file, and no measure 'rum'"),
        ("eval q none.txt", 1, "none.txt: no such file"),
        ("eval q run.txt -m AP none.txt", 1, "none.txt: no such file"),
        ("eval q run.txt -m nDGC", 2, "no measure 'nDGC'; did you mean nDCG"),
        ("eval q run.txt -m RR --sort P@1", 2, "--sort P@1: it is not among the measures"),
        ("eval q run.txt RR --format trec --sort RR", 2, "leave out --sort"),
        ("eval q run.txt RR --format trec --digits 2", 2, "leave out --digits"),
        ("eval q run.txt RR --per-query --intervals", 2, "leave out --per-query"),
        ("eval q run.txt --digits x", 2, "'x' is not a whole number of at least 1"),
        ("eval q run.txt --format x", 2, "invalid choice"),
        ("compare", 2, "SCORES, or QRELS and at least one RUN are wanted"),
        ("compare q run.txt -m AP", 1, "comparing takes two runs, but there is only 'bm25'"),
        ("report q run.txt", 2, "required: -o"),
    ],
)
def test_refusals(here, capsys, command, code, message):
    assert exit_code(command) == code
    out, err = capsys.readouterr()
    told = [line for line in err.splitlines() if "taken" not in line and "gain" not in line]
    assert out == ""
    assert message in err
    assert len(told) <= LINES
    assert max(map(len, told)) <= WIDTH
