"""Files in the shapes in which people have qrels and runs, and names as they type them.

One known content in many shapes; `tests/cases/cases.jsonl` says for each what is printed, or that
it is refused and what the message says: `means` by measure, `runs` the same by run, `same` as that
measure gives, `columns`, how many measures, `refused` and `says`, words of the message.
"""

import json
import re
from pathlib import Path

import pytest

from ulframe.cli.main import main

FOLDER = Path(__file__).parents[1] / "cases"
CASES = [json.loads(line) for line in (FOLDER / "cases.jsonl").read_text().splitlines()]


def ask(case_args, capsys):
    """Run the command line; its exit code and both outputs, means in trec_eval's lines."""
    command, *rest = case_args
    shown = ["--format", "trec"] if command == "eval" else []
    code: object
    try:
        code = main([command, *shown, *rest])
    except SystemExit as left:  # argparse leaves so
        code = left.code
    out, err = capsys.readouterr()
    return code, out, err


def means(out):
    """`{run: {measure: mean}}`."""
    found = {}
    for name, value in re.findall(r"^(\S+)\s+all\s+(\S+)$", out, re.MULTILINE):
        if name == "runid":
            found[value] = measures = {}
        else:
            measures[name] = float(value)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_right_at_the_first_try(case, capsys, monkeypatch):
    monkeypatch.chdir(FOLDER)
    code, out, err = ask(case["args"], capsys)
    if "any" in case:
        assert any(words in out + err for words in case["any"])
        return
    assert code in ([1, 2] if case.get("refused") else [case["rc"]]), err
    if "means" in case:
        assert list(means(out).values()) == [case["means"]]
    if "runs" in case:
        assert means(out) == case["runs"]
    if "columns" in case:
        assert [len(measures) for measures in means(out).values()] == [case["columns"]]
    if "same" in case:
        as_told = ask([*case["args"][:-1], case["same"]], capsys)[1]
        told, said = ([[*of.values()] for of in means(text).values()] for text in (as_told, out))
        assert said == told
        assert said
    assert all(words in err for words in case.get("says", []))
    assert max(map(len, err.splitlines()), default=0) <= 3 * 100
