"""Folds on disk: which files a folder's folds are made of, and which queries these hold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, no_column
from ulframe.frames.endings import split_ending
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.features import scan_letor

PARTS = ("train", "vali", "test")
IDS = (QUERY, DOC, LABEL)


@dataclass(frozen=True)
class Fold:
    """The files of a fold; without `vali`, a fifth of the training queries takes its place."""

    name: str
    train: tuple[Path, ...]
    vali: tuple[Path, ...]
    test: tuple[Path, ...]

    @property
    def files(self) -> tuple[Path, ...]:
        """All of them."""
        return self.train + self.vali + self.test


@dataclass(frozen=True)
class Survey:
    """What files hold: each one's queries, and the names of all features."""

    queries: dict[Path, pl.Series]
    features: list[str]


def find_folds(folder: Path) -> list[Fold]:
    """The folds in a folder, laid out in one of three ways.

    - Folders `Fold1, Fold2, ...`, each with a file for `train`, `vali` and `test`, as MSLR and
      LETOR have them.
    - Parts `S1, S2, ...`, of which LETOR makes as many folds: fold 1 tests on the last, validates
      on the one before, trains on the others; each next fold is one further round.
    - One fold: files for `train`, `vali` and `test` in the folder itself.

    A file is known by the word in its name: LETOR text, also as `.gz` or `.zst`, or a parquet file
    of what `scan_letor` gives. A fold may lack `vali`. Raises `BadData` where the numbers have a
    gap, or a file is missing or there twice.
    """
    if not folder.is_dir():
        raise BadData(f"{folder}: no such folder")
    entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    if folders := _numbered([path for path in entries if path.is_dir()], r"fold(\d+)"):
        return [_in_folder(path, path.name) for path in folders]
    files = [path for path in entries if path.is_file() and path.suffix != ".query"]
    if parts := _numbered(files, r"s(\d+)"):
        return _rotated(parts)
    return [_in_folder(folder, "Fold1")]


def scan_part(file: Path) -> pl.LazyFrame:
    """Read a file of a fold: what `scan_letor` gives."""
    return pl.scan_parquet(file) if file.suffix == ".parquet" else scan_letor(file)


def survey(folds: Iterable[Fold]) -> Survey:
    """Look into every file once, and check that no fold leaks.

    Raises `BadData` if a query is in two parts of a fold, or in the test files of two folds.
    """
    folds = list(folds)
    queries, features = {}, dict[str, None]()
    for file in dict.fromkeys(file for fold in folds for file in fold.files):
        frame = scan_part(file)
        names = frame.collect_schema().names()
        if missing := [name for name in IDS if name not in names]:
            raise no_column(missing, names, str(file), "Write it with scan_letor")
        features |= dict.fromkeys(name for name in names if name not in IDS)
        queries[file] = frame.select(pl.col(QUERY).unique()).collect()[QUERY]
    for fold in folds:
        parts = {f"{fold.name}'s {part}": getattr(fold, part) for part in PARTS}
        _check_apart({name: _together(queries, files) for name, files in parts.items()})
    _check_apart({f"{fold.name}'s test": _together(queries, fold.test) for fold in folds})
    return Survey(queries, list(features))


def sample_queries(folds: Iterable[Fold], known: Survey, n: int, seed: int) -> pl.Series:
    """Draw `n` of all queries, whatever fold they are in: the paper's sampling.

    It takes 10,000 of MSLR-WEB30K's queries and 1,000 of MQ2007's, with all features. Raises
    `BadUsage` if there are fewer.
    """
    files = [file for fold in folds for file in fold.files]
    there = _together(known.queries, files).unique().sort()
    if not 1 <= n <= len(there):
        raise BadUsage(f"a sample of {n} queries: there are {len(there)} to draw from")
    return there.sample(n, seed=seed)


def _numbered(paths: list[Path], pattern: str) -> list[Path]:
    """The paths so named, in order of their numbers, which must be 1, 2, ..."""
    matches = [(re.fullmatch(pattern, split_ending(path.name)[0].lower()), path) for path in paths]
    found = sorted((int(match[1]), path) for match, path in matches if match)
    if [number for number, _ in found] != list(range(1, len(found) + 1)):
        there = ", ".join(path.name for _, path in found)
        raise BadData(f"{found[0][1].parent}: {there}: the numbers must be 1, 2, ..., each once")
    return [path for _, path in found]


def _rotated(parts: list[Path]) -> list[Fold]:
    n = len(parts)
    if n < len(PARTS):
        raise BadData(f"{parts[0].parent}: {n} parts; a fold needs 3: to train, validate and test")
    turns = [(parts + parts)[shift : shift + n] for shift in range(n)]
    return [
        Fold(f"Fold{number}", tuple(turn[:-2]), (turn[-2],), (turn[-1],))
        for number, turn in enumerate(turns, start=1)
    ]


def _in_folder(folder: Path, name: str) -> Fold:
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix != ".query")
    found = {part: [f for f in files if part in f.name.lower()] for part in PARTS}
    for part, there in found.items():
        if len(there) > 1 or (not there and part != "vali"):
            names = ", ".join(file.name for file in there) or "none"
            raise BadData(f"{folder}: a fold has one file for {part!r} in its name, here {names}")
    return Fold(name, *(tuple(found[part]) for part in PARTS))


def _together(queries: dict[Path, pl.Series], files: Iterable[Path]) -> pl.Series:
    return pl.concat([pl.Series(QUERY, [], pl.String), *(queries[file] for file in files)])


def _check_apart(parts: dict[str, pl.Series]) -> None:
    """Raise `BadData` if a query is in two parts, or in two files of one."""
    owner: dict[str, str] = {}
    for part, queries in parts.items():
        for query in queries:
            if query in owner:
                raise BadData(
                    f"query {query!r} is in {owner[query]} and in {part}: what is tested on must "
                    "not have been seen"
                )
            owner[query] = part
