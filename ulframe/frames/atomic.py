"""Outputs that appear whole or not at all.

They are written beside their place under another name, `.NAME.HOST.PID.unfinished`, and moved there
when done. What a process that was killed left there, the next one to write to the same place on
that host removes.
"""

import errno
import glob
import os
import platform
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

from polars.exceptions import PolarsError

from ulframe.frames.errors import BadUsage

HOST = re.sub(r"[^A-Za-z0-9-]", "_", platform.node())
FULL = "os error 28"  # what Polars says of a disk without space

_ending = Event()
_unfinished: set[Path] = set()
_replaced: dict[Path, Path] = {}  # where a folder was moved, and where it stood


@contextmanager
def appearing(path: str | Path) -> Iterator[Path]:
    """Give a path to write to; `path` appears, or is replaced, only if the block succeeds.

    A link stays one and its target is replaced, with the rights that it had. What is no regular
    file, `/dev/stdout` or a named pipe, is written to when all is there.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with appearing(Path(folder) / "out.txt") as unfinished:
    ...         _ = unfinished.write_text("done")
    ...     [file.name for file in Path(folder).iterdir()]
    ['out.txt']
    """
    if str(path) == "-":
        raise BadUsage("-: to write to standard output, name /dev/stdout")
    special = Path(path).exists() and not Path(path).is_file()
    path = Path(path) if special else Path(path).resolve()
    refuse_no_folder(path)
    unfinished = _beside(Path(tempfile.gettempdir()) / path.name if special else path, "unfinished")
    with _removed_at_last(unfinished), _told_of(path, unfinished):
        yield unfinished
        if special:
            _pour(unfinished, path)
        else:
            if path.exists():
                shutil.copymode(path, unfinished)
            unfinished.replace(path)


@contextmanager
def appearing_folder(folder: Path) -> Iterator[Path]:
    """Give a folder to write to, which takes the place of `folder` if the block succeeds.

    What was there before goes as a whole: it is for the caller to say that it may.
    """
    refuse_no_folder(folder)
    unfinished, replaced = _beside(folder, "unfinished"), _beside(folder, "replaced")
    with _removed_at_last(unfinished), _removed_at_last(replaced), _told_of(folder, unfinished):
        unfinished.mkdir()
        yield unfinished
        if folder.exists():
            _replaced[replaced] = folder
            folder.rename(replaced)
        unfinished.rename(folder)
        _replaced.pop(replaced, None)


def refuse_no_folder(path: Path) -> None:
    """Raise `BadUsage` where there is no folder for a path to be in, or none to write to."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise BadUsage(f"{path}: there is no folder {str(path.parent)!r} to write to")
    special = path.exists() and not path.is_file() and not path.is_dir()
    if not special and not os.access(folder, os.W_OK):
        raise BadUsage(f"{path}: no right to write to the folder {str(path.parent)!r}")


def remove_unfinished() -> None:
    """Undo what this process has not finished: for one that must end in the midst of its work."""
    _ending.set()
    # what was about to be opened is there before long; the process ends right after the last look
    for pause in (0.0, *[0.03] * 10):
        time.sleep(pause)
        for replaced, folder in _replaced.items():
            if replaced.exists() and not folder.exists():
                replaced.rename(folder)
        for path in [*_unfinished]:
            _remove(path)


@contextmanager
def _removed_at_last(path: Path) -> Iterator[None]:
    for left in path.parent.glob(_pattern(path)):
        if not _is_alive(int(left.name.split(".")[-2])):
            _remove(left)
    while _ending.is_set():  # nothing new is begun
        time.sleep(1)
    _unfinished.add(path)
    try:
        yield
    finally:
        _remove(path)
        _unfinished.discard(path)


@contextmanager
def _told_of(path: Path, unfinished: Path) -> Iterator[None]:
    """Errors speak of the path that was asked for, and of a full disk as such."""
    try:
        yield
    except (OSError, PolarsError) as error:
        if FULL in str(error) or getattr(error, "errno", None) == errno.ENOSPC:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
        if isinstance(error, OSError) and str(unfinished) in str(error.filename):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _beside(path: Path, state: str) -> Path:
    return path.with_name(f".{path.name}.{HOST}.{os.getpid()}.{state}")


def _pattern(path: Path) -> str:
    """Matches what other processes of this host called the same."""
    start, _, state = path.name.rsplit(".", 2)
    return f"{glob.escape(start)}.[0-9]*.{state}"


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _pour(source: Path, target: Path) -> None:
    with source.open("rb") as whole, target.open("wb") as pipe:
        shutil.copyfileobj(whole, pipe)
