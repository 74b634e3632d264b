"""How few judgements would have done."""

from __future__ import annotations

import polars as pl

from ulframe.frames.intake import FramesLike, as_lazy
from ulframe.studies.pooling.effects import FULL


def savings(effects: FramesLike) -> pl.LazyFrame:
    """From which size on a method's pools rank the systems as all judgements do, and what it saves.

    In: a frame of effects. Out, a row per method and measure as they come: `method, measure:
    String, size: Int64`, the smallest from which on `agrees` holds for good, i.e. for all larger
    sizes too; what was `judged` then and the factor `saving` that all judgements are of that;
    `judged_with_training` and `saving_with_training`, counting what the lists were trained on. All
    five are null where the largest pool does not agree.

    >>> from ulframe.studies.pooling.effects import EFFECTS
    >>> rows = pl.DataFrame(
    ...     {
    ...         "method": ["full", "a", "a", "a"],
    ...         "size": [None, 5, 10, 20],
    ...         "measure": "AP",
    ...         "judged": [90, 10, 20, 30],
    ...         "judged_with_training": [90, 16, 26, 36],
    ...         "agrees": [True, True, False, True],
    ...     }
    ... )
    >>> savings(rows).collect().rows()
    [('a', 'AP', 20, 30, 3.0, 36, 2.5)]
    """
    rows = as_lazy(effects, "tau")
    full = rows.filter(pl.col("method") == FULL).select("measure", everything="judged")
    pools = rows.filter(pl.col("method") != FULL)
    names = pools.select("method", "measure").unique(maintain_order=True)
    for_good = (
        pools.sort("size", descending=True)
        .with_columns(so_far=pl.col("agrees").cast(pl.Int8).cum_min().over("method", "measure"))
        .filter(pl.col("so_far") == 1)
        .sort("size")
        .unique(["method", "measure"], keep="first", maintain_order=True)
    )
    everything = pl.col("everything")
    return (
        names.join(for_good, on=["method", "measure"], how="left", maintain_order="left")
        .join(full, on="measure", how="left", maintain_order="left")
        .select(
            "method",
            "measure",
            "size",
            "judged",
            (everything / pl.col("judged")).alias("saving"),
            "judged_with_training",
            (everything / pl.col("judged_with_training")).alias("saving_with_training"),
        )
    )
