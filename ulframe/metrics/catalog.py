"""The metrics: one declaration each, and `MEASURES`, where every name that a user may write stands.

A declaration gives what one document adds (`term`), what divides the sum (`per`), and, where that
is not affine in `hits`, the expectation under a random ranking (see `ulframe.metrics.chance`).
"""

from __future__ import annotations

from typing import Any

import polars as pl

from ulframe.metrics import chance
from ulframe.metrics.metric import (
    HITS,
    LABEL,
    MISSES,
    NO_CUTOFF,
    RANK,
    REQUIRED,
    Measure,
    Metric,
    Term,
)
from ulframe.metrics.parameters import choice, number
from ulframe.metrics.variants import U

_label = LABEL.cast(pl.Float64).clip(lower_bound=0)
GAINS = {"exp": 2.0**_label - 1, "linear": _label}
"""What a label is worth; nothing where it is negative."""

REL = number(1, above=0)
EXPECTATIONS = {"exact": None, "independent": chance.independent_precisions}
"""The expectation of SP: by linearity, or the paper's closed form."""


def declare(name: str, **declaration: Any) -> Measure:
    """A new metric as a measure to go on from; takes what `Metric` takes.

    Its parameters are `rel` unless others are given.

    >>> import ulframe as ul
    >>> best = ul.declare("Best", term=lambda m: m.relevant / (1 + ul.RANK))
    >>> str(ul.V2(best(rel=2) @ 5))
    'V2(Best(rel=2)@5)'
    """
    return Measure(Metric(name, **({"parameters": {"rel": REL}} | declaration)))


def _gain(m: Measure) -> pl.Expr:
    return GAINS[str(m["gain"])]


CG = declare(
    "CG",
    term=_gain,
    parameters={"gain": choice("linear", GAINS)},
    normalised="nCG",
    doc="Cumulated gain: the sum of gains. Järvelin and Kekäläinen 2002.",
)
DCG = declare(
    "DCG",
    term=lambda m: _gain(m) / (RANK + 1).log(float(m["base"])),
    parameters={"gain": choice("exp", GAINS), "base": number(2, above=1)},
    normalised="nDCG",
    doc="Discounted cumulated gain: the sum of gain / log_base(rank + 1). The paper's equation 1.",
)
nDCG = U(DCG)

SP = declare(
    "SP",
    term=lambda m: m.relevant * m.hits / RANK,
    parameters={"rel": REL, "expectation": choice("exact", EXPECTATIONS)},
    expected=lambda m: EXPECTATIONS[str(m["expectation"])],
    doc="Sum of the precisions at relevant documents; the paper's MAP@k is U(SP@k).",
)
_NORMS: dict[str, Term] = {"r": lambda m: m.r, "k": lambda m: pl.lit(m.k)}
AP = declare(
    "AP",
    term=SP.metric.term,
    per=lambda m: _NORMS[str(m["norm"])](m),
    parameters={
        "rel": REL,
        "norm": choice("r", _NORMS),
        "expectation": choice("exact", EXPECTATIONS),
    },
    expected=SP.metric.expected,
    doc="Average precision: SP over the number of relevant documents.",
)
P = declare(
    "P",
    term=lambda m: m.relevant,
    per=lambda m: pl.lit(m.k),
    cutoff=REQUIRED,
    doc="Precision: relevant documents down to k, over k.",
)
R = declare(
    "R",
    term=lambda m: m.relevant,
    per=lambda m: m.r,
    cutoff=REQUIRED,
    doc="Recall: relevant documents down to k, over all relevant ones.",
)
F = declare(
    "F",
    term=lambda m: (1 + m["beta"] ** 2) * m.relevant,
    per=lambda m: m["beta"] ** 2 * m.r + m.k,
    cutoff=REQUIRED,
    parameters={"rel": REL, "beta": number(1, above=0)},
    doc="F: the weighted harmonic mean of P@k and R@k, recall counting beta times as much.",
)
Rprec = declare(
    "Rprec",
    term=lambda m: m.relevant,
    per=lambda m: m.r,
    depth=lambda m: m.of("r"),
    cutoff=NO_CUTOFF,
    doc="R-precision: precision at the number of relevant documents.",
)
RR = declare(
    "RR",
    term=lambda m: pl.when(m.hits == 1).then(m.relevant / RANK).otherwise(0.0),
    expected=lambda _: chance.reciprocal_rank,
    doc="Reciprocal rank of the first relevant document, 0 if none is found.",
)
Success = declare(
    "Success",
    term=lambda m: pl.when(m.hits == 1).then(m.relevant).otherwise(0),
    cutoff=REQUIRED,
    expected=lambda _: chance.success,
    doc="1 if a relevant document stands among the first k, else 0.",
)
RBP = declare(
    "RBP",
    term=lambda m: (1 - m["p"]) * m["p"] ** (RANK - 1).cast(pl.Float64) * m.relevant,
    parameters={"rel": REL, "p": number(0.8, above=0, below=1)},
    doc="Rank-biased precision: (1 - p) times the sum of p^(rank - 1) over relevant documents. "
    "Moffat and Zobel 2008.",
)
bpref = declare(
    "bpref",
    term=lambda m: m.relevant * (1 - chance.preferred_wrongly(m, m.of("misses"))) / m.r,
    states=(HITS, MISSES),
    cutoff=NO_CUTOFF,
    expected=lambda _: chance.bpref,
    doc="How few judged documents that are not relevant stand above relevant ones. Buckley and "
    "Voorhees 2004, as trec_eval computes it.",
)

MEASURES = {
    str(measure): measure
    for measure in (CG, DCG, nDCG, SP, AP, P, R, F, Rprec, RR, Success, RBP, bpref)
} | {"nCG": U(CG)}
