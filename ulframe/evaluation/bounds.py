"""The two bounds of a metric: the best possible value, and what chance is expected to score.

Both depend on the label histogram alone, so they are computed once for each distinct one. The
ideal ranking is laid out from it and summed like any run. The expectation follows by linearity:
given a document of some label at a rank, the expected `hits` there is a straight line in the rank,
so a term affine in `hits` needs three prefix sums over the ranks, which all queries share.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import polars as pl

from ulframe.evaluation.tally import tally, with_states
from ulframe.metrics.metric import HITS, Measure

RANK, LABEL, COUNT, JUDGED = pl.col("rank"), pl.col("label"), pl.col("count"), pl.col("judged")


def bounds_of(counts: pl.LazyFrame, keys: list[str], bases: Sequence[Measure]) -> pl.LazyFrame:
    """Upper bound and expectation of each measure for each pool.

    In: `keys`, `label`, `count`, `judged` (`ulframe.evaluation.histogram.pools`). Out: `keys`, and
    for each measure `upper:NAME` and `expected:NAME`, Float64.
    """
    schema = dict(counts.select(keys).collect_schema())
    schema |= {f"{kind}:{base}": pl.Float64() for base in bases for kind in ("upper", "expected")}

    def bounds(frame: pl.DataFrame) -> pl.DataFrame:
        return pl.DataFrame(schema=schema) if frame.is_empty() else _bounds(frame, keys, bases)

    return counts.map_batches(bounds, schema=schema)


def _bounds(counts: pl.DataFrame, keys: list[str], bases: Sequence[Measure]) -> pl.DataFrame:
    queries, cells = _distinct(counts, keys)
    pools = _pools(cells, bases)
    upper = tally(ideal(cells.lazy(), pools.lazy(), bases), ["pool"], bases)
    linear = [base for base in bases if base.metric.expected(base) is None]
    plans = [upper.rename({str(base): f"upper:{base}" for base in bases})]
    plans += [
        by_linearity(list(alike), cells.lazy(), pools.lazy())
        for _, alike in groupby(sorted(linear, key=_depth_key), _depth_key)
    ]
    found = pools.select("pool", **_closed(bases, pools)).lazy()
    for plan in plans:
        found = found.join(plan, on="pool", how="left")
    bounds = pl.col(name for base in bases for name in (f"upper:{base}", f"expected:{base}"))
    # in memory: these frames are small, and the streaming engine takes longer to start
    return (
        queries.lazy()
        .join(found, on="pool")
        .select(*keys, bounds.fill_null(0.0))
        .collect(engine="in-memory")
    )


def _distinct(counts: pl.DataFrame, keys: list[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """`keys, pool`, a row per query; and `pool, label, count, judged`, rows per distinct pool."""
    print_ = pl.format("{}:{}:{}", "label", "count", "judged").str.join(" ")
    queries = (
        counts.sort("label", descending=True)
        .group_by(keys, maintain_order=True)
        .agg(histogram=print_)
        .with_columns(pool=(pl.col("histogram").rank("dense") - 1).cast(pl.Int64))
    )
    first = queries.unique("pool", keep="first")
    cells = counts.join(first, on=keys).select("pool", "label", "count", "judged")
    return queries.select(*keys, "pool"), cells.sort("pool", "label", descending=[False, True])


def _pools(cells: pl.DataFrame, bases: Sequence[Measure]) -> pl.DataFrame:
    """A row per pool, as `ulframe.metrics.chance` describes it, without `m`; sorted by `pool`."""
    constants: dict[str, pl.Expr] = {}
    for base in bases:
        kinds = {"r": base.relevant == 1, "nonrel": (base.relevant == 0) & (LABEL >= 0)}
        for name, kind in kinds.items():
            constants[base.column(name)] = JUDGED.filter(kind).sum()
            constants[base.column(f"pool_{name}")] = COUNT.filter(kind).sum()
    return cells.group_by("pool", maintain_order=True).agg(
        n=COUNT.sum(), labels=LABEL, counts=COUNT, **constants
    )


# ---------------------------------------------------------------- the ideal ranking
def ideal(cells: pl.LazyFrame, pools: pl.LazyFrame, bases: Sequence[Measure]) -> pl.LazyFrame:
    """The best ranking of each pool's judged documents, laid out: no document is sorted.

    Rows: `pool, rank, label`, the states and the constants; ranks below the last document that
    gains anything, or below the deepest cutoff, are left out.
    """
    deepest = max((base.k or 0 for base in bases), default=0)
    whole = any(base.k is None for base in bases)
    last = JUDGED.cum_sum().over("pool")
    slots = (
        cells.filter(LABEL > 0)
        .with_columns(last=last)
        .with_columns(first=pl.col("last") - JUDGED + 1)
    )
    if not whole:
        slots = slots.with_columns(pl.col("last").clip(upper_bound=deepest))
    rows = (
        slots.filter(pl.col("first") <= pl.col("last"))
        .with_columns(rank=pl.int_ranges("first", pl.col("last") + 1))
        .explode("rank")
        .select("pool", "rank", "label")
        .join(pools.drop("labels", "counts"), on="pool")
    )
    return with_states(rows, ["pool"], bases)


# ---------------------------------------------------------------- the random ranking
def _ranks(base: Measure) -> pl.Expr:
    """`m`: how many ranks of a pool count."""
    depth = pl.col("n") if base.depth is None else pl.min_horizontal("n", base.depth)
    return depth.cast(pl.Int64).alias("m")


def _depth_key(base: Measure) -> tuple[int, str]:
    """Alike for measures with the same `m`."""
    return base.k or 0, "" if base.metric.depth is None else str(base)


def _closed(bases: Sequence[Measure], pools: pl.DataFrame) -> dict[str, pl.Series]:
    """The expectations that have a form of their own."""
    forms = {base: base.metric.expected(base) for base in bases}
    return {
        f"expected:{base}": form(base, pools.with_columns(_ranks(base)))
        for base, form in forms.items()
        if form is not None
    }


def by_linearity(
    bases: Sequence[Measure], cells: pl.LazyFrame, pools: pl.LazyFrame
) -> pl.LazyFrame:
    """The sum over ranks and labels of P(label at rank) * term(rank, label, E[hits]), over `per`.

    A document of any label stands at any rank with chance 1/n. Above it, each of the rank - 1
    documents is relevant with chance (r - own) / (n - 1), own being 1 if it is relevant itself.
    In: measures with one depth. Out: `pool` and `expected:NAME` of each.
    """
    sized = pools.drop("labels", "counts").with_columns(_ranks(bases[0]))
    sums = _prefix_sums(bases, cells, sized)
    return (
        cells.filter(LABEL > 0, COUNT > 0)
        .join(sized, on="pool")
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


PARTS = ("at", "per_hit", "per_hit_rank")


def _prefix_sums(
    bases: Sequence[Measure], cells: pl.LazyFrame, pools: pl.LazyFrame
) -> pl.LazyFrame:
    """`label, rank`, and the sums down to that rank of each term's `PARTS`.

    A term affine in `hits` is `at + per_hit * hits`; its values at 0 and at 1 hits tell both.
    """
    labels = cells.filter(LABEL > 0, COUNT > 0).select("label").unique()
    ranks = pools.select(rank=pl.int_range(1, pl.col("m").max() + 1))
    hits = {base.column(HITS.name) for base in bases}
    term = {base: base.metric.term(base).cast(pl.Float64) for base in bases}
    return (
        labels.join(ranks, how="cross")
        .with_columns(pl.lit(0.0).alias(column) for column in hits)
        .with_columns(term[base].alias(f"at:{base}") for base in bases)
        .with_columns(pl.lit(1.0).alias(column) for column in hits)
        .with_columns(
            (term[base] - pl.col(f"at:{base}")).alias(f"per_hit:{base}") for base in bases
        )
        .with_columns(
            (pl.col(f"per_hit:{base}") * RANK).alias(f"per_hit_rank:{base}") for base in bases
        )
        .with_columns(
            pl.col(f"{part}:{base}" for base in bases for part in PARTS)
            .cum_sum()
            .over("label", order_by="rank")
        )
    )
