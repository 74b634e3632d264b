"""The bounds of a metric: the best and the worst possible value, and what chance would score.

They depend on the label histogram alone, so they are computed once for each distinct one. The
ideal and the worst ranking are laid out from it, which takes no sorting of documents, and summed
like any run; how the expectation is had is the matter of `ulframe.evaluation.expectation`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from ulframe.evaluation.expectation import expectations
from ulframe.evaluation.ladders import LISTS, ideal
from ulframe.evaluation.ladders import worst as worst_ladder
from ulframe.evaluation.spread import deviation, spreads
from ulframe.evaluation.values import finished, tally
from ulframe.frames.errors import BadData, BadUsage
from ulframe.metrics.laws import is_compared
from ulframe.metrics.measure import Measure
from ulframe.metrics.parameters import LARGEST

LABEL, COUNT, JUDGED = pl.col("label"), pl.col("count"), pl.col("judged")

Layout = Callable[[pl.LazyFrame, pl.LazyFrame, Sequence[Measure]], pl.LazyFrame]


def bounds_of(
    counts: pl.LazyFrame,
    keys: list[str],
    bases: Sequence[Measure],
    *,
    worst: Sequence[Measure] = (),
    spread: Sequence[Measure] = (),
) -> pl.LazyFrame:
    """Upper bound and expectation of each measure for each pool; worst value and spread of some.

    In: `keys`, `label`, `count`, `judged` (`ulframe.evaluation.pools.pools`); `keys` have
    `retrieved` among them where a measure reads it. Out: `keys`, and Float64 columns `upper:NAME`,
    `expected:NAME` for each measure that there is an expectation of, `worst:NAME` for each of
    `worst`, and `spread:NAME`, the standard deviation of a random ranking, for each of `spread`.
    """
    names = [f"upper:{base}" for base in bases]
    names += [f"expected:{base}" for base in bases if is_compared(base)]
    names += [f"worst:{base}" for base in worst]
    names += [f"spread:{base}" for base in spread]
    schema = dict(counts.select(keys).collect_schema()) | dict.fromkeys(names, pl.Float64())

    def bounds(frame: pl.DataFrame) -> pl.DataFrame:
        if frame.is_empty():
            return pl.DataFrame(schema=schema)
        queries, cells = distinct_pools(frame, keys)
        found = _bounds(cells, bases, worst, spread)
        return queries.join(found, on="pool").select(*keys, *names)

    return counts.map_batches(bounds, schema=schema)


def _bounds(
    cells: pl.DataFrame,
    bases: Sequence[Measure],
    worse: Sequence[Measure],
    straying: Sequence[Measure],
) -> pl.DataFrame:
    """`pool`, and the columns of `bounds_of`."""
    pools = pool_rows(cells, bases)
    compared = [base for base in bases if is_compared(base)]
    plans = [_summed("upper", ideal, cells.lazy(), pools.lazy(), bases)]
    if worse:
        plans.append(_summed("worst", worst_ladder, cells.lazy(), pools.lazy(), worse))
    shuffled = pools.filter(pl.col("n") > 0)  # nothing to shuffle scores 0
    plans += expectations(compared, cells.lazy(), shuffled)
    plans += spreads(straying, cells.lazy(), shuffled)
    found = pools.select("pool").lazy()
    for plan in plans:
        found = found.join(plan, on="pool", how="left")
    # in memory: these frames are small, and the streaming engine takes longer to start
    computed = found.collect(engine="in-memory")
    _refuse_overflow(computed, cells)
    return computed.with_columns(pl.exclude("pool").fill_null(0.0)).with_columns(
        deviation(base).alias(f"spread:{base}") for base in straying
    )


def _refuse_overflow(bounds: pl.DataFrame, cells: pl.DataFrame) -> None:
    """Near the largest float, 1e308, what is made of the bounds would be infinite or NaN."""
    beyond = bounds.select(pl.exclude("pool").is_between(-LARGEST, LARGEST).not_().any())
    for column in bounds.select(name for name, *found in beyond.unpivot().rows() if any(found)):
        kind, _, name = column.name.partition(":")
        if column.is_nan().any():
            raise BadUsage(
                f"a bound of {name} is no number, as 0/0 is: guard what its term or `per` divides "
                "by (m.r_at_least_1 where nothing is relevant)"
            )
        raise BadData(
            f"the {kind} bound of {name} is above {LARGEST:g}, the most that is taken, with labels "
            f"up to {cells.select(LABEL.max()).item():g}; where its gain is 2^label - 1, take "
            "gain=linear"
        )


def distinct_pools(counts: pl.DataFrame, keys: list[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """`keys, pool`, a row per query; and `pool, label, count, judged`, rows per distinct pool.

    Pools of another `retrieved` are others; where it is there, the rows of a pool have it too.
    """
    sized = ["retrieved"] if "retrieved" in keys else []
    histogram = ["label", "count", "judged"]
    queries = (
        counts.sort("label", descending=True).group_by(keys, maintain_order=True).agg(histogram)
    )
    distinct = queries.select(*histogram, *sized).unique().with_columns(pool=pl.int_range(pl.len()))
    numbered = queries.join(distinct, on=[*histogram, *sized]).select(*keys, "pool")
    return numbered, distinct.explode(histogram).select("pool", *histogram, *sized)


def pool_rows(cells: pl.DataFrame, bases: Sequence[Measure]) -> pl.DataFrame:
    """A row per pool, as `ulframe.metrics.chance` describes it, without `m`; sorted by `pool`."""
    totals: dict[str, pl.Expr] = {}
    for total in (total for base in bases for total in base.totals):
        totals[total.name] = (total.each * JUDGED).sum()
        totals[f"pool_{total.name}"] = (total.each * COUNT).sum()
    sized = [pl.col("retrieved").first()] if "retrieved" in cells.columns else []
    return cells.group_by("pool", maintain_order=True).agg(
        *sized, n=COUNT.sum(), labels=LABEL, counts=COUNT, judged=JUDGED, **totals
    )


def _summed(
    kind: str,
    layout: Layout,
    cells: pl.LazyFrame,
    pools: pl.LazyFrame,
    bases: Sequence[Measure],
) -> pl.LazyFrame:
    """`pool` and `KIND:NAME` of each measure: its value for the ranking that `layout` lays out."""
    sums = tally(layout(cells.drop("retrieved", strict=False), pools, bases), ["pool"], bases)
    if any(base.finish is not None for base in bases):
        sums = pools.drop(LISTS).join(sums, on="pool", how="left")
    for base in bases:
        sums = finished(sums, base, str(base))
    return sums.select("pool", *(pl.col(str(base)).alias(f"{kind}:{base}") for base in bases))
