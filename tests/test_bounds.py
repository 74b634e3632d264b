"""Value, best possible and expectation of every metric, against every order of short lists."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import product
from statistics import fmean

import polars as pl
import pytest

import ulframe as ul
from tests.oracle import CASES

GRADES = (-1, 0, 1, 2)
RANKINGS = [ranking for n in range(1, 7) for ranking in product(GRADES, repeat=n)]


@cache
def scores() -> pl.DataFrame:
    """Every ranking is a query of its own, judged and retrieved whole."""
    rows = [
        ("/".join(map(str, ranking)), str(rank), label, -rank)
        for ranking in RANKINGS
        for rank, label in enumerate(ranking)
    ]
    frame = pl.DataFrame(rows, schema=["query_id", "doc_id", "label", "score"], orient="row")
    names = [*CASES, *(f"{v}({name})" for name in CASES for v in ("V1", "V2", "U"))]
    return ul.evaluate(frame.drop("score"), frame.drop("label"), names).collect()


def column(measure: str, kind: str) -> dict[str, float]:
    rows = scores().filter(pl.col("measure") == measure)
    return dict(rows.select("query_id", kind).iter_rows())


@cache
def triples(measure: str) -> dict[str, tuple[float, float, float]]:
    """By the plain oracle: value, maximum and mean over all orders of the same labels.

    Each distinct order of a list is equally likely, so the mean over them is the expectation.
    """
    values = {ranking: CASES[measure](ranking, ranking) for ranking in RANKINGS}
    orders = defaultdict(list)
    for ranking, value in values.items():
        orders[tuple(sorted(ranking))].append(value)
    return {
        "/".join(map(str, ranking)): (value, max(same), fmean(same))
        for ranking, value in values.items()
        for same in [orders[tuple(sorted(ranking))]]
    }


@pytest.mark.parametrize("measure", CASES)
@pytest.mark.parametrize("kind", ["value", "upper", "expected"])
def test_against_every_order(measure: str, kind: str) -> None:
    place = ["value", "upper", "expected"].index(kind)
    got = column(measure, kind)
    for query, triple in triples(measure).items():
        assert got[query] == pytest.approx(triple[place], abs=1e-12), query


def u(value: float, upper: float, expected: float) -> float | None:
    return value / upper if upper > 0 else None


def v1(value: float, upper: float, expected: float) -> float | None:
    return value / upper * value / (value + expected) if upper > 0 else None


def v2(value: float, upper: float, expected: float) -> float | None:
    if upper == 0:
        return None
    if value < expected - 1e-12:
        return (value - expected) / expected
    if upper - expected < 1e-12:
        return None
    return (value - expected) / (upper - expected)


@pytest.mark.parametrize("measure", CASES)
@pytest.mark.parametrize("operator", [u, v1, v2])
def test_operators_written_out(measure: str, operator: object) -> None:
    got = column(f"{operator.__name__.upper()}({measure})", "score")  # type: ignore[attr-defined]
    for query, triple in triples(measure).items():
        want = operator(*triple)  # type: ignore[operator]
        assert got[query] == (want if want is None else pytest.approx(want, abs=1e-9)), query
