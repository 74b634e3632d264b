"""Metrics of the set that a run returned, whatever its order, and counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from ulframe.metrics.catalog.shared import R_AT_LEAST_1, RELEVANT
from ulframe.metrics.chance import binary
from ulframe.metrics.declaration import About, Form, Refused, Spelling
from ulframe.metrics.inputs import LABEL, RETRIEVED, TOTAL
from ulframe.metrics.measure import Measure, measured
from ulframe.metrics.operators import U
from ulframe.metrics.parameters import REL, Given, listed, number, numbers

__all__ = [
    "NumNonrelRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "Utility",
]


_ANY_RETRIEVED = RETRIEVED.clip(lower_bound=1)

OF_THE_SET: dict[str, Any] = {"depth": RETRIEVED, "cutoff": "none"}
"""A random ranking returns as many documents as the run did, or its whole pool."""


def _relative(m: Measure, given: Given) -> Measure:
    """`relative=` of ir_measures."""
    return U(m) if str(given).lower() == "true" else m


SetP = measured(
    "SetP",
    **OF_THE_SET,
    term=RELEVANT,
    per=_ANY_RETRIEVED,
    spelling=Spelling(settings={"relative": _relative}),
    about=About(
        doc="Precision of all that was returned. SetRelP is U(SetP).",
        formula="hits / documents returned",
        source="van Rijsbergen 1979, Information Retrieval.",
        trec_eval="set_P; set_relative_P is U(SetP)",
        ir_measures="SetP; SetRelP, SetP(relative=True)",
    ),
)
SetR = measured(
    "SetR",
    **OF_THE_SET,
    term=RELEVANT,
    per=R_AT_LEAST_1,
    about=About(
        doc="Recall of all that was returned.",
        formula="hits / r",
        source="van Rijsbergen 1979, Information Retrieval.",
        trec_eval="set_recall",
        ir_measures="SetR",
    ),
)
SetF = measured(
    "SetF",
    **OF_THE_SET,
    term=lambda m: (1 + m.number("beta")) * m.relevant,
    per=lambda m: m.number("beta") * m.r_at_least_1 + RETRIEVED,
    parameters={"rel": REL, "beta": number(1, above=0)},
    about=About(
        doc="The weighted harmonic mean of SetP and SetR. `beta` is not squared, as in trec_eval.",
        formula="(1 + beta) * P * R / (beta * P + R)",
        source="van Rijsbergen 1979, Information Retrieval.",
        trec_eval="set_F, set_F.0.5",
        ir_measures="SetF(beta=1)",
    ),
)
SetAP = measured(
    "SetAP",
    **OF_THE_SET,
    # Over all documents this sums to hits^2.
    term=lambda m: m.relevant * (2 * m.hits - 1),
    per=lambda m: m.r_at_least_1 * _ANY_RETRIEVED,
    spread=Form(binary.set_ap_variance),
    about=About(
        doc="Precision times recall of all that was returned.",
        formula="hits^2 / (r * documents returned)",
        source="trec_eval, once exact_unranked_avg_prec.",
        trec_eval="set_map",
        ir_measures="SetAP",
    ),
)


def _utility(m: Measure) -> pl.Expr:
    found, wrong, missed, spared = listed(m["weights"])
    r, size = m.r, m.number("docs")
    return pl.when(RETRIEVED > 0).then(
        found * TOTAL
        + wrong * (RETRIEVED - TOTAL)
        + missed * (r - TOTAL)
        + spared * (size + TOTAL - RETRIEVED - r)
    ).otherwise(0.0)  # fmt: skip


Utility = measured(
    "Utility",
    **OF_THE_SET,
    term=RELEVANT,
    parameters={
        "rel": REL,
        "weights": numbers([1, -1, 0, 0], many=4),
        "docs": number(0, above=-1),
    },
    finish=_utility,
    zero=Refused("its worst value is not 0"),
    about=About(
        doc="What the returned set is worth: `weights` are for relevant documents returned, others "
        "returned, relevant ones not returned, others not returned, of a collection of `docs`.",
        formula="w1 * a + w2 * b + w3 * c + w4 * d",
        range="any number",
        source="Lewis 1995, The TREC-4 filtering track.",
        trec_eval="utility, utility.1,-1,0,0 (-N gives `docs`)",
    ),
)

# ---------------------------------------------------------------- counts
COUNT = About(range="0, 1, 2 ...", source="trec_eval.")
NO_GRADE = Refused("it is a count that says nothing about the ranking")

NumRelRet = measured(
    "NumRelRet",
    cutoff="none",
    aggregate="sum",
    term=RELEVANT,
    depth=RETRIEVED,
    about=replace(
        COUNT,
        doc="How many relevant documents were returned; summed over queries.",
        formula="hits",
        trec_eval="num_rel_ret",
        ir_measures="NumRelRet, NumRet(rel=1)",
    ),
)
NumRet = measured(
    "NumRet",
    cutoff="none",
    aggregate="sum",
    term=0,
    parameters={},
    spelling=Spelling(settings={"rel": lambda _, given: NumRelRet(rel=given)}),
    finish=TOTAL + RETRIEVED,
    ideal=NO_GRADE,
    about=replace(
        COUNT,
        doc="How many documents were returned; summed over queries.",
        formula="documents returned",
        trec_eval="num_ret",
        ir_measures="NumRet",
    ),
)
NumRel = measured(
    "NumRel",
    cutoff="none",
    aggregate="sum",
    term=0,
    finish=lambda m: TOTAL + m.r,
    ideal=NO_GRADE,
    about=replace(
        COUNT,
        doc="How many relevant documents there are; summed over queries.",
        formula="r",
        trec_eval="num_rel",
        ir_measures="NumRel",
    ),
)
NumQ = measured(
    "NumQ",
    cutoff="none",
    aggregate="sum",
    term=0,
    parameters={},
    finish=TOTAL + 1,
    ideal=NO_GRADE,
    about=replace(
        COUNT, doc="How many queries count.", formula="1", trec_eval="num_q", ir_measures="NumQ"
    ),
)
NumNonrelRet = measured(
    "NumNonrelRet",
    cutoff="none",
    aggregate="sum",
    term=lambda m: m.nonrelevant,
    adds=LABEL >= 0,
    ideal=NO_GRADE,
    about=replace(
        COUNT,
        doc="How many documents were returned that are judged and not relevant; summed over "
        "queries.",
        formula="judged documents returned that are not relevant",
        trec_eval="num_nonrel_judged_ret",
    ),
)
