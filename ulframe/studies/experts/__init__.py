"""Comparing rankings of people, which are partial, tied and incomplete."""

from ulframe.studies.experts.compare import MEASURES, compare
from ulframe.studies.experts.comparisons import every_pair, to_others, to_reference, with_others
from ulframe.studies.experts.pair_measures import PAIR_MEASURES, PairMeasure, both_ways
from ulframe.studies.experts.people import LINEAR, Overlap, top
from ulframe.studies.experts.rankings import scan_rankings

__all__ = [
    "LINEAR",
    "MEASURES",
    "PAIR_MEASURES",
    "Overlap",
    "PairMeasure",
    "both_ways",
    "compare",
    "every_pair",
    "scan_rankings",
    "to_others",
    "to_reference",
    "top",
    "with_others",
]
