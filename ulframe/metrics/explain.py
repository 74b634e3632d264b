"""What a measure is, in words: the list of them all, and the page of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from textwrap import fill

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.catalog import ALIASES, CATALOG
from ulframe.metrics.measure import Measure, Metric
from ulframe.metrics.operators import OPERATORS, Operator, U
from ulframe.metrics.parameters import Parameter, written
from ulframe.metrics.trec_names import FAMILIES

WIDTH = 88


def listing() -> pl.DataFrame:
    """Every measure and operator, a row each: `measure, what, range, trec_eval, ir_measures`.

    >>> listing().filter(pl.col("measure") == "Rprec").select("range", "ir_measures").row(0)
    ('0 to 1', 'Rprec, RPrec')
    """
    measures = [m for m in CATALOG.values() if m.operator is not U]
    return pl.DataFrame(
        {
            "measure": [str(m.example) for m in measures] + [f"{o}(A)" for o in OPERATORS],
            "what": [_first(one.doc) for one in _declared(measures)],
            "range": [one.range for one in _declared(measures)],
            "trec_eval": [m.metric.trec_eval for m in measures] + [""] * len(OPERATORS),
            "ir_measures": [m.metric.ir_measures for m in measures] + [""] * len(OPERATORS),
        }
    )


def _declared(measures: list[Measure]) -> list[Metric | Operator]:
    return [*(m.metric for m in measures), *OPERATORS.values()]


def _first(doc: str) -> str:
    """The first sentence; a point inside a number or before another does not end it."""
    return re.split(r"(?<!\.\.)\.(?: |$)", doc)[0]


def explain(name: str) -> str:
    """The formula, range, parameters, source and other names of a measure or operator.

    `name` is one of `ulframe measures`, of trec_eval or of ir_measures, without parameters or
    cutoff. Raises `BadUsage` for another, with the nearest.

    >>> print(explain("recip_rank").splitlines()[0])
    recip_rank is RR. RR: Reciprocal rank of the first relevant document, 0 if none is
    """
    if name in OPERATORS:
        operator = OPERATORS[name]
        return _page(f"{name}(A): {operator.doc}", [("range", operator.range)])
    measure = _measure(name)
    metric = measure.metric
    title = f"{metric.name}: {metric.doc}"
    if measure.operator is U and name == str(measure):
        title = f"{name} is U({metric.name}). {title}"
    elif name != metric.name:
        title = f"{name} is {measure}. {title}"
    return _page(title, _facts(metric))


def _measure(name: str) -> Measure:
    known = {**_of_trec_eval(), **CATALOG, **ALIASES}
    if name in known:
        return known[name]
    near = get_close_matches(name, [*known, *OPERATORS], n=3, cutoff=0.5)
    raise BadUsage(f"no measure {name!r}" + (f"; did you mean {', '.join(near)}?" if near else ""))


def _of_trec_eval() -> dict[str, Measure]:
    made = {
        name: family.alone or (family.each(family.default[0]) if family.each else None)
        for name, family in FAMILIES.items()
    }
    return {name: measure for name, measure in made.items() if measure}


def _facts(metric: Metric) -> Iterator[tuple[str, str]]:
    yield "formula", metric.formula
    yield "range", metric.range
    yield "behind @", f"the {metric.at}" if metric.at else f"it {metric.cutoff}"
    measure = Measure(metric)
    for name, parameter in measure.parameters.items():
        yield f"{name}=", _described(parameter)
    yield "over queries", metric.aggregate
    yield "by chance", metric.unbounded or metric.refuses or _expectation(measure)
    yield "source", metric.source
    yield "trec_eval", metric.trec_eval
    yield "ir_measures", metric.ir_measures


def _described(parameter: Parameter) -> str:
    default = written(parameter.default)
    return parameter.takes if default in ("", "-1") else f"{parameter.takes}; {default} by default"


def _expectation(measure: Measure) -> str:
    closed = measure.metric.expected(measure.example)
    if closed is None:
        return "the exact expectation, by linearity"
    return f"the exact expectation: {(closed.__doc__ or '').strip().splitlines()[0]}"


def _page(title: str, facts: Iterator[tuple[str, str]] | list[tuple[str, str]]) -> str:
    lines = [fill(title, WIDTH)]
    lines += [
        fill(f"{what:<13} {text}", WIDTH, initial_indent="  ", subsequent_indent=" " * 16)
        for what, text in facts
        if text
    ]
    return "\n".join(lines)
