"""The weights of rank-biased overlap: they fall geometrically with the depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure


def weights(m: Measure, depth: pl.Expr) -> pl.Expr:
    """The sum over d = 1..depth of p^(d - 1) / d."""
    p = m.number("p")

    def look_up(depths: pl.Series) -> pl.Series:
        import numpy as np

        wanted = depths.fill_null(0).to_numpy()
        d = np.arange(1, max(int(wanted.max(initial=0)), 0) + 1)
        table = np.concatenate([[0.0], np.cumsum(p ** (d - 1) / d)])
        return pl.Series(table[wanted])

    return depth.cast(pl.Int64).map_batches(look_up, pl.Float64, is_elementwise=True)


def best(m: Measure, depth: pl.Expr, relevant: pl.Expr) -> pl.Expr:
    """The overlap of the ideal ranking with itself, or with `normalize=False` of any two alike."""
    p = m.number("p")
    if not m["normalize"]:
        return (1 - p ** depth.clip(lower_bound=1).cast(pl.Float64)) / (1 - p)
    full = (1 - p ** relevant.cast(pl.Float64)) / (1 - p)
    total = full + relevant * (weights(m, depth) - weights(m, relevant))
    return pl.when(relevant > 0).then(total).otherwise(1.0)
