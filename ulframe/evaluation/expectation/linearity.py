"""Expectations by linearity, of terms affine in the running sums that they read.

Given a document of some label at a rank, what the ranking is expected to have above it is a
straight line in the rank. So such a term needs a few prefix sums over the ranks, which all queries
share.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ulframe.evaluation.expectation.prefix_sums import AT_ONCE, prefix_sums, prefix_sums_at
from ulframe.evaluation.expectation.ranks import depth_key, ranks
from ulframe.metrics.inputs import RunningSum
from ulframe.metrics.measure import Measure

LABEL, COUNT, JUDGED = pl.col("label"), pl.col("count"), pl.col("judged")
N = pl.col("n")


def by_linearity(
    bases: Sequence[Measure], cells: pl.LazyFrame, pools: pl.DataFrame
) -> pl.LazyFrame:
    """The sum over ranks and labels of P(label at rank) * term there, of what is expected above.

    A document of any label stands at any rank with chance 1/n. Each of the rank - 1 above it adds
    to a running sum what the others add on average: (all - own) / (n - 1). Measures that differ in
    their depth alone are read off the same sums. Out: `pool` and `expected:NAME` of each, over what
    divides it.
    """
    terms = list(dict.fromkeys(base.uncut for base in bases))
    depths = {depth_key(base): pools.select("pool", ranks(base)) for base in bases}
    adding = _adding(terms, cells, pools)
    sums = _sums_to(terms, adding["label"].unique(), pl.concat(depths.values())["m"])
    found: dict[tuple[int, str], pl.DataFrame] = {}
    keys, step = list(depths), 1 + AT_ONCE // max(adding.height, 1)
    for start in range(0, len(keys), step):
        some = keys[start : start + step]
        totals = _totals(terms, adding, sums, [depths[key] for key in some])
        found |= zip(some, totals.partition_by("depth", maintain_order=True), strict=True)
    summed = pools.with_columns(
        found[depth_key(base)][str(base.uncut)].alias(f"expected:{base}") for base in bases
    )
    expected = (pl.col(f"expected:{base}") / base.divisor for base in bases)
    return summed.lazy().select("pool", *expected)


def _adding(terms: Sequence[Measure], cells: pl.LazyFrame, pools: pl.DataFrame) -> pl.DataFrame:
    """A row per pool and label that adds anything, with what the running sums come to."""
    return (
        cells.select("pool", "label", "count")
        .filter(COUNT > 0, pl.any_horizontal(term.metric.adds for term in terms))
        .join(pools.lazy().select("pool", "n"), on="pool")
        .join(with_pool_sums(cells, terms), on="pool")
        .collect(engine="in-memory")
    )


def _sums_to(terms: Sequence[Measure], labels: pl.Series, ends: pl.Series) -> pl.DataFrame:
    """The prefix sums of the terms' parts, down to the ends at least."""
    if (ends > AT_ONCE).any():
        return prefix_sums_at(terms, labels.to_frame(), ends)
    deepest = ends.max()
    sums = prefix_sums(terms, labels.to_frame().lazy(), pl.LazyFrame({"m": [deepest]}))
    return sums.collect(engine="in-memory")


def _totals(
    terms: Sequence[Measure],
    adding: pl.DataFrame,
    sums: pl.DataFrame,
    depths: Sequence[pl.DataFrame],
) -> pl.DataFrame:
    """The sum of each term down to rank `m`: a row per pool, one depth after the other."""
    ends = pl.concat(
        depth.with_columns(depth=pl.lit(number)) for number, depth in enumerate(depths)
    )
    rows = (
        adding.join(ends, on="pool")
        .join(sums, left_on=["label", "m"], right_on=["label", "rank"])
        .group_by("depth", "pool")
        .agg((_expected(term) * COUNT / N).sum().alias(str(term)) for term in terms)
    )
    return ends.join(rows, on=["depth", "pool"], how="left", maintain_order="left")


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
    return total
