"""Metrics of graded relevance that are measured along the ideal ranking, as trec_eval has them."""

from __future__ import annotations

import polars as pl

from ulframe.metrics import inputs
from ulframe.metrics.catalog.graded import DISCOUNT, patience
from ulframe.metrics.catalog.shared import GAIN, LABEL_GAIN
from ulframe.metrics.chance import graded
from ulframe.metrics.chance.normalised_gain import g
from ulframe.metrics.declaration import About, Approximate, Form, Spelling
from ulframe.metrics.inputs import GAINING, LABEL, RANK, RETRIEVED, RunningSum, State
from ulframe.metrics.measure import Measure, measured
from ulframe.metrics.parameters import REL, levels, number

__all__ = [
    "G",
    "QMeasure",
    "Rndcg",
    "ndcg_rel",
    "rbp",
]


BUCKLEY = "Buckley 2008; an experimental measure of trec_eval."


_HIGHEST = State("highest", LABEL_GAIN.cum_max())


def _share_of_highest(m: Measure) -> pl.Expr:
    share = LABEL_GAIN / m.ideal("highest").clip(lower_bound=1)
    return pl.when(LABEL > 0).then(share).otherwise(0.0)


rbp = measured(
    "rbp",
    term=lambda m: (1 - m.number("p")) * patience(m) * _share_of_highest(m),
    parameters={"p": number(0.9, above=0, below=1), "gains": levels()},
    spelling=Spelling(dot="p"),
    ladder=(_HIGHEST,),
    totals=(GAINING, GAIN),
    cutoff="none",
    expected=Form(graded.rbp),
    about=About(
        doc="Rank-biased precision of graded labels, as trec_eval computes it: a gain is the label "
        "over the query's largest label.",
        formula="(1 - p) * sum of p^(rank - 1) * label / largest label",
        source="Moffat and Zobel 2008; trec_eval 10.",
        trec_eval="rbp, rbp.p=0.8",
    ),
)


_DCG = State("dcg", (LABEL_GAIN * DISCOUNT).cum_sum())
_FOUND = RunningSum("found", (LABEL > 0).cast(pl.Int64))
_IDEAL_DCG = State("idcg", (LABEL_GAIN * DISCOUNT).sum())
_PER_GAINING = pl.col("gaining").clip(lower_bound=1)


def _ndcg_at_relevant(m: Measure) -> pl.Expr:
    """The nDCG here, and what this document changes for those that are never found.

    trec_eval takes nDCG at the end for those: (R - found) * DCG / IDCG, here one document's share.
    """
    left = pl.col("gaining") - pl.col("found") + 1
    here = pl.col("dcg") / m.ideal("dcg")
    rest = (left * LABEL_GAIN * DISCOUNT - pl.col("dcg")) / m.ideal("idcg")
    return pl.when(LABEL > 0).then(here + rest).otherwise(0.0)


ndcg_rel = measured(
    "ndcg_rel",
    term=_ndcg_at_relevant,
    per=_PER_GAINING,
    cutoff="none",
    parameters={"gains": levels()},
    states=(_DCG, _FOUND),
    ladder=(_DCG, _IDEAL_DCG),
    totals=(GAINING, GAIN),
    expected=Form(graded.ndcg_rel),
    about=About(
        doc="nDCG with linear gain at the rank of every relevant document, averaged; at the end of "
        "the ranking for those that it misses.",
        formula="mean over relevant documents of DCG@rank / IDCG@rank",
        source=BUCKLEY,
        trec_eval="ndcg_rel",
    ),
)

_ENDS = (LABEL.shift(-1) != LABEL).fill_null(True).cast(pl.Float64)
_LEVELS = State("levels", LABEL.n_unique().cast(pl.Int64))
_AHEAD = State("ahead", (_ENDS / (LABEL_GAIN * DISCOUNT).cum_sum()).cum_sum(reverse=True))
"""The sum of 1 / IDCG at the ends of levels from here on."""

_GOES_ON = (pl.col("gaining") + 1 < RETRIEVED).cast(pl.Int64)


def _at_levels(m: Measure) -> pl.Expr:
    ahead = pl.when(pl.col("gaining") >= RANK).then(m.ideal("ahead")).otherwise(0.0)
    anything = (m.r > 0).cast(pl.Int64)
    return anything * LABEL_GAIN * DISCOUNT * (ahead + _GOES_ON / m.ideal("idcg"))


Rndcg = measured(
    "Rndcg",
    term=lambda m: _at_levels(m) / (m.ideal("levels") + _GOES_ON),
    cutoff="none",
    parameters={"rel": REL, "gains": levels()},
    states=(),
    ladder=(_LEVELS, _AHEAD, _IDEAL_DCG),
    totals=lambda m: (GAINING, GAIN, inputs.r(m)),
    expected=Form(graded.rndcg),
    about=About(
        doc="nDCG with linear gain averaged over the ranks where an ideal ranking passes to a "
        "lower label, and the end of the ranking where that lies deeper. 0 where no label reaches "
        "`rel`.",
        formula="mean of DCG@b / IDCG@b over b, the numbers of documents with at least each label",
        source=BUCKLEY,
        trec_eval="Rndcg",
    ),
)


def _lost(m: Measure) -> pl.Expr:
    """Gain that an ideal ranking would have had by now; each of its ranks costs at least 1."""
    beyond = (RANK - pl.col("gaining")).clip(lower_bound=0)
    return m.ideal("cost") + beyond - pl.col("gained")


G = measured(
    "G",
    term=lambda m: pl.when(LABEL > 0).then(LABEL_GAIN / (2 + _lost(m)).log(2)).otherwise(0.0),
    per=pl.when(pl.col("gain") > 0).then(pl.col("gain")).otherwise(1.0),
    cutoff="none",
    parameters={"gains": levels()},
    states=(RunningSum("gained", LABEL_GAIN),),
    ladder=(RunningSum("cost", LABEL_GAIN.clip(lower_bound=1)),),
    totals=(GAINING, GAIN),
    expected=Form(g),
    worst=Approximate("of steep gains other rankings than that from the lowest label up are worse"),
    about=About(
        doc="Gain discounted by how much more an ideal ranking would have gained by then: between "
        "AP and nDCG. Of steep gains its worst ranking is not quite the one from the lowest label "
        "up, which WLB takes.",
        formula="sum of gain / log2(2 + ideal gain so far - gain so far), over the sum of all "
        "gains",
        source=BUCKLEY,
        trec_eval="G",
    ),
)


_GAINED = RunningSum("gained", LABEL_GAIN)


def _blended_ratio(m: Measure) -> pl.Expr:
    """Precision with gains: that of the ranking over that of the ideal one, at this rank."""
    beta = m.number("beta")
    found = pl.col("found") + beta * pl.col("gained")
    return pl.when(LABEL > 0).then(found / (RANK + beta * m.ideal("gained"))).otherwise(0.0)


QMeasure = measured(
    "QMeasure",
    term=_blended_ratio,
    per=_PER_GAINING,
    parameters={"beta": number(1, above=0), "gains": levels()},
    states=(_FOUND, _GAINED),
    ladder=(_GAINED,),
    totals=(GAINING,),
    about=About(
        doc="Q-measure: AP with a precision that counts gains beside documents, so that a document "
        "of a higher label is worth more. The larger `beta`, the more gains count; towards 0 it is "
        "AP.",
        formula="mean over relevant documents of (hits + beta * gain so far) / (rank + beta * "
        "ideal gain so far)",
        source="Sakai 2004, New performance metrics based on multigrade relevance; NTCIREVAL.",
    ),
)
