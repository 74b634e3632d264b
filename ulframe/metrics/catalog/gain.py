"""Metrics of graded relevance: what documents are worth, discounted by where they stand."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ulframe.metrics import states
from ulframe.metrics.catalog.declare import (
    GAINS,
    LABEL_GAIN,
    REL,
    declare,
    gain,
    gain_parameter,
    gaining,
)
from ulframe.metrics.chance import graded
from ulframe.metrics.chance.err import err
from ulframe.metrics.chance.normalised_gain import g
from ulframe.metrics.metric import NO_CUTOFF, Measure
from ulframe.metrics.parameters import Given, levels, number
from ulframe.metrics.states import LABEL, RANK, RETRIEVED, State, Total
from ulframe.metrics.variants import U

JARVELIN = "Järvelin and Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques."
BUCKLEY = "Buckley 2008; an experimental measure of trec_eval."


def _gain(m: Measure) -> pl.Expr:
    """What the label is worth; the label itself where the gains are given one by one."""
    return LABEL_GAIN if m["gains"] else GAINS[str(m["gain"])]


DISCOUNT = 1 / (RANK + 1).log(2)

# ---------------------------------------------------------------- cumulated gain
CG = declare(
    "CG",
    term=_gain,
    parameters=gain_parameter("linear") | {"gains": levels()},
    normalised="nCG",
    doc="Cumulated gain: the sum of gains. nCG is U(CG).",
    formula="sum of gain(label)",
    range="0 upwards",
    source=JARVELIN,
)


def _in_their_words(m: Measure, given: Given) -> Measure:
    """`dcg=` of ir_measures."""
    return m(gain={"log2": "linear", "exp-log2": "exp"}.get(str(given), str(given)))


DCG = declare(
    "DCG",
    term=lambda m: _gain(m) / (RANK + 1).log(m.number("base")),
    parameters=gain_parameter("exp") | {"base": number(2, above=1), "gains": levels()},
    spellings={"dcg": _in_their_words},
    normalised="nDCG",
    doc="Discounted cumulated gain, the paper's equation 1. nDCG is U(DCG). `gains` gives labels "
    "gains of their own; `dcg=log2` and `dcg=exp-log2` are what ir_measures calls `gain`.",
    formula="sum of gain(label) / log_base(rank + 1); gain is 2^label - 1 (exp) or label (linear)",
    range="0 upwards",
    source=f"{JARVELIN} Exponential gain: Burges et al. 2005, Learning to rank.",
    trec_eval="dcg, ideal_dcg: DCG(gain=linear) and IUB of it; ndcg, ndcg_cut: "
    "nDCG(gain=linear), with @k",
    ir_measures="nDCG(dcg='exp-log2')@k is nDCG@k; its nDCG is nDCG(gain=linear)",
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


ERR = declare(
    "ERR",
    term=lambda m: _stops(m) * pl.col(_reading(m).name) / RANK,
    parameters={"max": number(4, above=0)},
    states=lambda m: (_reading(m),),
    totals=lambda m: (gaining(m),),
    expected=lambda _: err,
    doc="Expected reciprocal rank: of the document at which a reader is content. `max` is the "
    "largest label there may be; a larger one in the qrels is an error.",
    formula="sum of R(rank) / rank * product over ranks above of (1 - R); R = (2^label - 1) / "
    "2^max",
    source="Chapelle, Metzler, Zhang and Grinspan 2009, Expected reciprocal rank for graded "
    "relevance. Default as in TREC's gdeval.",
    ir_measures="ERR@k, rounded to 5 decimals by gdeval",
)
RBP = declare(
    "RBP",
    term=lambda m: (1 - m.number("p")) * _patience(m) * m.relevant,
    parameters={"rel": REL, "p": number(0.8, above=0, below=1)},
    doc="Rank-biased precision: a reader goes on to the next document with chance `p`.",
    formula="(1 - p) * sum of p^(rank - 1) over relevant documents",
    source="Moffat and Zobel 2008, Rank-biased precision for measurement of retrieval "
    "effectiveness.",
    trec_eval="rbp is another: see `rbp`",
    ir_measures="RBP(rel=1,p=0.8)",
)


def _patience(m: Measure) -> pl.Expr:
    return pl.lit(m.number("p")) ** (RANK - 1)


def _highest(m: Measure) -> State:
    return State("highest", LABEL_GAIN.cum_max())


rbp = declare(
    "rbp",
    term=lambda m: (
        (1 - m.number("p"))
        * _patience(m)
        * pl.when(LABEL > 0)
        .then(LABEL_GAIN / m.ideal("highest").clip(lower_bound=1))
        .otherwise(0.0)
    ),
    parameters={"p": number(0.9, above=0, below=1), "gains": levels()},
    ladder=lambda m: (_highest(m),),
    totals=lambda m: (gaining(m), gain(m)),
    cutoff=NO_CUTOFF,
    expected=lambda _: graded.rbp,
    doc="Rank-biased precision of graded labels, as trec_eval computes it: a gain is the label "
    "over the query's largest label.",
    formula="(1 - p) * sum of p^(rank - 1) * label / largest label",
    source="Moffat and Zobel 2008; trec_eval 10.",
    trec_eval="rbp, rbp.p=0.8",
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


GAP = declare(
    "GAP",
    term=lambda m: (
        pl.sum_horizontal(
            weight * states.at_least(j) * pl.col(f"hits[{j}]") for j, weight in levels_of(m)
        )
        / RANK
    ),
    per=lambda m: pl.sum_horizontal(weight * pl.col(f"r[{j}]") for j, weight in levels_of(m)).clip(
        lower_bound=1
    ),
    parameters=gain_parameter("linear") | {"max": number(4, above=0)},
    states=lambda m: tuple(
        State(f"hits[{j}]", states.at_least(j).cum_sum()) for j, _ in levels_of(m)
    ),
    totals=lambda m: tuple(Total(f"r[{j}]", states.at_least(j)) for j, _ in levels_of(m)),
    expected=lambda m: graded.average_precision(levels_of(m)),
    doc="Graded average precision: AP averaged over readers who take labels from 1, from 2, and so "
    "on up to `max` as relevant; `gain` says how many of each there are. With labels 0 and 1 it "
    "is AP.",
    formula="sum over j of w_j * SP(rel=j) / sum over j of w_j * r_j; w_j is 1 (linear) or "
    "2^(j - 1) (exp)",
    source="Robertson, Kanoulas and Yilmaz 2010, Extending average precision to graded relevance "
    "judgments.",
)


# ---------------------------------------------------------------- trec_eval's experiments
def _dcg(m: Measure) -> State:
    return State("dcg", (LABEL_GAIN * DISCOUNT).cum_sum())


def _found(m: Measure) -> State:
    return State("found", (LABEL > 0).cast(pl.Int64).cum_sum())


_IDEAL_DCG = State("idcg", (LABEL_GAIN * DISCOUNT).sum())
_PER_GAINING = pl.col("gaining").clip(lower_bound=1)


def _ndcg_at_relevant(m: Measure) -> pl.Expr:
    """NDCG here, and what this document changes for those that are never found.

    trec_eval takes nDCG at the end for those: (R - found) * DCG / IDCG, here one document's share.
    """
    left = pl.col("gaining") - pl.col("found") + 1
    here = pl.col("dcg") / m.ideal("dcg")
    rest = (left * LABEL_GAIN * DISCOUNT - pl.col("dcg")) / m.ideal("idcg")
    return pl.when(LABEL > 0).then(here + rest).otherwise(0.0)


ndcg_rel = declare(
    "ndcg_rel",
    term=_ndcg_at_relevant,
    per=lambda _: _PER_GAINING,
    cutoff=NO_CUTOFF,
    parameters={"gains": levels()},
    states=lambda m: (_dcg(m), _found(m)),
    ladder=lambda m: (_dcg(m), _IDEAL_DCG),
    totals=lambda m: (gaining(m), gain(m)),
    expected=lambda _: graded.ndcg_rel,
    doc="nDCG with linear gain at the rank of every relevant document, averaged; at the end of the "
    "ranking for those that it misses.",
    formula="mean over relevant documents of DCG@rank / IDCG@rank",
    source=BUCKLEY,
    trec_eval="ndcg_rel",
)

_ENDS = (LABEL.shift(-1) != LABEL).fill_null(True)
_LEVELS = (
    State("levels", LABEL.n_unique().cast(pl.Int64)),
    State(
        "ahead", (_ENDS.cast(pl.Float64) / (LABEL_GAIN * DISCOUNT).cum_sum()).cum_sum(reverse=True)
    ),  # sum of 1 / IDCG at the ends of levels from here on
)
_GOES_ON = (pl.col("gaining") + 1 < RETRIEVED).cast(pl.Int64)


def _at_levels(m: Measure) -> pl.Expr:
    ahead = pl.when(pl.col("gaining") >= RANK).then(m.ideal("ahead")).otherwise(0.0)
    anything = (m.of("r") > 0).cast(pl.Int64)
    return anything * LABEL_GAIN * DISCOUNT * (ahead + _GOES_ON / m.ideal("idcg"))


Rndcg = declare(
    "Rndcg",
    term=lambda m: _at_levels(m) / (m.ideal("levels") + _GOES_ON),
    cutoff=NO_CUTOFF,
    parameters={"rel": REL, "gains": levels()},
    states=lambda _: (),
    ladder=lambda _: (*_LEVELS, _IDEAL_DCG),
    totals=lambda m: (gaining(m), gain(m), states.r(m)),
    expected=lambda _: graded.rndcg,
    doc="nDCG with linear gain averaged over the ranks where an ideal ranking passes to a lower "
    "label, and the end of the ranking where that lies deeper. 0 where no label reaches `rel`.",
    formula="mean of DCG@b / IDCG@b over b, the numbers of documents with at least each label",
    source=BUCKLEY,
    trec_eval="Rndcg",
)


def _lost(m: Measure) -> pl.Expr:
    """Gain that an ideal ranking would have had by now; each of its ranks costs at least 1."""
    beyond = (RANK - pl.col("gaining")).clip(lower_bound=0)
    return m.ideal("cost") + beyond - pl.col("gained")


G = declare(
    "G",
    term=lambda m: pl.when(LABEL > 0).then(LABEL_GAIN / (2 + _lost(m)).log(2)).otherwise(0.0),
    per=lambda _: pl.when(pl.col("gain") > 0).then(pl.col("gain")).otherwise(1.0),
    cutoff=NO_CUTOFF,
    parameters={"gains": levels()},
    states=lambda _: (State("gained", LABEL_GAIN.cum_sum()),),
    ladder=lambda _: (State("cost", LABEL_GAIN.clip(lower_bound=1).cum_sum()),),
    totals=lambda m: (gaining(m), gain(m)),
    expected=lambda _: g,
    doc="Gain discounted by how much more an ideal ranking would have gained by then: between AP "
    "and nDCG. Of steep gains its worst ranking is not quite the one from the lowest label up, "
    "which WLB takes.",
    formula="sum of gain / log2(2 + ideal gain so far - gain so far), over the sum of all gains",
    source=BUCKLEY,
    trec_eval="G",
)
