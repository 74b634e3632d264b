"""`ulframe trec_eval` prints what trec_eval prints, line for line."""

from __future__ import annotations

from math import log2

import polars as pl
import pytest

from ulframe.cli.main import BAD_USAGE, DONE, main
from ulframe.cli.trec_eval import _mean_in_order

GOLDEN = {
    "out.test": "qrels.test results.test",
    "out.test.a": "-m all_trec qrels.test results.test",
    "out.test.aq": "-m all_trec -q qrels.test results.test",
    "out.test.aqc": "-m all_trec -q -c qrels.test results.trunc",
    "out.test.aql": "-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test",
    "out.test.aqZ": "-q -m all_trec -Z zscores_file qrels.test results.test",
    "out.comment.test": "qrels.comment.test results.comment.test",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_output_is_trec_evals(shared, name, capsys, monkeypatch):
    monkeypatch.chdir(shared / "trec_eval")
    assert main(["trec_eval", *GOLDEN[name].split()]) == DONE
    want = (shared / "trec_eval" / name).read_text().splitlines()
    assert capsys.readouterr().out.splitlines() == want


QRELS = "1 0 a 1\n1 0 b 0\n1 0 c -1\n1 0 d 12\n2 0 a 1\n"
RUN = "1 Q0 d 0 3 tag\n1 Q0 x 0 2 tag\n1 Q0 c 0 1 tag\n1 Q0 b 0 0 tag\n3 Q0 a 0 0 tag\n"


@pytest.fixture
def printed(tmp_path, capsys):
    """What the command prints of a run of one query, missing another, with the options given."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)

    def run(*options: str) -> list[list[str]]:
        given = ["trec_eval", *options, str(tmp_path / "qrels"), str(tmp_path / "run")]
        assert main(given) == DONE
        return [line.split() for line in capsys.readouterr().out.splitlines()]

    return run


def test_measures_print_in_trec_evals_order_with_cutoffs_from_small_to_large(printed):
    lines = printed("-m", "recall.2", "-mP.10,5", "-m", "map")
    assert [name for name, *_ in lines] == ["map", "P_5", "P_10", "recall_2"]


def test_the_first_parameters_of_a_measure_count(printed):
    assert [name for name, *_ in printed("-m", "P.3", "-m", "P.4")] == ["P_3"]


def test_queries_without_summary(printed):
    lines = printed("-qnc", "-m", "map", "-m", "gm_map", "-m", "num_q")
    assert lines == [["map", "1", "0.5000"], ["map", "2", "0.0000"]]


@pytest.mark.parametrize(
    ("options", "letters"), [([], "'>-.0'"), (["-J"], "'>0'"), (["-M2"], "'>-'")]
)
def test_relevance_as_letters(printed, options, letters):
    assert printed("-q", "-m", "relstring", *options) == [["relstring", "1", letters]]


def test_complete_counts_queries_that_the_run_misses(printed):
    counts = ("-m", "num_q", "-m", "num_rel")
    assert printed(*counts) == [["num_q", "all", "1"], ["num_rel", "all", "2"]]
    assert printed("-c", *counts) == [["num_q", "all", "2"], ["num_rel", "all", "3"]]


def test_the_size_of_the_collection_is_for_utility(printed):
    # Of 9 documents, 1 relevant one was returned, 3 others were, 1 relevant one was not, 4 not.
    assert printed("-N9", "-m", "utility.1,1,1,10") == [["utility_1,1,1,10", "all", "45.0000"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-R", "prefs"], "-R prefs is not offered, only -R qrels"),
        (["-R", "qrels_jg"], "-R qrels_jg is not offered"),
        (["-T", "other"], "-T other is not offered"),
        (["-m", "all_prefs"], "all_prefs needs preferences or several judges, not offered here"),
        (["-m", "prefs_simp"], "prefs_simp needs preferences"),
        (["-m", "qrels_jg"], "qrels_jg needs preferences or several judges"),
        (["-m", "nope"], "trec_eval has no measure 'nope', nor one like it"),
        (["-m", "P."], "-m P.: no parameters behind the point"),
        (["-m", "P.five"], "five: these are not all numbers"),
        (["-m", "P.0"], "the cutoff is a whole number of at least 1"),
        (["-m", "utility.1,2"], "takes 4 numbers"),
        (["-m", "ndcg.1"], "takes gains of at least 0 by label"),
    ],
)
def test_what_is_not_offered_is_refused_by_name(options, message, capsys):
    assert main(["trec_eval", *options, "qrels", "run"]) == BAD_USAGE
    assert message in capsys.readouterr().err


def test_the_same_input_prints_the_same_to_the_last_digit(tmp_path, capsys):
    """Means of thirds and of products that lie between two numbers of four decimals."""
    lines = [f"{q} Q0 d{d} 0 {-d} tag\n" for q in range(60) for d in range(16)]
    labels = [f"{q} 0 d{d} {int((q * 7 + d * d) % 5 == 0)}\n" for q in range(60) for d in range(16)]
    (tmp_path / "run").write_text("".join(lines))
    (tmp_path / "qrels").write_text("".join(labels))
    given = ["trec_eval", "-q", "-m", "all_trec", str(tmp_path / "qrels"), str(tmp_path / "run")]
    printed = set()
    for _ in range(5):
        main(given)
        printed.add(capsys.readouterr().out)
    assert len(printed) == 1


def test_means_are_summed_from_the_first_query_to_the_last():
    """As trec_eval sums: what is too little beside the sum so far is lost, one by one."""
    large = 2.0**53  # the next number is 2 more, so that adding 1 changes nothing
    scores = pl.DataFrame({"own": [large, *[1.0] * 510, -large]})
    assert scores.select(_mean_in_order("own")).item() == 0.0
    assert scores.reverse().select(_mean_in_order("own")).item() == 1.0 * 510 / 512


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        # of c (-1), b (0), one that is not judged, and a (1): b and a, at ranks 2 and 4
        ("num_rel", 2), ("num_rel_ret", 2), ("map", (1 / 2 + 2 / 4) / 2), ("recip_rank", 1 / 2),
        ("P.4", 2 / 4), ("recall.2", 1 / 2), ("Rprec", 1 / 2), ("set_F", 2 * 2 / (4 + 2)),
        # what labels are worth is the same at every level
        ("ndcg", (1 / log2(5)) / 1), ("G", 1 / log2(2 + 4 - 1)),
    ],
)  # fmt: skip
def test_level_0_makes_all_that_is_judged_relevant(measure, value, tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c -1\n")
    (tmp_path / "run").write_text("".join(f"1 Q0 {d} 0 {s} t\n" for s, d in enumerate("axbc")))
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    assert main(["trec_eval", "-l0", "-m", measure, *files]) == DONE
    assert float(capsys.readouterr().out.split()[2]) == pytest.approx(value, abs=0.51e-4)


def test_a_level_below_0_is_refused(capsys):
    assert main(["trec_eval", "-l-1", "qrels", "run"]) == BAD_USAGE
    assert "-l -1" in capsys.readouterr().err
