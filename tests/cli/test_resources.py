"""How much memory an evaluation may take: the arithmetic, and what there is in a container."""

import pytest

from ulframe.cli import resources
from ulframe.cli.resources import PACKED, PLAIN, available, need

AVAILABLE = 1000
GB = 1 << 30


@pytest.mark.parametrize(
    ("size", "parts"),
    [
        (0, 1),
        (AVAILABLE // 2, 1),  # half of what is available is taken
        (AVAILABLE // 2 + 1, 2),
        (AVAILABLE, 2),
        (AVAILABLE + 1, 3),
        (10 * AVAILABLE, 20),
    ],
)
def test_each_part_takes_half_of_the_memory_available(size, parts, monkeypatch):
    monkeypatch.setattr(resources, "available", lambda: AVAILABLE)
    assert resources.parts(size) == parts


@pytest.mark.parametrize(
    ("name", "times"), [("run.txt", 5), ("run", 5), ("run.csv", 5), ("run.parquet", 20)]
)
def test_what_is_packed_needs_more_than_text(name, times, tmp_path):
    (tmp_path / name).write_bytes(b"x" * 300)
    assert resources.need([str(tmp_path / name)]) == 300 * times
    assert resources.need([str(tmp_path / name), "-"]) == 300 * times  # a pipe has no size


def test_only_large_runs_are_streamed():
    assert resources.engine(resources.SMALL - 1) == "in-memory"
    assert resources.engine(resources.SMALL) == "streaming"


@pytest.mark.parametrize(
    ("name", "each"),
    [
        *(
            (name, PLAIN)
            for name in ("a.res", "a.results", "a.top", "a.txt", "a.run", "run", "a.v2")
        ),
        *((name, PACKED) for name in ("a.res.gz", "a.top.zst", "a.parquet")),
    ],
)
def test_text_is_text_whatever_it_is_called(tmp_path, name, each):
    (tmp_path / name).write_bytes(b"x" * 10)
    assert need([str(tmp_path / name)]) == 10 * each


V2 = ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file")
V1 = ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
      "total_inactive_file")  # fmt: skip


def machine(root, groups, own="/"):
    """A /proc and a /sys of 8 GB available, with groups of `(folder, limit, used, cache)`."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/meminfo").write_text(f"MemTotal: 1 kB\nMemAvailable: {8 * GB // 1024} kB\n")
    (root / "proc/self/cgroup").write_text(f"0::{own}\n")
    for (base, most, used, cache), folder, (limit, taken, given_back) in groups:
        where = root / base / folder
        where.mkdir(parents=True, exist_ok=True)
        (where / most).write_text(f"{limit}\n")
        (where / used).write_text(f"{taken}\n")
        (where / "memory.stat").write_text(f"anon 1\n{cache} {given_back}\n")
    return root


@pytest.mark.parametrize(
    ("groups", "own", "expected"),
    [
        ([], "/", 8 * GB),
        ([(V2, "", (2 * GB, GB, 0))], "/", GB),
        ([(V2, "", (2 * GB, GB, GB // 2))], "/", 3 * GB // 2),
        ([(V2, "", ("max", GB, 0))], "/", 8 * GB),
        ([(V2, "", (64 * GB, GB, 0))], "/", 8 * GB),
        ([(V2, "a/b", ("max", 0, 0)), (V2, "a", (3 * GB, GB, 0))], "/a/b", 2 * GB),
        ([(V2, "a", (3 * GB, GB, 0))], "/b", 8 * GB),
        ([(V1, "", (2 * GB, GB, GB // 4))], "/", 5 * GB // 4),
        ([(V1, "", (2**63 - 4096, GB, 0))], "/", 8 * GB),
        ([(V2, "", (GB, 2 * GB, 0))], "/", 1),
    ],
)
def test_a_container_may_have_less_than_the_machine(tmp_path, groups, own, expected):
    assert available(machine(tmp_path, groups, own)) == expected
