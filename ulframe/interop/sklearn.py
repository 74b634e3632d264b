"""Measures as scorers of scikit-learn: for cross-validation and searches of settings."""

from __future__ import annotations

from functools import partial
from typing import Any

from ulframe.interop.arrays import Array
from ulframe.interop.models import mean_score
from ulframe.metrics.measure import Measure

RESPONSES = ("decision_function", "predict_proba", "predict")
"""What an estimator is asked for its scores by, the first that it has."""


def make_ranking_scorer(measure: str | Measure) -> Any:
    """A measure as a scorer, `scorer(estimator, X, y, groups=ids)`: the mean over the queries.

    `groups` is the id of each row's query; without it all rows are one query. For searches and
    cross-validation to hand it on, scikit-learn's metadata routing is on (this function turns it
    on): `cross_validate(estimator, X, y, cv=GroupKFold(), scoring=make_ranking_scorer("nDCG@10"),
    params={"groups": ids})`. A query's documents must stay together, as `GroupKFold` keeps them.
    Equal predictions count with the mean over all their orders, where the measure allows it.

    Needs scikit-learn. Raises, when called, what `from_arrays` and `evaluate` raise.
    """
    from sklearn import set_config
    from sklearn.metrics import make_scorer

    set_config(enable_metadata_routing=True)
    scorer = make_scorer(partial(_score, measure), response_method=RESPONSES)
    return scorer.set_score_request(groups=True)


def _score(
    measure: str | Measure, y_true: Array, y_pred: Array, groups: Array | None = None
) -> float:
    return mean_score(measure, y_true, y_pred, groups)
