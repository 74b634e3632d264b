"""Files to read: what a path, a glob, a folder or standard input stands for."""

import sys
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.frames.packings import HEAD, head

WILD = frozenset("*?[")


@dataclass(frozen=True)
class File:
    """One file to read: its path or, of standard input and pipes, its bytes."""

    source: Path | bytes
    where: str  # what messages call it


def files_at(path: Path) -> dict[object, File]:
    """The files that a path stands for, by what tells whether two are the same.

    A folder and a glob stand for their files, by name; hidden ones are left out. `-` is standard
    input. Raises `BadData` where there is none.
    """
    if str(path) == "-":
        return {"-": File(sys.stdin.buffer.read(), "stdin")}
    return {
        one.resolve(): File(one if one.is_file() else _drained(one), str(one))
        for one in _paths(path)
    }


def first_line(file: File) -> str:
    """The first line that is neither blank nor a comment. `BadData` if there is none."""
    try:
        for line in head(file.source):
            text = line.lstrip("\ufeff \t")
            if "\0" in text:
                raise BadData(f"{file.where}: neither text in UTF-8 nor a format known here")
            if text.strip() and not text.startswith("#"):
                return text
    except (UnicodeDecodeError, pl.exceptions.ComputeError) as error:
        raise BadData(
            f"{file.where}: neither text in UTF-8 nor a format known here ({error})"
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise BadData(f"{file.where}: cannot be unpacked ({error})") from error
    raise BadData(f"{file.where}: empty, or nothing but comments in its first {HEAD} lines")


@cache
def _drained(pipe: Path) -> bytes:
    """What is in a pipe, which can be read only once."""
    return pipe.read_bytes()


def _paths(path: Path) -> list[Path]:
    if path.is_file() or (path.exists() and not path.is_dir()):  # a pipe is read as a file
        return [path]
    if path.is_dir():
        found, what = list(path.iterdir()), "folder holds no files"
    elif WILD & set(str(path)):
        anchor = Path(path.anchor or ".")
        found, what = list(anchor.glob(str(path.relative_to(path.anchor)))), "glob matches no files"
    else:
        raise BadData(f"{path}: no such file or folder")
    files = sorted(one for one in found if one.is_file() and not one.name.startswith("."))
    if not files:
        raise BadData(f"{path}: this {what} (hidden files and subfolders do not count)")
    return files
