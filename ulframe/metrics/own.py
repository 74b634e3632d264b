"""Metrics of a user's own: declared, checked at once, and known by name in this process."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec, get_args

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.catalog import ALIASES, CATALOG, WORDS
from ulframe.metrics.declaration import (
    Aggregation,
    Approximate,
    Cutoff,
    Form,
    Linear,
    Metric,
    Refused,
)
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import OPERATORS
from ulframe.metrics.trec_names import FAMILIES, NICKNAMES, trec_measure

P = ParamSpec("P")

OWN: dict[str, Measure] = {}
"""What was declared in this process, by name."""


def _declaring(declaration: Callable[P, Metric]) -> Callable[P, Measure]:
    @wraps(declaration, assigned=["__wrapped__"], updated=[])
    def declare(*args: P.args, **fields: P.kwargs) -> Measure:
        """A metric of your own, as a measure to go on from; takes the fields of `Metric`.

        Its bounds, its expectation and all operators come with it. Without any function of the
        measure among its fields it has no parameter `rel`, since an expression cannot follow it.

        Raises `BadUsage` for a name that could not be written in a measure's name or that means
        another metric, and for a term that reads what there is not or gives no number. What its
        bounds rest on is tried when they are first asked for (see `ulframe.metrics.laws`). Under
        one name the last declaration counts, so that a notebook's cell may run again.

        >>> import ulframe as ul
        >>> half = ul.declare("Half", ul.relevant * 0.5 ** (ul.RANK - 1))
        >>> ul.parse("V2(Half@2)") == ul.V2(half @ 2)
        True
        >>> ul.declare("Best", lambda m: m.relevant / (1 + ul.RANK))(rel=2) @ 5
        Best(rel=2)@5
        """
        metric = declaration(*args, **fields)
        measure = Measure(metric)
        _refuse_name(metric.name)
        refuse_words(metric)
        refuse_term(measure.example)
        OWN[metric.name] = measure
        return measure

    return declare


declare = _declaring(Metric)


def _refuse_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z]\w*", name):
        raise BadUsage(f"{name!r} cannot name a metric: take letters and digits, a letter first")
    taken = {one.lower() for one in (*CATALOG, *ALIASES, *OPERATORS, *FAMILIES, *NICKNAMES, *WORDS)}
    if name.lower() in taken or trec_measure(name):
        raise BadUsage(f"{name} is the name of another measure: declare yours under a new one")


OF_THE_PLAN = (
    "rank", "label", "place", "retrieved", "total", "run", "query_id", "doc_id", "repeated", "pool",
    "count", "judged", "n", "m", "weight",
)  # fmt: skip
"""Columns that evaluation has of its own, by which no state or total can be called."""


def refuse_words(metric: Metric) -> None:
    """Raise `BadUsage` where a field that takes one of some words or kinds has another."""
    for what, word, words in (
        ("cutoff", metric.cutoff, get_args(Cutoff)),
        ("aggregate", metric.aggregate, get_args(Aggregation)),
    ):
        if word not in words:
            raise BadUsage(f"{metric.name}: {what}={word!r} is not one of {', '.join(words)}")
    given: object
    for what, given, kinds in (
        ("expected", metric.expected, Form | Linear | Refused | None),
        ("ideal", metric.ideal, Approximate | Refused | None),
        ("worst", metric.worst, Approximate | None),
        ("zero", metric.zero, Refused | None),
    ):
        if not (isinstance(given, kinds) or (what == "expected" and callable(given))):
            raise BadUsage(f"{metric.name}: {what}={given!r} is none of {kinds}")


def refuse_term(measure: Measure) -> None:
    """Raise `BadUsage` where a formula reads a column that there is not, or gives no number."""
    totals = {total.name for total in measure.totals}
    states = {state.name for state in measure.states}
    if clash := sorted((totals | states) & set(OF_THE_PLAN)):
        raise BadUsage(f"{measure}: {clash[0]!r} is a column already; call yours otherwise")
    constants = {"retrieved", *totals}
    parts = {"per": measure.divisor, "depth": measure.depth, "finish": measure.finish}
    for what, part in parts.items():
        names = set() if part is None else set(part.meta.root_names())
        if moving := sorted(names & {"rank", "label", "place", *states}):
            raise BadUsage(f"`{what}` of {measure} reads {moving[0]}, no constant of a query")
    known = {"rank", "label", "place", *constants, *states}
    known |= {f"ideal:{state.name}" for state in measure.ladder}
    if unknown := sorted(measure.reads - known):
        raise BadUsage(
            f"{measure} reads {', '.join(unknown)}, which there is not; there are "
            f"{', '.join(sorted(known))}, and what `states=`, `ladder=` and `totals=` add"
        )
    row = pl.DataFrame({"rank": [1], "label": [1.0]}).with_columns(
        pl.lit(1.0).alias(name) for name in known - {"rank", "label"}
    )
    for what, part in (("term", measure.expression(measure.metric.term)), ("per", measure.divisor)):
        try:
            number = row.select(part.alias("number")).to_series()
        except pl.exceptions.PolarsError as error:
            raise BadUsage(f"the {what} of {measure} cannot be computed: {error}") from error
        if not number.dtype.is_numeric():
            raise BadUsage(f"the {what} of {measure} is no number, but {number.dtype}")


def is_own(measure: Measure) -> bool:
    """Whether a measure is of a metric that is not the catalogue's."""
    ours = CATALOG.get(measure.metric.name)
    return ours is None or ours.metric is not measure.metric


def declare_from(path: str | Path) -> list[str]:
    """Run a file of the user's own Python, and name the metrics that it declares.

    The file is code: run only what you wrote or trust. Raises `BadUsage` where it cannot be run or
    declares nothing.
    """
    before = dict(OWN)
    try:
        runpy.run_path(str(path))
    except BadUsage:
        raise
    except Exception as error:
        raise BadUsage(f"{path}: cannot be run: {type(error).__name__}: {error}") from error
    declared = [name for name, measure in OWN.items() if before.get(name) is not measure]
    if not declared:
        raise BadUsage(f"{path}: declares no metric; write ulframe.declare(...) in it")
    return declared
