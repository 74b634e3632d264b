"""Other names of some metrics, as the field and other tools have them."""

from ulframe.metrics.catalog.binary import AP, RR, F, P, R, Rprec, Success, gm_map
from ulframe.metrics.catalog.graded import CG, nDCG
from ulframe.metrics.catalog.incomplete import bpref
from ulframe.metrics.catalog.set_based import SetP
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import U

__all__ = [
    "MAP",
    "MRR",
    "NCG",
    "NDCG",
    "BPref",
    "Bpref",
    "HitRate",
    "Precision",
    "RPrec",
    "Recall",
    "SetRelP",
    "nCG",
]

MAP = AP
MRR = RR
NDCG = nDCG
nCG = U(CG)
NCG = nCG
Precision = P
Recall = R
HitRate = Success
RPrec = Rprec
Bpref = bpref
BPref = bpref
SetRelP = U(SetP)

WORDS: dict[str, Measure] = {
    "mean reciprocal rank": RR,
    "reciprocal rank": RR,
    "average precision": AP,
    "mean average precision": AP,
    "geometric mean average precision": gm_map,
    "gmap": gm_map,
    "r prec": Rprec,
    "r precision": Rprec,  # ranx
    "hit": Success,  # RecBole, Elliot
    "hits": Success,  # PyKEEN and others of knowledge graphs
    "hit rate": Success,  # ranx, torchmetrics
    "hit ratio": Success,
    "hr": Success,
    "f1": F,  # ranx
    "f1 score": F,
    "f measure": F,
    "f score": F,
    "f2": F(beta=2),
    "capped recall": U(R),
    "recall cap": U(R),  # BEIR
    "r cap": U(R),
    "ndcg burges": nDCG,  # ranx
    "ndcg exp": nDCG,
    "ndcg linear": nDCG(gain="linear"),
}
"""What people write who have other tools: in any case, and with any of space, _ and - or none."""
