"""`ulframe eval`, `convert` and `demo`: what they print, what they write, how they fail."""

import io
import json
import subprocess
import sys

import polars as pl
import pytest

from ulframe.cli.main import COMMANDS, main

QRELS = "1 0 a 2\n1 0 b 0\n2 0 c 1\n3 0 d 0\n"
RUN = "1 Q0 b 1 9.0 bm25\n1 Q0 a 2 8.0 bm25\n2 Q0 c 1 7.5 bm25\n9 Q0 z 1 1.0 bm25\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with `qrels.txt`, `bm25.txt` and `dl.txt` to work in."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "bm25.txt").write_text(RUN)
    (tmp_path / "dl.txt").write_text("1 Q0 a 1 1.0 dl\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("runs", "rows"),
    [
        # AP: 1/2, 1, 0; V2(P@1): (0 - 1/2) / (1/2), undefined (c alone is judged), undefined
        (["bm25.txt"], ["|bm25|0.5000|-0.3333|"]),
        # dl has a alone: AP 1, 0, 0; V2(P@1): 1, -1 for having missed c, undefined
        (["bm25.txt", "dl.txt"], ["|bm25|0.5000|-0.3333|", "|dl|0.3333|0.0000|"]),
    ],
)
def test_a_row_per_run_and_a_column_per_measure(files, capsys, runs, rows):
    assert main(["eval", "qrels.txt", *runs, "-m", "AP", "V2(P@1)"]) == 0
    header, _, *found = capsys.readouterr().out.replace(" ", "").splitlines()
    assert header == "|run|AP|V2(P@1)|"
    assert found == rows


def test_lists_of_trec_eval_are_columns_in_their_order(files, capsys):
    assert main(["eval", "qrels.txt", "bm25.txt", "dl.txt", "-m", "map", "P.1,2"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].replace(" ", "") == "|run|map|P_1|P_2|"
    assert "| dl   | 0.3333 | 0.3333 | 0.1667 |" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        # AP is undefined in query 3, V2(P@1) in 2 as well, where any order is as good
        ([], "means over 3 queries; undefined in 1 query (taken as 0): AP, R@5; "
             "undefined in 2 queries (taken as 0): V2(P@1)"),
        (["--undefined", "skip"], "means over 1 to 2 queries"),
        (["--queries", "relevant"], "means over 2 queries; undefined in 1 query"),
    ],
)  # fmt: skip
def test_what_means_are_over_is_told(files, capsys, options, said):
    given = ["eval", "qrels.txt", "bm25.txt", "-m", "AP", "R@5", "V2(P@1)", *options]
    assert main(given) == 0
    assert said in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(
    ("options", "first_cells"),
    [
        ([], ["bm25", "dl"]),
        (["--sort", "AP"], ["bm25", "dl"]),
        (["--sort", "P@1"], ["bm25", "dl"]),  # equal: as they came
        (["--sort", "V2(P@1)"], ["dl", "bm25"]),
        (["--sort", "map"], ["bm25", "dl"]),  # another name of AP
    ],
)
@pytest.mark.parametrize("form", ["table", "csv"])
def test_the_best_comes_first_by_the_measure_asked_for(files, capsys, options, first_cells, form):
    given = ["eval", "qrels.txt", "bm25.txt", "dl.txt", "-m", "AP", "P@1", "V2(P@1)"]
    assert main([*given, "--format", form, *options]) == 0
    _, *rows = capsys.readouterr().out.replace("|:-", "").splitlines()
    names = [row.strip("| ").split("|")[0].split(",")[0].strip() for row in rows]
    assert list(dict.fromkeys(name for name in names if name in {"bm25", "dl"})) == first_cells


def test_queries_are_sorted_within_their_run(files, capsys):
    given = ["eval", "qrels.txt", "bm25.txt", "-m", "AP", "--per-query", "--sort", "AP"]
    assert main(given) == 0
    rows = [row.split("|")[2].strip() for row in capsys.readouterr().out.splitlines()[2:]]
    assert rows == ["2", "1", "3"]  # 1, 1/2, undefined


@pytest.mark.parametrize(
    ("digits", "cell"),
    [([], "0.3333"), (["--digits", "2"], "0.33"), (["--digits", "6"], "0.333333")],
)
def test_digits(files, capsys, digits, cell):
    assert main(["eval", "qrels.txt", "dl.txt", "-m", "AP", *digits]) == 0
    assert capsys.readouterr().out.splitlines()[2].replace(" ", "") == f"|dl|{cell}|"


def test_intervals_stand_behind_the_means(files, capsys):
    assert main(["eval", "qrels.txt", "bm25.txt", "-m", "AP", "--intervals", "--digits", "3"]) == 0
    # resamples of 0.5, 1, 0: their means go from 0 to 1
    assert "| bm25 | 0.500 (0.000 to 1.000) |" in capsys.readouterr().out


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_table_fits_into_the_terminal(files, monkeypatch, width):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", str(width))
    names = ["AP", "RR", "P@1", "P@2", "P@3", "nDCG@10", "V2(nDCG@10)", "R@1", "R@2"]
    assert main(["eval", "qrels.txt", "bm25.txt", "dl.txt", "-m", *names]) == 0
    out = terminal.getvalue()
    blocks = [block.splitlines() for block in out.split("\n\n")]
    assert max(len(line) for block in blocks for line in block) <= width
    assert all([line.split("|")[1].strip() for line in block[2:]] == ["bm25", "dl"]
               for block in blocks)  # fmt: skip
    shown = [cell.strip() for block in blocks for cell in block[0].split("|")[2:-1]]
    assert [name.removesuffix(" (gain=exp)") for name in shown] == names


def test_remarks_go_to_stderr(files, capsys):
    main(["eval", "qrels.txt", "bm25.txt", "dl.txt", "-m", "nDCG@10"])
    err = capsys.readouterr().err
    assert "left out, for want of qrels: 1 query" in err
    assert "run 'bm25' misses 1 query of the qrels" in err
    assert "run 'dl' misses 2 queries of the qrels" in err
    assert "exponential gain" in err


def test_no_remark_where_both_gains_are_one(files, capsys):
    (files / "qrels.txt").write_text(QRELS.replace(" 2\n", " 1\n"))
    main(["eval", "qrels.txt", "bm25.txt", "-m", "nDCG@10"])
    assert "gain" not in capsys.readouterr().err


def test_trec_format(files, capsys):
    main(["eval", "qrels.txt", "bm25.txt", "dl.txt", "-m", "map", "V2(P@1)", "--format", "trec",
          "--per-query"])  # fmt: skip
    assert capsys.readouterr().out.splitlines()[:9] == [
        "runid                 \tall\tbm25",
        "map                   \t1\t0.5000",
        "V2(P@1)               \t1\t-1.0000",
        "map                   \t2\t1.0000",
        "V2(P@1)               \t2\t0.0000",
        "map                   \t3\t0.0000",
        "V2(P@1)               \t3\t0.0000",
        "map                   \tall\t0.5000",
        "V2(P@1)               \tall\t-0.3333",
    ]


def test_trec_means_come_by_the_run_s_name_and_in_it_as_asked(files, capsys):
    (files / "a.txt").write_text("1 Q0 b 1 1.0 a\n")
    main(["eval", "qrels.txt", "dl.txt", "bm25.txt", "a.txt", "-m", "P@10", "map", "P@5", "AP@2",
          "--format", "trec"])  # fmt: skip
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    asked = ["P@10", "map", "P@5", "AP@2"]
    assert [name for name, _, _ in lines] == ["runid", *asked] * 3
    assert [value for name, _, value in lines if name == "runid"] == ["a", "bm25", "dl"]
    # a has the other document of query 1; dl the relevant one: P@10 is 1/10, for 3 queries
    assert lines[1:3] == [["P@10", "all", "0.0000"], ["map", "all", "0.0000"]]
    assert lines[11:13] == [["P@10", "all", "0.0333"], ["map", "all", "0.3333"]]


def test_csv_has_an_empty_cell_where_a_score_is_undefined(files, capsys):
    main(["eval", "qrels.txt", "bm25.txt", "-m", "nDCG@1", "--format", "csv", "--per-query"])
    assert capsys.readouterr().out.splitlines() == [
        "run,query_id,measure,score,value,upper,expected",
        "bm25,1,nDCG@1,0.0,0.0,3.0,1.5",
        "bm25,2,nDCG@1,1.0,1.0,1.0,1.0",
        "bm25,3,nDCG@1,,0.0,0.0,0.0",
    ]


def test_json_has_null(files, capsys):
    main(["eval", "qrels.txt", "bm25.txt", "-m", "nDCG@1", "--format", "json", "--per-query"])
    assert [row["score"] for row in json.loads(capsys.readouterr().out)] == [0.0, 1.0, None]


@pytest.mark.parametrize("measure", ["AP", "R@5", "nDCG@5"])
def test_undefined_scores_of_queries_are_null_but_in_trec_format(files, capsys, measure):
    given = ["eval", "qrels.txt", "bm25.txt", "-m", measure, "--per-query"]
    main([*given, "--format", "json", "-o", "scores.parquet"])
    assert json.loads(capsys.readouterr().out)[2]["score"] is None
    main([*given, "--format", "csv"])
    assert capsys.readouterr().out.splitlines()[3].startswith(f"bm25,3,{measure},,")
    main([*given, "--format", "trec"])
    assert f"{measure:<22}\t3\t0.0000" in capsys.readouterr().out
    assert pl.read_parquet("scores.parquet")["score"].to_list()[2] is None


def test_only_queries_with_something_relevant(files, capsys):
    given = ["eval", "qrels.txt", "bm25.txt", "--queries", "relevant", "--format", "csv"]
    assert main([*given, "-m", "AP"]) == 0
    told = capsys.readouterr()
    assert "left out, for want of a label of at least 1: 1 of 3 queries" in told.err
    assert told.out.splitlines()[1].startswith("bm25,all,AP,0.75,2,0,0,")
    assert main([*given, "-m", "AP(rel=2)"]) == 0
    assert "for want of a label of at least 2: 2 of 3 queries" in capsys.readouterr().err
    assert main([*given, "-m", "AP(rel=5)"]) == 1
    assert "no query of the qrels has a label of at least 5" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("measures", "heading"),
    [
        (["nDCG@10", "nDCG@5"], "|run|nDCG@10(gain=exp)|nDCG@5|"),
        (["AP", "ndcg"], "|run|AP|ndcg(gain=linear)|"),
        (["nDCG@10", "ndcg_cut_10"], "|run|nDCG@10|ndcg_cut_10|"),
    ],
)
def test_the_heading_names_the_gain_where_it_counts(files, capsys, measures, heading):
    main(["eval", "qrels.txt", "bm25.txt", "dl.txt", "-m", *measures])
    assert capsys.readouterr().out.splitlines()[0].replace(" ", "") == heading


def test_a_trap_is_told_once(files, capsys):
    main(["eval", "qrels.txt", "bm25.txt", "-m", "map@5,10"])
    err = capsys.readouterr().err.splitlines()
    assert [line for line in err if "recommenders" in line] == [
        "map@5 is AP@5, over all r that are relevant; recommenders' MAP over min(k, r) is U(SP@5)"
    ]


def test_a_summary_as_csv_is_the_whole_summary(files, capsys):
    main(["eval", "qrels.txt", "bm25.txt", "-m", "AP", "--format", "csv", "--undefined", "skip"])
    header, row = capsys.readouterr().out.splitlines()
    assert header == "run,set,measure,mean,n_queries,n_undefined,n_missing,ci_low,ci_high"
    assert row.startswith("bm25,all,AP,0.75,2,1,1,")


def test_scores_are_written_with_how_they_were_made(files, capsys):
    assert main(["eval", "qrels.txt", "bm25.txt", "-m", "V2(SP@5)", "-o", "scores.parquet"]) == 0
    scores = pl.read_parquet("scores.parquet")
    assert scores.columns == [
        "run", "query_id", "measure", "score", "value", "upper", "expected",
    ]  # fmt: skip
    made = json.loads(pl.read_parquet_metadata("scores.parquet")["ulframe"])
    assert made["missing"] == {"bm25": ["3"]}
    assert made["dropped"] == ["9"]
    assert [i["bytes"] for i in made["inputs"]] == [len(QRELS), len(RUN)]
    assert made["options"]["measures"] == ["V2(SP@5)"]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "arrow", "tsv", "csv.gz"])
def test_scores_in_other_formats(files, ending):
    assert main(["eval", "qrels.txt", "bm25.txt", "-m", "AP", "-o", f"scores.{ending}"]) == 0
    assert (files / f"scores.{ending}").stat().st_size > 0


def test_queries_pool_depth_ties_and_parts(files, capsys):
    common = ["eval", "qrels.txt", "bm25.txt", "-m", "RLB(P@1)", "--format", "csv"]
    for options, mean in [
        ([], (1 / 2 + 1 + 0) / 3),
        (["--queries", "both"], (1 / 2 + 1) / 2),
        (["--pool", "10"], (1 / 10 + 1 / 10 + 0) / 3),
        (["--pool", "retrieved"], (1 / 2 + 1 + 0) / 3),
        (["--parts", "2"], (1 / 2 + 1 + 0) / 3),
        (["--depth", "1", "--ties", "input", "--pool", "retrieved"], (0 + 1 + 0) / 3),
    ]:
        assert main(common + options) == 0
        assert float(capsys.readouterr().out.splitlines()[1].split(",")[3]) == pytest.approx(mean)


def test_standard_input(files, capsys, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(RUN.encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert main(["eval", "qrels.txt", "-", "-m", "AP"]) == 0
    assert "0.5000" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["qrels.txt", "bm25.txt", "-m", "nDGC@10"], 2, "no measure 'nDGC'"),
        (["qrels.txt", "bm25.txt", "-m", "P"], 0, ""),  # trec_eval's list of cutoffs
        (["qrels.txt", "bm25.txt", "-m", "V2(P)"], 2, "V2(P) needs a cutoff, as in V2(P@10)"),
        (["qrels.txt", "none.txt", "-m", "AP"], 1, "none.txt: no such file"),
        (["qrels.txt", "bad.txt", "-m", "AP"], 1, "bad.txt, line 2: '1 Q0 b' has 3 fields"),
        (["qrels.txt", "twice.txt", "-m", "AP"], 1, "document twice"),
        (["qrels.txt", "other.txt", "-m", "AP"], 1, "no query in common"),
        (["qrels.txt", "latin.txt", "-m", "AP"], 1, "latin.txt, line 2: not UTF-8"),
        (["qrels.txt", "bm25.txt", "-m", "AP", "-o", "none/s.parquet"], 2, "no folder"),
        (["qrels.txt", "bm25.txt", "-m", "AP", "-o", "scores.txt"], 2, "ends in one of"),
        (["qrels.txt", "bm25.txt", "-m", "AP", "--pool", "1"], 1, "judged, 1 in all"),
        (["qrels.txt", "bm25.txt", "-m", "AP", "--pool", "some"], 2, "pool='some'"),
    ],
)
def test_how_it_fails(files, capsys, arguments, code, message):
    (files / "bad.txt").write_text("1 Q0 a 1 2.0 t\n1 Q0 b\n")
    (files / "twice.txt").write_text("1 Q0 a 1 2.0 t\n1 Q0 a 2 1.0 t\n")
    (files / "other.txt").write_text("x Q0 a 1 2.0 t\n")
    (files / "latin.txt").write_bytes(b"1 Q0 a 1 2.0 t\n1 Q0 \xe9 2 1.0 t\n")
    before = sorted(path.name for path in files.iterdir())
    assert main(["eval", *arguments]) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") <= 3
    assert code == 0 or captured.out == ""
    assert sorted(path.name for path in files.iterdir()) == before  # nothing half written


@pytest.mark.parametrize(
    "arguments",
    [["eval", "q", "r", "-m", "AP", "--depth", "0"], ["report", "scores.parquet"], ["evil"]],
)
def test_bad_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: ulframe" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_examples(command, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0
    usage, told = capsys.readouterr().out.split("\n\n", 1)
    assert f"ulframe {command}" in usage
    assert f"ulframe {command}" in told


def test_no_command_shows_them_all(capsys):
    assert main([]) == 2
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)


def test_convert(files, capsys):
    assert main(["convert", "bm25.txt", "run.parquet"]) == 0
    assert pl.read_parquet("run.parquet").columns == ["run", "query_id", "doc_id", "score"]
    assert main(["convert", "run.parquet", "again.txt"]) == 0
    assert (files / "again.txt").read_text() == RUN
    assert main(["convert", "bm25.txt", "x.parquet", "--columns", "a"]) == 2
    assert "write THEIRS=OURS" in capsys.readouterr().err


def test_demo_is_the_whole_job_on_the_sample(capsys):
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 2 + 8


def test_a_closed_pipe_is_no_error(files):
    command = "from ulframe.cli.main import main; import sys; sys.exit(main())"
    made = subprocess.run(
        f"{sys.executable} -c '{command}' eval qrels.txt bm25.txt -m P --per-query | head -1",
        shell=True, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert made.stderr.count("\n") == 2  # the two remarks on queries


def test_a_run_from_a_pipe(files):
    command = "from ulframe.cli.main import main; import sys; sys.exit(main())"
    made = subprocess.run(
        ["bash", "-c", f"{sys.executable} -c '{command}' eval qrels.txt <(cat bm25.txt) -m AP "
         "-o scores.parquet"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "0.5000" in made.stdout
    made = json.loads(pl.read_parquet_metadata("scores.parquet")["ulframe"])
    assert made["inputs"][1]["bytes"] == len(RUN)


def test_an_input_is_not_overwritten(files, capsys):
    main(["convert", "bm25.txt", "run.csv"])
    assert main(["eval", "qrels.txt", "run.csv", "-m", "AP", "-o", "run.csv"]) == 2
    assert "run.csv is read as well" in capsys.readouterr().err


def test_a_table_with_a_ragged_row(files, capsys):
    (files / "ragged.csv").write_text("query_id,doc_id,label\n1,a,1,9,9\n")
    assert main(["eval", "ragged.csv", "bm25.txt", "-m", "AP"]) == 1
    says = "ragged.csv, row 1 behind the header: more values than the header's 3: ['1', 'a', '1']"
    assert says in capsys.readouterr().err


def test_a_run_of_other_documents_is_told(tmp_path, capsys):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("11 0 d1 1\n12 0 e1 1\n")
    run.write_text("11 Q0 D1 1 2 s\n12 Q0 E1 1 2 s\n")
    assert main(["eval", str(qrels), str(run), "-m", "AP"]) == 0
    assert "run 's' returns nothing that counts for any measure" in capsys.readouterr().err
