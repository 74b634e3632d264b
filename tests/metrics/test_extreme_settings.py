"""Every parameter at values nobody means: a finite score, or a refusal that names the parameter."""

from __future__ import annotations

from math import inf, isfinite, nan

import pytest

import ulframe as ul
from ulframe.metrics.catalog import CATALOG

QRELS = {"q": {"a": 1, "b": 2, "c": 0}}
RUNS = {"q": {"a": 1.0, "b": 0.5, "x": 0.2}}

NUMBERS = [1e-300, 1030, 1e9, 1e149, 1e200, 1.7e308, 10**400, nan, inf, -inf]
OTHERS = [True, "x", None, [1e149] * 4, [1e308] * 4, {1: 1e149}, {1: 1e308}, {1: nan}]
PARAMETERS = [(name, one) for name, measure in CATALOG.items() for one in measure.parameters]


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
@pytest.mark.parametrize("operator", [None, ul.V2])
def test_a_parameter_at_its_extremes(name, parameter, operator):
    for given in NUMBERS + OTHERS:
        try:
            measure = CATALOG[name](**{parameter: given}) @ 5
            measure = operator(measure) if operator else measure
            row = ul.evaluate(QRELS, RUNS, measure).collect().row(0, named=True)
        except (ul.BadUsage, ul.BadData):
            continue
        found = [row[column] for column in ("score", "value", "upper", "expected")]
        assert all(one is None or isfinite(one) for one in found), (given, row)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ERR(max=1030)@5", r"max=\) takes a number above 0 and below 1024, not '1030'"),
        ("F(beta=1e200)@5", r"beta=\) takes a number above 0 and below 1e\+150, not '1e200'"),
        ("GAP(max=1000000)", r"max=\) takes a whole number from 1 to 100, not '1000000'"),
        ("GAP(max=2.5)", r"max=\) takes a whole number from 1 to 100, not '2.5'"),
        ("P@2147483649", r"the cutoff is a whole number of at least 1 and at most 2147483648"),
    ],
)
def test_limits_are_told(text, says):
    with pytest.raises(ul.BadUsage, match=says):
        ul.parse(text)


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        (ul.RBP(p=1 / 3), "RBP(p=0.3333333333333333)"),
        (ul.RBP(p=0.8), "RBP"),
        (ul.DCG(gains={1: 1234567}), "DCG(gains={1:1234567})"),
        (ul.DCG(gains={1: 0.12345678}), "DCG(gains={1:0.12345678})"),
        (ul.DCG(gains={1: 1e22}), "DCG(gains={1:1e+22})"),
        (ul.Utility(weights=[1e6, -0.25, 0, 0]), "Utility(weights=[1000000,-0.25,0,0])"),
        (ul.AP(rel=2.0), "AP(rel=2)"),
    ],
)  # fmt: skip
def test_a_name_is_exact(measure, name):
    assert str(measure) == name
    assert ul.parse(name) == measure


def test_measures_that_differ_in_the_seventh_digit_stand_side_by_side():
    names = ["DCG(gains={1:1234567})@5", "DCG(gains={1:1234568})@5"]
    scores = ul.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, names).collect()
    assert scores["score"].to_list() == [1234567, 1234568]  # the gain at rank 1, over log2(2)
