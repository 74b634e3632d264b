"""How much memory an evaluation needs, and what follows for how it is run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

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


def parts(size: int) -> int:
    """In how many parts of the queries to work, so that each takes half of what is available."""
    return max(1, -(-size // int(_available() * SHARE)))


def _available() -> int:
    """What Linux says could be had without swapping; elsewhere, all the memory that there is."""
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def engine(size: int) -> Literal["in-memory", "streaming"]:
    """The streaming engine takes longer to start than a small evaluation takes in all."""
    return "in-memory" if size < SMALL else "streaming"
