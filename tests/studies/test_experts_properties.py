"""The table in the documentation: every cell of it, on a few hundred rankings."""

from functools import cache
from random import Random
from typing import Any

import polars as pl
import pytest

from ulframe.studies import experts

PROCEDURES: dict[str, dict[str, Any]] = {
    "as given": {"homogenise": False, "complete": False},
    "homogenised": {"homogenise": True, "complete": False},
    "completed": {"homogenise": False, "complete": True},
    "both": {"homogenise": True, "complete": True},
}
SLACK = 1e-9


def cells():
    """`measure, procedure, claim` for every cell of the table in the documentation."""
    lines = [line for line in str(experts.__doc__).splitlines() if line.startswith("|")]
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [
        (measure.strip(), procedure, claim)
        for first, *claims in rows
        for measure in first.split(", ")
        for procedure, claim in zip(header[1:], claims, strict=True)
    ]


@cache
def scores(procedure):
    """A row per measure and contest: A by B, B by A, and B's score of A's people in another order.

    A and B tie people and leave some out; S holds A's people and ties, shuffled.
    """
    random = Random(8)
    rows = []
    for contest in range(600):
        a, b = (random.sample("pqrstuv", random.randint(2, 6)) for _ in range(2))
        places = [random.randint(1, len(a)) for _ in a]
        shuffled = random.sample(a, len(a))
        for name, people, positions in [
            ("A", a, places),
            ("B", b, [random.randint(1, len(b)) for _ in b]),
            ("S", shuffled, places),
        ]:
            rows += [(contest, name, i, p) for i, p in zip(people, positions, strict=True)]
    names = ["contest", "ranking", "item", "position"]
    rankings = pl.LazyFrame(rows, schema=names, orient="row")
    measures = list(dict.fromkeys(measure for measure, *_ in cells()))
    found = experts.compare(
        rankings, experts.every_pair(rankings), measures, **PROCEDURES[procedure]
    ).collect()
    pair = pl.col("ranking") + pl.col("reference")
    return found.with_columns(pair=pair).pivot("pair", index=["contest", "measure"], values="score")


PROPERTIES = {
    "S": lambda ab, ba, sb: (
        ((ab - ba).abs() < SLACK).all() and (ab.is_null() == ba.is_null()).all()
    ),
    "B": lambda ab, ba, sb: ab.is_between(-SLACK, 1 + SLACK).all(),
    "O": lambda ab, ba, sb: ((ab - sb).abs() > SLACK).any(),
}


@pytest.mark.parametrize(("measure", "procedure", "claim"), cells())
def test_the_table_of_properties(measure, procedure, claim):
    rows = scores(procedure).filter(pl.col("measure") == measure)
    assert rows["AB"].count() > 100
    found = [holds(rows["AB"], rows["BA"], rows["SB"]) for holds in PROPERTIES.values()]
    assert "".join(c if yes else "-" for c, yes in zip(PROPERTIES, found, strict=True)) == claim


def test_the_table_has_all_measures_over_pairs():
    named = {measure for measure, *_ in cells()}
    assert all(any(name in measure for measure in named) for name in experts.PAIR_MEASURES)
