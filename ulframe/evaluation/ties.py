"""Documents with one score: values averaged over all their orders, without laying any out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby

import polars as pl

from ulframe.evaluation.expectation.prefix_sums import PARTS, prefix_sums
from ulframe.evaluation.ranking import KEYS
from ulframe.evaluation.values import judgements_of
from ulframe.frames.errors import BadUsage
from ulframe.metrics.measure import Measure, View
from ulframe.metrics.operators import TOLERANCE

LABEL, FIRST, LAST, SIZE = pl.col("label"), pl.col("first"), pl.col("last"), pl.col("size")


def averages_of(
    judged: pl.LazyFrame, spans: pl.LazyFrame, view: View, bases: Sequence[Measure]
) -> pl.LazyFrame:
    """`run, query_id` and `value:NAME` of each measure, where the run has a judged document.

    In: qrels, the ranks that documents share (`ranking.spans`), and measures of one view, affine
    in the hits. A document stands at each rank of its group alike. Above it are the hits of the
    groups before, and a share of those of its own that grows in proportion to the rank.
    """
    judgements = judgements_of(judged, view, bases)
    rows = spans.join(judgements, on=["query_id", "doc_id"]).with_columns(size=LAST - FIRST + 1)
    rows = _with_hits(rows, bases)
    table = prefix_sums(bases, rows.select("label").unique(), rows.select(m=LAST))
    values = rows.select(KEYS).unique()
    for _, alike in groupby(sorted(bases, key=_end), _end):
        values = values.join(_sums(rows, table, list(alike)), on=KEYS, how="left")
    return values


def _end(base: Measure) -> str:
    return str(base.depth)


def _with_hits(rows: pl.LazyFrame, bases: Sequence[Measure]) -> pl.LazyFrame:
    """Add, for each `rel`, `before`, the hits of the groups above, and `tied`, those of the own."""
    for base in {base.rel: base for base in bases}.values():
        tied, before = base.column("tied"), base.column("before")
        groups = rows.group_by(*KEYS, "first").agg(base.relevant.sum().alias(tied))
        through = pl.col(tied).cum_sum().over(KEYS, order_by="first") - pl.col(tied)
        rows = rows.join(groups.with_columns(through.alias(before)), on=[*KEYS, "first"])
    return rows


def _sums(rows: pl.LazyFrame, table: pl.LazyFrame, bases: Sequence[Measure]) -> pl.LazyFrame:
    """What the documents add at the ranks of their groups down to the measures' depth."""
    deepest = pl.col("retrieved") if bases[0].depth is None else bases[0].depth
    end = pl.min_horizontal("last", "retrieved", deepest).cast(pl.Int64)
    parts = pl.col(f"{part}:{base}" for base in bases for part in PARTS)
    ends = table.select("label", parts, end="rank")
    starts = table.select("label", parts.name.prefix("start:"), start="rank")
    return (
        rows.with_columns(end=end, start=FIRST - 1)
        .filter(pl.col("end") >= FIRST)
        .join(ends, on=["label", "end"])
        .join(starts, on=["label", "start"], how="left")
        .group_by(KEYS)
        .agg(_average(base).sum().alias(f"value:{base}") for base in bases)
    )


def _average(base: Measure) -> pl.Expr:
    own = base.relevant
    growth = (base.of("tied") - own) / (SIZE - 1).clip(lower_bound=1)
    # E[hits] = before + own + growth * (rank - first), and the term is at + per_hit * hits
    constant = base.of("before") + own - growth * FIRST
    at, per_hit, per_hit_rank = (_between(f"{part}:{base}") for part in PARTS)
    return (at + constant * per_hit + growth * per_hit_rank) / SIZE / base.divisor


def _between(name: str) -> pl.Expr:
    """The sum over a document's ranks: that down to the last, less that above the first."""
    return pl.col(name) - pl.col(f"start:{name}").fill_null(0.0)


def refuse_what_ties_bend(asked: Mapping[str, Measure]) -> None:
    """Raise `BadUsage` for measures whose mean does not follow from that of the hits."""
    bent = [name for name, measure in asked.items() if not _is_affine(measure)]
    if bent:
        raise BadUsage(
            f'ties="average" is exact for what is affine in the hits, not for {", ".join(bent)}; '
            "DCG, AP, SP, P, R, F, Rprec, RBP and the Set measures are, and U, MinMax and Ratio "
            "of them"
        )


@lru_cache(maxsize=4096)
def _is_affine(measure: Measure) -> bool:
    """Whether a score is a straight line in the hits: tried on a few values of them."""
    base, hits = measure.base, measure.base.column("hits")
    term = base.metric.term(base).cast(pl.Float64)
    if base.view.judged_only or not {"rank", "label", hits}.issuperset(term.meta.root_names()):
        return False
    cells = [{"rank": rank, "label": label} for rank, label in ((3, 1.0), (4, 2.0), (9, 5.0))]
    return (
        all(_is_straight(term, hits, [0.0, 1.0, 2.0, 3.0], **cell) for cell in cells)
        and _is_straight(base.finished(pl.col("total")), "total", [0.0, 1.0, 2.0])
        and _is_straight(measure.operator.score, "value", [0.1, 0.5, 0.9], **BOUNDS)
    )


BOUNDS = {"upper": 1.0, "expected": 0.3, "worst": 0.0}


def _is_straight(line: pl.Expr, along: str, values: list[float], **others: float) -> bool:
    """Whether an expression has no second difference along a column, the others being fixed."""
    fixed = {name: others.get(name, 5.0) for name in line.meta.root_names() if name != along}
    rows = pl.DataFrame({along: values}).with_columns(**fixed)
    bend = rows.select(line.cast(pl.Float64).diff().diff().abs().max()).item()
    return bend is None or bool(bend <= TOLERANCE)  # None: no column at all, a constant
