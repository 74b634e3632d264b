"""Variances of sums of precisions and the like: pairs of documents, weighted by the lower's rank.

Such a sum is that of w(i) K(d, e) over ranks j <= i, with d and e the documents there and K what
the two make as a pair (for AP, whether both are relevant). Its second moment is a sum over two such
pairs, which have some documents in common or none. A random ranking draws without replacement, so
that whatever pattern they form, the mean of K K depends on the pattern alone, and the weights that
it has in all sum up apart.
"""

from __future__ import annotations

from typing import cast

import polars as pl

from ulframe.evaluation.expectation.linearity import running_sums
from ulframe.evaluation.expectation.ranks import ranks
from ulframe.frames.errors import BadUsage
from ulframe.metrics.laws import InPairs, slopes, spread_of
from ulframe.metrics.measure import Measure

COUNT, N, RANK, PAIR = pl.col("count"), pl.col("n"), pl.col("rank"), pl.col("pair")

TOO_DEEP = 50_000_000  # ranks that memory may not hold


def in_pairs(base: Measure, cells: pl.LazyFrame, pools: pl.DataFrame) -> pl.DataFrame:
    """`pool, variance` of the sum of the terms.

    Raises `BadUsage` where a pool is too large for that.
    """
    sized = pools.select("pool", n=N.cast(pl.Float64), m=ranks(base))
    deepest = cast(int, sized["m"].max())
    if deepest > TOO_DEEP:
        raise BadUsage(
            f"the spread of {base} in a pool of {deepest} documents is a sum over as many ranks: "
            f"give a cutoff, as in {base.metric.name}@1000"
        )
    kinds = _of_documents(_made_by_labels(base, cells.collect(engine="in-memory")))
    rows = sized.join(kinds, on="pool").join(_of_ranks(base, deepest), left_on="m", right_on="rank")
    return rows.select("pool", variance=_second_moment() - _mean() ** 2)


def _made_by_labels(base: Measure, cells: pl.DataFrame) -> pl.DataFrame:
    """`pool, count, own, others, squares`, a row per label.

    They are what a document of the label makes as a pair with itself, and with all others, and the
    sum of the squares of the latter.
    """
    read = running_sums([base])
    labels = cells.select("label").unique()
    here = slopes(base, read, labels.with_columns(rank=1.0))
    each = labels.select(other="label", **{f"each:{s.name}": s.each for s in read})
    pair = pl.sum_horizontal(pl.col(s.name) * pl.col(f"each:{s.name}") for s in read)
    table = here.join(each, how="cross").select("label", "other", pair=pair.cast(pl.Float64))
    there = cells.select("pool", other="label", many="count")
    own = (PAIR * (pl.col("label") == pl.col("other"))).sum()
    return (
        cells.select("pool", "label", count=COUNT.cast(pl.Float64))
        .join(there, on="pool")
        .join(table, on=["label", "other"])
        .group_by("pool", "label")
        .agg(
            COUNT.first(),
            own=own,
            others=(PAIR * pl.col("many")).sum() - own,
            squares=(PAIR**2 * pl.col("many")).sum() - own**2,
        )
    )


def _of_documents(labels: pl.DataFrame) -> pl.DataFrame:
    """By pool: the sums of K K over distinct documents 1, 2, 3, 4, by the pattern of the pairs."""
    own, others, square = pl.col("own"), pl.col("others"), pl.col("squares")
    sums = labels.group_by("pool").agg(
        s11=(COUNT * own).sum(),
        s11_11=(COUNT * own**2).sum(),
        s12=(COUNT * others).sum(),
        s11_12=(COUNT * own * others).sum(),
        s12_12=(COUNT * square).sum(),
        shared=(COUNT * others**2).sum(),
    )
    s11, s12, s12_12 = pl.col("s11"), pl.col("s12"), pl.col("s12_12")
    return sums.with_columns(
        s11_22=s11**2 - pl.col("s11_11"),
        s11_23=s11 * s12 - 2 * pl.col("s11_12"),
        s12_13=pl.col("shared") - s12_12,
    ).with_columns(s12_34=s12**2 - 4 * pl.col("s12_13") - 2 * s12_12)


def _of_ranks(base: Measure, deepest: int) -> pl.DataFrame:
    """By `rank`: the sums down to it of the weights that each pattern has.

    A rank's degree is the sum of the weights of the pairs that it is in: w (rank - 1), and the
    weights of all ranks below it.
    """
    how = cast(InPairs, spread_of(base))
    ladder = pl.DataFrame({"rank": pl.int_range(1, deepest + 1, eager=True)})
    there = slopes(base, running_sums([base]), ladder.with_columns(label=how.label))
    slope = there[how.state.name]
    w, above = pl.col("w"), RANK - 1
    weights = ladder.with_columns(w=slope / slope[0]).with_columns(w11=w.cum_sum())
    level = w * above - pl.col("w11")  # the degree, less all weights down to the last rank
    all_, all_squares, w12 = pl.col("w11"), pl.col("w11_11"), pl.col("w12")
    return (
        weights.with_columns(
            w11_11=(w**2).cum_sum(),
            w12=(w * above).cum_sum(),
            w12_12=(w**2 * above).cum_sum(),
            w_degree=(w * level).cum_sum() + all_**2,
            degrees=(level**2).cum_sum() + 2 * all_ * level.cum_sum() + RANK * all_**2,
        )
        .with_columns(
            w11_22=all_**2 - all_squares,
            w11_12=2 * pl.col("w_degree"),
            w11_23=2 * (w12 * all_ - pl.col("w_degree")),
            w12_13=pl.col("degrees") - 2 * pl.col("w12_12"),
        )
        .with_columns(w12_34=w12**2 - pl.col("w12_13") - pl.col("w12_12"))
    )


PATTERNS = {
    "11_11": 1, "11_22": 2, "11_12": 2, "12_12": 2, "11_23": 3, "12_13": 3, "12_34": 4,
}  # fmt: skip
"""Two pairs of documents, and how many documents they are."""


def _mean() -> pl.Expr:
    return _pattern("11", 1) + _pattern("12", 2)


def _second_moment() -> pl.Expr:
    return pl.sum_horizontal(_pattern(name, many) for name, many in PATTERNS.items())


def _pattern(name: str, many: int) -> pl.Expr:
    """The mean over so many distinct documents of n, times the weight that the ranks have."""
    orders = pl.lit(1.0)
    for taken in range(many):
        orders *= N - taken
    return pl.when(many <= N).then(pl.col(f"s{name}") / orders * pl.col(f"w{name}")).otherwise(0.0)
