"""Metrics that tell judged documents that are not relevant from those that nobody judged."""

from __future__ import annotations

import polars as pl

from ulframe.metrics import inputs
from ulframe.metrics.catalog.declare import declare
from ulframe.metrics.chance import binary, judgements
from ulframe.metrics.inputs import LABEL, RANK, RETRIEVED, State, Total
from ulframe.metrics.measure import NO_CUTOFF, REQUIRED, Measure
from ulframe.metrics.parameters import number

IS_JUDGED = (LABEL >= 0).cast(pl.Int64)


def _preferred(m: Measure) -> pl.Expr:
    return m.relevant * (1 - binary.preferred_wrongly(m, m.of("misses")))


bpref = declare(
    "bpref",
    term=_preferred,
    per=lambda m: m.r,
    states=lambda m: (inputs.misses(m),),
    cutoff=NO_CUTOFF,
    expected=lambda _: binary.bpref,
    doc="How few judged documents that are not relevant stand above relevant ones.",
    formula="mean over relevant documents of 1 - min(judged non-relevant above, b) / b; "
    "b = min(r, judged non-relevant)",
    source="Buckley and Voorhees 2004, Retrieval evaluation with incomplete information; as "
    "trec_eval corrected it.",
    trec_eval="bpref",
    ir_measures="Bpref, BPref",
)
gm_bpref = declare(
    "gm_bpref",
    term=_preferred,
    per=lambda m: m.r,
    states=lambda m: (inputs.misses(m),),
    cutoff=NO_CUTOFF,
    refuses="it is averaged geometrically, with a floor of 0.00001, so that its worst is not 0",
    aggregate="geometric mean",
    doc="bpref, as a geometric mean over queries, each counted as 0.00001 at least.",
    formula="exp(mean over queries of log(max(bpref, 0.00001)))",
    source="trec_eval.",
    trec_eval="gm_bpref",
)


def _inferred(m: Measure) -> pl.Expr:
    """Precision here, of those above: the share of the pool times what of it is relevant."""
    above, relevant = pl.col("pooled") - 1, m.hits - 1
    share = judgements.inferred_share(relevant, relevant + m.of("misses"))
    here = 1 / RANK + above / RANK * share
    return m.relevant * pl.when(RANK == 1).then(1.0).otherwise(here)


infAP = declare(
    "infAP",
    term=_inferred,
    per=lambda m: m.r,
    states=lambda m: (inputs.hits(m), inputs.misses(m), inputs.pooled(m)),
    totals=lambda m: (
        inputs.r(m),
        inputs.nonrel(m),
        Total("unlabelled", (LABEL < 0).cast(pl.Int64)),
    ),
    cutoff=NO_CUTOFF,
    expected=lambda _: judgements.inf_ap,
    doc="AP inferred where only part of the pool is judged; negative labels in the qrels are "
    "documents of the pool that nobody judged.",
    formula="mean over relevant documents of 1/i + (i-1)/i * pooled above/(i-1) * (relevant above "
    "+ e)/(judged above + 2e); i = rank, e = 0.00001",
    source="Yilmaz and Aslam 2006, Estimating average precision with incomplete and imperfect "
    "judgments.",
    trec_eval="infAP",
    ir_measures="infAP",
)
Judged = declare(
    "Judged",
    term=lambda _: IS_JUDGED,
    per=lambda m: m.cutoff_or_all.clip(lower_bound=1),
    depth=lambda m: m.cutoff_or_all,
    adds=LABEL >= 0,
    states=lambda _: (),
    parameters={},
    doc="The share of judged documents among the first k, or among all that were returned where "
    "these are fewer. Negative labels are no judgements (ir_measures takes them as such).",
    formula="judged documents down to k / min(k, documents returned)",
    source="MacAvaney et al. 2022, Streamlining evaluation with ir-measures.",
    ir_measures="Judged@k",
)
unj = declare(
    "unj",
    term=lambda _: IS_JUDGED,
    adds=LABEL >= 0,
    states=lambda _: (),
    totals=lambda _: (),
    parameters={},
    cutoff=REQUIRED,
    finish=lambda m, total: (m.cutoff_or_all - total) / m.k,
    unbounded="it counts what was not judged, of which less is better",
    doc="The share of documents among the first k that nobody judged.",
    formula="unjudged documents down to k / k",
    source="trec_eval 10.",
    trec_eval="unj_k",
)


def _taken(m: Measure) -> pl.Expr:
    """What a judged document takes from the residual; all of it where nothing is unjudged."""
    p = m.number("p")
    weight = IS_JUDGED * (1 - p) * p ** (RANK - 1).cast(pl.Float64)
    complete = pl.col("judged_found") == RETRIEVED
    return pl.when(complete).then(1 / RETRIEVED).otherwise(weight)


rbp_resid = declare(
    "rbp_resid",
    term=_taken,
    adds=LABEL >= 0,
    states=lambda _: (State("judged_found", IS_JUDGED.sum()),),
    totals=lambda _: (),
    parameters={"p": number(0.9, above=0, below=1)},
    cutoff=NO_CUTOFF,
    finish=lambda _, total: pl.when(RETRIEVED > 0).then(1 - total).otherwise(0.0),
    unbounded="it says how unsure rbp is, of which less is better",
    doc="The residual of rbp: how much it could gain if all unjudged documents, and all that were "
    "not returned, were of the highest label. 0 where all that was returned is judged.",
    formula="1 - (1 - p) * sum of p^(rank - 1) over judged documents",
    source="Moffat and Zobel 2008; trec_eval 10.",
    trec_eval="rbp_resid",
)
