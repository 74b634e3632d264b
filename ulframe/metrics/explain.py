"""What a measure is, in words: the list of them all, and the page of one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from textwrap import fill

import polars as pl

from ulframe.metrics.catalog import CATALOG
from ulframe.metrics.declaration import About, Approximate, Form, Linear, Refused
from ulframe.metrics.grammar import read, single_names
from ulframe.metrics.laws import (
    AlongRanks,
    ByRank,
    InPairs,
    expectation_of,
    is_compared,
    refusal,
    spread_of,
)
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import OPERATORS, SD, A, Operator, U
from ulframe.metrics.parameters import Parameter, written
from ulframe.metrics.undefined import measured_against

WIDTH = 88

CUTOFFS = {
    "none": "it takes no cutoff",
    "optional": "it may have a cutoff",
    "required": "it needs a cutoff",
}


def listing() -> pl.DataFrame:
    """Every measure and operator, a row each: `measure, what, range, trec_eval, ir_measures`.

    >>> listing().filter(pl.col("measure") == "Rprec").select("range", "ir_measures").row(0)
    ('0 to 1', 'Rprec, RPrec')
    """
    measures = [(str(m.example), m.metric.about) for m in CATALOG.values() if m.operator is not U]
    operators = [(f"{o}(A)", About(one.doc, range=one.range)) for o, one in OPERATORS.items()]
    rows = [
        (name, _first(about.doc), about.range, about.trec_eval, about.ir_measures)
        for name, about in measures + operators
    ]
    return pl.DataFrame(
        rows, schema=["measure", "what", "range", "trec_eval", "ir_measures"], orient="row"
    )


def _first(doc: str) -> str:
    """The first sentence; a point inside a number or before another does not end it."""
    return re.split(r"(?<!\.\.)\.(?: |$)", doc)[0]


def explain(asked: str | Measure | Operator) -> str:
    """The formula, range, parameters, source and other names of a measure or operator.

    `asked` is a measure, or what -m takes: a name of ours or of other tools, with or without
    parameters, cutoff and operator; of a list of several, the first is explained. Raises `BadUsage`
    for another name, with the nearest.

    >>> print(explain("recip_rank").splitlines()[0])
    recip_rank is RR. RR: Reciprocal rank of the first relevant document, 0 if none is
    """
    asked = asked.name if isinstance(asked, Operator) else asked
    if isinstance(asked, str) and asked in OPERATORS:
        operator = OPERATORS[asked]
        return _page(f"{asked}(A): {operator.doc}", iter([("range", operator.range)]))
    names = single_names(asked) if isinstance(asked, str) else [str(asked)]
    measure = asked if isinstance(asked, Measure) else read(names[0])
    return _page(_title(str(asked), measure), chain(_listed(names), _facts(measure)))


def _listed(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    if len(names) > 1:
        yield "first of", f"{len(names)} measures, {names[0]} to {names[-1]}"


def _title(name: str, measure: Measure) -> str:
    metric = measure.metric
    title = f"{metric.name}: {metric.about.doc}"
    if measure.operator is U and name == str(measure):
        return f"{name} is U({measure.base}). {title}"
    if measure.operator not in (A, U) and name == str(measure):
        return f"{name} is {measure.operator.name} of {measure.base}. {title}"
    return title if name in (metric.name, str(measure)) else f"{name} is {measure}. {title}"


def _facts(measure: Measure) -> Iterator[tuple[str, str]]:
    metric, about = measure.metric, measure.metric.about
    yield "formula", about.formula
    yield "range", about.range
    yield "behind @", f"the {at}" if (at := metric.spelling.at) else CUTOFFS[metric.cutoff]
    for name, parameter in measure.parameters.items():
        yield f"{name}=", _described(parameter)
    yield "over queries", metric.aggregate
    if measured_against(measure):
        yield "undefined", "where nothing is relevant: null in scores, 0 in means by default"
    yield "by chance", _expectation(measure.example)
    if is_compared(measure.example):
        yield "its spread", _spread(measure.example)
    if "retrieved" in measure.reads and is_compared(measure.example):
        yield "its bounds", "of rankings of as many documents as the run returned"
    if isinstance(metric.ideal, Approximate):
        yield "best possible", f"approximate, so that it has no V1 or V2: {metric.ideal.why}"
    yield "source", about.source
    yield "trec_eval", about.trec_eval
    yield "ir_measures", about.ir_measures
    yield from _of_operator(measure.operator)


def _of_operator(operator: Operator) -> Iterator[tuple[str, str]]:
    if operator not in (A, U):
        yield f"{operator.name}(A)", f"{operator.doc} Range: {operator.range}."


def _described(parameter: Parameter) -> str:
    default = written(parameter.default)
    return parameter.takes if default in ("", "-1") else f"{parameter.takes}; {default} by default"


def _expectation(measure: Measure) -> str:
    match expectation_of(measure):
        case Refused(why):
            return why
        case Form() as form:
            return f"the exact expectation: {form.says}"
        case Linear():
            return "the exact expectation, by linearity"
        case _:
            return "the exact expectation, by the distribution of what stands above"


SPREADS: dict[type, str] = {
    ByRank: "of a sum over a random permutation (Hoeffding 1951)",
    InPairs: "by how many documents two pairs have in common",
    AlongRanks: "its moments carried down the ranks",
}


def _spread(measure: Measure) -> str:
    if reason := refusal(measure, SD.needs):
        return reason
    how = spread_of(measure)
    return f"the exact variance: {how.says if isinstance(how, Form) else SPREADS[type(how)]}"


def _page(title: str, facts: Iterator[tuple[str, str]]) -> str:
    lines = [fill(title, WIDTH)]
    lines += [
        fill(f"{what:<13} {text}", WIDTH, initial_indent="  ", subsequent_indent=" " * 16)
        for what, text in facts
        if text
    ]
    return "\n".join(lines)
