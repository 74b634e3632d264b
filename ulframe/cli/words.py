"""Which words of a command line are files and which are measures; both may stand anywhere.

A word that exists is a file. Directly behind `-m`, one that parses is a measure; and so it is
elsewhere, if it does not exist as well: then it is refused, since either may be meant.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from glob import has_magic
from itertools import filterfalse, takewhile
from pathlib import Path

from ulframe.cli.lines import Placed
from ulframe.cli.output import remark
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.irds import is_irds
from ulframe.metrics.grammar import named

DEFAULT = ("nDCG@10", "RR@10", "AP", "P@10", "R@100", "V2(nDCG@10)")
"""What is printed where no measure is named: the first ones of search, recommenders and retrieval
for language models, and how far the ranking is from chance."""

_PATH = re.compile(r".*/.*|.*\.[A-Za-z]\w*")
_CALL = re.compile(r".*[@(].*")


@dataclass(frozen=True)
class Asked:
    """What words ask for, each in the order in which it stands; no measures where none is named."""

    files: list[str]
    measures: list[str]


def add_words(parser: argparse.ArgumentParser, files: str) -> None:
    """Add the words themselves, as `words`, and `-m`, as `behind`; `files` names the former."""
    parser.usage = f"{parser.prog} {files} [-m MEASURE ...] [options]"
    parser.add_argument("words", metavar=files, nargs="*", help="files, globs or folders")
    parser.add_argument(
        "-m", dest="behind", metavar="MEASURE", nargs="+", action="append", default=[],
        help="such as nDCG@10, 'V2(SP@10)', or trec_eval's names and lists (map, P.5,10); by "
        f"default {' '.join(DEFAULT)}",
    )  # fmt: skip


def asked(options: argparse.Namespace) -> Asked:
    """What the words that `add_words` added ask for, which take its place among the options."""
    found = sorted_words(options.words, options.behind)
    for word in filter(_exists, found.measures):
        remark(f"{word} is taken as the measure; the file of that name is ./{word}")
    del options.words, options.behind
    options.files, options.measures = found.files, found.measures
    return found


def sorted_words(bare: Sequence[str], behind: Sequence[Sequence[str]]) -> Asked:
    """Sort words into files and measures: the bare ones, and those behind each `-m`.

    Raises `BadUsage` for a word that may be both, `BadData` for a bare one that is neither.
    """
    files = [word for word in bare if _is_file(word)]
    measures = [word for word in bare if word not in files]
    for word in measures:
        _refuse_unknown(word)
    for group in behind:
        heads = list(takewhile(_is_measure, group))
        tail = group[len(heads) :]
        files += filter(_is_file, tail)
        measures += [*heads, *filterfalse(_is_file, tail)]
    return Asked(sorted(files, key=_place), sorted(measures, key=_place))


def _is_file(word: str) -> bool:
    """Whether it exists, or looks like a file that is missing, which who reads it will say."""
    there, measure = _exists(word), _is_measure(word)
    if there and measure:
        raise BadUsage(
            f"{word} is a file here, and a measure. For the file, write ./{word}; for the measure, "
            f"-m {word}, before the files"
        )
    looks_so = _PATH.fullmatch(word) and not _CALL.fullmatch(word)
    return there or bool(looks_so and not measure)


def _refuse_unknown(word: str) -> None:
    try:
        named(word)
    except BadUsage as error:
        if _CALL.fullmatch(word):
            raise
        raise BadData(f"{word}: no such file, and {error}") from None


def _is_measure(word: str) -> bool:
    try:
        return bool(named(word))
    except BadUsage:
        return False


def _exists(word: str) -> bool:
    path = Path(word)
    if word == "-" or is_irds(word) or path.exists():
        return True
    start = Path(path.anchor or ".")
    return has_magic(word) and any(start.glob(str(path.relative_to(path.anchor))))


def _place(word: str) -> int:
    return word.place if isinstance(word, Placed) else 0
