"""The guides' examples, in order: commands and Python that print what stands in the text.

In a block `console`, a line `$ ulframe ...` is run and what stands below it is what the terminal
shows, results and remarks; `$ echo $?` shows the exit code. A block `python` prints the block
`text` behind it, if there is one. All of a guide runs in one folder, which is empty at first.
"""

import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from ulframe.cli.main import main

CHECKOUT = Path(__file__).resolve().parents[1]
GUIDES = sorted((CHECKOUT / "docs" / "guides").glob("*.md"))
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def shown(command: str, code: int) -> tuple[str, int]:
    """What a command shows, and its exit code; `code` is that of the one before."""
    if command == "echo $?":
        return f"{code}\n", 0
    words = shlex.split(command)
    assert words[0] == "ulframe", command
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = main(words[1:])
        except SystemExit as ended:
            code = int(ended.code or 0)
    return out.getvalue(), code


def console(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a block, and what should stand below each."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, below = part.partition("\n")
        yield command, below


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_a_guide_shows_what_happens(guide, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    blocks, names, code = BLOCK.findall(guide.read_text("utf-8")), {}, 0
    assert blocks, "a guide has examples"
    for (kind, text), (below, expected) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind == "console":
            for command, wanted in console(text):
                out, code = shown(command, code)
                assert out == wanted, command
        if kind == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(text, str(guide), "exec"), names)
            assert below != "text" or printed.getvalue() == expected
