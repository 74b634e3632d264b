"""Files to read: what a path, a glob, a folder or standard input stands for."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePath
from urllib.parse import unquote

from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.first_lines import FirstLines, first_lines
from ulframe.frames.irds import is_irds, qrels_of
from ulframe.frames.packings import readable

WILD = frozenset("*?[")
REMOTE = re.compile(r"([a-z][a-z0-9+.-]+):/")
PASSED_OVER = ("_", ".")  # what names begin with that Spark passes over
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"

# Folders that only a log tells how to read: their files may be dead.
LOGGED = {"_delta_log": "Delta", ".hoodie": "Hudi"}


@dataclass(frozen=True)
class File:
    """One file to read.

    - `given`: its path or, of standard input and pipes, its bytes.
    - `where`: what messages call it.
    """

    given: Path | bytes
    where: str

    @cached_property
    def source(self) -> Path | bytes:
        """What Polars can scan: as it was given, or unpacked into memory where it must be."""
        return readable(self.given, self.where)

    @cached_property
    def head(self) -> FirstLines:
        """Its first lines, if it is text."""
        return first_lines(self.source, self.where)

    @property
    def keys(self) -> dict[str, str | None]:
        """The columns that names of folders tell, as Hive and Spark write them: `run=bm25`.

        >>> File(b"", "lake/run=bm25%2B/day=2/part-0.parquet").keys
        {'run': 'bm25+', 'day': '2'}
        """
        pairs = [part.partition("=") for part in PurePath(self.where).parts[:-1]]
        values = {key: unquote(value) for key, equals, value in pairs if key and equals}
        return {key: None if value == NO_VALUE else value for key, value in values.items()}


def files_at(path: Path) -> dict[object, File]:
    """The files that a path stands for, by what tells whether two are the same.

    A folder stands for the files in it and in its folders, by name, and a glob for those that it
    matches; what begins with `_` or `.` is passed over. `-` is standard input, and `irds:NAME` the
    qrels of a data set of ir_datasets. Raises `BadData`
    where there is none, `BadUsage` for what lies elsewhere (`s3://...`).
    """
    if str(path) == "-":
        return {"-": File(sys.stdin.buffer.read(), "stdin")}
    if is_irds(path):
        return {str(path): File(qrels_of(str(path)), str(path))}
    return {
        one.resolve(): File(one if one.is_file() else _drained(one), str(one))
        for one in _paths(path)
    }


def first_line(file: File) -> str:
    """The first line that is neither blank nor a comment. `BadData` if there is none."""
    return file.head.first


@cache
def _drained(pipe: Path) -> bytes:
    """What is in a pipe, which can be read only once."""
    return pipe.read_bytes()


def _paths(path: Path) -> list[Path]:
    if path.is_file() or (path.exists() and not path.is_dir()):  # a pipe is read as a file
        return [path]
    if path.is_dir():
        found, what = [path], "folder holds no files"
    elif WILD & set(str(path)):
        found, what = list(_matching(path)), "glob matches no files"
    elif scheme := REMOTE.match(str(path)):
        asked = str(path).replace(":/", "://", 1)  # of which a Path keeps one
        raise BadUsage(f"{asked}: {scheme[1]}:// is not read here. Copy the files to this machine")
    else:
        raise BadData(f"{path}: no such file or folder")
    files = sorted({file for one in found for file in _within(one, asked=one == path)})
    for folder in {above for file in files for above in file.parents if len(files) > 1}:
        _refuse_logged(folder)
    if not files:
        raise BadData(f"{path}: this {what} (names that begin with _ or . do not count)")
    return files


def _matching(pattern: Path) -> Iterator[Path]:
    """What a glob matches, but for what is passed over where the pattern has wild cards."""
    anchor = Path(pattern.anchor or ".")
    plain = next(n for n, part in enumerate(pattern.parts) if WILD & set(part))
    for path in anchor.glob(str(pattern.relative_to(pattern.anchor))):
        if not any(part.startswith(PASSED_OVER) for part in path.parts[plain:]):
            yield path


def _within(path: Path, *, asked: bool = False) -> Iterator[Path]:
    """The files of a folder and its folders, or a file itself, but for what is passed over."""
    if path.name.startswith(PASSED_OVER) and not asked:
        return
    if path.is_file():
        yield path
    elif path.is_dir():
        _refuse_logged(path)
        for one in path.iterdir():
            yield from _within(one)


def _refuse_logged(folder: Path) -> None:
    for name, kind in LOGGED.items():
        if (folder / name).is_dir():
            raise BadData(
                f"{folder}: a {kind} table ({name}), some files of which may be dead. "
                "Write what is to be read as parquet into another folder"
            )
