"""How much memory an evaluation needs, and what follows for how it is run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
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
    files = [file.source for path in paths for file in files_at(path).values()]
    return sum(_bytes(file) for file in files if isinstance(file, Path))


def _bytes(path: Path) -> int:
    return path.stat().st_size * (PACKED if is_packed(path.name) else PLAIN)


def parts(size: int) -> int:
    """In how many parts of the queries to work, so that each takes half of what is available."""
    return max(1, -(-size // int(available() * SHARE)))


def available(root: Path = Path("/")) -> int:
    """What Linux says could be had without swapping, within what a container may have.

    Elsewhere, all the memory that there is. `root` is where /proc and /sys are.
    """
    meminfo = root / "proc/meminfo"
    if not meminfo.exists():
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    free = _numbers(meminfo)["MemAvailable:"] * 1024
    left = [_left(root / folder, *names) for folder, names in _groups(root)]
    return max(1, int(min([free, *left])))


GROUP_FILES = {
    "sys/fs/cgroup": ("memory.max", "memory.current", "inactive_file"),
    "sys/fs/cgroup/memory": (
        "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
    ),
}  # fmt: skip
"""Where control groups of version 2, and of 1, say their limit, what is used, and what of that is
cache that would be given back."""


def _groups(root: Path) -> Iterator[tuple[Path, tuple[str, str, str]]]:
    """The folders of the process's own control group and of all above it, with their files."""
    own = root / "proc/self/cgroup"
    lines = own.read_text().splitlines() if own.exists() else []
    paths = [Path(line.split(":", 2)[2].lstrip("/")) for line in lines]
    for base, names in GROUP_FILES.items():
        yield from ((Path(base) / part, names) for path in paths for part in (path, *path.parents))


def _left(folder: Path, limit: str, used: str, cache: str) -> float:
    """What a group may still take; without end where it has no limit."""
    try:
        most, taken = int((folder / limit).read_text()), int((folder / used).read_text())
    except (OSError, ValueError):  # no such group, or a limit of "max"
        return float("inf")
    return most - taken + _numbers(folder / "memory.stat").get(cache, 0)


def _numbers(path: Path) -> dict[str, int]:
    """The numbers by name of a file with a pair, and possibly a unit, on each line."""
    if not path.exists():
        return {}
    return {fields[0]: int(fields[1]) for line in path.read_text().splitlines()
            if len(fields := line.split()) > 1}  # fmt: skip


def engine(size: int) -> Literal["in-memory", "streaming"]:
    """The streaming engine takes longer to start than a small evaluation takes in all."""
    return "in-memory" if size < SMALL else "streaming"
