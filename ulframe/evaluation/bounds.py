"""The bounds of a metric: the best and the worst possible value, and what chance would score.

They depend on the label histogram alone, so they are computed once for each distinct one. The
ideal ranking is laid out from it and summed like any run. The expectation follows by linearity:
given a document of some label at a rank, the expected `hits` there is a straight line in the rank,
so a term affine in `hits` needs three prefix sums over the ranks, which all queries share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

import polars as pl

from ulframe.evaluation.ladders import LISTS, ideal, worst
from ulframe.evaluation.prefix_sums import AT_ONCE, PARTS, prefix_sums, prefix_sums_at
from ulframe.evaluation.tally import tally
from ulframe.frames.errors import BadData
from ulframe.metrics.metric import Measure

RANK, LABEL, COUNT, JUDGED = pl.col("rank"), pl.col("label"), pl.col("count"), pl.col("judged")

Layout = Callable[[pl.LazyFrame, pl.LazyFrame, Sequence[Measure]], pl.LazyFrame]


def bounds_of(
    counts: pl.LazyFrame, keys: list[str], bases: Sequence[Measure], worse: Sequence[Measure] = ()
) -> pl.LazyFrame:
    """Upper bound and expectation of each measure for each pool, and the worst value of some.

    In: `keys`, `label`, `count`, `judged` (`ulframe.evaluation.histogram.pools`); `keys` have
    `retrieved` among them where a measure reads it. Out: `keys`, and Float64 columns `upper:NAME`,
    `expected:NAME` for each measure that there is an expectation of, `worst:NAME` for each of
    `worse`.
    """
    names = [f"upper:{base}" for base in bases]
    names += [f"expected:{base}" for base in bases if not base.metric.refuses]
    names += [f"worst:{base}" for base in worse]
    schema = dict(counts.select(keys).collect_schema()) | dict.fromkeys(names, pl.Float64())

    def bounds(frame: pl.DataFrame) -> pl.DataFrame:
        if frame.is_empty():
            return pl.DataFrame(schema=schema)
        return _bounds(frame, keys, bases, worse).select(*keys, *names)

    return counts.map_batches(bounds, schema=schema)


def _bounds(
    counts: pl.DataFrame, keys: list[str], bases: Sequence[Measure], worse: Sequence[Measure]
) -> pl.DataFrame:
    queries, cells = _distinct(counts, keys)
    pools = _pools(cells, bases)
    compared = [base for base in bases if not base.metric.refuses]
    linear = [base for base in compared if base.metric.expected(base) is None]
    plans = [_laid_out("upper", ideal, cells.lazy(), pools.lazy(), bases)]
    if worse:
        plans.append(_laid_out("worst", worst, cells.lazy(), pools.lazy(), worse))
    plans += [
        by_linearity(list(alike), cells.lazy(), pools)
        for _, alike in groupby(sorted(linear, key=_depth_key), _depth_key)
    ]
    found = pools.select("pool", **_closed(compared, pools)).lazy()
    for plan in plans:
        found = found.join(plan, on="pool", how="left")
    # in memory: these frames are small, and the streaming engine takes longer to start
    computed = found.collect(engine="in-memory")
    _refuse_overflow(computed, cells)
    return (
        queries.lazy()
        .join(computed.lazy().with_columns(pl.exclude("pool").fill_null(0.0)), on="pool")
        .collect(engine="in-memory")
    )


def _refuse_overflow(bounds: pl.DataFrame, cells: pl.DataFrame) -> None:
    """Near the largest float, 1e308, what is made of the bounds would be infinite or NaN."""
    for column in bounds.drop("pool").iter_columns():
        if not column.drop_nulls().is_between(-1e150, 1e150).all():
            kind, _, name = column.name.partition(":")
            raise BadData(
                f"the {kind} bound of {name} is beyond what floats hold, with labels up to "
                f"{cells.select(LABEL.max()).item():g}; where its gain is 2^label - 1, take "
                "gain=linear"
            )


def _distinct(counts: pl.DataFrame, keys: list[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """`keys, pool`, a row per query; and `pool, label, count, judged`, rows per distinct pool.

    Pools of another `retrieved` are others; where it is there, the rows of a pool have it too.
    """
    sized = ["retrieved"] if "retrieved" in keys else []
    print_ = pl.format("{}:{}:{}", "label", "count", "judged").str.join(" ")
    queries = (
        counts.sort("label", descending=True)
        .group_by(keys, maintain_order=True)
        .agg(histogram=print_)
        .with_columns(histogram=pl.concat_str("histogram", *sized, separator="|"))
        .with_columns(pool=(pl.col("histogram").rank("dense") - 1).cast(pl.Int64))
    )
    first = queries.unique("pool", keep="first")
    cells = counts.join(first, on=keys).select("pool", "label", "count", "judged", *sized)
    return queries.select(*keys, "pool"), cells.sort("pool", "label", descending=[False, True])


def _pools(cells: pl.DataFrame, bases: Sequence[Measure]) -> pl.DataFrame:
    """A row per pool, as `ulframe.metrics.chance` describes it, without `m`; sorted by `pool`."""
    totals: dict[str, pl.Expr] = {}
    for total in (total for base in bases for total in base.metric.totals(base)):
        totals[total.name] = (total.each * JUDGED).sum()
        totals[f"pool_{total.name}"] = (total.each * COUNT).sum()
    sized = [pl.col("retrieved").first()] if "retrieved" in cells.columns else []
    return cells.group_by("pool", maintain_order=True).agg(
        *sized, n=COUNT.sum(), labels=LABEL, counts=COUNT, judged=JUDGED, **totals
    )


def _laid_out(
    kind: str,
    layout: Layout,
    cells: pl.LazyFrame,
    pools: pl.LazyFrame,
    bases: Sequence[Measure],
) -> pl.LazyFrame:
    """`pool` and `KIND:NAME` of each measure: its value for the ranking that `layout` lays out."""
    sums = tally(layout(cells.drop("retrieved", strict=False), pools, bases), ["pool"], bases)
    finished = [base for base in bases if base.metric.finish]
    if finished:
        sums = (
            pools.drop(LISTS)
            .join(sums, on="pool", how="left")
            .with_columns(
                finish(base, pl.col(str(base)).fill_null(0.0)).alias(str(base)) for base in finished
            )
        )
    return sums.select("pool", *(pl.col(str(base)).alias(f"{kind}:{base}") for base in bases))


def finish(base: Measure, total: pl.Expr) -> pl.Expr:
    """The value that a sum of terms makes."""
    return total if base.metric.finish is None else base.metric.finish(base, total)


# ---------------------------------------------------------------- the random ranking
def _ranks(base: Measure) -> pl.Expr:
    """`m`: how many ranks of a pool count."""
    depth = pl.col("n") if base.depth is None else pl.min_horizontal("n", base.depth)
    return depth.cast(pl.Int64).alias("m")


def _depth_key(base: Measure) -> tuple[int, str]:
    """Alike for measures with the same `m`."""
    return base.k or 0, "" if base.metric.depth is None else str(base.depth)


def _closed(bases: Sequence[Measure], pools: pl.DataFrame) -> dict[str, pl.Series]:
    """The expectations that have a form of their own."""
    forms = {base: base.metric.expected(base) for base in bases}
    return {
        f"expected:{base}": form(base, pools.with_columns(_ranks(base)))
        for base, form in forms.items()
        if form is not None
    }


def by_linearity(
    bases: Sequence[Measure], cells: pl.LazyFrame, pools: pl.DataFrame
) -> pl.LazyFrame:
    """The sum over ranks and labels of P(label at rank) * term(rank, label, E[hits]), over `per`.

    A document of any label stands at any rank with chance 1/n. Above it, each of the rank - 1
    documents is relevant with chance (r - own) / (n - 1), own being 1 if it is relevant itself.
    In: measures with one depth. Out: `pool` and `expected:NAME` of each.
    """
    sized = pools.lazy().drop(LISTS).with_columns(_ranks(bases[0]))
    adding = cells.drop("retrieved", strict=False).filter(
        COUNT > 0, pl.any_horizontal(base.metric.adds for base in bases)
    )
    labels, depths = adding.select("label").unique(), pools.select(_ranks(bases[0])).to_series()
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
