"""The folder of the paper's tables and figures: all of it in every format, or nothing."""

import importlib

import altair as alt
import polars as pl
import pytest

import ulframe as ul
from ulframe.report.paper import Book, Missing, write_book
from ulframe.report.table import Table

BARS = alt.Chart(pl.DataFrame({"x": [1, 2]})).mark_bar().encode(x="x:Q")
BOOK = Book(
    tables={
        "table-02": Table("Table 2. Means", pl.DataFrame({"method": ["RF"], "nDCG@5": [0.25]})),
        "table-06": Table("Table 6. Tau", pl.DataFrame({"measure": ["nDCG"], "all": [0.5]})),
    },
    figures={"figure-1-a/b": BARS},
    missing=(Missing("Table 10", "Swap rate between data sets", "it takes two data sets"),),
    values=pl.DataFrame({"dataset": ["a/b"], "here": [0.25]}),
)


def test_the_folder_has_every_table_in_every_format_and_an_index(tmp_path):
    names = write_book(BOOK, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == names
    assert names == sorted([
        *(f"{table}.{ending}" for table in BOOK.tables for ending in ("md", "tex", "html", "csv")),
        *(f"figure-1-a_b{ending}" for ending in (".html", ".svg", ".png")),
        "values.csv", "index.html",
    ])  # fmt: skip
    index = (tmp_path / "out" / "index.html").read_text()
    assert "Table 10, Swap rate between data sets: it takes two data sets." in index
    assert all(table in index for table in BOOK.tables)
    assert "| RF     | 0.2500 |" in (tmp_path / "out" / "table-02.md").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "nothing else is left"


def test_nothing_is_written_unless_everything_can_be(tmp_path, monkeypatch):
    def broken(*args):
        raise OSError("disk full")

    monkeypatch.setattr("ulframe.report.paper.write.save_chart", broken)
    with pytest.raises(OSError, match="disk full"):
        write_book(BOOK, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_without_the_drawing_package_it_says_what_to_install(tmp_path, monkeypatch):
    def gone(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", gone)
    with pytest.raises(ul.BadUsage, match=r"pip install 'ulframe\[pictures\]'"):
        write_book(BOOK, tmp_path / "out")
