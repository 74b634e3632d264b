"""ulframe: rankings evaluated as frames, against the best possible and against chance.

The names here are what most users need; analysis, report, systems and studies are rooms of their
own, imported as `ulframe.analysis` and so on.
"""

from ulframe.evaluation.evaluate import Evaluation, evaluate, examine
from ulframe.evaluation.histogram import histogram
from ulframe.evaluation.ranking import rank
from ulframe.evaluation.summarise import means, summarise
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.sample import sample_qrels, sample_runs
from ulframe.frames.sources import scan_qrels, scan_runs
from ulframe.metrics.catalog import (
    AP,
    CG,
    DCG,
    RBP,
    RR,
    SP,
    F,
    P,
    R,
    Rprec,
    Success,
    bpref,
    declare,
    nDCG,
)
from ulframe.metrics.grammar import parse
from ulframe.metrics.metric import Measure, Metric
from ulframe.metrics.states import LABEL, RANK
from ulframe.metrics.variants import IUB, RLB, V1, V2, U

__version__ = "0.1.0"

__all__ = [
    "AP",
    "CG",
    "DCG",
    "IUB",
    "LABEL",
    "RANK",
    "RBP",
    "RLB",
    "RR",
    "SP",
    "V1",
    "V2",
    "BadData",
    "BadUsage",
    "Evaluation",
    "F",
    "Measure",
    "Metric",
    "P",
    "R",
    "Rprec",
    "Success",
    "U",
    "bpref",
    "declare",
    "evaluate",
    "examine",
    "histogram",
    "means",
    "nDCG",
    "parse",
    "rank",
    "sample_qrels",
    "sample_runs",
    "scan_qrels",
    "scan_runs",
    "summarise",
]
