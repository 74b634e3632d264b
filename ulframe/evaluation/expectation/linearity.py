"""Expectations by linearity, of terms affine in the running sums that they read.

Given a document of some label at a rank, what the ranking is expected to have above it is a
straight line in the rank. So such a term needs a few prefix sums over the ranks, which all queries
share.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ulframe.evaluation.expectation.prefix_sums import AT_ONCE, prefix_sums, prefix_sums_at
from ulframe.evaluation.expectation.ranks import ranks
from ulframe.metrics.inputs import RunningSum
from ulframe.metrics.measure import Measure

LABEL, COUNT, JUDGED = pl.col("label"), pl.col("count"), pl.col("judged")
N = pl.col("n")


def by_linearity(
    bases: Sequence[Measure], cells: pl.LazyFrame, pools: pl.DataFrame
) -> pl.LazyFrame:
    """The sum over ranks and labels of P(label at rank) * term there, of what is expected above.

    A document of any label stands at any rank with chance 1/n. Each of the rank - 1 above it adds
    to a running sum what the others add on average: (all - own) / (n - 1). In: measures with one
    depth. Out: `pool` and `expected:NAME` of each, over what divides it.
    """
    sized = pools.lazy().drop("labels", "counts", "judged").with_columns(ranks(bases[0]))
    adding = cells.drop("retrieved", strict=False).filter(
        COUNT > 0, pl.any_horizontal(base.metric.adds for base in bases)
    )
    labels, depths = adding.select("label").unique(), pools.select(ranks(bases[0])).to_series()
    if (depths > AT_ONCE).any():
        sums = prefix_sums_at(bases, labels.collect(engine="in-memory"), depths).lazy()
    else:
        sums = prefix_sums(bases, labels, sized)
    return (
        adding.join(sized, on="pool")
        .join(with_pool_sums(cells, bases), on="pool")
        .join(sums, left_on=["label", "m"], right_on=["label", "rank"])
        .group_by("pool")
        .agg((_expected(base) * COUNT / N).sum() for base in bases)
    )


def with_pool_sums(cells: pl.LazyFrame, bases: Sequence[Measure]) -> pl.LazyFrame:
    """`pool`, and what each running sum comes to over the whole pool: `all:STATE`.

    Documents that are not in the qrels (under a negative label) add to none.
    """
    seen = pl.when(LABEL < 0).then(pl.min_horizontal(COUNT, JUDGED)).otherwise(COUNT)
    sums = {f"all:{s.name}": (s.each * seen).sum() for s in running_sums(bases)}
    return cells.group_by("pool").agg(**sums)


def running_sums(bases: Sequence[Measure]) -> list[RunningSum]:
    """The running sums that the terms read, each once."""
    states = {state.name: state for base in bases for state in base.states}
    read = {name for base in bases for name in base.reads}
    return [s for s in states.values() if isinstance(s, RunningSum) and s.name in read]


def density(state: RunningSum) -> pl.Expr:
    """What a document other than this row's adds to the running sum on average."""
    return (pl.col(f"all:{state.name}") - state.each) / (N - 1).clip(lower_bound=1)


def _expected(base: Measure) -> pl.Expr:
    """What documents of the row's label are expected to add, if they stood at every rank."""
    total = pl.col(f"at:{base}")
    for state in running_sums([base]):
        slope, slope_rank = (pl.col(f"{part}:{state.name}:{base}") for part in ("per", "per_rank"))
        # E[state] = (own - density) + density * rank
        total += slope * (state.each - density(state)) + slope_rank * density(state)
    return (total / base.divisor).alias(f"expected:{base}")
