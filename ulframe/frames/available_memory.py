"""How much memory there is: what the machine has free, within what a container may have."""

import os
from collections.abc import Iterator
from pathlib import Path


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
