"""Other names of some metrics, as the field and other tools have them."""

from ulframe.metrics.catalog.binary import AP, RR, P, R, Rprec, Success
from ulframe.metrics.catalog.graded import CG, nDCG
from ulframe.metrics.catalog.incomplete import bpref
from ulframe.metrics.catalog.set_based import SetP
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
