"""Random Forest: the mean of regression trees, each grown on some of the documents, on LightGBM.

Breiman, "Random Forests", Machine Learning 45, 2001. The trees predict the label.
"""

from __future__ import annotations

from ulframe.metrics.measure import Measure
from ulframe.systems.letor.fitting import Scorer
from ulframe.systems.letor.queries import Queries, instructive
from ulframe.systems.letor.trees import grown


def fit(
    train: Queries,
    valid: Queries,
    measure: Measure,
    seed: int,
    *,
    most_trees: int = 300,
    patience: int = 100,
    documents: float = 0.632,
    features: float = 0.3,
    leaves: int = 100,
    smallest_leaf: int = 5,
) -> Scorer:
    """Grow trees that do not know of each other."""
    parameters: dict[str, float | str] = {
        "objective": "regression",
        "boosting": "rf",
        "bagging_freq": 1,
        "bagging_fraction": documents,
        "feature_fraction_bynode": features,
        "num_leaves": leaves,
        "min_data_in_leaf": smallest_leaf,
    }
    train = instructive(train)
    return grown(train, valid, measure, seed, parameters, most_trees=most_trees, patience=patience)
