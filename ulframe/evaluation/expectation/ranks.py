"""How many ranks of a pool count for a measure, and how many rows are laid out at once."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.measure import Measure


def ranks(base: Measure) -> pl.Expr:
    """`m`: how many ranks of a pool of `n` documents count."""
    depth = pl.col("n") if base.depth is None else pl.min_horizontal("n", base.depth)
    return depth.cast(pl.Int64).alias("m")


def depth_key(base: Measure) -> tuple[int, str]:
    """Alike for measures with the same `m`."""
    return base.k or 0, "" if base.metric.depth is None else str(base.depth)


AT_ONCE = 4_000_000  # rows that are laid out at once
TOO_MANY = 500_000_000  # rows that would take minutes and more


def slices(rows: pl.DataFrame, size: pl.Expr, base: Measure, what: str) -> Iterator[pl.DataFrame]:
    """The rows in slices of which as many as `size` says may be laid out for each.

    Raises `BadUsage` where that is too many; `what` begins its message.
    """
    sized = rows.with_columns(size=size.cast(pl.Int64))
    if (sized["size"] > TOO_MANY).any():
        raise BadUsage(f"{what} too many steps: give a cutoff, as in {base.metric.name}@1000")
    block = pl.col("size").cum_sum() // AT_ONCE
    yield from sized.with_columns(block=block).partition_by("block", include_key=False)
