"""Parts by way of a folder: the same as at once, read once, gone on with after a kill."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ulframe as ul
from ulframe.cli.main import main
from ulframe.engines import Job, evaluate_part, examine_in_scratch, merge, scratch
from ulframe.frames import BadData, BadUsage
from ulframe.frames.remarks import Remark

MEASURES = ["nDCG@10", "AP", "V2(P@5)", "num_ret"]
QRELS, RUNS = ul.sample_qrels(), ul.sample_runs()


def equal(one, other):
    """As frames, but for the order of coverage."""
    assert_frame_equal(one.scores.collect(), other.scores.collect())
    keys = ["run", "query_id"]
    assert_frame_equal(one.coverage.collect().sort(keys), other.coverage.collect().sort(keys))


@pytest.mark.parametrize(
    ("parts", "options"),
    [
        (2, {}),
        (7, {"queries": "both", "pool": 1000}),
        (3, {"ties": "average"}),
        (210, {}),  # of 200 queries
    ],
)
def test_the_same_as_at_once(tmp_path, parts, options):
    measures = ["nDCG@10", "AP"] if options.get("ties") else MEASURES
    shares = []
    job = Job(tmp_path, parts, {})
    done = examine_in_scratch(QRELS, RUNS, measures, job, progress=shares.append, **options)
    equal(done, ul.examine(QRELS, RUNS, measures, **options))
    assert shares == [(number + 1) / parts for number in range(parts)]
    assert list(tmp_path.iterdir()) == []


def test_what_was_killed_goes_on_with_what_is_missing(tmp_path, monkeypatch):
    job, done = Job(tmp_path, 5, {"inputs": "sample"}), []

    def killed_at_the_third(*given, **options):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(1)
        return evaluate_part(*given, **options)

    monkeypatch.setattr(scratch, "evaluate_part", killed_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        examine_in_scratch(QRELS, RUNS, MEASURES, job)
    calls = []

    def counted(*given, **options):
        calls.append(1)
        return evaluate_part(*given, **options)

    monkeypatch.setattr(scratch, "evaluate_part", counted)
    with pytest.warns(Remark, match="3 of 5 parts are done, and gone on with"):
        found = examine_in_scratch(pl.LazyFrame(QRELS.collect()), RUNS, MEASURES, job)
    assert len(calls) == 2
    equal(found, ul.examine(QRELS, RUNS, MEASURES))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("other", [Job(Path(), 5, {"a": 2}), Job(Path(), 6, {"a": 1})])
def test_another_job_is_another_folder(other):
    assert Job(Path(), 5, {"a": 1}).own != other.own
    assert Job(Path(), 5, {"a": 1}).own == Job(Path(), 5, {"a": 1}).own


def test_the_order_of_rows_is_not_kept(tmp_path):
    with pytest.raises(BadUsage, match="takes rows as they stand"):
        examine_in_scratch(QRELS, RUNS, "AP", Job(tmp_path, 2, {}), ties="input")


def test_nothing_to_merge():
    with pytest.raises(BadData, match="no parts to merge"):
        merge([])
    apart = evaluate_part({"1": {"a": 1}}, {"x": {"2": {"a": 1.0}}}, "RR", ["x"], queries="qrels")
    with pytest.raises(BadData, match="no query in common"):
        merge([apart])


# ---------------------------------------------------------------- the command
@pytest.fixture
def files(tmp_path, monkeypatch) -> list[str]:
    """The sample as files, in the folder in which the command runs."""
    monkeypatch.chdir(tmp_path)
    QRELS.sink_parquet("qrels.parquet")
    RUNS.sink_parquet("runs.parquet")
    return ["eval", "qrels.parquet", "runs.parquet", "-m", "nDCG@10"]


def test_the_command(files, capsys):
    assert main(files) == 0
    expected = capsys.readouterr().out
    for more in (["--scratch", "parts"], ["--scratch", "parts", "--memory", "2M"]):
        Path("parts").mkdir(exist_ok=True)
        assert main([*files, *more]) == 0
        assert capsys.readouterr().out == expected
        assert list(Path("parts").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--memory", "4"], "'4' is no size, as 4G or 512M is"),
        (["--scratch", "nowhere"], "no folder 'nowhere'"),
        (["--scratch", ".", "--ties", "input"], "takes rows as they stand"),
    ],
)
def test_refused(files, words, says, capsys):
    with pytest.raises(SystemExit, match="2"):
        raise SystemExit(main([*files, *words]))
    assert says in capsys.readouterr().err


def test_standard_input_cannot_be_read_again(files, capsys):
    assert main(["eval", "qrels.parquet", "-", "--scratch", ".", "--parts", "2"]) == 2
    assert "inputs that can be read again" in capsys.readouterr().err


def test_a_kill_that_cannot_be_caught(files, capsys):
    """Until some parts are done; what is left is gone on with, and gives the same numbers."""
    Path("parts").mkdir()
    words = [*files, "--scratch", "parts", "--parts", "60"]
    process = subprocess.Popen([sys.executable, "-m", "ulframe", *words], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not list(Path("parts").glob("ulframe-*/coverage-2.parquet")):
        assert process.poll() is None, "it was done before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert main(words) == 0
    printed = capsys.readouterr()
    assert "of 60 parts are done, and gone on with" in printed.err
    assert main(files) == 0
    assert capsys.readouterr().out == printed.out
