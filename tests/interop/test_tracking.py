"""Means as a dict for trackers, and what a run says of itself at its head."""

import gzip

import pytest

import ulframe as ul
from ulframe.frames import BadData, BadUsage, scan_runs
from ulframe.interop.ir_metadata import read_metadata, write_metadata
from ulframe.interop.tracking import as_metrics

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
ONE = {"1": {"b": 2.0, "a": 1.0}, "2": {"c": 1.0}}


def test_the_means_of_one_run():
    scores = ul.evaluate(QRELS, ONE, ["RR", "P@1", "V2(DCG@10)"])
    found = as_metrics(scores)
    assert found["RR"] == (1 / 2 + 1) / 2
    assert found["P_at_1"] == 1 / 2
    assert "V2_DCG_at_10" in found


def test_the_means_of_several_runs():
    found = as_metrics(ul.evaluate(QRELS, {"x": ONE, "y": {"1": {"a": 1.0}}}, "RR"))
    assert found == {"x/RR": 3 / 4, "y/RR": 1 / 2}


# ---------------------------------------------------------------- ir_metadata
RUN = "1 Q0 a 1 2.5 t\n1 Q0 b 2 1.5 t\n"
MADE = {"platform": {"hardware": "2 cores"}, "research goal": {"venue": {"name": "TREC"}}}


def test_what_is_written_is_read_and_passed_over(tmp_path):
    yaml = pytest.importorskip("yaml")
    assert yaml
    (tmp_path / "r.txt").write_text(RUN)
    write_metadata(tmp_path / "r.txt", MADE, tmp_path / "told.txt")
    assert read_metadata(tmp_path / "told.txt") == MADE
    assert read_metadata(tmp_path / "r.txt") is None
    told = (tmp_path / "told.txt").read_text()
    assert told.startswith("# ir_metadata.start\n# platform:\n#   hardware: 2 cores\n")
    assert told.endswith(f"# ir_metadata.end\n{RUN}")
    columns = ["query_id", "doc_id", "score"]
    rows = [scan_runs(tmp_path / name).select(columns).collect() for name in ("r.txt", "told.txt")]
    assert rows[0].equals(rows[1])


def test_metadata_is_replaced_not_added(tmp_path):
    pytest.importorskip("yaml")
    (tmp_path / "r.txt.gz").write_bytes(gzip.compress(RUN.encode()))
    write_metadata(tmp_path / "r.txt.gz", MADE, tmp_path / "a.txt")
    write_metadata(tmp_path / "a.txt", {"tag": "new"}, tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_text() == (
        f"# ir_metadata.start\n# tag: new\n# ir_metadata.end\n{RUN}"
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("# ir_metadata.start\n# a: 1\n" + RUN, "does not end with '# ir_metadata.end'"),
        ("# ir_metadata.start\n# a: 1\n", "does not end with"),
        ("# ir_metadata.start\n# - 1\n# ir_metadata.end\n", "no YAML with names"),
        ("# ir_metadata.start\n# {\n# ir_metadata.end\n", "no YAML: "),
    ],
)
def test_a_broken_head(tmp_path, text, says):
    pytest.importorskip("yaml")
    (tmp_path / "r.txt").write_text(text)
    with pytest.raises(BadData, match=says):
        read_metadata(tmp_path / "r.txt")


def test_a_run_is_not_written_over_itself(tmp_path):
    (tmp_path / "r.txt").write_text(RUN)
    with pytest.raises(BadUsage):
        write_metadata(tmp_path / "r.txt", MADE, tmp_path / "r.txt")
    assert (tmp_path / "r.txt").read_text() == RUN
