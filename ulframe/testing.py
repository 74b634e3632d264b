"""What users' own test suites call: is a metric what it says, is a new version no worse?"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Unpack

from ulframe.evaluation.evaluate import Options, evaluate
from ulframe.evaluation.trial import first_broken, higher_labels
from ulframe.frames.intake import FramesLike
from ulframe.metrics.grammar import Asked, parse
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


def assert_not_worse(
    qrels: FramesLike,
    baseline: FramesLike,
    candidate: FramesLike,
    measures: Asked,
    *,
    margin: float = 0.01,
    alpha: float = 0.05,
    **options: Unpack[Options],
) -> None:
    """Fail unless a candidate passes the gate: what `ulframe gate` says, as an assertion.

    In: qrels and one run each, as `ulframe.evaluate` takes them with its options; `margin`, what
    every measure may lose; `alpha`, of the two-sided interval of Student's paired t. Raises
    `AssertionError` with the three lines of `ulframe gate` where a measure is worse, and where the
    queries do not decide; `BadUsage` and `BadData` as `evaluate` and `ulframe.analysis.gate` do.

    >>> qrels = {str(q): {"a": 1, "b": 0} for q in range(5)}
    >>> good, bad = ({str(q): {"a": a, "b": 1.0} for q in range(5)} for a in (2.0, 0.5))
    >>> assert_not_worse(qrels, bad, good, "RR")
    >>> assert_not_worse(qrels, good, bad, "RR")
    Traceback (most recent call last):
    AssertionError: WORSE: run against run, 5 queries, margin 0.01 (paired t, 95% intervals)
    RR 1.0000 to 0.5000: -0.5000 [-0.5000, -0.5000]
    worse: RR
    """
    from ulframe.analysis.gate import gate  # whose scipy `check_metric` does without

    scores = [evaluate(qrels, run, measures, **options) for run in (baseline, candidate)]
    found = gate(*scores, margin=margin, alpha=alpha)
    if found.verdict != "passes":
        raise AssertionError("\n".join(found.lines))
