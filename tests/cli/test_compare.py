"""`ulframe queries`, `ulframe compare` and `--sets`: scores in, sets and pairs out."""

import json

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ulframe as ul
from tests.matrices import as_scores, made
from ulframe import analysis
from ulframe.cli.main import main
from ulframe.report.table import NONE


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The scores of the sample as a file, as `ulframe eval -o` writes it."""
    path = tmp_path_factory.mktemp("scores") / "scores.parquet"
    measures = ["nDCG@5", "nDCG@10", "V2(SP@10)"]
    ul.evaluate(ul.sample_qrels(), ul.sample_runs(), measures).sink_parquet(path)
    return path


@pytest.fixture
def sets(sample, tmp_path):
    path = tmp_path / "sets.parquet"
    assert main(["queries", str(sample), "--uninformative", "50", "--ideal", "40",
                 "-m", "nDCG@5", "nDCG@10", "-o", str(path)]) == 0  # fmt: skip
    return path


def test_queries_writes_what_the_library_gives(sample, sets, capsys):
    scores = pl.scan_parquet(sample).filter(pl.col("measure").str.starts_with("nDCG"))
    queries = analysis.real_and_expected(scores)
    expected = analysis.query_sets(queries, uninformative_n=50, ideal_n=40).collect()
    assert_frame_equal(pl.read_parquet(sets), expected)


def test_queries_says_how_many_are_in_no_set(sample, capsys):
    assert main(["queries", str(sample), "--uninformative", "300", "--ideal", "9"]) == 0
    out, err = capsys.readouterr()
    assert "in the set 'all' only, for having nothing relevant: 5 queries" in err
    assert "a set of 300 was asked for, but only 195 can be in" in err
    assert "| uninformative |     195 |" in out


def test_queries_keeps_how_it_was_made_in_the_footer(sample, sets):
    made_of = json.loads(pl.read_parquet_metadata(sets)["ulframe"])
    assert made_of["options"]["uninformative"] == 50
    assert made_of["inputs"][0]["path"] == str(sample)


def test_the_presets_are_the_papers_sizes(sample, capsys):
    assert main(["queries", str(sample), "--preset", "mslr"]) == 0
    assert "a set of 1000 was asked for" in capsys.readouterr().err


def test_queries_asks_for_sizes(sample, capsys):
    assert main(["queries", str(sample), "--ideal", "5"]) == 2
    assert "Give --uninformative N and --ideal N, or --preset" in capsys.readouterr().err


# ---------------------------------------------------------------- compare
def test_compare_writes_what_the_library_gives(sample, sets, tmp_path, capsys):
    out = tmp_path / "pairs.parquet"
    assert main(["compare", str(sample), "--sets", str(sets), "-o", str(out)]) == 0
    expected = analysis.compare(pl.scan_parquet(sample), sets=pl.read_parquet(sets)).collect()
    assert_frame_equal(pl.read_parquet(out), expected)
    out_text, err = capsys.readouterr()
    assert "| uninformative | nDCG@5    |" in out_text
    assert f"{7 * 3 * 28} pairs; -o writes them all" in err


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_powers_stand_side_by_side_with_the_interval_of_their_difference(sample, capsys):
    assert main(["compare", str(sample), "--test", "hsd", "--alpha", "0.2"]) == 0
    header, _, first, *others = capsys.readouterr().out.split("\n\n")[0].splitlines()
    powers = analysis.resampled_power(pl.scan_parquet(sample), test="hsd", alpha=0.2)
    expected = analysis.power_difference(powers).head(2).collect().to_dicts()
    assert cells(header)[3:7] == ["significant", "more_than_first", "low", "high"]
    assert cells(first)[3:7] == [str(expected[0]["n_a"]), *[NONE] * 3]
    for line, row in zip(others, expected, strict=True):
        numbers = [str(row["n_b"]), str(row["difference"])]
        assert cells(line)[1] == row["measure_b"]
        assert cells(line)[3:7] == [*numbers, f"{row['low']:.4f}", f"{row['high']:.4f}"]


def test_powers_of_tests_that_cannot_be_resampled_have_none(sample, capsys):
    assert main(["compare", str(sample), "--test", "wilcoxon"]) == 0
    assert "more_than_first" not in capsys.readouterr().out


def test_compare_prints_few_pairs_as_they_are(sample, capsys):
    args = ["--runs", "bm25", "dense", "-m", "nDCG@10", "--transform", "arcsine"]
    assert main(["compare", str(sample), *args]) == 0
    header, _, row = capsys.readouterr().out.splitlines()
    assert header.split("|")[1].strip() == "measure"
    assert [cell.strip() for cell in row.split("|")[1:4]] == ["nDCG@10", "bm25", "dense"]


# Scores of six queries; a is better than b and c by much, these two differ by noise
SCORES = [
    [0.9, 0.8, 0.9, 0.8, 0.9, 0.8],
    [0.3, 0.1, 0.2, 0.2, 0.3, 0.1],
    [0.1, 0.3, 0.2, 0.2, 0.1, 0.3],
]


@pytest.fixture
def three(tmp_path):
    path = tmp_path / "three.csv"
    as_scores(SCORES).write_csv(path)
    return path


def rows_of(text):
    return [cells(line) for line in text.splitlines() if not line.startswith("|:")]


def test_a_pair_has_its_winner_and_runs_have_letters(three, capsys):
    assert main(["compare", str(three)]) == 0
    pairs, title, means = capsys.readouterr().out.split("\n\n")
    header, *rows = rows_of(pairs)
    assert header == [
        "measure", "run_a", "run_b", "mean_a", "mean_b", "diff", "ci_low", "ci_high", "p_adjusted",
        "winner",
    ]  # fmt: skip
    assert [(row[1], row[2], row[3], row[4], row[-1]) for row in rows] == [
        ("a", "b", "0.8500", "0.2000", "a"),
        ("a", "c", "0.8500", "0.2000", "a"),
        ("b", "c", "0.2000", "0.2000", ""),
    ]
    assert title == "**Means; runs with a letter in common do not differ significantly**"
    assert rows_of(means) == [
        ["run", "AP"], ["a", "0.8500 a"], ["b", "0.2000 b"], ["c", "0.2000 b"],
    ]  # fmt: skip


def test_with_a_baseline_there_is_a_row_per_run(three, capsys):
    assert main(["compare", str(three), "--baseline", "b"]) == 0
    header, *rows = rows_of(capsys.readouterr().out)
    assert header == ["measure", "run", "mean", "diff", "ci_low", "ci_high", "p_adjusted", "winner"]
    assert [(row[1], row[2], row[3], row[-1]) for row in rows] == [
        ("a", "0.8500", "0.6500", "a"),
        ("b", "0.2000", NONE, "(baseline)"),
        ("c", "0.2000", "0.0000", ""),
    ]


def test_many_pairs_come_as_a_matrix(tmp_path, capsys):
    path = tmp_path / "scores.parquet"
    # nine runs, each better than the next by .1 and a little, but for the first two: these differ
    # by .05 in every query, now the one way and now the other
    values = [[0.9 - run / 10 - query * run / 1e4 for query in range(10)] for run in range(9)]
    values[1] = [0.9 + 0.05 * (-1) ** query for query in range(10)]
    as_scores(values).write_parquet(path)
    assert main(["compare", str(path)]) == 0
    title, matrix = capsys.readouterr().out.split("\n\n")[-2:]
    assert title == "**AP: significantly better (↑) or worse (↓) than the column's**"
    header, *rows = rows_of(matrix)
    assert header == ["run", *map(str, range(1, 10))]
    expected = [["↓"] * at + [""] + ["↑"] * (8 - at) for at in range(9)]
    expected[0][1] = expected[1][0] = "="
    assert [row[1:] for row in rows] == expected


@pytest.fixture
def texts(tmp_path):
    """Qrels of six queries, and two runs, each relevant document at the first or second rank."""
    qrels = "".join(f"{q} 0 r 1\n{q} 0 n 0\n" for q in range(6))
    good = "".join(f"{q} Q0 r 1 2 good\n{q} Q0 n 2 1 good\n" for q in range(6))
    bad = "".join(f"{q} Q0 n 1 2 bad\n{q} Q0 r 2 {1 if q else 3} bad\n" for q in range(6))
    for name, text in (("qrels", qrels), ("good", good), ("bad", bad)):
        (tmp_path / f"{name}.txt").write_text(text)
    return [str(tmp_path / f"{name}.txt") for name in ("qrels", "good", "bad")]


def test_compare_takes_qrels_and_runs(texts, capsys):
    assert main(["compare", *texts, "-m", "RR"]) == 0
    _, row = rows_of(capsys.readouterr().out)
    # bad: RR 1 in the first query, 1/2 in the five others
    assert row[:5] == ["RR", "bad", "good", f"{(1 + 5 / 2) / 6:.4f}", "1.0000"]
    assert row[-1] == "good"


def test_compare_of_qrels_and_runs_is_that_of_their_scores(texts, tmp_path, capsys):
    scores = str(tmp_path / "scores.parquet")
    assert main(["eval", *texts, "RR", "nDCG@5", "-o", scores]) == 0
    capsys.readouterr()
    printed = []
    for given in (texts, [scores]):
        assert main(["compare", *given, "RR", "nDCG@5", "--format", "csv"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_report_takes_qrels_and_runs(texts, tmp_path, capsys):
    out = tmp_path / "report.md"
    assert main(["report", *texts, "-m", "RR", "-o", str(out)]) == 0
    assert f"| bad  |     {(1 + 5 / 2) / 6:.4f} |" in out.read_text()
    assert main(["report", *texts, "-o", str(tmp_path / "report.html")]) == 0
    assert "so these are taken: nDCG@10" in capsys.readouterr().err
    assert "V2(nDCG@10)" in (tmp_path / "report.html").read_text()


def test_several_files_of_scores_are_one(texts, tmp_path, capsys):
    files = []
    for run in texts[1:]:
        files.append(f"{run}.parquet")
        assert main(["eval", texts[0], run, "-m", "RR", "-o", files[-1]]) == 0
    assert main(["compare", *files, "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (row["run_a"], row["run_b"]) == ("bad", "good")


@pytest.mark.parametrize("form", ["csv", "json"])
def test_compare_prints_all_pairs_in_other_formats(sample, form, capsys):
    assert main(["compare", str(sample), "--test", "hsd", "--format", form]) == 0
    text = capsys.readouterr().out
    rows = len(json.loads(text)) if form == "json" else text.count("\n") - 1
    assert rows == 3 * 28


def test_compare_reads_csv(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    as_scores(made(2, 10)).write_csv(path)
    assert main(["compare", str(path), "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    expected = analysis.compare(as_scores(made(2, 10))).collect()
    assert row["p_value"] == pytest.approx(expected["p_value"].item())


def test_compare_says_what_it_left_out(tmp_path, capsys):
    path = tmp_path / "scores.parquet"
    scores = as_scores(made(3, 10))
    scores.filter((pl.col("run") != "b") | (pl.col("query_id") < "q0008")).write_parquet(path)
    attributes = tmp_path / "lengths.csv"
    attributes.write_text("qid,length\nq0000,1\nq0001,2\nq0002,2\nq0009,2\n")
    assert main(["compare", str(path), "--sets", str(attributes)]) == 0
    err = capsys.readouterr().err
    assert "length=2, AP: some run lacks 1 query; compared: 2" in err
    assert "length=1, AP: fewer than two queries that all runs have; not tested" in err


def test_compare_says_when_p_values_are_too_coarse(tmp_path, capsys):
    path = tmp_path / "scores.parquet"
    as_scores([[0.1 * i] * 20 + [0.0] for i in range(5)]).write_parquet(path)
    args = ["compare", str(path), "--test", "randomisation", "--resamples", "99"]
    assert main(args) == 0
    assert "too coarse for 10 pairs: take --resamples 200" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["--runs", "bm-25", "dense"], 2, "no run 'bm-25' in the scores; there is bm25"),
        (["-m", "nDCG@6"], 2, "no measure 'nDCG@6' in the scores; there is nDCG@"),
        (["--baseline", "none"], 2, "no run 'none' to be the baseline"),
        (["--runs", "bm25"], 1, "takes two runs, but there is only 'bm25'"),
        (["--test", "hsd", "--correction", "holm"], 2, "counts all pairs already"),
        (["--transform", "arcsine", "-m", "V2(SP@10)"], 1, "from 0 to 1"),
        (["--sets", "nowhere.csv"], 1, "nowhere.csv: no such file"),
    ],
)
def test_bad_input(sample, args, code, message, capsys):
    assert main(["compare", str(sample), *args]) == code
    assert message in capsys.readouterr().err


def test_a_file_that_is_no_scores(tmp_path, capsys):
    path = tmp_path / "run.txt"
    path.write_text("q1 Q0 d1 1 0.5 tag\n")
    assert main(["compare", str(path)]) == 1
    assert "not a table" in capsys.readouterr().err
    table = tmp_path / "x.csv"
    table.write_text("run,query_id,score\na,1,0.5\n")
    assert main(["compare", str(table)]) == 1
    assert "no column 'measure'" in capsys.readouterr().err


def test_a_score_that_is_no_number(tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_text("run,query_id,measure,score\na,1,AP,high\n")
    assert main(["compare", str(path)]) == 1
    assert "cannot be read as scores" in capsys.readouterr().err


# ---------------------------------------------------------------- eval --sets
@pytest.fixture
def files(tmp_path):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n")
    run.write_text("1 Q0 a 1 0.5 x\n2 Q0 b 1 0.5 x\n3 Q0 a 1 0.5 x\n")
    return [str(qrels), str(run)]


def test_eval_gives_means_per_set_in_their_order(files, tmp_path, capsys):
    sets = tmp_path / "sets.csv"
    sets.write_text("query_id,set\n3,late\n2,late\n1,early\n2,early\n")
    assert main(["eval", *files, "-m", "P@1", "RR", "--sets", str(sets)]) == 0
    _, _, *rows = capsys.readouterr().out.splitlines()
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]
    assert cells == [
        ["all", "x", "3", "0.6667", "0.6667"],
        ["late", "x", "2", "0.5000", "0.5000"],
        ["early", "x", "2", "0.5000", "0.5000"],
    ]


def test_a_set_that_is_called_all_stays_the_only_one(files, tmp_path, capsys):
    sets = tmp_path / "sets.csv"
    sets.write_text("query_id,set\n1,some\n1,all\n2,all\n")
    assert main(["eval", *files, "-m", "P@1", "--sets", str(sets)]) == 0
    rows = [row.split("|")[1:4] for row in capsys.readouterr().out.splitlines()[2:]]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["some", "x", "1"],
        ["all", "x", "2"],
    ]


def test_compare_tests_all_queries_beside_the_sets(tmp_path, capsys):
    scores, sets = tmp_path / "scores.parquet", tmp_path / "sets.csv"
    as_scores(made(2, 10)).write_parquet(scores)
    sets.write_text("query_id,set\nq0001,some\nq0002,some\nq0003,some\n")
    assert main(["compare", str(scores), "--sets", str(sets), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["set"] for row in found] == ["all", "some"]
    alone = analysis.compare(as_scores(made(2, 10))).collect()
    assert found[0]["p_value"] == pytest.approx(alone["p_value"].item())


def test_eval_refuses_sets_of_other_queries(files, tmp_path, capsys):
    sets = tmp_path / "sets.csv"
    sets.write_text("query_id,set\n33,late\n")
    assert main(["eval", *files, "-m", "P@1", "--sets", str(sets)]) == 1
    assert "no query of the query sets is in the scores" in capsys.readouterr().err


def test_eval_shows_one_set_by_its_name_and_says_which_have_no_query(files, tmp_path, capsys):
    sets = tmp_path / "sets.csv"
    sets.write_text("query_id,language\n1,en\n77,de\n78,de\n")
    assert main(["eval", *files, "-m", "P@1", "--sets", str(sets)]) == 0
    out, err = capsys.readouterr()
    assert "| language=en |" in out
    assert "set language=de: none of its 2 queries is in the scores" in err


# ---------------------------------------------------------------- what would be lost or unseen
def test_no_command_replaces_what_it_reads(sample, sets, tmp_path, capsys):
    scores = tmp_path / "scores.parquet"
    scores.write_bytes(sample.read_bytes())
    before = scores.read_bytes(), sets.read_bytes()
    every = str(tmp_path / "*.parquet")
    values = tmp_path / "values.csv"
    values.write_text("run,query_id,measure,score\na,1,AP,0.5\n")
    for asked in (
        ["queries", str(scores), "--preset", "mq2007", "-o", str(scores)],
        ["queries", every, "--preset", "mq2007", "-o", str(scores)],
        ["compare", str(scores), "-o", str(scores)],
        ["compare", str(scores), "--sets", str(sets), "-o", str(sets)],
        ["report", str(values), "-o", str(values)],
        ["paper", f"X={values}", "-o", str(tmp_path)],
    ):
        assert main(asked) == 2
        assert "is read as well: write to another file" in capsys.readouterr().err
    assert (scores.read_bytes(), sets.read_bytes()) == before


def test_compare_and_report_say_which_sets_have_no_query(sample, tmp_path, capsys):
    sets = tmp_path / "sets.csv"
    sets.write_text("query_id,language\nq001,en\nq002,en\nx1,de\nx2,de\n")
    page = str(tmp_path / "report.md")
    for asked in (["compare", str(sample)], ["report", str(sample), "-o", page]):
        assert main([*asked, "--sets", str(sets)]) == 0
        out, err = capsys.readouterr()
        assert "set language=de: none of its 2 queries is in the scores" in err
        assert out.startswith("| set ") or asked[0] == "report"


def test_queries_names_the_sets_without_queries(sample, capsys):
    asked = ["queries", str(sample), "-m", "nDCG@5", "--uninformative", "1", "--ideal", "1"]
    assert main([*asked, "--low", "0", "--high", "1"]) == 0
    assert "no query is in hard, easy" in capsys.readouterr().err


@pytest.mark.parametrize("bounds", [["--low", "nan"], ["--low", "0.6", "--high", "0.5"]])
def test_queries_refuses_bounds_that_cannot_be(sample, bounds, capsys):
    assert main(["queries", str(sample), "--preset", "mq2007", *bounds]) == 2
    assert "low <= high" in capsys.readouterr().err


def test_a_small_p_value_does_not_read_as_0(tmp_path, capsys):
    path = tmp_path / "scores.parquet"
    values = [[0.5 + i / 1000 for i in range(50)], [0.1 + i * i / 1e5 for i in range(50)]]
    as_scores(values).write_parquet(path)
    assert main(["compare", str(path)]) == 0
    out = capsys.readouterr().out
    assert "<0.0001" in out
    assert "0.0000" not in out


def test_a_seed_below_0_is_refused_in_one_line(sample, capsys):
    assert main(["compare", str(sample), "--test", "bootstrap", "--seed", "-1"]) == 2
    assert "seed=-1" in capsys.readouterr().err


def test_the_arcsine_of_a_score_below_0_is_refused_with_advice(sample, capsys):
    assert main(["compare", str(sample), "--transform", "arcsine"]) == 1
    assert "or another transform, such as ranks" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["x.doc", "nowhere/x.parquet"])
def test_where_no_table_can_be_written_is_refused_before_the_work(sample, files, out, capsys):
    for asked in (
        ["queries", str(sample), "--preset", "mq2007"],
        ["compare", str(sample)],
        ["eval", *files, "-m", "AP"],
    ):
        assert main([*asked, "-o", out]) == 2
        printed, err = capsys.readouterr()
        assert not printed
        assert out in err
        assert len(err.splitlines()) == 1
