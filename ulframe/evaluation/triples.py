"""A row per run and query, and the value, the bounds and the expectation of every measure on it.

Measures of one view of the documents (see `ulframe.metrics.measure.View`) are computed together.
Those that read how many documents a run returned have bounds of their own for each such number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl

from ulframe.evaluation.bounds import bounds_of
from ulframe.evaluation.ranking import KEYS
from ulframe.evaluation.values import finished
from ulframe.metrics.declaration import Refused
from ulframe.metrics.laws import is_compared
from ulframe.metrics.measure import Measure, View
from ulframe.metrics.operators import WORST

LABEL, COUNT, JUDGED = pl.col("label"), pl.col("count"), pl.col("judged")


@dataclass(frozen=True)
class Sources:
    """What everything is computed from.

    `values` gives `run, query_id` and `value:NAME` of measures of one view (see `values_of`);
    `counts` and the `keys` that tell its pools apart are as `histogram.pools` gives them; `grid`
    has `run, query_id, retrieved` for each row that is wanted.
    """

    values: Callable[[View, list[Measure]], pl.LazyFrame]
    counts: pl.LazyFrame
    keys: list[str]
    grid: pl.LazyFrame


def triples(sources: Sources, measures: Sequence[Measure]) -> pl.LazyFrame:
    """`run, query_id` and `value:NAME, upper:NAME, expected:NAME, worst:NAME` of each measure.

    The upper bound and the expectation are null of measures that have none, the worst value is
    where no measure asks for it.
    """
    worse = {measure.base for measure in measures if measure.operator.reads(WORST)}
    wide = None
    for view, bases in _by_view(measures):
        part = _of_view(sources, view, bases, {base for base in bases if base in worse})
        wide = part if wide is None else wide.join(part, on=KEYS)
    assert wide is not None, "there is at least one measure"
    return wide


def _by_view(measures: Sequence[Measure]) -> Iterator[tuple[View, list[Measure]]]:
    bases = dict.fromkeys(measure.base for measure in measures)
    for view in dict.fromkeys(base.view for base in bases):
        yield view, [base for base in bases if base.view == view]


def _of_view(
    sources: Sources, view: View, bases: list[Measure], worse: set[Measure]
) -> pl.LazyFrame:
    counts = _seen(sources, view)
    wide = sources.grid.join(sources.values(view, bases), on=KEYS, how="left")
    if view.judged_only:
        wide = wide.with_columns(retrieved=pl.col("retrieved_right").fill_null(0))
    bounded = [base for base in bases if not isinstance(base.metric.ideal, Refused)]
    for keys, there, those in _by_pool(replace(sources, counts=counts, grid=wide), bounded):
        bounds = bounds_of(there, keys, those, [base for base in those if base in worse])
        wide = wide.join(bounds, on=keys, how="left")
    wide = _with_totals(wide, counts, sources.keys, bases)
    for base in bases:
        wide = finished(wide, base, f"value:{base}")
    return wide.select(
        *KEYS, *(column for base in bases for column in _columns(base, base in worse))
    )


def _columns(base: Measure, worst: bool) -> Iterator[pl.Expr]:
    """A query that has no judged document, or nothing returned, has 0 for all."""
    bounded = not isinstance(base.metric.ideal, Refused)
    has = {"upper": bounded, "expected": is_compared(base), "worst": worst}
    yield pl.col(f"value:{base}").fill_null(0.0)
    for kind, there in has.items():
        column = pl.col(f"{kind}:{base}").fill_null(0.0) if there else pl.lit(None, pl.Float64)
        yield column.alias(f"{kind}:{base}")


def _seen(sources: Sources, view: View) -> pl.LazyFrame:
    """The counts as the view sees the documents."""
    counts = sources.counts
    if view.judged_only:
        counts = counts.filter(LABEL >= 0)
    if view.gains:
        counts = (
            counts.with_columns(label=view.label)
            .group_by(*sources.keys, "label")
            .agg(COUNT.sum(), JUDGED.sum())
        )
    return counts


def _by_pool(
    sources: Sources, bases: Sequence[Measure]
) -> Iterator[tuple[list[str], pl.LazyFrame, list[Measure]]]:
    """The keys and counts of pools, and the measures whose bounds depend on these alone."""
    sized = [base for base in bases if "retrieved" in base.reads]
    fixed = [base for base in bases if "retrieved" not in base.reads]
    if fixed:
        yield sources.keys, sources.counts, fixed
    if sized:
        sizes = sources.grid.select(*sources.keys, "retrieved").unique()
        yield [*sources.keys, "retrieved"], sources.counts.join(sizes, on=sources.keys), sized


def _with_totals(
    wide: pl.LazyFrame, counts: pl.LazyFrame, keys: list[str], bases: Sequence[Measure]
) -> pl.LazyFrame:
    """Add the totals of the queries that values are made with after they are summed."""
    totals = {
        total.name: (total.each * JUDGED).sum()
        for base in bases
        if base.finish is not None
        for total in base.totals
    }
    if not totals:
        return wide
    found = counts.group_by(keys).agg(**totals)
    return wide.join(found, on=keys, how="left").with_columns(pl.col(*totals).fill_null(0))
