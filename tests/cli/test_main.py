"""`python -m ulframe` is the command line: the same output, the same exit codes."""

import subprocess
import sys

import pytest

from ulframe.cli.main import BAD_USAGE, DONE, main


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["measures", "nDCG"], DONE),
        (["eval", "qrels.txt", "run.txt", "-m", "no-such-measure"], BAD_USAGE),
        ([], BAD_USAGE),
    ],
)
def test_the_module_is_the_command(argv, code, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")  # the width of argparse's help
    run = [sys.executable, "-m", "ulframe", *argv]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (main(argv), done.returncode) == (code, code)
    assert capsys.readouterr() == (done.stdout, done.stderr)
