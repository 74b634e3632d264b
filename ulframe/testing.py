"""What users' own test suites call: is a metric of mine what it says?"""

from __future__ import annotations

from itertools import combinations_with_replacement

from ulframe.evaluation.trial import first_broken, higher_labels
from ulframe.metrics.grammar import parse
from ulframe.metrics.laws import labels_tried
from ulframe.metrics.measure import Measure

LONGEST = 6


def check_metric(measure: Measure | str, *, longest: int = LONGEST) -> None:
    """Hold the laws that bounds rest on against all orders of all label lists up to a length.

    `measure` is a metric with its settings and cutoff, or one of its operators: V1 and V2 need
    more than U. The labels are those around each threshold that the settings name, five at most
    for lists longer than four. Raises `AssertionError` with the smallest counterexample: labels,
    order, and the two values that should agree; `BadUsage` where the measure is none.

    >>> import ulframe as ul
    >>> steep = ul.declare("Steep", ul.relevant * ul.HITS**2)
    >>> check_metric(ul.V2(steep), longest=4)
    >>> check_metric(ul.declare("Late", ul.relevant * ul.RANK), longest=2)
    Traceback (most recent call last):
    AssertionError: Late@2 would have wrong bounds: of labels -1, 1, the order -1, 1 scores 2, ...
    """
    asked = parse(measure) if isinstance(measure, str) else measure
    labels = sorted({*labels_tried(asked.base), *higher_labels(asked)})
    for length in range(1, longest + 1):
        tried = labels if length <= 3 else [-1.0, 0.0, *labels[-2:]]
        lists = list(combinations_with_replacement(dict.fromkeys(tried), length))
        if broken := first_broken([asked], lists):
            raise AssertionError(broken)
