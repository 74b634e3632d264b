"""Measures that differ in nothing but the cutoff: `V2(SP)` of `V2(SP@5)` and `V2(SP@10)`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.grammar import parse
from ulframe.metrics.laws import refusal
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import U


def measure_of(name: str) -> Measure | None:
    """The measure of that name, None for a name of the user's own."""
    try:
        return parse(name)
    except BadUsage:
        return None


def share_of_best(name: str) -> str:
    """What value/upper of a measure is called, which maps of queries show: nDCG of V2(DCG).

    >>> share_of_best("V2(DCG@10)"), share_of_best("V2(AP)"), share_of_best("own")
    ('nDCG@10', 'U(AP)', 'own')
    """
    measure = measure_of(name)
    if measure is None or refusal(measure.base, U.needs):
        return name
    return str(U(measure.base))


def family_of(name: str) -> tuple[str, int] | None:
    """The family and the cutoff, None where there is none.

    >>> family_of("V2(SP@10)"), family_of("AP"), family_of("P_5")
    (('V2(SP)', 10), None, ('P', 5))
    """
    measure = measure_of(name)
    if measure is None or measure.k is None:
        return None
    return str(replace(measure, k=None)), measure.k


def by_cutoff(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows whose measure has a cutoff, with the columns `family: String, k: Int64`."""
    found = {name: family_of(name) for name in rows["measure"].unique()}
    table = pl.DataFrame(
        [(name, *known) for name, known in found.items() if known],
        schema={"measure": pl.String, "family": pl.String, "k": pl.Int64},
        orient="row",
    )
    return rows.join(table, on="measure", maintain_order="left")


def natural_order(names: Iterable[str]) -> list[str]:
    """Measures by name, operator, then cutoff as a number; names of the user's own come last.

    >>> natural_order(["V2(DCG@10)", "P@10", "P@5", "own"])
    ['V2(DCG@10)', 'P@5', 'P@10', 'own']
    """
    return sorted(names, key=_place)


def _place(name: str) -> tuple[bool, str, str, str, int]:
    measure = measure_of(name)
    if measure is None:
        return (True, name, "", "", 0)
    metric, operator = measure.metric.name, measure.operator.name
    return (False, metric.lower(), str(measure.settings), operator, measure.k or 0)
