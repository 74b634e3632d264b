"""Outputs that appear whole or not at all.

They are written beside their place under another name, and moved there when done.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ulframe.frames.errors import BadUsage


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
    try:
        yield unfinished
        if special:
            _pour(unfinished, path)
        else:
            if path.exists():
                shutil.copymode(path, unfinished)
            unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def appearing_folder(folder: Path) -> Iterator[Path]:
    """Give a folder to write to, which takes the place of `folder` if the block succeeds.

    What was there before goes as a whole: it is for the caller to say that it may.
    """
    refuse_no_folder(folder)
    unfinished, replaced = _beside(folder, "unfinished"), _beside(folder, "replaced")
    unfinished.mkdir()
    try:
        yield unfinished
        if folder.exists():
            folder.rename(replaced)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.rmtree(replaced, ignore_errors=True)


def refuse_no_folder(path: Path) -> None:
    """Raise `BadUsage` where there is no folder for a path to be in."""
    if not path.absolute().parent.is_dir():
        raise BadUsage(f"{path}: there is no folder {str(path.parent)!r} to write to")


def _beside(path: Path, state: str) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.{state}")


def _pour(source: Path, target: Path) -> None:
    with source.open("rb") as whole, target.open("wb") as pipe:
        shutil.copyfileobj(whole, pipe)
