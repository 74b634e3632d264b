"""`ulframe trec_eval` prints what trec_eval prints, line for line."""

from __future__ import annotations

import pytest

from ulframe.cli.main import DONE, main

GOLDEN = {
    "out.test": "qrels.test results.test",
    "out.test.a": "-m all_trec qrels.test results.test",
    "out.test.aq": "-m all_trec -q qrels.test results.test",
    "out.test.aqc": "-m all_trec -q -c qrels.test results.trunc",
    "out.test.aql": "-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test",
    "out.test.aqZ": "-q -m all_trec -Z zscores_file qrels.test results.test",
    "out.comment.test": "qrels.comment.test results.comment.test",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_output_is_trec_evals(shared, name, capsys, monkeypatch):
    monkeypatch.chdir(shared / "trec_eval")
    assert main(["trec_eval", *GOLDEN[name].split()]) == DONE
    want = (shared / "trec_eval" / name).read_text().splitlines()
    assert capsys.readouterr().out.splitlines() == want
