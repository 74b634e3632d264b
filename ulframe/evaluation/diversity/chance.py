"""What a uniformly random ranking of all that is judged is expected to score, exactly.

A measure is a sum over subtopics. Of a subtopic with r of n documents relevant, rank i holds one of
them with chance r/n; how many of the others stand above is hypergeometric.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from ulframe.evaluation.diversity.measures import Diverse

POOL = ["n", "relevant"]


def expected_of(pools: pl.DataFrame, measures: Iterable[Diverse]) -> pl.DataFrame:
    """The expected sum of each measure's terms: `n, relevant`, and a column a measure.

    In: the distinct `n`, how many documents are judged, and `relevant`, how many of a subtopic.
    """
    asked = list(measures)
    parts = [
        _of_pool(n, relevant, asked) for n, relevant in pools.select(POOL).unique().iter_rows()
    ]
    schema = {**dict.fromkeys(POOL, pl.Int64), **{one.name: pl.Float64 for one in asked}}
    return pl.concat([pl.DataFrame(schema=schema), *parts])


def _of_pool(n: int, relevant: int, asked: list[Diverse]) -> pl.DataFrame:
    from scipy.stats import hypergeom

    deepest = int(min(n, max(one.cutoff for one in asked)))
    ranks = pl.DataFrame({"rank": pl.int_range(1, deepest + 1, eager=True)})
    hits = pl.DataFrame({"hits": pl.int_range(1, min(relevant, deepest) + 1, eager=True)})
    cells = ranks.join(hits, how="cross").filter(pl.col("hits") <= pl.col("rank"))
    above = hypergeom.pmf(
        (cells["hits"] - 1).to_numpy(), n - 1, relevant - 1, (cells["rank"] - 1).to_numpy()
    )
    laid_out = cells.with_columns(
        chance=pl.Series(above) * relevant / n, relevant=pl.lit(relevant, pl.Int64)
    )
    sums = {
        one.name: pl.when(pl.col("rank") <= one.cutoff)
        .then(one.metric.term * pl.col("chance"))
        .otherwise(0.0)
        .sum()
        for one in asked
    }
    both = {"n": pl.lit(n, pl.Int64), "relevant": pl.lit(relevant, pl.Int64)}
    return laid_out.select(**both, **sums).head(1)
