"""The first lines of a text, looked at together: all that tells one kind of text from another."""

import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.frames.packings import BOM, HEAD, head

MARKS = ("\t", ",", ";", "|", "::")  # what may part fields, besides
BLANKS = " "  # any number of them


@dataclass(frozen=True)
class FirstLines:
    """The first lines that are neither blank nor comments, without a byte order mark.

    - `lines`: at most a thousand, as they stand; `numbers`: of each in the file, from 1.
    - `cut`: whether the text may go on behind them.
    """

    lines: tuple[str, ...]
    numbers: tuple[int, ...]
    cut: bool = False

    @property
    def first(self) -> str:
        """The first of them."""
        return self.lines[0]

    @cached_property
    def words(self) -> list[list[str]]:
        """The lines, parted at blanks and tabs."""
        return [line.split() for line in self.lines]

    @cached_property
    def widths(self) -> frozenset[int]:
        """How many words lines have."""
        return frozenset(map(len, self.words))

    @cached_property
    def halves(self) -> list[tuple[str, str]] | None:
        """What is before the tab and behind it, where every line has exactly one."""
        pairs = [line.partition("\t") for line in self.lines]
        if all(tab and "\t" not in right for _, tab, right in pairs):
            return [(left.strip(), right.strip()) for left, _, right in pairs]
        return None

    def mark_of(self, width: int) -> str | None:
        """What parts every line into so many fields; `BLANKS` or one of `MARKS`."""
        return next((mark for mark in (*MARKS, BLANKS) if self._has_width(width, mark)), None)

    def even_mark(self, least: int) -> tuple[str, int] | None:
        """What parts all lines into equally many fields, at least so many; and how many."""
        for mark in (*MARKS, BLANKS):
            width = len(_split(self.first, mark))
            if width >= least and self._has_width(width, mark):
                return mark, width
        return None

    def parted(self, width: int) -> list[list[str]] | None:
        """The lines in so many fields, whatever parts them; None where nothing does."""
        mark = self.mark_of(width)
        if mark is None:
            return None
        return [[field.strip() for field in _split(line, mark)] for line in self.lines]

    def _has_width(self, width: int, mark: str) -> bool:
        return all(len(_split(line, mark)) == width for line in self.lines)


def _split(line: str, mark: str) -> list[str]:
    return line.split() if mark == BLANKS else line.split(mark)


def first_lines(source: Path | bytes, where: str) -> FirstLines:
    r"""Look at the first thousand lines of a text. `BadData` if none of them says anything.

    >>> first_lines(b"# made by hand\n\n1 0 d1 1\n", "-")
    FirstLines(lines=('1 0 d1 1',), numbers=(3,), cut=False)
    """
    found: dict[int, str] = {}
    number = 0
    try:
        for number, line in enumerate(head(source), start=1):
            text = line.lstrip(BOM + " \t")
            if "\0" in text and not found:
                raise BadData(f"{where}: neither text in UTF-8 nor a format known here")
            if text.strip() and not text.startswith("#"):
                found[number] = line.removeprefix(BOM)
    except (UnicodeDecodeError, pl.exceptions.ComputeError) as error:
        if not found:  # else it is for the reader to say in which line
            raise BadData(
                f"{where}: neither text in UTF-8 nor a format known here ({error})"
            ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise BadData(f"{where}: cannot be unpacked ({error})") from error
    if "\r" in next(iter(found.values()), ""):
        raise BadData(
            f"{where}: its lines end in a carriage return alone. Convert the file, for instance "
            "with `tr '\\r' '\\n'`"
        )
    if not found:
        raise BadData(f"{where}: empty, or nothing but comments in its first {HEAD} lines")
    return FirstLines(tuple(found.values()), tuple(found), cut=number >= HEAD)
