"""How much memory an evaluation may take."""

import pytest

from ulframe.cli import resources
from ulframe.cli.resources import PACKED, PLAIN, need

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
