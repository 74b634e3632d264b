"""A row per run and query, and the value, the bounds and the expectation of every measure on it.

Measures of one view of the documents (see `ulframe.metrics.measure.View`) are computed together.
Those that read how many documents a run returned have bounds of their own for each such number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import polars as pl

from ulframe.evaluation.bounds import bounds_of
from ulframe.evaluation.ranking import KEYS
from ulframe.evaluation.values import finished
from ulframe.metrics.declaration import Refused
from ulframe.metrics.laws import is_compared
from ulframe.metrics.measure import Measure, View
from ulframe.metrics.operators import ON_REQUEST
from ulframe.metrics.undefined import measured_against

LABEL, JUDGED = pl.col("label"), pl.col("judged")

Requested: TypeAlias = dict[str, list[Measure]]
"""The measures of which more than the triple is asked for, by what that is."""


@dataclass(frozen=True)
class Sources:
    """What everything is computed from.

    `values` gives `run, query_id` and `value:NAME` of measures of one view (see `values_of`);
    `judged` is what `label_counts` gives; `counts` and the `keys` that tell its pools apart are as
    `pools` gives them; `grid` has `run, query_id, retrieved` for each row that is wanted.
    """

    values: Callable[[View, list[Measure]], pl.LazyFrame]
    judged: pl.LazyFrame
    counts: pl.LazyFrame
    keys: list[str]
    grid: pl.LazyFrame


def triples(sources: Sources, measures: Sequence[Measure]) -> pl.LazyFrame:
    """`run, query_id` and `value:, upper:, expected:, worst:, spread:NAME` of each measure.

    The upper bound and the expectation are null of measures that have none, the worst value and the
    spread are where no measure asks for them. `defined:NAME` says whether the value is anything but
    0/0, which is 0 in it (see `measured_against`).
    """
    wide = None
    for view, bases in by_view(measures):
        part = _of_view(sources, view, bases, _requested(measures, bases))
        wide = part if wide is None else wide.join(part, on=KEYS)
    assert wide is not None, "there is at least one measure"
    return wide


def by_view(measures: Sequence[Measure]) -> Iterator[tuple[View, list[Measure]]]:
    """The measures without their operators, by how they see the documents."""
    bases = dict.fromkeys(measure.base for measure in measures)
    for view in dict.fromkeys(base.view for base in bases):
        yield view, [base for base in bases if base.view == view]


def _requested(measures: Sequence[Measure], bases: list[Measure]) -> Requested:
    asking = {
        kind.meta.output_name(): {m.base for m in measures if m.operator.reads(kind)}
        for kind in ON_REQUEST
    }
    return {kind: [base for base in bases if base in those] for kind, those in asking.items()}


def _of_view(
    sources: Sources, view: View, bases: list[Measure], requested: Requested
) -> pl.LazyFrame:
    seen = _seen(sources, view, bases)
    wide = seen.grid
    bounded = [base for base in bases if not isinstance(base.metric.ideal, Refused)]
    for keys, there, those in _by_pool(seen, bounded):
        own = set(those)
        some = {kind: [b for b in asking if b in own] for kind, asking in requested.items()}
        bounds = bounds_of(there, keys, those, worst=some["worst"], spread=some["spread"])
        wide = wide.join(bounds, on=keys, how="left")
    wide = _with_totals(wide, counts_seen(sources.judged, ["query_id"], view), bases)
    for base in bases:
        wide = finished(wide, base, f"value:{base}")
    return wide.select(*KEYS, *(column for base in bases for column in _columns(base, requested)))


def _columns(base: Measure, requested: Requested) -> Iterator[pl.Expr]:
    """A query that has no judged document, or nothing returned, has 0 for all."""
    bounded = not isinstance(base.metric.ideal, Refused)
    has = {"upper": bounded, "expected": is_compared(base)}
    has |= {kind: base in asking for kind, asking in requested.items()}
    yield pl.col(f"value:{base}").fill_null(0.0)
    against = measured_against(base)
    defined = pl.max_horizontal(*against) > 0 if against else pl.lit(True)
    yield defined.alias(f"defined:{base}")
    for kind, there in has.items():
        column = pl.col(f"{kind}:{base}").fill_null(0.0) if there else pl.lit(None, pl.Float64)
        yield column.alias(f"{kind}:{base}")


def shuffled(
    sources: Sources, measures: Sequence[Measure]
) -> Iterator[tuple[list[str], pl.LazyFrame, list[Measure], pl.LazyFrame]]:
    """The pools that random rankings shuffle: keys and counts, the measures, and who has which.

    The last are rows of `run, query_id, retrieved`, and the keys.
    """
    for view, bases in by_view(measures):
        seen = _seen(sources, view, bases)
        for keys, counts, those in _by_pool(seen, bases):
            yield keys, counts, those, seen.grid


def _seen(sources: Sources, view: View, bases: list[Measure]) -> Sources:
    """The counts, and the grid with the values, as the view sees the documents."""
    grid = sources.grid.join(sources.values(view, bases), on=KEYS, how="left")
    if view.judged_only:
        grid = grid.with_columns(retrieved=pl.col("retrieved_right").fill_null(0))
    return replace(sources, counts=counts_seen(sources.counts, sources.keys, view), grid=grid)


def counts_seen(counts: pl.LazyFrame, keys: list[str], view: View) -> pl.LazyFrame:
    """The counts of pools as the view sees the documents."""
    if view.judged_only:
        counts = counts.filter(LABEL >= 0)
    if view.gains:
        counts = (
            counts.with_columns(label=view.label)
            .group_by(*keys, "label")
            .agg(pl.col("^(count|judged)$").sum())
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
    wide: pl.LazyFrame, judged: pl.LazyFrame, bases: Sequence[Measure]
) -> pl.LazyFrame:
    """Add the totals of the queries that values are made with after they are summed."""
    totals = {
        total.name: (total.each * JUDGED).sum()
        for base in bases
        for total in base.totals
        if base.finish is not None or total.name in measured_against(base)
    }
    if not totals:
        return wide
    found = judged.group_by("query_id").agg(**totals)
    return wide.join(found, on="query_id", how="left").with_columns(pl.col(*totals).fill_null(0))
