"""Metrics of the set that a run returned, whatever its order, and counts."""

from __future__ import annotations

from typing import Any

import polars as pl

from ulframe.metrics.catalog.declare import REL, declare
from ulframe.metrics.inputs import RETRIEVED
from ulframe.metrics.measure import NO_CUTOFF, Measure
from ulframe.metrics.operators import U
from ulframe.metrics.parameters import Given, listed, number, numbers

_ANY_RETRIEVED = RETRIEVED.clip(lower_bound=1)

OF_THE_SET: dict[str, Any] = {"depth": lambda _: RETRIEVED, "cutoff": NO_CUTOFF}
"""A random ranking returns as many documents as the run did, or its whole pool."""


def _relative(m: Measure, given: Given) -> Measure:
    """`relative=` of ir_measures."""
    return U(m) if str(given).lower() == "true" else m


SetP = declare(
    "SetP",
    **OF_THE_SET,
    term=lambda m: m.relevant,
    per=lambda _: _ANY_RETRIEVED,
    spellings={"relative": _relative},
    doc="Precision of all that was returned. SetRelP is U(SetP).",
    formula="hits / documents returned",
    source="van Rijsbergen 1979, Information Retrieval.",
    trec_eval="set_P; set_relative_P is U(SetP)",
    ir_measures="SetP; SetRelP, SetP(relative=True)",
)
SetR = declare(
    "SetR",
    **OF_THE_SET,
    term=lambda m: m.relevant,
    per=lambda m: m.r,
    doc="Recall of all that was returned.",
    formula="hits / r",
    source="van Rijsbergen 1979, Information Retrieval.",
    trec_eval="set_recall",
    ir_measures="SetR",
)
SetF = declare(
    "SetF",
    **OF_THE_SET,
    term=lambda m: (1 + m.number("beta")) * m.relevant,
    per=lambda m: m.number("beta") * m.r + RETRIEVED,
    parameters={"rel": REL, "beta": number(1, above=0)},
    doc="The weighted harmonic mean of SetP and SetR. `beta` is not squared, as in trec_eval.",
    formula="(1 + beta) * P * R / (beta * P + R)",
    source="van Rijsbergen 1979, Information Retrieval.",
    trec_eval="set_F, set_F.0.5",
    ir_measures="SetF(beta=1)",
)
SetAP = declare(
    "SetAP",
    **OF_THE_SET,
    # Over all documents this sums to hits^2.
    term=lambda m: m.relevant * (2 * m.hits - 1),
    per=lambda m: m.r * _ANY_RETRIEVED,
    doc="Precision times recall of all that was returned.",
    formula="hits^2 / (r * documents returned)",
    source="trec_eval, once exact_unranked_avg_prec.",
    trec_eval="set_map",
    ir_measures="SetAP",
)


def _utility(m: Measure, hits: pl.Expr) -> pl.Expr:
    found, wrong, missed, spared = listed(m["weights"])
    r, size = m.of("r"), m.number("docs")
    return pl.when(RETRIEVED > 0).then(
        found * hits
        + wrong * (RETRIEVED - hits)
        + missed * (r - hits)
        + spared * (size + hits - RETRIEVED - r)
    ).otherwise(0.0)  # fmt: skip


Utility = declare(
    "Utility",
    **OF_THE_SET,
    term=lambda m: m.relevant,
    parameters={
        "rel": REL,
        "weights": numbers([1, -1, 0, 0], many=4),
        "docs": number(0, above=-1),
    },
    finish=_utility,
    refuses="its worst value is not 0",
    doc="What the returned set is worth: `weights` are for relevant documents returned, others "
    "returned, relevant ones not returned, others not returned, of a collection of `docs`.",
    formula="w1 * a + w2 * b + w3 * c + w4 * d",
    range="any number",
    source="Lewis 1995, The TREC-4 filtering track.",
    trec_eval="utility, utility.1,-1,0,0 (-N gives `docs`)",
)

# ---------------------------------------------------------------- counts
COUNT: dict[str, Any] = {
    "cutoff": NO_CUTOFF,
    "aggregate": "sum",
    "range": "0, 1, 2 ...",
    "source": "trec_eval.",
}
NO_GRADE = "it is a count that says nothing about the ranking"

NumRelRet = declare(
    "NumRelRet",
    **COUNT,
    term=lambda m: m.relevant,
    depth=lambda _: RETRIEVED,
    doc="How many relevant documents were returned; summed over queries.",
    formula="hits",
    trec_eval="num_rel_ret",
    ir_measures="NumRelRet, NumRet(rel=1)",
)
NumRet = declare(
    "NumRet",
    **COUNT,
    term=lambda _: pl.lit(0),
    parameters={},
    spellings={"rel": lambda _, given: NumRelRet(rel=given)},
    finish=lambda _, total: total + RETRIEVED,
    unbounded=NO_GRADE,
    doc="How many documents were returned; summed over queries.",
    formula="documents returned",
    trec_eval="num_ret",
    ir_measures="NumRet",
)
NumRel = declare(
    "NumRel",
    **COUNT,
    term=lambda _: pl.lit(0),
    finish=lambda m, total: total + m.of("r"),
    unbounded=NO_GRADE,
    doc="How many relevant documents there are; summed over queries.",
    formula="r",
    trec_eval="num_rel",
    ir_measures="NumRel",
)
NumQ = declare(
    "NumQ",
    **COUNT,
    term=lambda _: pl.lit(0),
    parameters={},
    finish=lambda _, total: total + 1,
    unbounded=NO_GRADE,
    doc="How many queries count.",
    formula="1",
    trec_eval="num_q",
    ir_measures="NumQ",
)
NumNonrelRet = declare(
    "NumNonrelRet",
    **COUNT,
    term=lambda m: m.nonrelevant,
    unbounded=NO_GRADE,
    doc="How many documents were returned that are judged and not relevant; summed over queries.",
    formula="judged documents returned that are not relevant",
    trec_eval="num_nonrel_judged_ret",
)
