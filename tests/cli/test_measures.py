"""`ulframe measures` lists every measure, and explains each under all of its names."""

from __future__ import annotations

import pytest

from ulframe.cli.main import BAD_USAGE, DONE, main
from ulframe.metrics.catalog import ALIASES, CATALOG
from ulframe.metrics.explain import explain
from ulframe.metrics.operators import OPERATORS
from ulframe.metrics.trec_names import FAMILIES

METRICS = {measure.metric.name: measure.metric for measure in CATALOG.values()}


@pytest.mark.parametrize("name", METRICS)
def test_every_declaration_is_documented(name):
    about = METRICS[name].about
    for said in (about.doc, about.formula, about.range, about.source):
        assert said


@pytest.mark.parametrize("name", [*CATALOG, *ALIASES, *FAMILIES, *OPERATORS])
def test_every_name_has_a_page(name):
    page = explain(name)
    assert page.splitlines()[0]
    assert "  range " in page
    assert max(map(len, page.splitlines())) <= 88


def test_the_list_has_every_metric(capsys):
    assert main(["measures"]) == DONE
    first = {line.split()[0].partition("@")[0] for line in capsys.readouterr().out.splitlines()}
    assert first >= {*METRICS, "V2(A)"}


def test_a_page_says_what_other_tools_call_it(capsys):
    assert main(["measures", "iprec_at_recall"]) == DONE
    page = capsys.readouterr().out
    assert page.startswith("iprec_at_recall is IPrec@0.")
    assert "its expectation under a random ranking has no closed form" in page
    assert "  ir_measures   IPrec@0.1" in page


def test_an_unknown_name_is_refused_with_the_nearest(capsys):
    assert main(["measures", "nGCD"]) == BAD_USAGE
    assert "no measure 'nGCD'; did you mean nCG" in capsys.readouterr().err
