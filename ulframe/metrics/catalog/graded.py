"""Metrics of graded relevance: what documents are worth, discounted by where they stand."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ulframe.metrics.catalog.shared import GAINS, LABEL_GAIN, gain_parameter
from ulframe.metrics.chance.err import err
from ulframe.metrics.declaration import About, Form, Spelling
from ulframe.metrics.inputs import GAINING, RANK, RunningSum, State, Total, at_least
from ulframe.metrics.measure import Measure, measured
from ulframe.metrics.operators import U
from ulframe.metrics.parameters import REL, Given, choice, levels, number, whole

__all__ = [
    "CG",
    "DCG",
    "ERR",
    "GAP",
    "RBP",
    "nDCG",
]


JARVELIN = "Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques."


def _gain(m: Measure) -> pl.Expr:
    """What the label is worth; the label itself where the gains are given one by one."""
    return LABEL_GAIN if m["gains"] else GAINS[str(m["gain"])]


DISCOUNT = 1 / (RANK + 1).log(2)
"""Of DCG, as a rule."""

# ---------------------------------------------------------------- cumulated gain
CG = measured(
    "CG",
    term=_gain,
    parameters=gain_parameter("linear") | {"gains": levels()},
    spelling=Spelling(normalised="nCG"),
    about=About(
        doc="Cumulated gain: the sum of gains. nCG is U(CG).",
        formula="sum of gain(label)",
        range="0 upwards",
        source=JARVELIN,
    ),
)


def _in_their_words(m: Measure, given: Given) -> Measure:
    """`dcg=` of ir_measures."""
    return m(gain={"log2": "linear", "exp-log2": "exp"}.get(str(given), str(given)))


DIVISORS: dict[str, Callable[[float], pl.Expr]] = {
    "next": lambda base: (RANK + 1).log(base),
    "own": lambda base: RANK.log(base).clip(lower_bound=1),
}
"""What DCG divides a gain by: the logarithm of the next rank, or of the rank itself, at least 1."""


DCG = measured(
    "DCG",
    term=lambda m: _gain(m) / DIVISORS[str(m["discount"])](m.number("base")),
    parameters=gain_parameter("exp")
    | {"base": number(2, above=1), "gains": levels(), "discount": choice("next", DIVISORS)},
    spelling=Spelling(settings={"dcg": _in_their_words}, normalised="nDCG"),
    about=About(
        doc="Discounted cumulated gain. nDCG is U(DCG). `gains` gives "
        "labels gains of their own; `dcg=log2` and `dcg=exp-log2` are what ir_measures calls "
        "`gain`. `discount=own` is the first form there was, in which the first `base` ranks are "
        "not discounted.",
        formula="sum of gain(label) / log_base(rank + 1); gain is 2^label - 1 (exp) or label "
        "(linear); discount=own: / max(1, log_base(rank))",
        range="0 upwards",
        source=f"{JARVELIN} Exponential gain: Burges et al. 2005, Learning to rank.",
        trec_eval="dcg, ideal_dcg: DCG(gain=linear) and IUB of it; ndcg, ndcg_cut: "
        "nDCG(gain=linear), with @k",
        ir_measures="nDCG(dcg='exp-log2')@k is nDCG@k; its nDCG is nDCG(gain=linear)",
    ),
)
nDCG = U(DCG)


# ---------------------------------------------------------------- users who may stop
def _stops(m: Measure) -> pl.Expr:
    """The chance that a reader is content with the document."""
    return GAINS["exp"] / float(2.0 ** m.number("max"))


def _reading(m: Measure) -> State:
    """The chance that a reader comes as far as this document."""
    name = f"reading[{m['max']}]"
    return State(name, (1 - _stops(m)).cum_prod().shift(1, fill_value=1.0))


ERR = measured(
    "ERR",
    term=lambda m: _stops(m) * pl.col(_reading(m).name) / RANK,
    parameters={"max": number(4, above=0, below=1024)},  # 2^1024 is no float
    states=lambda m: (_reading(m),),
    totals=(GAINING,),
    expected=Form(err),
    about=About(
        doc="Expected reciprocal rank: of the document at which a reader is content. `max` is the "
        "largest label there may be; a larger one in the qrels is an error.",
        formula="sum of R(rank) / rank * product over ranks above of (1 - R); R = (2^label - 1) / "
        "2^max",
        source="Chapelle, Metzler, Zhang and Grinspan 2009, Expected reciprocal rank for graded "
        "relevance. Default as in TREC's gdeval.",
        ir_measures="ERR@k, rounded to 5 decimals by gdeval",
    ),
)


def patience(m: Measure) -> pl.Expr:
    """The chance that a reader who goes on with chance `p` comes as far as this rank."""
    return pl.lit(m.number("p")) ** (RANK - 1)


RBP = measured(
    "RBP",
    term=lambda m: (1 - m.number("p")) * patience(m) * m.relevant,
    parameters={"rel": REL, "p": number(0.8, above=0, below=1)},
    spelling=Spelling(dot="p"),
    about=About(
        doc="Rank-biased precision: a reader goes on to the next document with chance `p`.",
        formula="(1 - p) * sum of p^(rank - 1) over relevant documents",
        source="Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval "
        "effectiveness.",
        trec_eval="rbp is another: see `rbp`",
        ir_measures="RBP(rel=1,p=0.8)",
    ),
)


# ---------------------------------------------------------------- graded average precision
STEPS: dict[str, Callable[[int], float]] = {
    "linear": lambda level: 1.0,
    "exp": lambda level: 2.0 ** (level - 1),
}
"""What a label gains above the next lower one."""


def levels_of(m: Measure) -> list[tuple[int, float]]:
    """The labels from 1 to `max`, and the step that each is."""
    return [(j, STEPS[str(m["gain"])](j)) for j in range(1, int(m.number("max")) + 1)]


def _precision_by_level(m: Measure) -> pl.Expr:
    hits = (step * at_least(j) * pl.col(f"hits[{j}]") for j, step in levels_of(m))
    return pl.sum_horizontal(hits) / RANK


def _relevant_by_level(m: Measure) -> pl.Expr:
    relevant = (step * pl.col(f"r[{j}]") for j, step in levels_of(m))
    return pl.sum_horizontal(relevant).clip(lower_bound=1)


GAP = measured(
    "GAP",
    term=_precision_by_level,
    per=_relevant_by_level,
    parameters=gain_parameter("linear") | {"max": whole(4, most=100)},
    states=lambda m: tuple(RunningSum(f"hits[{j}]", at_least(j)) for j, _ in levels_of(m)),
    totals=lambda m: tuple(Total(f"r[{j}]", at_least(j)) for j, _ in levels_of(m)),
    about=About(
        doc="Graded average precision: AP averaged over readers who take labels from 1, from 2, "
        "and so on up to `max` as relevant; `gain` says how many of each there are. With labels 0 "
        "and 1 it is AP.",
        formula="sum over j of w_j * SP(rel=j) / sum over j of w_j * r_j; w_j is 1 (linear) or "
        "2^(j - 1) (exp)",
        source="Robertson, Kanoulas and Yilmaz 2010, Extending average precision to graded "
        "relevance judgments.",
    ),
)
