"""The metrics: one declaration each, by family, and `MEASURES`, every name that a user may write.

A declaration gives what one document adds (`term`), what divides the sum (`per`), and, where that
is not affine in the hits, the expectation under a random ranking (see `ulframe.metrics.chance`).
"""

from ulframe.metrics.catalog.along_ideal import G, Rndcg, ndcg_rel, rbp
from ulframe.metrics.catalog.binary import (
    AP,
    RR,
    SP,
    AvgIPrec,
    F,
    IPrec,
    P,
    R,
    Rprec,
    Success,
    binG,
    gm_map,
    yaap,
)
from ulframe.metrics.catalog.declare import declare
from ulframe.metrics.catalog.graded import CG, DCG, ERR, GAP, RBP, nDCG
from ulframe.metrics.catalog.incomplete import (
    Judged,
    bpref,
    gm_bpref,
    infAP,
    rbp_resid,
    unj,
)
from ulframe.metrics.catalog.pairwise import Accuracy, Compat
from ulframe.metrics.catalog.set_based import (
    NumNonrelRet,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    SetAP,
    SetF,
    SetP,
    SetR,
    Utility,
)
from ulframe.metrics.operators import U

_GAIN = (CG, DCG, nDCG, GAP, ERR, RBP)
_ALONG_IDEAL = (rbp, G, ndcg_rel, Rndcg)
_PRECISION = (SP, AP, gm_map, yaap, P, R, F, Rprec, IPrec, AvgIPrec, RR, Success, binG)
_JUDGEMENTS = (bpref, gm_bpref, infAP, Judged, unj, rbp_resid)
_SETS = (SetP, SetR, SetF, SetAP, Utility, NumQ, NumRel, NumRet, NumRelRet, NumNonrelRet)
_AGREEMENT = (Accuracy, Compat)

CATALOG = {
    str(measure): measure
    for family in (_GAIN, _ALONG_IDEAL, _PRECISION, _JUDGEMENTS, _SETS, _AGREEMENT)
    for measure in family
}
"""The measures, each by the name that it prints under."""

ALIASES = {
    "MAP": AP,
    "MRR": RR,
    "NDCG": nDCG,
    "nCG": U(CG),
    "NCG": U(CG),
    "Precision": P,
    "Recall": R,
    "RPrec": Rprec,
    "Bpref": bpref,
    "BPref": bpref,
    "SetRelP": U(SetP),
}
"""Other names of some."""

MEASURES = CATALOG | ALIASES
"""All that a name may be."""

__all__ = [
    "ALIASES", "AP", "CATALOG", "CG", "DCG", "ERR", "GAP", "MEASURES", "RBP", "RR", "SP",
    "Accuracy", "AvgIPrec", "Compat", "F", "G", "IPrec", "Judged", "NumNonrelRet", "NumQ",
    "NumRel", "NumRelRet", "NumRet", "P", "R", "Rndcg", "Rprec", "SetAP", "SetF", "SetP", "SetR",
    "Success", "Utility", "binG", "bpref", "declare", "gm_bpref", "gm_map", "infAP", "nDCG",
    "ndcg_rel", "rbp", "rbp_resid", "unj", "yaap",
]  # fmt: skip
