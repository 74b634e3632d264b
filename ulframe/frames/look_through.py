"""Text looked through before it is read: by blocks, so that no text can take all memory.

What no reader could name a line of is found here: a packing that is broken, bytes that are not
UTF-8, a line without end, blank lines without end.
"""

from functools import partial
from pathlib import Path

from ulframe.frames.errors import BadData
from ulframe.frames.packings import BLOCK, WRONG, opened

LONGEST = 2**20  # of a line: the longest that any tool writes have a few thousand

NO_UTF8 = "not UTF-8 text. Convert the file, for instance with `iconv -f latin1 -t utf8`."


def look_through(source: Path | bytes, where: str) -> None:
    r"""Raise `BadData`, with `where` and the line, for a text that cannot be read line by line.

    >>> look_through(b"1 0 d1 1\n1 0 d2 0\n", "-")
    >>> look_through(b"1 0 d1 1\n1 0 d\xff 1", "run.txt")
    Traceback (most recent call last):
        ...
    ulframe.frames.errors.BadData: run.txt, line 2: not UTF-8 text. Convert the file, for instance
    with `iconv -f latin1 -t utf8`.
    """
    before, rest = 0, b""  # bytes of whole lines so far, and the beginning of the next
    try:
        with opened(source) as file:
            while block := file.read(BLOCK):
                text = rest + block
                end = text.rfind(b"\n") + 1
                if complaint := _complaint(text, end):
                    at, says = complaint
                    raise BadData(f"{where}, line {_line_at(source, before + at)}: {says}")
                before, rest = before + end, text[end:]
    except BadData:
        raise
    except WRONG as error:
        raise BadData(f"{where}: cannot be unpacked ({error})") from error
    if rest:
        _require_utf8_at_end(source, before, rest, where)


def holds(source: Path | bytes, sign: bytes) -> bool:
    """Whether a byte stands anywhere in a text."""
    with opened(source) as file:
        return any(sign in block for block in iter(partial(file.read, BLOCK), b""))


def _complaint(text: bytes, end: int) -> tuple[int, str] | None:
    """Where in a text, of whole lines up to `end`, something is wrong, and what."""
    first = text.find(b"\n")
    if first > LONGEST or (first < 0 and len(text) > LONGEST):
        return 0, f"longer than {LONGEST:,} bytes, as no line of qrels or a run is"
    if end >= BLOCK and not text[:end].strip():
        return 0, f"{end:,} bytes of blank lines begin"
    return _undecodable(text[:end])


def _undecodable(text: bytes) -> tuple[int, str] | None:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.start, NO_UTF8
    return None


def _require_utf8_at_end(source: Path | bytes, before: int, rest: bytes, where: str) -> None:
    if complaint := _undecodable(rest):
        raise BadData(f"{where}, line {_line_at(source, before)}: {complaint[1]}")


def _line_at(source: Path | bytes, offset: int) -> int:
    """The number, from 1, of the line in which a byte stands."""
    number = 1
    with opened(source) as file:
        while offset > 0 and (block := file.read(min(BLOCK, offset))):
            number += block.count(b"\n")
            offset -= len(block)
    return number
