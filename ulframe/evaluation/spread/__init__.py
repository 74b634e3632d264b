"""How far a uniformly random ranking of a pool strays from its expectation, exactly.

Which of the ways is taken, `ulframe.metrics.laws` decides:

- `by_rank`: terms that read rank and label alone, as sums over a random permutation;
- `in_pairs`: weights of ranks times running sums, by what two pairs of documents share;
- `along_ranks`: any function of rank and one count, the moments being carried down the ranks;
- a form of its own, where a metric declares one (`ulframe.metrics.chance`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import polars as pl

from ulframe.evaluation.expectation.ranks import ranks
from ulframe.evaluation.ladders import LISTS
from ulframe.evaluation.spread.along_ranks import along_ranks
from ulframe.evaluation.spread.by_rank import by_rank
from ulframe.evaluation.spread.in_pairs import in_pairs
from ulframe.evaluation.values import finished
from ulframe.metrics.declaration import Form
from ulframe.metrics.laws import AlongRanks, ByRank, InPairs, spread_of
from ulframe.metrics.measure import Measure

SMALLEST = 1e-12
"""A variance below that share of the second moment is 0: no more is left of it in floats."""

LAWS: dict[type, Callable[[Measure, pl.LazyFrame, pl.DataFrame], pl.DataFrame]] = {
    ByRank: by_rank,
    InPairs: in_pairs,
    AlongRanks: along_ranks,
}
"""Each gives `pool, variance` of the sum of the terms."""


def spreads(
    bases: Sequence[Measure], cells: pl.LazyFrame, pools: pl.DataFrame
) -> Iterator[pl.LazyFrame]:
    """Plans of `pool` and `variance:NAME`, which together have every measure.

    In: measures that have a variance; otherwise as of `expectations`.
    """
    for base in bases:
        name, how = f"variance:{base}", spread_of(base)
        if isinstance(how, Form):
            values = how.of(base, pools.with_columns(ranks(base)))
            yield pools.select("pool", values.alias(name)).lazy()
        else:
            sums = LAWS[type(how)](base, cells, pools)
            rows = pools.drop(LISTS).join(sums, on="pool", how="left", maintain_order="left")
            per_sum = _value_of(base, rows, 1.0) - _value_of(base, rows, 0.0)
            yield rows.select("pool", (pl.col("variance") * per_sum**2).alias(name)).lazy()


def _value_of(base: Measure, rows: pl.DataFrame, total: float) -> pl.Series:
    """The value that a sum of terms makes; `finish` is affine."""
    summed = rows.with_columns(value=total / base.divisor)
    return finished(summed, base, "value")["value"]


def deviation(base: Measure) -> pl.Expr:
    """The standard deviation, from `variance:NAME` and `expected:NAME`."""
    variance, mean = pl.col(f"variance:{base}"), pl.col(f"expected:{base}")
    real = variance > SMALLEST * (variance + mean**2)
    return pl.when(real).then(variance.clip(lower_bound=0.0).sqrt()).otherwise(0.0)
