"""The words of a command line, which know their places, and messages in lines that fit."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill

WIDTH = 100


class Placed(str):
    """A word of the command line that knows its place there, which argparse does not keep."""

    __slots__ = ("place",)
    place: int


def placed(words: Iterable[str]) -> list[str]:
    """The words, each with its place."""
    found = [Placed(word) for word in words]
    for place, word in enumerate(found):
        word.place = place
    return [*found]


def fitted(text: str) -> str:
    """The text in lines of at most 100 characters, where spaces let it."""
    return "\n".join(line if len(line) <= WIDTH else _folded(line) for line in text.split("\n"))


def _folded(line: str) -> str:
    return fill(
        line, WIDTH, break_long_words=False, break_on_hyphens=False, replace_whitespace=False
    )
