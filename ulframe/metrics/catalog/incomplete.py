"""Metrics that tell judged documents that are not relevant from those that nobody judged."""

from __future__ import annotations

import polars as pl

from ulframe.metrics import inputs
from ulframe.metrics.catalog.shared import CUTOFF_OR_ALL, FLOORED, R_AT_LEAST_1
from ulframe.metrics.chance import binary, judgements
from ulframe.metrics.declaration import About, Form, Refused
from ulframe.metrics.inputs import LABEL, RANK, RETRIEVED, TOTAL, State, Total
from ulframe.metrics.measure import Measure, measured
from ulframe.metrics.parameters import number

__all__ = [
    "Judged",
    "bpref",
    "gm_bpref",
    "infAP",
    "rbp_resid",
    "unj",
]


IS_JUDGED = (LABEL >= 0).cast(pl.Int64)


def _preferred(m: Measure) -> pl.Expr:
    return m.relevant * (1 - binary.preferred_wrongly(m, m.of("misses")))


bpref = measured(
    "bpref",
    term=_preferred,
    per=R_AT_LEAST_1,
    states=lambda m: (inputs.misses(m),),
    cutoff="none",
    expected=Form(binary.bpref),
    spread=Form(binary.bpref_variance),
    about=About(
        doc="How few judged documents that are not relevant stand above relevant ones.",
        formula="mean over relevant documents of 1 - min(judged non-relevant above, b) / b; b = "
        "min(r, judged non-relevant)",
        source="Buckley and Voorhees 2004, Retrieval evaluation with incomplete information; as "
        "trec_eval corrected it.",
        trec_eval="bpref",
        ir_measures="Bpref, BPref",
    ),
)
gm_bpref = measured(
    "gm_bpref",
    term=_preferred,
    per=R_AT_LEAST_1,
    states=lambda m: (inputs.misses(m),),
    cutoff="none",
    expected=Refused(FLOORED),
    aggregate="geometric mean",
    about=About(
        doc="bpref, as a geometric mean over queries, each counted as 0.00001 at least.",
        formula="exp(mean over queries of log(max(bpref, 0.00001)))",
        source="trec_eval.",
        trec_eval="gm_bpref",
    ),
)


def _inferred(m: Measure) -> pl.Expr:
    """Precision here, of those above: the share of the pool times what of it is relevant."""
    above, relevant = pl.col("pooled") - 1, m.hits - 1
    share = judgements.inferred_share(relevant, relevant + m.of("misses"))
    here = 1 / RANK + above / RANK * share
    return m.relevant * pl.when(RANK == 1).then(1.0).otherwise(here)


infAP = measured(
    "infAP",
    term=_inferred,
    per=R_AT_LEAST_1,
    states=lambda m: (inputs.hits(m), inputs.misses(m), inputs.pooled(m)),
    totals=lambda m: (
        inputs.r(m),
        inputs.nonrel(m),
        Total("unlabelled", (LABEL < 0).cast(pl.Int64)),
    ),
    cutoff="none",
    expected=Form(judgements.inf_ap),
    about=About(
        doc="AP inferred where only part of the pool is judged; negative labels in the qrels are "
        "documents of the pool that nobody judged.",
        formula="mean over relevant documents of 1/i + (i-1)/i * pooled above/(i-1) * (relevant "
        "above + e)/(judged above + 2e); i = rank, e = 0.00001",
        source="Yilmaz and Aslam 2006, Estimating average precision with incomplete and imperfect "
        "judgments.",
        trec_eval="infAP",
        ir_measures="infAP",
    ),
)
Judged = measured(
    "Judged",
    term=IS_JUDGED,
    per=lambda m: m.cutoff_or_all.clip(lower_bound=1),
    depth=CUTOFF_OR_ALL,
    adds=LABEL >= 0,
    states=(),
    parameters={},
    about=About(
        doc="The share of judged documents among the first k, or among all that were returned "
        "where these are fewer; its bounds divide by the same. Negative labels are no judgements "
        "(ir_measures takes them as such).",
        formula="judged documents down to k / min(k, documents returned)",
        source="MacAvaney et al. 2022, Streamlining evaluation with ir-measures.",
        ir_measures="Judged@k",
    ),
)
unj = measured(
    "unj",
    term=IS_JUDGED,
    adds=LABEL >= 0,
    states=(),
    totals=(),
    parameters={},
    cutoff="required",
    finish=lambda m: (m.cutoff_or_all - TOTAL) / m.k,
    ideal=Refused("it counts what was not judged, of which less is better"),
    about=About(
        doc="The share of documents among the first k that nobody judged.",
        formula="unjudged documents down to k / k",
        source="trec_eval 10.",
        trec_eval="unj_k",
    ),
)


def _taken(m: Measure) -> pl.Expr:
    """What a judged document takes from the residual; all of it where nothing is unjudged."""
    p = m.number("p")
    weight = IS_JUDGED * (1 - p) * p ** (RANK - 1).cast(pl.Float64)
    complete = pl.col("judged_found") == RETRIEVED
    return pl.when(complete).then(1 / RETRIEVED).otherwise(weight)


rbp_resid = measured(
    "rbp_resid",
    term=_taken,
    adds=LABEL >= 0,
    states=(State("judged_found", IS_JUDGED.sum()),),
    totals=(),
    parameters={"p": number(0.9, above=0, below=1)},
    cutoff="none",
    finish=pl.when(RETRIEVED > 0).then(1 - TOTAL).otherwise(0.0),
    ideal=Refused("it says how unsure rbp is, of which less is better"),
    about=About(
        doc="The residual of rbp: how much it could gain if all unjudged documents, and all that "
        "were not returned, were of the highest label. 0 where all that was returned is judged.",
        formula="1 - (1 - p) * sum of p^(rank - 1) over judged documents",
        source="Moffat and Zobel 2008; trec_eval 10.",
        trec_eval="rbp_resid",
    ),
)
