"""The benchmark format, `query TAB relevant ids`: by hand, and the lecture's own files."""

import pytest

import ulframe as ul
from ulframe.cli import search as search_command
from ulframe.cli.main import main
from ulframe.systems import bm25

LINES = "Films by Kubrick\t1 3 3\n\nfilms\t 2\nnone\t\n"
DOCUMENTS = "a film by Kubrick\nfilms\nKubrick, a life\n"


@pytest.fixture
def files(tmp_path):
    """A benchmark and the index of its three documents."""
    benchmark = tmp_path / "benchmark.tsv"
    benchmark.write_text(LINES)
    (tmp_path / "films.txt").write_text(DOCUMENTS)
    assert main(["index", str(tmp_path / "films.txt"), "-o", str(tmp_path / "index")]) == 0
    return benchmark, tmp_path / "index"


def test_a_benchmark_is_queries_and_qrels(files):
    found = bm25.scan_benchmark(files[0])
    names = ["Films by Kubrick", "films", "none"]
    assert found.queries.collect().rows() == [(name, name) for name in names]
    assert found.qrels.collect().rows() == [
        ("Films by Kubrick", "1", 1), ("Films by Kubrick", "3", 1), ("films", "2", 1),
    ]  # fmt: skip
    assert ul.scan_qrels([files[0], {"q": {"d": 2}}]).collect().height == 4


def test_a_line_without_a_tab_is_refused(tmp_path):
    path = tmp_path / "benchmark.txt"
    path.write_text("films\t1\nby larry david 5828\n")
    says = "line 2: 'by larry david 5828' has no tab; a benchmark's line is `query TAB"
    with pytest.raises(ul.BadData, match=says):
        bm25.scan_benchmark(path).qrels.collect()


def test_what_cannot_be_written_or_measured_is_refused_before_the_search(
    files, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(search_command, "search", lambda *_, **__: pytest.fail("it is searched"))
    benchmark, index = map(str, files)
    texts = str(tmp_path / "films.txt")
    for command, says in [
        ([benchmark, "-o", str(tmp_path)], "is a folder: name a file to write to"),
        ([benchmark, "-o", "no/run.txt"], "there is no folder 'no' to write to"),
        ([benchmark, "-o", "run.xlsx"], "cannot write .xlsx"),
        ([benchmark, "-o", benchmark], "is read as well: write to another file"),
        ([str(tmp_path / "bench*.tsv"), "-o", benchmark], "is read as well"),
        ([benchmark, "-o", f"{index}/terms.parquet"], "is read as well"),
        ([texts, "-m", "AP"], "films.txt is no benchmark"),
    ]:
        assert main(["search", index, *command]) == 2
        assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "queries"), [("train.tsv", 28), ("test.tsv", 28), ("ws17.txt", 10)]
)
def test_the_lectures_files(shared, name, queries):
    path = shared / "freiburg-movies" / f"movies-benchmark.{name}"
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    found = bm25.scan_benchmark(path)
    assert len(lines) == queries
    assert found.queries.collect()["query_id"].to_list() == [query for query, _ in lines]
    assert found.qrels.collect().height == sum(len({*ids.split()}) for _, ids in lines)
    assert bm25.scan_queries(path).collect().equals(found.queries.collect())


def test_a_run_is_measured_in_one_command(files, capsys):
    benchmark, index = map(str, files)
    assert main(["search", index, benchmark, "-m", "P@3", "Rprec", "AP"]) == 0
    out, err = capsys.readouterr()
    # `Films by Kubrick` ranks 2 (short, and nothing but the word), 1, 3; `films` only 2.
    means = {
        "P@3": (2 / 3 + 1 / 3) / 2,
        "Rprec": (1 / 2 + 1 / 1) / 2,
        "AP": ((1 / 2 + 2 / 3) / 2 + 1) / 2,
    }
    for measure, mean in means.items():
        assert f"| {mean:.4f} |" in next(line for line in out.splitlines() if measure in line)
    assert "queries without a word that the index knows: 1" in err
