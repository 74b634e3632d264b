"""Measures as what trainers of rankers call on validation data: LightGBM, XGBoost."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from ulframe.evaluation.evaluate import Ties, evaluate
from ulframe.evaluation.summarise import means
from ulframe.interop.arrays import Array, from_arrays
from ulframe.metrics.grammar import parse
from ulframe.metrics.measure import Measure

OfLightGBM = Callable[[Array, Any], tuple[str, float, bool]]
OfXGBoost = Callable[[Array, Any], tuple[str, float]]


def mean_score(
    measure: str | Measure,
    labels: Array,
    scores: Array,
    groups: Array | None = None,
    *,
    sizes: Array | None = None,
    ties: Ties = "score",
) -> float:
    """The mean of a measure over queries given as arrays; what is undefined counts as 0.

    In: as of `from_arrays`; `ties` as of `evaluate`. Raises what these raise.

    >>> mean_score("RR", [0, 1, 1], [0.9, 0.5, 0.7], ["a", "a", "b"])
    0.75
    """
    pair = from_arrays(labels, scores, groups, sizes=sizes)
    found = means(evaluate(*pair, measure, ties=ties)).collect()
    return float(found["mean"].item())


def lightgbm_metric(measure: str | Measure) -> OfLightGBM:
    """A measure as LightGBM's `feval`: of predictions and a `Dataset` with groups.

    Out: what LightGBM expects, the name, the mean, and that higher is better.

    >>> lightgbm_metric("nDCG@10").__name__
    'nDCG@10'
    """
    name = str(_parsed(measure))

    def metric(predictions: Array, data: Any) -> tuple[str, float, bool]:
        score = mean_score(measure, data.get_label(), predictions, sizes=data.get_group())
        return name, score, True

    metric.__name__ = name
    return metric


def xgboost_metric(measure: str | Measure) -> OfXGBoost:
    """A measure as XGBoost's `custom_metric`: of predictions and a `DMatrix` with groups.

    Tell XGBoost that higher is better, by `maximize=True`. Out: the name and the mean.

    >>> xgboost_metric("nDCG@10").__name__
    'nDCG@10'
    """
    name = str(_parsed(measure))

    def metric(predictions: Array, data: Any) -> tuple[str, float]:
        ends = [int(end) for end in data.get_uint_info("group_ptr")]
        sizes = [after - before for before, after in pairwise(ends)]
        return name, mean_score(measure, data.get_label(), predictions, sizes=sizes)

    metric.__name__ = name
    return metric


def _parsed(measure: str | Measure) -> Measure:
    return parse(measure) if isinstance(measure, str) else measure
