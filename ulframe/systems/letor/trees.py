"""What the two methods made of trees share: LightGBM, called so that it repeats itself."""

from __future__ import annotations

from collections.abc import Mapping

import lightgbm
import numpy as np

from ulframe.metrics.measure import Measure
from ulframe.systems.letor.fitting import Scorer
from ulframe.systems.letor.objective import objective
from ulframe.systems.letor.queries import Array, Queries

FEW = 40  # leaves that documents are enough for

MANY = 100_000  # documents; below, threads cost more than they bring


def grown(
    train: Queries,
    valid: Queries,
    measure: Measure,
    seed: int,
    parameters: Mapping[str, float | str],
    *,
    most_trees: int,
    patience: int,
) -> Scorer:
    """Grow trees on the features as they are, and keep as many as are best on `valid`.

    `parameters` are LightGBM's. Missing values stay missing, which LightGBM understands.
    """
    reached = objective(measure, valid)
    least = int(parameters["min_data_in_leaf"])
    # of few documents no leaf would have so many, and no tree a branch
    smallest = {"min_data_in_leaf": max(1, min(least, len(train.labels) // FEW))}

    def evaluated(scores: Array, _: lightgbm.Dataset) -> tuple[str, float, bool]:
        return str(measure), float(reached(scores).mean()), True

    threads = 1 if len(train.labels) < MANY else 0  # 0: as many as there are cores
    fixed = {"seed": seed, "deterministic": True, "force_row_wise": True, "num_threads": threads}
    data = _dataset(train)
    booster = lightgbm.train(
        {**fixed, "metric": "None", "verbosity": -1, **parameters, **smallest},
        data,
        most_trees,
        valid_sets=[data.create_valid(valid.features, valid.labels, group=valid.sizes)],
        feval=evaluated,
        callbacks=[lightgbm.early_stopping(patience, verbose=False)],
    )

    def score(queries: Queries) -> Array:
        return np.asarray(booster.predict(queries.features, num_threads=threads))

    return score


def _dataset(queries: Queries) -> lightgbm.Dataset:
    return lightgbm.Dataset(queries.features, queries.labels, group=queries.sizes)
