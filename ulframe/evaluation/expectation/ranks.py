"""How many ranks of a pool count for a measure."""

from __future__ import annotations

import polars as pl

from ulframe.metrics.measure import Measure


def ranks(base: Measure) -> pl.Expr:
    """`m`: how many ranks of a pool of `n` documents count."""
    depth = pl.col("n") if base.depth is None else pl.min_horizontal("n", base.depth)
    return depth.cast(pl.Int64).alias("m")


def depth_key(base: Measure) -> tuple[int, str]:
    """Alike for measures with the same `m`."""
    return base.k or 0, "" if base.metric.depth is None else str(base.depth)
