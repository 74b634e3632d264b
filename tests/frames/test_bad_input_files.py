"""Files that cannot be read: the message names the file and says what to do."""

import gzip

import polars as pl
import pytest

from ulframe.frames import BadData, BadUsage, explained, scan_qrels, scan_runs


def test_a_missing_file(tmp_path):
    with pytest.raises(BadData, match=r"none\.run: no such file or folder"):
        scan_runs(tmp_path / "none.run")


def test_a_glob_without_a_match(tmp_path):
    with pytest.raises(BadData, match=r"\*\.run: this glob matches no files"):
        scan_runs(tmp_path / "*.run")


def test_a_folder_without_files(tmp_path):
    (tmp_path / ".hidden").touch()
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_temporary" / "a.run").write_text("1 Q0 d 1 1 t")
    with pytest.raises(BadData, match=r"this folder holds no files \(names that begin with _ or"):
        scan_runs(tmp_path)


def test_no_source_at_all():
    with pytest.raises(BadUsage, match="nothing to read: the list of sources is empty"):
        scan_runs([])


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "\ufeff"])
def test_an_empty_file(tmp_path, text):
    (tmp_path / "run.txt").write_text(text)
    for scan in (scan_runs, scan_qrels):
        with pytest.raises(BadData, match=r"run\.txt: empty, or nothing but comments"):
            scan(tmp_path / "run.txt")


def test_a_file_in_no_known_format(tmp_path):
    (tmp_path / "run").write_bytes(bytes(range(256)))
    with pytest.raises(BadData, match="run: neither text in UTF-8 nor a format known here"):
        scan_runs(tmp_path / "run")


def test_prose_is_a_bad_line(tmp_path):
    (tmp_path / "notes.txt").write_text("These are my notes.\n")
    with pytest.raises(
        BadData, match=r"notes\.txt, line 1: 'These are my notes\.' has 4 fields, no"
    ):
        scan_runs(tmp_path / "notes.txt").collect()


def test_qrels_in_place_of_a_run_and_the_other_way_round(tmp_path):
    (tmp_path / "qrels").write_text("1 0 d 1\n")
    (tmp_path / "run").write_text("1 Q0 d 1 2.5 t\n")
    with pytest.raises(
        BadData, match="has 4 fields, not 6; a run's line is `query Q0 document ran"
    ):
        scan_runs(tmp_path / "qrels").collect()
    with pytest.raises(
        BadData, match="has 6 fields, not 4; a qrels line is `query 0 document labe"
    ):
        scan_qrels(tmp_path / "run")


@pytest.mark.parametrize("opened", [open, gzip.open])
def test_text_that_is_not_utf8(tmp_path, opened):
    path = tmp_path / ("latin1.run" + (".gz" if opened is gzip.open else ""))
    lines = [f"1 Q0 d{number} 1 0.5 t\n".encode() for number in range(200_000)]
    lines[150_000] = "1 Q0 café 1 0.5 t\n".encode("latin1")
    with opened(path, "wb") as file:
        file.writelines(lines)
    with pytest.raises(BadData, match=rf"^{path}, line 150001: not UTF-8 text. Convert the file,"):
        scan_runs(path).collect()


def test_what_cannot_be_explained_is_passed_on(tmp_path):
    (tmp_path / "run").write_text("1 Q0 d 1 2.5 t\n")
    error = explained(pl.exceptions.ComputeError("out of luck"), tmp_path / "run")
    assert isinstance(error, BadData)
    assert str(error) == "cannot read the input: out of luck"
