"""Metrics of how well a ranking agrees with the right order, pair by pair or depth by depth."""

from __future__ import annotations

import polars as pl

from ulframe.metrics import inputs
from ulframe.metrics.catalog.shared import CUTOFF_OR_ALL, NO_FORM
from ulframe.metrics.chance import binary, overlap
from ulframe.metrics.declaration import About, Form, Refused
from ulframe.metrics.inputs import GAINING, LABEL, PLACE, RANK, RETRIEVED, State
from ulframe.metrics.measure import Measure, measured
from ulframe.metrics.parameters import flag, number

__all__ = [
    "Accuracy",
    "Compat",
]


def _found(m: Measure) -> State:
    """Relevant documents down to the cutoff, on every row."""
    return State(f"{m.column('found')}@{m.k}", (m.relevant * (m.cutoff_or_all >= RANK)).sum())


def _in_order(m: Measure) -> pl.Expr:
    """The share of documents that are not relevant which stand below this one."""
    found = pl.col(_found(m).name)
    others = (m.cutoff_or_all - found).clip(lower_bound=1)
    return m.relevant * (1 - (RANK - m.hits) / others) / found.clip(lower_bound=1)


Accuracy = measured(
    "Accuracy",
    term=_in_order,
    depth=CUTOFF_OR_ALL,
    states=lambda m: (inputs.hits(m), _found(m)),
    expected=Form(binary.accuracy),
    spread=Form(binary.accuracy_variance),
    about=About(
        doc="The chance that a relevant document stands above one that is not, among the first k. "
        "1 where all are relevant, 0 where none is (ir_measures leaves such queries out).",
        formula="share of pairs (relevant, not relevant) down to k that are in order",
        source="MacAvaney et al. 2022, Streamlining evaluation with ir-measures.",
        ir_measures="Accuracy, Accuracy@k",
    ),
)


def _rank_in_ideal(m: Measure) -> pl.Expr:
    """Documents of one label stand in the ideal ranking in the order of the ranking itself."""
    return PLACE - 1 + pl.col("of_label")


def _depth(m: Measure) -> pl.Expr:
    return pl.max_horizontal(RETRIEVED, pl.col("gaining"))


def _shared(m: Measure) -> pl.Expr:
    """What a document adds to the overlaps from where both rankings have it down to the end."""
    first = pl.max_horizontal(RANK, _rank_in_ideal(m))
    weight = overlap.weights(m, _depth(m)) - overlap.weights(m, first - 1)
    return pl.when(LABEL > 0).then(weight).otherwise(0.0)


Compat = measured(
    "Compat",
    term=_shared,
    per=lambda m: overlap.best(m, _depth(m), pl.col("gaining")),
    parameters={"p": number(0.95, above=0, below=1), "normalize": flag(True)},
    states=(State("of_label", LABEL.cum_count().cast(pl.Int64), within=("label",)),),
    totals=(GAINING,),
    cutoff="none",
    expected=Refused(NO_FORM),
    about=About(
        doc="Compatibility: the rank-biased overlap with the ideal ranking that is most like the "
        "run, over that of the ideal with itself (`normalize=False`: not divided).",
        formula="sum over depths d of p^(d - 1) * |ranking@d and ideal@d| / d, normalised",
        source="Clarke, Vtyurina and Smucker 2021, Assessing top-k preferences.",
        ir_measures="Compat(p=0.95)",
    ),
)
