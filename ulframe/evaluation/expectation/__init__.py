"""What a uniformly random ranking of a pool is expected to score, exactly.

Which of the three ways is taken, `ulframe.metrics.laws` decides:

- `linearity`: terms affine in what stands above a document, by what is expected to;
- `distribution`: any other function of rank, label and one count, by that count's distribution;
- a form of its own, where a metric declares one (`ulframe.metrics.chance`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import polars as pl

from ulframe.evaluation.expectation.distribution import by_distribution
from ulframe.evaluation.expectation.linearity import by_linearity
from ulframe.evaluation.expectation.ranks import ranks
from ulframe.evaluation.values import finished
from ulframe.metrics.declaration import Form, Linear
from ulframe.metrics.laws import expectation_of, reads_ranking_alone
from ulframe.metrics.measure import Measure


def expectations(
    bases: Sequence[Measure], cells: pl.LazyFrame, pools: pl.DataFrame
) -> Iterator[pl.LazyFrame]:
    """Plans of `pool` and `expected:NAME`, which together have every measure.

    In: measures that have an expectation; `pool, label, count`, best label first; and a row per
    pool, as `ulframe.metrics.chance` describes it, without `m`.
    """
    forms = {base: how.of for base in bases if isinstance(how := expectation_of(base), Form)}
    closed = {
        f"expected:{base}": of(base, pools.with_columns(ranks(base))) for base, of in forms.items()
    }
    yield pools.select("pool", **closed).lazy()
    others = [base for base in bases if base not in forms]
    for alike in _by_reach(base for base in others if _shares_sums(base)):
        yield _finished(by_linearity(alike, cells, pools), alike, pools)
    for base in others:
        if not _shares_sums(base):
            yield _finished(by_distribution(base, cells, pools), [base], pools)


def _shares_sums(base: Measure) -> bool:
    return isinstance(expectation_of(base), Linear) and reads_ranking_alone(base)


def _by_reach(bases: Iterable[Measure]) -> Iterator[list[Measure]]:
    """All that have a cutoff together, so that none of them is summed down to the end of a pool."""

    def reach(base: Measure) -> str:
        return "" if base.k else str(base.depth)

    for _, alike in groupby(sorted(bases, key=reach), reach):
        yield list(alike)


def _finished(sums: pl.LazyFrame, bases: Sequence[Measure], pools: pl.DataFrame) -> pl.LazyFrame:
    """Make of expected sums expected values, which follows where `finish` is affine."""
    if any(base.finish is not None for base in bases):
        sums = pools.drop("labels", "counts", "judged").lazy().join(sums, on="pool", how="left")
    for base in bases:
        sums = finished(sums, base, f"expected:{base}")
    return sums.select("pool", *(f"expected:{base}" for base in bases))
