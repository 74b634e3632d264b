"""LambdaMART: boosted regression trees that follow the gradient of nDCG, on LightGBM.

Burges, "From RankNet to LambdaRank to LambdaMART: An Overview", MSR-TR-2010-82; Ke and others,
"LightGBM: A Highly Efficient Gradient Boosting Decision Tree", NeurIPS 2017.
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
    most_trees: int = 500,
    patience: int = 50,
    rate: float = 0.05,
    leaves: int = 15,
    smallest_leaf: int = 50,
) -> Scorer:
    """Grow trees, each of which corrects those before."""
    parameters: dict[str, float | str] = {
        "objective": "lambdarank",
        "learning_rate": rate,
        "num_leaves": leaves,
        "min_data_in_leaf": smallest_leaf,
    }
    train = instructive(train)
    return grown(train, valid, measure, seed, parameters, most_trees=most_trees, patience=patience)
