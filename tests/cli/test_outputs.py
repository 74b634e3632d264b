"""What commands write: whole or not at all, by whose leave, with how it was made, read by whom."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tests import kills
from ulframe.cli.main import main
from ulframe.frames import BadUsage, appearing, atomic
from ulframe.frames.visible import visible

QRELS, RUN = "1 0 a 1\n1 0 b 0\n", "1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n"
ASKED = ["eval", "qrels.txt", "run.txt", "-m", "RR"]


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Where qrels and a run lie, whose reciprocal rank is 1/2."""
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    Path("run.txt").write_text(RUN)
    return tmp_path


def shell(words: list[str], redirected: str = "") -> subprocess.CompletedProcess[str]:
    line = f"{sys.executable} -m ulframe {' '.join(words)} {redirected}"
    return subprocess.run(line, shell=True, capture_output=True, text=True, check=False)


def test_kills_leave_whole_files_and_nothing_else(tmp_path):
    assert list(kills.killed(tmp_path, seed=1, count=8)) == []


def test_what_a_killed_run_left_is_removed_by_the_next(folder):
    dead = 2**22 + 1  # no process has that number
    left = folder / f".out.parquet.{atomic.HOST}.{dead}.unfinished"
    alive = folder / f".out.parquet.{atomic.HOST}.{os.getppid()}.unfinished"
    elsewhere = folder / f".out.parquet.elsewhere.{dead}.unfinished"
    for path in (left, alive, elsewhere):
        path.write_text("half")
    assert main([*ASKED, "-o", "out.parquet"]) == 0
    assert [path.exists() for path in (left, alive, elsewhere)] == [False, True, True]


@pytest.mark.parametrize("name", ["scores.parquet", "scores.arrow"])
def test_a_file_of_somebody_else_stays_unless_forced(name, folder, capsys):
    frame = pl.DataFrame({"theirs": [1]})
    frame.write_parquet(name) if name.endswith("parquet") else frame.write_ipc(name)
    before = Path(name).read_bytes()
    assert main([*ASKED, "-o", name]) == 2
    assert f"{name} is there, and ulframe did not make it: --force" in capsys.readouterr().err
    assert Path(name).read_bytes() == before
    assert main([*ASKED, "-o", name, "--force"]) == 0
    assert main([*ASKED, "-o", name]) == 0  # now it is ours


def test_a_page_of_somebody_else_stays_unless_forced(folder):
    Path("report.html").write_text("<html>theirs</html>")
    asked = ["report", *ASKED[1:], "-o", "report.html"]
    assert main(asked) == 2
    assert Path("report.html").read_text() == "<html>theirs</html>"
    assert main([*asked, "--force"]) == 0
    assert main(asked) == 0


def test_text_is_replaced_as_it_cannot_tell_who_made_it(folder):
    Path("scores.csv").write_text("theirs\n")
    assert main([*ASKED, "-o", "scores.csv"]) == 0


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (ASKED, "scores.parquet"),
        (ASKED, "scores.arrow"),
        (["report", *ASKED[1:]], "report.html"),
    ],
)
def test_files_tell_how_they_were_made(words, name, folder, capsys):
    assert main([*words, "-o", name]) == 0
    capsys.readouterr()
    assert main(["info", name]) == 0
    told = json.loads(capsys.readouterr().out)
    one = told["inputs"][0]
    assert (one["path"], one["bytes"]) == ("qrels.txt", len(QRELS))
    assert one["changed"].startswith("20")
    assert told["options"]["measures"] == ["RR"]
    assert set(told["versions"]) == {"ulframe", "polars"}


def test_a_converted_file_tells_what_it_was_made_of(folder, capsys):
    assert main(["convert", "run.txt", "run.parquet"]) == 0
    assert main(["info", "run.parquet"]) == 0
    assert json.loads(capsys.readouterr().out)["inputs"][0]["path"] == "run.txt"


def test_a_comment_on_request_tells_it_in_csv_which_is_read_as_before(folder, capsys):
    assert main([*ASKED, "-o", "scores.csv", "--comment"]) == 0
    first, header, *rows = Path("scores.csv").read_text().splitlines()
    assert json.loads(first.removeprefix("# ulframe: "))["inputs"][1]["path"] == "run.txt"
    assert header.startswith("run,query_id,measure,score")
    assert rows == ["t,1,RR,0.5,0.5,1.0,0.75"]  # expected: (1 + 1/2) / 2
    assert main(["compare", "scores.csv"]) == 1  # it is read: that is one run only
    assert "there is only 't'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["qrels.txt", "none.parquet", "theirs.parquet"])
def test_what_tells_nothing_is_refused(name, folder, capsys):
    pl.DataFrame({"theirs": [1]}).write_parquet("theirs.parquet")
    assert main(["info", name]) == 1
    assert name in capsys.readouterr().err


# ---------------------------------------------------------------- where it cannot be written
def test_a_full_disk_is_told_as_such(folder):
    """A limit on the size of files is met as a full disk is: while the file is written."""
    with pytest.raises(OSError, match="No space left") as error, appearing("out.txt"):
        raise OSError("No space left on device (os error 28)")
    assert error.value.filename == str(folder / "out.txt")
    assert not list(folder.glob("*unfinished"))


def test_a_folder_without_rights_is_told_before_the_work(folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(BadUsage, match=r"out\.txt: no right to write to the folder"):
        atomic.refuse_no_folder(Path("out.txt"))


def test_errors_do_not_name_the_hidden_file(folder):
    with pytest.raises(OSError, match=r"out\.txt") as error, appearing("out.txt") as unfinished:
        raise OSError(13, "Permission denied", str(unfinished))
    assert "unfinished" not in str(error.value)


@pytest.mark.parametrize("redirected", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_errors(redirected, folder):
    done = shell([*ASKED, "-o", "scores.parquet"], redirected)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert Path("scores.parquet").exists()


# ---------------------------------------------------------------- names that are no names
HOSTILE = "a\x1b[31mb\x1b]0;title\x07|c\u202e"
SHOWN = r"a\x1b[31mb\x1b]0;title\x07|c\u202e"


def test_control_characters_are_shown_as_such(folder, capsys):
    assert visible(HOSTILE) == SHOWN
    Path("run.txt").write_text(RUN.replace(" t\n", f" {HOSTILE}\n"))
    for shown in ("table", "trec"):
        assert main([*ASKED, "--format", shown]) == 0
        out = capsys.readouterr().out
        assert not any(sign in out for sign in "\x1b\x07\u202e")
    assert main(["report", *ASKED[1:], "-o", "report.tex"]) == 0
    assert "\x1b" not in Path("report.tex").read_text()


def test_a_bar_in_a_name_parts_no_cells(folder, capsys):
    Path("run.txt").write_text(RUN.replace(" t\n", " a|b\n"))
    assert main(ASKED) == 0
    assert r"| a\|b |" in capsys.readouterr().out


def test_formulas_stay_in_csv_unless_it_shall_be_safe(folder, capsys):
    Path("run.txt").write_text(RUN.replace(" t\n", " =cmd()\n"))
    for words, cell in (([], "=cmd()"), (["--safe-csv"], "'=cmd()")):
        assert main([*ASKED, "--format", "csv", *words, "-o", "scores.csv"]) == 0
        assert capsys.readouterr().out.splitlines()[1].startswith(f"{cell},")
        assert Path("scores.csv").read_text().splitlines()[1].startswith(f"{cell},")
