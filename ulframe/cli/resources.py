"""How much memory an evaluation needs, and what follows for how it is run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from ulframe.frames.available_memory import available
from ulframe.frames.files import files_at
from ulframe.frames.formats import is_packed

# Bytes of memory per byte on disk, measured on runs of a million lines and more.
PACKED, PLAIN = 20, 5
SMALL = 64 << 20
SHARE = 0.5  # of what is available


def need(sources: Iterable[str]) -> int:
    """Bytes that ranking these runs takes, roughly; pipes count as nothing."""
    paths = [Path(source) for source in sources if source != "-"]
    files = [file.given for path in paths for file in files_at(path).values()]
    return sum(_bytes(file) for file in files if isinstance(file, Path))


def _bytes(path: Path) -> int:
    return path.stat().st_size * (PACKED if is_packed(path.name) else PLAIN)


def parts(size: int, memory: int | None = None) -> int:
    """In how many parts of the queries to work, so that each takes half of the memory.

    That is what is given or, by default, what is available.
    """
    return max(1, -(-size // max(1, int((memory or available()) * SHARE))))


def engine(size: int) -> Literal["in-memory", "streaming"]:
    """The streaming engine takes longer to start than a small evaluation takes in all."""
    return "in-memory" if size < SMALL else "streaming"
