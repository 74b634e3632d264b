"""Value, best, worst, expectation and spread of every metric, against all orders of short lists."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import product
from math import isclose
from statistics import fmean, pstdev

import polars as pl
import pytest

import ulframe as ul
from tests import oracle, oracle_graded, oracle_sets
from ulframe.metrics.catalog import CATALOG
from ulframe.metrics.laws import is_compared, refusal

CASES = oracle.CASES | oracle_graded.CASES | oracle_sets.CASES
GRADES = (-1, 0, 1, 2)
RANKINGS = [ranking for n in range(1, 7) for ranking in product(GRADES, repeat=n)]

MEASURES = {name: ul.parse(name) for name in CASES}
METRICS = {name: measure.metric for name, measure in MEASURES.items()}
BOUNDED = [name for name, metric in METRICS.items() if not isinstance(metric.ideal, ul.Refused)]
EXPECTED = [name for name in BOUNDED if is_compared(MEASURES[name])]
COMPARED = [name for name in EXPECTED if METRICS[name].zero is None]
EXACT = [name for name in COMPARED if "independent" not in name]
MEANS = [name for name in EXPECTED if "independent" not in name]
WORSE_STILL = ["G(gains={1:2,2:5})"]  # of steep gains it has worse rankings than the reversed ideal
SPREAD = [name for name in BOUNDED if not refusal(MEASURES[name], ul.SD.needs)]
SIMULATED = ["ERR", "ERR@3", "ERR(max=2)@4", "G", "G(gains={1:2,2:5})", "infAP", "infAP(rel=2)",
             "QMeasure", "QMeasure(beta=10)",
             "QMeasure@2", "ndcg_rel"]  # fmt: skip
KINDS = ["value", "upper", "expected", "worst", "spread"]


@cache
def scores() -> pl.DataFrame:
    """Every ranking is a query of its own, judged and retrieved whole."""
    rows = [
        ("/".join(map(str, ranking)), str(rank), label, -rank)
        for ranking in RANKINGS
        for rank, label in enumerate(ranking)
    ]
    frame = pl.DataFrame(rows, schema=["query_id", "doc_id", "label", "score"], orient="row")
    names = [*CASES, *(f"WLB({name})" for name in BOUNDED)]
    names += [f"{v}({name})" for name in COMPARED for v in ("V1", "V2", "U", "MinMax", "Ratio")]
    names += [f"Adjusted({name})" for name in MEANS]
    names += [f"{v}({name})" for name in SPREAD for v in ("SD", "Z")]
    return ul.evaluate(frame.drop("score"), frame.drop("label"), names).collect()


def column(measure: str, kind: str) -> dict[str, float]:
    rows = scores().filter(pl.col("measure") == measure)
    return dict(rows.select("query_id", kind).iter_rows())


@cache
def expected_of(measure: str) -> dict[str, tuple[float, ...]]:
    """By the plain oracle: value, and maximum, mean, minimum and deviation over all orders.

    Each distinct order of a list is equally likely, so the mean over them is the expectation.
    """
    values = {ranking: CASES[measure](ranking, ranking) for ranking in RANKINGS}
    orders = defaultdict(list)
    for ranking, value in values.items():
        orders[tuple(sorted(ranking))].append(value)
    over = {
        labels: (max(same), fmean(same), min(same), pstdev(same)) for labels, same in orders.items()
    }
    return {
        "/".join(map(str, ranking)): (value, *over[tuple(sorted(ranking))])
        for ranking, value in values.items()
    }


def agree(got: dict[str, float], measure: str, kind: str) -> None:
    for query, numbers in expected_of(measure).items():
        assert isclose(got[query], numbers[KINDS.index(kind)], rel_tol=1e-12, abs_tol=1e-12), query


def test_every_metric_of_the_catalogue_is_here():
    assert {metric.name for metric in METRICS.values()} == {m.metric.name for m in CATALOG.values()}


@pytest.mark.parametrize("measure", CASES)
def test_value(measure):
    agree(column(measure, "value"), measure, "value")


@pytest.mark.parametrize("measure", BOUNDED)
def test_best_and_worst_of_all_orders(measure):
    agree(column(measure, "upper"), measure, "upper")
    if measure not in WORSE_STILL:
        agree(column(f"WLB({measure})", "score"), measure, "worst")


@pytest.mark.parametrize("measure", MEANS)
def test_mean_of_all_orders(measure):
    agree(column(measure, "expected"), measure, "expected")


@pytest.mark.parametrize("measure", SPREAD)
def test_deviation_of_all_orders(measure):
    got = column(f"SD({measure})", "score")
    for query, numbers in expected_of(measure).items():
        assert isclose(got[query], numbers[-1], rel_tol=1e-9, abs_tol=1e-12), query


def test_what_has_no_spread_is_simulated():
    assert sorted({*MEANS} - {*SPREAD}) == sorted(SIMULATED)
    for name in SIMULATED:
        with pytest.raises(ul.BadUsage, match="`ulframe chance` has it by simulation"):
            ul.parse(f"SD({name})")


@pytest.mark.parametrize("measure", MEANS)
def test_adjusted_is_0_on_average(measure):
    got = column(f"Adjusted({measure})", "score")
    orders = defaultdict(list)
    for query, (value, upper, expected, *_) in expected_of(measure).items():
        same = upper - expected <= 1e-9 * max(abs(upper), abs(expected))
        want = None if same else (value - expected) / (upper - expected)
        assert (want is None) == (got[query] is None), query
        assert want is None or isclose(got[query], want, rel_tol=1e-9, abs_tol=1e-9), query
        orders[tuple(sorted(query.split("/")))].append(got[query] or 0.0)
    assert all(abs(fmean(scores)) < 1e-9 for scores in orders.values())


@pytest.mark.parametrize("measure", sorted({*CASES} - {*EXPECTED}))
def test_what_has_no_expectation_has_none(measure):
    assert set(column(measure, "expected").values()) == {None}


def u(value: float, upper: float, *_: float) -> float | None:
    return value / upper if upper > 0 else None


def v1(value: float, upper: float, expected: float, *_: float) -> float | None:
    return value / upper * value / (value + expected) if upper > 0 else None


def v2(value: float, upper: float, expected: float, *_: float) -> float | None:
    if upper == 0:
        return None
    if value < expected - 1e-12:
        return (value - expected) / expected
    if upper - expected < 1e-12:
        return None
    return (value - expected) / (upper - expected)


def minmax(value: float, upper: float, _: float, worst: float, *__: float) -> float | None:
    return (value - worst) / (upper - worst) if upper - worst > 1e-12 else None


def ratio(value: float, upper: float, expected: float, *_: float) -> float | None:
    return value / expected if expected > 0 else None


def z(value: float, upper: float, expected: float, worst: float, spread: float) -> float | None:
    return (value - expected) / spread if spread > 1e-9 else None


WRITTEN_OUT = {"U": u, "V1": v1, "V2": v2, "MinMax": minmax, "Ratio": ratio, "Z": z}
NOT_OF = {"MinMax": WORSE_STILL, "Z": SIMULATED}


@pytest.mark.parametrize("measure", EXACT)
@pytest.mark.parametrize("operator", WRITTEN_OUT)
def test_operators_written_out(measure, operator):
    if measure in NOT_OF.get(operator, []):
        return
    got = column(f"{operator}({measure})", "score")
    for query, numbers in expected_of(measure).items():
        want = WRITTEN_OUT[operator](*numbers)
        assert (want is None) == (got[query] is None), query
        assert want is None or isclose(got[query], want, rel_tol=1e-9, abs_tol=1e-9), query
