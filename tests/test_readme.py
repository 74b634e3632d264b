"""The README's examples: Python that prints what stands below it, commands that do as they say."""

import contextlib
import io
import re
from itertools import pairwise
from pathlib import Path

import pytest

from ulframe.cli.main import main

README = Path(__file__).resolve().parents[1] / "README.md"
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
BLOCKS = BLOCK.findall(README.read_text(encoding="utf-8"))
PAIRS = list(pairwise([*BLOCKS, ("end", "")]))


def printed(code: str, names: dict) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, str(README), "exec"), names)
    return out.getvalue()


def test_python_prints_what_stands_below():
    names: dict = {}
    shown = [
        (code, text) for (kind, code), (below, text) in PAIRS if (kind, below) == ("python", "text")
    ]
    assert shown
    for code, text in shown:
        assert printed(code, names) == text


ALONE = [code for (kind, code), (below, _) in PAIRS if kind == "python" and below != "text"]


@pytest.mark.parametrize("code", ALONE, ids=lambda code: code.split("import ")[-1].split()[0])
def test_python_without_output_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # for what it writes
    printed(code, {})


def test_demo_prints_what_stands_below(capsys):
    (text,) = [text for (kind, code), (_, text) in PAIRS if kind == "sh" and "ulframe demo" in code]
    assert main(["demo"]) == 0
    assert capsys.readouterr().out == text


@pytest.mark.parametrize("extra", ["", "[test]"])
def test_the_commands_set_themselves_up(extra):
    commands = [code.strip() for kind, code in BLOCKS if kind == "sh"]
    assert any("venv .venv && .venv/bin/pip install" in c and extra in c for c in commands)
