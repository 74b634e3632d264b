"""The README's examples: Python that prints what stands below it, commands that do as they say."""

import contextlib
import io
import re
import shlex
from itertools import chain, pairwise
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
    (text,) = [
        text
        for (kind, code), (_, text) in PAIRS
        if kind == "sh" and code.endswith("ulframe demo\n")
    ]
    assert main(["demo"]) == 0
    assert capsys.readouterr().out == text


def test_the_commands_get_from_files_to_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [line for kind, code in BLOCKS if kind == "sh" for line in code.splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines if line.startswith("ulframe ")]
    assert [words[1] for words in commands] == [
        "demo", "report", "eval", "compare", "chance", "measures"
    ]  # fmt: skip
    for _, *words in commands:
        given = [sorted(map(str, Path().glob(word))) if "*" in word else [word] for word in words]
        assert main(list(chain.from_iterable(given))) == 0, words
    assert "<title>Evaluation of rankings</title>" in Path("report.html").read_text("utf-8")


def test_it_is_short():
    assert README.read_text(encoding="utf-8").count("\n") <= 150


LINK = re.compile(r"\]\(([^)#:]+)\)")
PAGES = [README, *sorted((README.parent / "docs" / "guides").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_guide_is_linked():
    links = {Path(link).stem for link in LINK.findall(README.read_text(encoding="utf-8"))}
    assert {page.stem for page in PAGES[1:]} <= links


@pytest.mark.parametrize("extra", ["", "[test]"])
def test_the_commands_set_themselves_up(extra):
    commands = [code.strip() for kind, code in BLOCKS if kind == "sh"]
    assert any("venv .venv && .venv/bin/pip install" in c and extra in c for c in commands)
