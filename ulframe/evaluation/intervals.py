"""The percentile bootstrap: confidence intervals of means over queries."""

from __future__ import annotations

import polars as pl

RESAMPLES, SEED = 1000, 0
TAILS = (0.025, 0.975)
CELLS = 8_000_000  # numbers of resampling weights that are held at once


def bootstrap(groups: pl.DataFrame) -> pl.DataFrame:
    """Replace `counted`, each group's list of numbers, by `ci_low` and `ci_high` of its mean.

    Groups of one size share their resamples, so that what is compared is resampled alike.
    """
    import numpy as np

    low = np.full(groups.height, np.nan)
    high = low.copy()
    sizes = groups["n_queries"].to_numpy()
    for n in np.unique(sizes):
        places = np.flatnonzero(sizes == n)
        values = np.stack([groups["counted"][int(i)].to_numpy() for i in places])
        rng = np.random.default_rng(SEED)
        means = []
        for start in range(0, RESAMPLES, step := max(1, CELLS // int(n))):
            drawn = rng.integers(0, n, (min(step, RESAMPLES - start), n))
            weights = np.stack([np.bincount(row, minlength=n) for row in drawn])
            means.append(weights @ values.T / n)
        low[places], high[places] = np.quantile(np.concatenate(means), TAILS, axis=0)
    return groups.drop("counted").with_columns(
        ci_low=pl.Series(low, nan_to_null=True), ci_high=pl.Series(high, nan_to_null=True)
    )
