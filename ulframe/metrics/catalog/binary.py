"""Metrics of binary relevance: precision and recall, and what is averaged of them."""

from __future__ import annotations

import polars as pl

from ulframe.metrics import inputs
from ulframe.metrics.catalog.shared import CUTOFF, FLOORED, NO_FORM, R_AT_LEAST_1, RELEVANT
from ulframe.metrics.chance import binary
from ulframe.metrics.declaration import About, Expectation, Form, Refused, Spelling
from ulframe.metrics.inputs import RANK, TOTAL, State
from ulframe.metrics.measure import Measure, measured
from ulframe.metrics.operators import PAPER
from ulframe.metrics.parameters import REL, choice, listed, number, numbers, share

__all__ = [
    "AP",
    "RR",
    "SP",
    "AvgIPrec",
    "F",
    "IPrec",
    "P",
    "R",
    "Rprec",
    "Success",
    "binG",
    "gm_map",
    "yaap",
]


EXPECTATIONS: dict[str, Expectation] = {
    "exact": None,
    "independent": Form(binary.independent_precisions, exact=False),
}
"""The expectation of SP: by linearity, or the paper's closed form."""

_NORMS = {"r": R_AT_LEAST_1, "k": CUTOFF}
RIJSBERGEN = "van Rijsbergen 1979, Information Retrieval."
HARMAN = "Harman 1992, Evaluation issues in information retrieval."


def _expectation(m: Measure) -> Expectation:
    return EXPECTATIONS[str(m["expectation"])]


def _norm(m: Measure) -> pl.Expr:
    return _NORMS[str(m["norm"])](m)


# ---------------------------------------------------------------- precision at relevant documents
def _precision_here(m: Measure) -> pl.Expr:
    return m.relevant * m.hits / RANK


SP = measured(
    "SP",
    term=_precision_here,
    parameters={"rel": REL, "expectation": choice("exact", EXPECTATIONS)},
    expected=_expectation,
    about=About(
        doc="Sum of precisions; U(SP@k) is the MAP@k of the paper's tables. "
        "`expectation=independent` is the paper's, which takes a precision and the relevance at "
        "its rank as independent.",
        formula="sum of hits / rank over relevant documents",
        range="0 upwards",
        source=f"{PAPER}, equation 4.",
    ),
)
AP = measured(
    "AP",
    term=_precision_here,
    per=_norm,
    parameters={
        "rel": REL,
        "norm": choice("r", _NORMS),
        "expectation": choice("exact", EXPECTATIONS),
    },
    expected=_expectation,
    about=About(
        doc="Average precision. `norm=k` divides by the cutoff, as equation 3 of Karmaker Santu "
        "and Feng 2022 does to the letter.",
        formula="sum of hits / rank over relevant documents, over r",
        source=HARMAN,
        trec_eval="map; map_cut_k is AP@k",
        ir_measures="AP, MAP",
    ),
)
gm_map = measured(
    "gm_map",
    term=_precision_here,
    per=R_AT_LEAST_1,
    cutoff="none",
    expected=Refused(FLOORED),
    aggregate="geometric mean",
    about=About(
        doc="Average precision, as a geometric mean over queries, each counted as 0.00001 at "
        "least.",
        formula="exp(mean over queries of log(max(AP, 0.00001)))",
        source="Robertson 2006, On GMAP: and other transformations.",
        trec_eval="gm_map",
    ),
)
yaap = measured(
    "yaap",
    term=_precision_here,
    cutoff="none",
    finish=lambda m: ((1 + TOTAL) / (1 + m.r - TOTAL)).log(),
    expected=Refused("its worst value is not 0, and its expectation has no closed form"),
    about=About(
        doc="Yet another average precision: the sum of precisions on a logit scale.",
        formula="log((1 + SP) / (1 + r - SP))",
        range="-log(1 + r) to log(1 + r)",
        source="Robertson 2012, On smoothing average precision.",
        trec_eval="yaap",
    ),
)

# ---------------------------------------------------------------- at a cutoff
P = measured(
    "P",
    term=RELEVANT,
    per=CUTOFF,
    cutoff="required",
    about=About(
        doc="Precision: over k, however few documents were returned.",
        formula="hits@k / k",
        source=RIJSBERGEN,
        trec_eval="P_k; relative_P_k is U(P@k)",
        ir_measures="P@k, Precision@k",
    ),
)
R = measured(
    "R",
    term=RELEVANT,
    per=R_AT_LEAST_1,
    cutoff="required",
    about=About(
        doc="Recall. Capped recall, over min(k, r), is U(R@k).",
        formula="hits@k / r",
        source=RIJSBERGEN,
        trec_eval="recall_k",
        ir_measures="R@k, Recall@k",
    ),
)
F = measured(
    "F",
    term=lambda m: (1 + m.number("beta") ** 2) * m.relevant,
    per=lambda m: m.number("beta") ** 2 * m.r_at_least_1 + m.k,
    cutoff="required",
    parameters={"rel": REL, "beta": number(1, above=0)},
    about=About(
        doc="The weighted harmonic mean of P@k and R@k, recall counting `beta` times as much.",
        formula="(1 + beta^2) * P * R / (beta^2 * P + R)",
        source=RIJSBERGEN,
    ),
)


def _multiple_of_r(m: Measure) -> pl.Expr:
    """Rounded as trec_eval does."""
    return (m.number("mult") * m.r + 0.9).floor()


Rprec = measured(
    "Rprec",
    term=RELEVANT,
    per=lambda m: _multiple_of_r(m).clip(lower_bound=1),
    depth=_multiple_of_r,
    cutoff="none",
    parameters={"rel": REL, "mult": number(1, above=0)},
    about=About(
        doc="R-precision: at the number of relevant documents, or `mult` times as deep.",
        formula="hits@r / r",
        source="Buckley and Voorhees 2005, Retrieval system evaluation.",
        trec_eval="Rprec; Rprec_mult_0.20 is Rprec(mult=0.2)",
        ir_measures="Rprec, RPrec",
    ),
)
RR = measured(
    "RR",
    term=lambda m: pl.when(m.hits == 1).then(m.relevant / RANK).otherwise(0.0),
    expected=Form(binary.reciprocal_rank),
    spread=Form(binary.reciprocal_rank_variance),
    about=About(
        doc="Reciprocal rank of the first relevant document, 0 if none is found.",
        formula="1 / rank of the first relevant document",
        source="Kantor and Voorhees 2000, The TREC-5 confusion track.",
        trec_eval="recip_rank",
        ir_measures="RR, MRR",
    ),
)
Success = measured(
    "Success",
    term=lambda m: pl.when(m.hits == 1).then(m.relevant).otherwise(0),
    cutoff="required",
    expected=Form(binary.success),
    spread=Form(binary.success_variance),
    about=About(
        doc="Whether a relevant document stands among the first k.",
        formula="1 if hits@k > 0, else 0",
        range="0 or 1",
        source="Tomlinson 2005.",
        trec_eval="success_k",
        ir_measures="Success@k",
    ),
)
binG = measured(
    "binG",
    term=lambda m: m.relevant / (2 + RANK - m.hits).log(2),
    per=R_AT_LEAST_1,
    cutoff="none",
    expected=Form(binary.bin_g),
    spread=Form(binary.bin_g_variance),
    about=About(
        doc="G of binary relevance: relevant documents discounted by how many others stand above.",
        formula="mean over relevant documents of 1 / log2(2 + documents above that are not "
        "relevant)",
        source="Buckley 2008; an experimental measure of trec_eval.",
        trec_eval="binG",
    ),
)


# ---------------------------------------------------------------- interpolated precision
def _best_below(m: Measure) -> State:
    """The best precision at this rank or below."""
    precision = m.relevant * m.relevant.cum_sum() / RANK
    return State(m.column("best_below"), precision.cum_max(reverse=True))


def _reaches(m: Measure, recall: float) -> pl.Expr:
    """Whether the document is the one with which that recall is reached."""
    wanted = (recall * m.r + 0.5).floor().clip(lower_bound=1)
    return m.relevant * (m.hits == wanted)


IPrec = measured(
    "IPrec",
    term=lambda m: _reaches(m, m.number("recall")) * m.of("best_below"),
    states=lambda m: (inputs.hits(m), _best_below(m)),
    spelling=Spelling(at="recall"),
    cutoff="required",
    parameters={"rel": REL, "recall": share(-1)},
    expected=Refused(NO_FORM),
    about=About(
        doc="Interpolated precision: the best precision at that recall or a higher one.",
        formula="max of hits / rank where hits >= recall * r, rounded half up as trec_eval 10 does "
        "(trec_eval 9 and pytrec_eval add 0.9 and cut off)",
        source=RIJSBERGEN,
        trec_eval="iprec_at_recall_0.10 is IPrec@0.1",
        ir_measures="IPrec@0.1",
    ),
)


def _average(m: Measure) -> pl.Expr:
    points = listed(m["recalls"])
    return pl.sum_horizontal(_reaches(m, point) for point in points) / len(points)


AvgIPrec = measured(
    "AvgIPrec",
    term=lambda m: _average(m) * m.of("best_below"),
    states=IPrec.metric.states,
    cutoff="none",
    parameters={"rel": REL, "recalls": numbers(i / 10 for i in range(11))},
    expected=Refused(NO_FORM),
    about=About(
        doc="Interpolated precision averaged over `recalls`, the 11 points 0, 0.1 ... 1 by "
        "default.",
        formula="mean over the points of IPrec@recall",
        source=RIJSBERGEN,
        trec_eval="11pt_avg",
    ),
)
