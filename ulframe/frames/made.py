"""What ulframe made: how a file tells it, and that nothing else is replaced unasked.

A file that can hold it has, under `ulframe`, a JSON text of how it was made: parquet in its footer,
Arrow in its schema, a page in a `meta` element. Text and pictures hold nothing.
"""

import json
import re
from collections.abc import Callable, Mapping
from html import escape, unescape
from pathlib import Path
from typing import Any

import polars as pl

from ulframe.frames.endings import ENDINGS
from ulframe.frames.errors import BadData, BadUsage

KEY = "ulframe"
HEAD = 2**20  # bytes of a page in which its head ends


def _of_parquet(path: Path) -> str | None:
    return pl.read_parquet_metadata(path).get(KEY)


def _of_arrow(path: Path) -> str | None:
    return arrow_metadata(path).get(KEY)


def arrow_metadata(path: Path) -> Mapping[str, str]:
    """What the schema of an Arrow file says of it."""
    import pyarrow as pa

    with pa.OSFile(str(path)) as file, pa.ipc.open_file(file) as reader:
        found = reader.schema.metadata or {}
    return {key.decode(): value.decode() for key, value in found.items()}


def as_meta(made: Mapping[str, str]) -> str:
    """The element that tells of a page how it was made; nothing where that is not known.

    >>> as_meta({"ulframe": '{"inputs": []}'})
    '<meta name="ulframe" content="{&quot;inputs&quot;: []}">'
    """
    return f'<meta name="{KEY}" content="{escape(made[KEY])}">' if KEY in made else ""


def _of_page(path: Path) -> str | None:
    with path.open("rb") as file:
        start = file.read(HEAD).decode(errors="replace")
    found = re.search(rf'<meta name="{KEY}" content="([^"]*)">', start)
    return unescape(found[1]) if found else None


READERS: dict[str, Callable[[Path], str | None]] = {
    ".parquet": _of_parquet,
    **dict.fromkeys(ENDINGS["arrow"], _of_arrow),
    ".html": _of_page,
}
"""By a file's ending, how it tells what made it."""


def made(path: Path) -> dict[str, Any] | None:
    """How ulframe made a file, None where it did not. `BadData` for a file that cannot tell."""
    if path.suffix not in READERS:
        raise BadData(f"{path}: only {', '.join(READERS)} hold how they were made")
    try:
        told = READERS[path.suffix](path)
    except Exception as error:  # of Polars, Arrow or the system, that it is no such file
        raise BadData(f"{path}: no {path.suffix} file ({error})") from error
    return None if told is None else json.loads(told)


def refuse_foreign(path: str | Path | None, *, force: bool) -> None:
    """Raise `BadUsage` where a file is there that ulframe did not make, though it could tell."""
    if force or path is None or Path(path).suffix not in READERS or not Path(path).is_file():
        return
    try:
        is_ours = made(Path(path)) is not None
    except BadData:
        is_ours = False
    if not is_ours:
        raise BadUsage(f"{path} is there, and ulframe did not make it: --force replaces it")
