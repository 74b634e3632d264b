"""The laws of metrics, and the only place where they stand.

What a term reads (`reading`) decides how its expectation under a random ranking is had
(`expectation`), and its standard deviation (`spread`); what an operator needs of a metric decides
whether there is one of it (`needs`); and what bounds rest on (`bounds`) is held against every order
of a few short label lists before bounds are given out (`ulframe.evaluation.trial`), since a
declaration is only a claim.
"""

from ulframe.metrics.laws.bounds import LAWS, Law, labels_tried
from ulframe.metrics.laws.expectation import Distributed, expectation_of, is_compared, is_near_only
from ulframe.metrics.laws.needs import NEEDS, Need, refusal
from ulframe.metrics.laws.reading import (
    TOLERANCE,
    by_hits,
    constants_of,
    counts_by_ones,
    is_affine,
    is_affine_finish,
    is_straight_in_value,
    names_in,
    reads_ranking_alone,
    sums_of,
)
from ulframe.metrics.laws.spread import AlongRanks, ByRank, InPairs, SpreadHow, slopes, spread_of

__all__ = [
    "LAWS",
    "NEEDS",
    "TOLERANCE",
    "AlongRanks",
    "ByRank",
    "Distributed",
    "InPairs",
    "Law",
    "Need",
    "SpreadHow",
    "by_hits",
    "constants_of",
    "counts_by_ones",
    "expectation_of",
    "is_affine",
    "is_affine_finish",
    "is_compared",
    "is_near_only",
    "is_straight_in_value",
    "labels_tried",
    "names_in",
    "reads_ranking_alone",
    "refusal",
    "slopes",
    "spread_of",
    "sums_of",
]
