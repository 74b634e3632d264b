"""The words of a command line, which know their places, and messages in lines that fit."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ulframe.frames.visible import visible

WIDTH = 100


class Placed(str):
    """A word of the command line that knows its place there, which argparse does not keep."""

    __slots__ = ("place",)
    place: int


def placed(words: Iterable[str]) -> list[Placed]:
    """The words, each with its place."""
    found = [Placed(word) for word in words]
    for place, word in enumerate(found):
        word.place = place
    return found


def fitted(text: str) -> str:
    """The text, its lines of more than 100 characters broken behind sentences, nothing hidden.

    Not elsewhere: what is looked for in a message is to be found in one line.
    """
    lines = map(visible, text.split("\n"))
    return "\n".join(line if len(line) <= WIDTH else _folded(line) for line in lines)


def _folded(line: str) -> str:
    first, *others = re.split(r"(?<=[a-z)`'\"]\.) ", line)
    lines = [first]
    for part in others:
        if len(lines[-1]) + 1 + len(part) <= WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return "\n".join(lines)
