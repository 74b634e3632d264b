"""Reads mutated tables and LETOR text through the doors that users take.

`python -m tests.fuzz` runs this too. A mutant is a small clean file in which bytes were changed. It
must be read as a strict parser reads it, or be refused with the file's name.
"""

import json
import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import strict
from ulframe.frames import scan_qrels, scan_runs
from ulframe.frames.errors import BadData, BadUsage

IDS = ("q1", "01", "d-7", "ü", "a b", "文", "d'", "#x")
BYTES = [bytes([value]) for value in b" \t\n\r,;\"'#:{}[]0.-ex\\\0\x80\xff"]


@dataclass(frozen=True)
class Kind:
    """One format: the ending of its files, how a clean one is made, read, and read strictly."""

    ending: str
    make: Callable[[random.Random], str]
    read: Callable[[Path], list[tuple[Any, ...]]]
    strictly: Callable[[bytes], strict.Held]


def _rows(rng: random.Random) -> list[tuple[str, str, str]]:
    many = rng.randrange(2, 8)
    return [(rng.choice(IDS), rng.choice(IDS), f"{rng.gauss(0, 9):.3f}") for _ in range(many)]


def _separated(separator: str) -> Callable[[random.Random], str]:
    def make(rng: random.Random) -> str:
        header = ("query_id", "doc_id", "score")
        return "".join(separator.join(row) + "\n" for row in [header, *_rows(rng)])

    return make


def _jsonl(rng: random.Random) -> str:
    objects = ({"query_id": q, "doc_id": d, "score": float(s)} for q, d, s in _rows(rng))
    return "".join(json.dumps(one, ensure_ascii=rng.random() < 0.5) + "\n" for one in objects)


def _letor(rng: random.Random) -> str:
    return "".join(
        f"{rng.randrange(3)} qid:{rng.randrange(3)} 1:{rng.random():.2f} 2:{s}"
        f"{rng.choice(['', f' #docid = D{at}'])}\n"
        for at, (_, _, s) in enumerate(_rows(rng))
    )


def _run(path: Path) -> list[tuple[Any, ...]]:
    return scan_runs(path).select("query_id", "doc_id", "score").collect().rows()


def _qrels(path: Path) -> list[tuple[Any, ...]]:
    return scan_qrels(path).collect().rows()


KINDS = (
    Kind(".csv", _separated(","), _run, lambda text: strict.separated(text, ",")),
    Kind(".tsv", _separated("\t"), _run, strict.tabbed),
    Kind(".jsonl", _jsonl, _run, strict.jsonl),
    Kind(".letor", _letor, _qrels, strict.letor),
)


def mutants(seed: int, count: int) -> Iterator[tuple[Kind, bytes]]:
    """Make mutants, always the same from one seed; every tenth stays clean."""
    rng = random.Random(seed)
    for _ in range(count):
        kind = rng.choice(KINDS)
        text = kind.make(rng).encode()
        first = text.find(b"\n")  # the first line stays: it tells what the text is
        for _ in range(rng.choice([0, 1, 1, 1, 1, 1, 1, 2, 2, 3])):
            place = rng.randrange(first + 1, len(text) + 1)
            rest = rng.choice([text[place:], text[place + 1 :], text[place + 1 :], b""])
            text = text[:place] + rng.choice([*BYTES, b""]) + rest
        yield kind, text


def differing(seed: int, count: int, folder: Path) -> Iterator[tuple[bytes, str, Any, Any]]:
    """The mutants that are read otherwise than strictly, or refused without the file's name."""
    for kind, text in mutants(seed, count):
        path = folder / f"mutant{kind.ending}"
        path.write_bytes(text)
        held = kind.strictly(text)
        with warnings.catch_warnings(action="ignore"):
            try:
                read: Any = kind.read(path)
            except (BadData, BadUsage) as error:
                if str(path) not in str(error):
                    yield text, kind.ending, str(error), held
                continue
            except Exception as error:
                read = error
        if held.bad or read != held.rows:
            yield text, kind.ending, read, held
