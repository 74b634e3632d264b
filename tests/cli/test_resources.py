"""How much memory an evaluation may take: the arithmetic, apart from the machine."""

import pytest

from ulframe.cli import resources

AVAILABLE = 1000


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
    monkeypatch.setattr(resources, "_available", lambda: AVAILABLE)
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
