"""What a uniformly random ranking of a pool is expected to score, exactly.

- `linearity`: of terms affine in the hits, by the expected hits at a rank;
- a form of its own, where a metric declares one (`ulframe.metrics.chance`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import polars as pl

from ulframe.evaluation.expectation.linearity import by_linearity
from ulframe.evaluation.expectation.ranks import depth_key, ranks
from ulframe.metrics.measure import Measure


def expectations(
    bases: Sequence[Measure], cells: pl.LazyFrame, pools: pl.DataFrame
) -> list[pl.LazyFrame]:
    """Plans of `pool` and `expected:NAME`, which together have every measure."""
    linear = [base for base in bases if base.metric.expected(base) is None]
    plans = [
        by_linearity(list(alike), cells, pools)
        for _, alike in groupby(sorted(linear, key=depth_key), depth_key)
    ]
    return [pools.select("pool", **_closed(bases, pools)).lazy(), *plans]


def _closed(bases: Sequence[Measure], pools: pl.DataFrame) -> dict[str, pl.Series]:
    """The expectations that have a form of their own."""
    forms = {base: base.metric.expected(base) for base in bases}
    return {
        f"expected:{base}": form(base, pools.with_columns(ranks(base)))
        for base, form in forms.items()
        if form is not None
    }
