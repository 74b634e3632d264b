"""Reads mutated text: `python -m tests.fuzz --seed 1 --count 10000`.

A mutant is a tidy file of a few lines in which some fields, blanks, lines or bytes were changed.
What the readers make of it must be what a strict parser makes of it: the same rows, or a refusal
that names one of the lines that are wrong.
"""

import argparse
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import polars as pl

from tests import fuzz_tables, strict
from ulframe.frames import trec_tidy
from ulframe.frames.errors import BadData
from ulframe.frames.files import File
from ulframe.frames.trec import scan_trec
from ulframe.frames.trec_lines import QRELS_LINE, RUN_LINE, Layout, most_common_mark

# fmt: off
NUMBERS = (
    "1", "-0", "1.", ".5", "-.5", "+1", "++1", "1e5", "1E5", "1e", "1e400", "1e-400", "1d5", "007",
    "nan", "NaN", "-nan", "inf", "-inf", "+inf", "Infinity", "0x10", "1_000", "1,5", "1f", "1.2.3",
    "9007199254740993", "0.1000000000000000055511151231257827", "-", "+", ".", "e5", "٣", "½",
    "\uff11",
)
WORDS = (
    "", "#", "#d", "d#1", '"', '"d', 'd"', '"d"', "'", "\\", "\\N", "null", "NULL", "NA", "true",
    "a,b", ";", "ü", "文書", "😀", "e\u0301", "\ufeff", "\ufeffd", "a\u00a0b", "\u2028", "\u0085",
    "\u3000", "\0", "d\0", "\x01", "\x1f", "\x7f", "x" * 300, "ü" * 200,
)
NOT_UTF8 = (b"\xff", b"d\xe9", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xc0\xa0")
BLANKS = (
    "", " ", "\t", "  ", "\t\t", " \t", "\t ", "   ", "\r", "\v", "\f", " \v", "\f ", "\u00a0",
    "\u3000", "\0", " \0", "\x1c",
)
ENDS = ("", "\n", "\r\n", "\r", "\n\n", "\n \n", "\n\t\n", "\n\r\n", "\v\n", "\f\n", "\n\n\n")
LINES = (
    "", " ", "\t", "#", "# a comment", " # a comment", "\t# a comment", "# 0 d 1 2.5 t", "#q 0 d 1",
    "#\t0\td\t1\t2.5\tt", "\ufeff", "one", "one two", "q 0 d", "\0", "q  0 d 1 2.5 t", "q 0 d  1",
    "q\t0\td\t1\t2.5\tt", "q 0 d 1 2.5 t more", "q 0 d 1 2.5 t  ", "q 0 d 1 2.5 ", "q 0 d 1 ",
)
# fmt: on
BYTES = tuple(bytes([value]) for value in b" \t\n\r\v\f\0#\"'0.-ed\x80\xff")
FIELDS = tuple(text.encode() for text in NUMBERS + WORDS) + NOT_UTF8

Line = list[bytes]  # blanks, field, blanks, ..., field, blanks, and the line's end


def tidy_line(rng: random.Random, layout: Layout, between: bytes) -> Line:
    """One line of a tidy file."""
    values = {"label": b"%d" % rng.randrange(4), "score": b"%.3f" % rng.gauss(0, 9)}
    fields = [values.get(name, b"%s%d" % (name[:1].encode(), rng.randrange(9))) for name in
              layout.fields]  # fmt: skip
    parts = [part for field in fields for part in (between, field)]
    return [b"", *parts[1:], b"", b"\n"]


# ---------------------------------------------------------------- mutations
def _pick(rng: random.Random, lines: list[Line], start: int, stop: int) -> tuple[Line, int]:
    """A line, and the place in it of one of its fields (from 1) or blanks (from 0)."""
    line = rng.choice(lines)
    return line, rng.randrange(start, len(line) - stop, 2)


def change_field(rng: random.Random, lines: list[Line]) -> None:
    """Put something odd in a field's place, or beside it."""
    line, place = _pick(rng, lines, 1, 2)
    odd = rng.choice(FIELDS)
    line[place] = rng.choice([odd, odd, line[place] + odd, odd + line[place]])


def swap_fields(rng: random.Random, lines: list[Line]) -> None:
    """Let two fields of a line change places."""
    line, one = _pick(rng, lines, 1, 2)
    other = rng.randrange(1, len(line) - 2, 2)
    line[one], line[other] = line[other], line[one]


def drop_field(rng: random.Random, lines: list[Line]) -> None:
    """Take a field away with its blanks; a line keeps one."""
    line, place = _pick(rng, lines, 1, 2)
    if len(line) > 4:
        del line[place : place + 2]


def add_fields(rng: random.Random, lines: list[Line]) -> None:
    """Repeat a field, once or often."""
    line, place = _pick(rng, lines, 1, 2)
    blanks = line[2] or b" "
    line[place:place] = [line[place], blanks] * rng.choice([1, 1, 2, 20])


def change_blanks(rng: random.Random, lines: list[Line]) -> None:
    """Change what stands between two fields, before the first or after the last."""
    line, place = _pick(rng, lines, 0, 1)
    line[place] = rng.choice(BLANKS).encode()


def change_all_blanks(rng: random.Random, lines: list[Line]) -> None:
    """Change what stands in one place of every line."""
    _, place = _pick(rng, lines, 0, 1)
    blanks = rng.choice(BLANKS).encode()
    for line in lines:
        line[min(place, len(line) - 2)] = blanks


def change_end(rng: random.Random, lines: list[Line]) -> None:
    """Let a line, or the last one, end otherwise."""
    rng.choice([rng.choice(lines), lines[-1]])[-1] = rng.choice(ENDS).encode()


def add_line(rng: random.Random, lines: list[Line]) -> None:
    """Put an odd line in: blank, a comment, too short or too long."""
    line = [b"", rng.choice(LINES).encode(), b"", b"\n"]
    lines.insert(rng.choice([0, len(lines), rng.randrange(len(lines))]), line)


def add_mark(rng: random.Random, lines: list[Line]) -> None:
    """Put a byte order mark before the file."""
    lines[0][0] = b"\xef\xbb\xbf" + lines[0][0]


def lengthen(rng: random.Random, lines: list[Line]) -> None:
    """Make a field so long that a line is longer than what is read at once."""
    line, place = _pick(rng, lines, 1, 2)
    line[place] *= rng.choice([10, 1000])


MUTATIONS: tuple[Callable[[random.Random, list[Line]], None], ...] = (
    *(change_field, change_field, swap_fields, drop_field, add_fields),
    *(change_blanks, change_all_blanks, change_end, add_line, add_mark, lengthen),
)


def change_bytes(rng: random.Random, text: bytes) -> bytes:
    """Put in, change or take away a byte, or cut the text off."""
    place, byte = rng.randrange(len(text) + 1), rng.choice(BYTES)
    rest = rng.choice([text[place:], text[place + 1 :], text[place + 1 :], b""])
    return text[:place] + rng.choice([byte, byte, b""]) + rest


# ---------------------------------------------------------------- mutants and what is read
@dataclass(frozen=True)
class Mutant:
    """A mutated file, what its lines should hold and what the reader is told parts them."""

    text: bytes
    layout: Layout
    between: str


def mutants(seed: int, count: int) -> Iterator[Mutant]:
    """Make mutants, always the same from one seed."""
    rng = random.Random(seed)
    for _ in range(count):
        layout, between = rng.choice([RUN_LINE, QRELS_LINE]), rng.choice(" \t")
        lines = [tidy_line(rng, layout, between.encode()) for _ in range(rng.randrange(1, 12))]
        for mutate in rng.choices(MUTATIONS, k=rng.choice([0, 1, 1, 1, 2, 2, 3])):
            mutate(rng, lines)
        text = b"".join(part for line in lines for part in line)
        if rng.random() < 0.2:
            text = change_bytes(rng, text)
        yield Mutant(text, layout, rng.choice([between, _seen(text, between)]))


def _seen(text: bytes, otherwise: str) -> str:
    """What parts the fields by the first lines, which is what the package goes by."""
    try:
        return most_common_mark(File(text, "-").head)
    except BadData:
        return otherwise


def outcome(source: Path | bytes, mutant: Mutant) -> Any:
    """The rows that the reader gives, or the line that it refuses."""
    try:
        frame = scan_trec(source, mutant.layout, between=mutant.between, where="-").collect()
    except BadData as error:
        line = re.match(r"-, line (\d+): ", str(error))
        return int(line[1]) if line else str(error)
    except pl.exceptions.PolarsError as error:
        return repr(error)
    return frame.rows()


def differing(some: Sequence[Mutant], folder: Path) -> Iterator[tuple[Mutant, Any, Any]]:
    """The mutants of which the reader gives other rows, or refuses a line that is not wrong.

    Every other one is read from a file in `folder`, every third looked through in small pieces.
    """
    for number, mutant in enumerate(some):
        source: Path | bytes = mutant.text
        if number % 2:
            source = folder / "mutant"
            source.write_bytes(mutant.text)
        with patch.object(trec_tidy, "BLOCK", 2**20 if number % 3 else 32):
            read = outcome(source, mutant)
        held = strict.trec(mutant.text, mutant.layout)
        if read not in [*held.bad] if held.bad else read != held.rows:
            yield mutant, read, held


def main() -> int:
    """Tell how many mutants, half of them TREC text, were read wrongly, and show some."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10_000)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        made = list(mutants(options.seed, options.count // 2))
        found = [
            *((mutant.text, mutant.between, *of) for mutant, *of in differing(made, Path(folder))),
            *fuzz_tables.differing(options.seed, options.count - len(made), Path(folder)),
        ]
    for text, kind, read, held in found[:10]:
        print(f"{text!r:.300}, {kind!r}\n  read {read}\n  not {held}")
    print(f"{options.count} mutants, {len(found)} read wrongly")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
