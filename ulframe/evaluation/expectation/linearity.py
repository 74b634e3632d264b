"""Expectations by linearity, of terms affine in the hits.

Given a document of some label at a rank, the expected `hits` there is a straight line in the rank.
So a term affine in `hits` needs three prefix sums over the ranks, which all queries share.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ulframe.evaluation.expectation.prefix_sums import AT_ONCE, PARTS, prefix_sums, prefix_sums_at
from ulframe.evaluation.expectation.ranks import ranks
from ulframe.metrics.measure import Measure

COUNT = pl.col("count")


def by_linearity(
    bases: Sequence[Measure], cells: pl.LazyFrame, pools: pl.DataFrame
) -> pl.LazyFrame:
    """The sum over ranks and labels of P(label at rank) * term(rank, label, E[hits]), over `per`.

    A document of any label stands at any rank with chance 1/n. Above it, each of the rank - 1
    documents is relevant with chance (r - own) / (n - 1), own being 1 if it is relevant itself.
    In: measures with one depth. Out: `pool` and `expected:NAME` of each.
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
        .join(sums, left_on=["label", "m"], right_on=["label", "rank"])
        .group_by("pool")
        .agg((_expected(base) * COUNT / pl.col("n")).sum() for base in bases)
    )


def _expected(base: Measure) -> pl.Expr:
    """What documents of the row's label are expected to add, if they stood at every rank."""
    own = base.relevant
    density = (base.of("pool_r") - own) / (pl.col("n") - 1).clip(lower_bound=1)
    # E[hits] = (own - density) + density * rank, and the term is at + per_hit * hits
    at, per_hit, per_hit_rank = (pl.col(f"{part}:{base}") for part in PARTS)
    total = at + per_hit * (own - density) + per_hit_rank * density
    return (total / base.divisor).alias(f"expected:{base}")
