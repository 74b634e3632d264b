"""Which queries and which measures tell systems apart: query sets, significance, agreement."""

from ulframe.analysis.agreement import tau_a, tau_b
from ulframe.analysis.queries import (
    as_sets,
    distractive,
    easy,
    hard,
    ideal,
    informative,
    query_sets,
    real_and_expected,
    uninformative,
)
from ulframe.analysis.significance import compare, corrected, group_a
from ulframe.analysis.transforms import arcsine, ranks

__all__ = [
    "arcsine",
    "as_sets",
    "compare",
    "corrected",
    "distractive",
    "easy",
    "group_a",
    "hard",
    "ideal",
    "informative",
    "query_sets",
    "ranks",
    "real_and_expected",
    "tau_a",
    "tau_b",
    "uninformative",
]
