"""SMART's qrels, `query document 0 0`: the second field is the document, and is relevant."""

import pytest

import ulframe as ul
from ulframe.cli.main import main
from ulframe.frames import BadData, scan_qrels, scan_runs
from ulframe.frames.remarks import Remark

CACM = "01 1410  0 0\n01 1572  0 0\n02 2434  0 0\n"
CISI = "     1     28\t0\t0.000000\n     1     35\t0\t0.000000\n"


@pytest.mark.parametrize(
    ("text", "rows", "says"),
    [
        (CACM, [("1", "1410", 1), ("1", "1572", 1), ("2", "2434", 1)], "01 as 1"),
        (CISI, [("1", "28", 1), ("1", "35", 1)], "all are relevant$"),
        ("1 a07 0 0\n1 b 0 0\n1 b 0 0\n", [("1", "a07", 1), ("1", "b", 1)], "all are relevant$"),
    ],
)
def test_the_second_field_is_the_document(tmp_path, text, rows, says):
    path = tmp_path / "x.rel"
    path.write_text(text)
    with pytest.warns(Remark, match=f"x.rel: taken as SMART's qrels, .*{says}"):
        assert scan_qrels(path).collect().rows() == rows


def test_what_is_relevant_counts(tmp_path, monkeypatch, capsys):
    """Once it was read as `query iteration document label`, and AP was 0 with exit code 0."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.rel").write_text(CISI)
    (tmp_path / "r.run").write_text("1 Q0 28 1 2 t\n1 Q0 9 2 1 t\n")
    assert main(["eval", "x.rel", "r.run", "-m", "AP"]) == 0
    printed = capsys.readouterr()
    assert "| 0.5000 |" in printed.out
    assert "taken as SMART's qrels" in printed.err


def test_a_label_further_down_is_refused(tmp_path):
    path = tmp_path / "x.rel"
    path.write_text("".join(f"01 {n}  0 0\n" for n in range(1001)) + "02 2434  0 1\n")
    with pytest.warns(Remark), pytest.raises(BadData, match="query '02', document '2434' has 0 1"):
        scan_qrels(path).collect()


def test_qrels_are_no_run(tmp_path):
    path = tmp_path / "x.rel"
    path.write_text(CISI)
    with pytest.raises(BadData, match=r"x\.rel: qrels in the place of a run"):
        scan_runs(path)


def test_with_columns_they_are_what_these_say(tmp_path):
    path = tmp_path / "x.rel"
    path.write_text(CACM)
    columns = {"1": "query_id", "2": "doc_id", "3": "label"}
    assert ul.scan_qrels(path, columns=columns).collect()["label"].to_list() == [0, 0, 0]
