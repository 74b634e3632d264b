"""The two bounds of a metric: the best possible value, and what chance is expected to score.

Both depend on the label histogram alone, so they are computed once for each distinct one. The
ideal ranking is laid out from it and summed like any run. The expectation follows by linearity:
given a document of some label at a rank, the expected `hits` there is a straight line in the rank,
so a term affine in `hits` needs three prefix sums over the ranks, which all queries share.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    return counts.map_batches(lambda frame: _bounds(frame, keys, bases), schema=schema)


def _bounds(counts: pl.DataFrame, keys: list[str], bases: Sequence[Measure]) -> pl.DataFrame:
    queries, cells = _distinct(counts, keys)
    pools = _pools(cells, bases)
    upper = tally(ideal(cells, pools, bases), ["pool"], bases)
    joined = pools.select("pool").join(upper, on="pool", how="left", maintain_order="left")
    columns = [joined[str(base)].fill_null(0.0).alias(f"upper:{base}") for base in bases]
    columns += [_expected(base, cells, pools).alias(f"expected:{base}") for base in bases]
    ordered = pools.select("pool").with_columns(columns)
    names = [f"{kind}:{base}" for base in bases for kind in ("upper", "expected")]
    return queries.join(ordered, on="pool").select(*keys, *names)


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
def ideal(cells: pl.DataFrame, pools: pl.DataFrame, bases: Sequence[Measure]) -> pl.DataFrame:
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
def _expected(base: Measure, cells: pl.DataFrame, pools: pl.DataFrame) -> pl.Series:
    depth = pl.col("n") if base.depth is None else pl.min_horizontal("n", base.depth)
    pools = pools.with_columns(m=depth.cast(pl.Int64))
    closed = base.metric.expected(base)
    return by_linearity(base, cells, pools) if closed is None else closed(base, pools)


def by_linearity(base: Measure, cells: pl.DataFrame, pools: pl.DataFrame) -> pl.Series:
    """The sum over ranks and labels of P(label at rank) * term(rank, label, E[hits]), over `per`.

    A document of any label stands at any rank with chance 1/n. Above it, each of the rank - 1
    documents is relevant with chance (r - own) / (n - 1), own being 1 if it is relevant itself.
    """
    n, own = pl.col("n"), base.relevant
    density = (base.of("pool_r") - own) / (n - 1).clip(lower_bound=1)
    # hits = (own - density) + density * rank, and the term is at + per_hit * hits
    total = pl.col("at") + pl.col("per_hit") * (own - density) + pl.col("per_hit_rank") * density
    sums = (
        cells.filter(LABEL > 0, COUNT > 0)
        .join(pools.drop("labels", "counts"), on="pool")
        .join(_prefix_sums(base, cells, pools), left_on=["label", "m"], right_on=["label", "rank"])
        .group_by("pool")
        .agg((COUNT / n * total / base.divisor).sum().alias("expected"))
    )
    return pools.join(sums, on="pool", how="left", maintain_order="left")["expected"].fill_null(0.0)


def _prefix_sums(base: Measure, cells: pl.DataFrame, pools: pl.DataFrame) -> pl.DataFrame:
    """`label, rank`, and the sums down to that rank of the term's parts, for every label and depth.

    A term affine in `hits` is `at + per_hit * hits`; its values at 0 and 1 hits tell both parts.
    """
    labels = cells.select(LABEL.filter(LABEL > 0, COUNT > 0).unique())
    ranks = pl.select(rank=pl.int_range(1, int(pools["m"].max() or 0) + 1))  # type: ignore[arg-type]
    hits, term = base.column(HITS.name), base.metric.term(base).cast(pl.Float64)
    rows = (
        labels.join(ranks, how="cross").with_columns(pl.lit(0.0).alias(hits)).with_columns(at=term)
    )
    return (
        rows.with_columns(pl.lit(1.0).alias(hits))
        .with_columns(per_hit=term - pl.col("at"))
        .with_columns(per_hit_rank=pl.col("per_hit") * RANK)
        .select("label", "rank", pl.col("at", "per_hit", "per_hit_rank").cum_sum().over("label"))
        .join(pools.select(rank="m").unique(), on="rank")
    )
