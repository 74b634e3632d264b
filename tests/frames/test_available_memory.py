"""What memory there is: on a machine, and in a container."""

import pytest

from ulframe.frames.available_memory import available

GB = 1 << 30

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
