"""The guide's pictures are there, and are what their script draws."""

import re
import runpy
from pathlib import Path

import pytest

from ulframe.report.pictures import save_chart

DATA = Path(__file__).resolve().parents[2] / "data"
PICTURES = runpy.run_path(str(DATA / "make_pictures.py"))["make_pictures"]()


def marks(path):
    """Each drawn mark's label, which tells its data; fonts move pixels, not these.

    Numbers are rounded: the last bits of a mean differ between repeats.
    """
    text = re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.6f}", path.read_text("utf-8"))
    return sorted(re.findall(r'aria-label="([^"]*)"', text))


@pytest.mark.parametrize("name", PICTURES)
def test_the_script_draws_the_committed_picture(name, tmp_path):
    save_chart(PICTURES[name], tmp_path / name)
    assert marks(tmp_path / name) == marks(DATA / "pictures" / name)
    assert len(marks(tmp_path / name)) > 10


def test_there_is_no_other_picture():
    assert sorted(path.name for path in (DATA / "pictures").iterdir()) == sorted(
        [*PICTURES, "report.png"]
    )
