"""Qrels of ir_datasets by name, from a data set that is registered here; Hugging Face's tables."""

from typing import NamedTuple

import polars as pl
import pytest

import ulframe as ul
from ulframe.cli.main import main
from ulframe.frames import BadData, BadUsage, scan_qrels
from ulframe.frames.irds import qrels_of

ir_datasets = pytest.importorskip("ir_datasets")
formats = pytest.importorskip("ir_datasets.formats")


class BySubtopic(NamedTuple):
    """A judgement of a subtopic."""

    query_id: str
    doc_id: str
    subtopic_id: str
    relevance: int


class Held(formats.BaseQrels):  # type: ignore[misc, name-defined]
    """Qrels that are held in memory, with what ir_datasets asks of a data set's part."""

    def __init__(self, rows, kind):
        self.rows, self.kind = rows, kind

    def qrels_iter(self):
        return iter(self.rows)

    def qrels_cls(self):
        return self.kind

    def qrels_defs(self):
        return {}

    def qrels_path(self):
        raise NotImplementedError


@pytest.fixture(scope="module")
def registered() -> None:
    """Three data sets: qrels, qrels by subtopic, none."""
    from ir_datasets.datasets.base import Dataset

    rows = [
        formats.TrecQrel("1", "a", 1, "0"),
        formats.TrecQrel("1", "b c", 0, "0"),
        formats.TrecQrel("2", "d", 2, "0"),
    ]
    ir_datasets.registry.register("ulframe-tiny", Dataset(Held(rows, formats.TrecQrel)))
    parts = [BySubtopic("1", "a", "x", 1)]
    ir_datasets.registry.register("ulframe-tiny/parts", Dataset(Held(parts, BySubtopic)))
    ir_datasets.registry.register("ulframe-tiny/none", Dataset())
    qrels_of.cache_clear()


@pytest.mark.usefixtures("registered")
def test_qrels_by_name():
    assert sorted(scan_qrels("irds:ulframe-tiny").collect().rows()) == [
        ("1", "a", 1), ("1", "b c", 0), ("2", "d", 2),
    ]  # fmt: skip
    found = ul.evaluate("irds:ulframe-tiny", {"1": {"a": 1.0}}, "RR").collect()
    assert found["score"].to_list() == [1.0, 0.0]


@pytest.mark.usefixtures("registered")
def test_a_command_takes_the_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.run").write_text("1 Q0 a 1 1 t\n2 Q0 d 1 1 t\n")
    assert main(["eval", "irds:ulframe-tiny", "r.run", "-m", "RR", "-o", "s.parquet"]) == 0
    assert "| 1.0000 |" in capsys.readouterr().out
    assert "irds:ulframe-tiny" in pl.read_parquet_metadata("s.parquet")["ulframe"]


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("irds:ulframe-none", BadUsage, "ir_datasets knows no 'ulframe-none'"),
        ("irds:ulframe-tiny/none", BadData, "irds:ulframe-tiny/none: this data set has no qrels"),
        ("irds:ulframe-tiny/parts", BadData, "qrels by subtopic"),
    ],
)
def test_what_there_is_not(name, error, says):
    with pytest.raises(error, match=says):
        scan_qrels(name)


class Dataset:
    """A table as Hugging Face's datasets have it: it makes a frame of Polars of itself."""

    def to_polars(self):
        return pl.DataFrame({"query-id": ["1"], "corpus-id": ["a"], "score": [2]})


def test_a_table_that_makes_a_frame_itself():
    assert scan_qrels(Dataset()).collect().rows() == [("1", "a", 2)]
