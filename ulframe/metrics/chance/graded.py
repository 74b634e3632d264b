"""Expectations of metrics of graded relevance, most of them along the ideal ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from ulframe.metrics.chance.sums import RANK, back, down_to, drawn, in_slices, of_each

if TYPE_CHECKING:
    from ulframe.metrics.metric import Closed, Measure

N, M = pl.col("n"), pl.col("m")
LABEL, COUNT, JUDGED = pl.col("label"), pl.col("count"), pl.col("judged")
DISCOUNT = 1 / (RANK + 1).log(2)
GAIN, GAINING = pl.col("pool_gain"), pl.col("pool_gaining")


def rbp(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """(1 - p^m) times the mean gain."""
    highest = pl.col("labels").list.max().clip(lower_bound=1)
    reading = 1 - measure.number("p") ** M.cast(pl.Float64)
    return pools.select(reading * GAIN / N / highest).to_series()


def average_precision(levels: Sequence[tuple[int, float]]) -> Closed:
    """For labels from j on: E[SP] = p (H + rho (m - H)), with H the harmonic number of m.

    p = r/n is the chance that the document at a rank is relevant, and rho = (r - 1)/(n - 1) the
    chance that one above it is.
    """

    def expected(measure: Measure, pools: pl.DataFrame) -> pl.Series:
        harmonic = down_to(pools, M, 1 / RANK)
        total = pl.lit(0.0)
        for level, weight in levels:
            r = pl.col(f"pool_r[{level}]")
            above = (r - 1) / (N - 1).clip(lower_bound=1)
            total += weight * r / N * (harmonic + above * (M - harmonic))
        return pools.select(total / measure.divisor).to_series()

    return expected


def ndcg_rel(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """What `ndcg_rel`'s term is expected to be at each rank, given the label there.

    Above rank i, a gain is (G - g)/(n - 1) in expectation and a document gains with chance
    (R - 1)/(n - 1). Below rank R, where nDCG and the rest divide alike, little remains.
    """
    above = (GAINING - 1).clip(lower_bound=0) / (N - 1).clip(lower_bound=1)
    ladder = _ideal_ladder(pools, n=N, above=above, gain=GAIN / N)
    before = pl.col("discount").cum_sum().over("pool") - pl.col("discount")
    here = pl.col("gain") * (pl.col("discount") + pl.col("above") * before)
    inverse = 1 / pl.col("idcg") - 1 / pl.col("idcg").last().over("pool")
    at_ideal = ladder.with_columns(part=here * inverse).filter(RANK <= N)
    sums = at_ideal.group_by("pool").agg(part=pl.col("part").sum())
    all_idcg = back(pools, ladder.group_by("pool").agg(pl.col("idcg").max()))
    plain, falling = (down_to(pools, N, each) for each in (DISCOUNT, (RANK - 1) * DISCOUNT))
    frame = pools.with_columns(part=back(pools, sums), idcg=all_idcg, plain=plain, falling=falling)
    missing = GAIN / N * (pl.col("gaining") * pl.col("plain") - above * pl.col("falling"))
    total = (pl.col("part") + missing / pl.col("idcg")) / pl.col("gaining")
    return frame.select(pl.when(pl.col("idcg") > 0).then(total).otherwise(0.0)).to_series()


def rndcg(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[DCG@b] is the mean gain times the discounts down to b."""
    ladder = _ideal_ladder(pools, n=N)
    ends = ladder.filter(LABEL.shift(-1).over("pool").fill_null(-1.0) != LABEL)
    ends = ends.with_columns(reach=down_to(ends, pl.min_horizontal("rank", "n"), DISCOUNT))
    levels = ends.group_by("pool").agg(part=(pl.col("reach") / pl.col("idcg")).sum())
    frame = pools.with_columns(
        part=back(pools, levels),
        levels=back(pools, ends.group_by("pool").agg(pl.len().cast(pl.Float64))),
        idcg=back(pools, ends.group_by("pool").agg(pl.col("idcg").max())),
        all=down_to(pools, N, DISCOUNT),
    )
    goes_on = (pl.col("gaining") + 1 < pl.col("retrieved")).cast(pl.Int64)
    total = pl.col("part") + goes_on * pl.col("all") / pl.col("idcg")
    score = GAIN / N * total / (pl.col("levels") + goes_on)
    return frame.select(pl.when(pl.col("idcg") > 0).then(score).otherwise(0.0)).to_series()


def _ideal_ladder(pools: pl.DataFrame, **columns: pl.Expr) -> pl.DataFrame:
    """The ranks of the ideal ranking that gain anything: `pool, rank, label, discount, idcg`."""
    return (
        of_each(pools, **columns)
        .filter(LABEL > 0, JUDGED > 0)
        .with_columns(last=JUDGED.cum_sum().over("pool"))
        .with_columns(rank=pl.int_ranges(pl.col("last") - JUDGED + 1, pl.col("last") + 1))
        .explode("rank")
        .with_columns(discount=DISCOUNT)
        .with_columns(idcg=(LABEL * pl.col("discount")).cum_sum().over("pool"))
    )


# ---------------------------------------------------------------- programmes over the histogram
def err(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[ERR] = sum over i of (M_{i-1} - M_i) / i, M_j the mean of the products of j of (1 - R).

    Documents without gain leave a product as it is. So the means are worked out over the others,
    adding one document at a time, and spread over the ranks by the hypergeometric.
    """
    import numpy as np

    top = 2.0 ** measure.number("max")
    expected = np.zeros(pools.height)
    keys = pools.select(n="n", m="m", gaining=_gaining()).with_row_index("place")
    for (n, m, gaining), group in keys.group_by("n", "m", "gaining"):
        if gaining:
            places = group["place"].to_numpy()
            stay = [_stay(pools.row(int(i), named=True), top) for i in places]
            means = _means_of_products(np.array(stay))
            expected[places] = means @ _by_first_contact(int(n), int(m), int(gaining))
    return pl.Series(expected)


def _gaining() -> pl.Expr:
    gains = pl.col("labels").list.eval(pl.element() > 0).cast(pl.List(pl.Int64))
    return (gains * pl.col("counts")).list.sum()


def _stay(pool, top):  # type: ignore[no-untyped-def]
    """1 - R of every document of the pool that gains anything."""
    import numpy as np

    gaining = [(x, c) for x, c in zip(pool["labels"], pool["counts"], strict=True) if x > 0]
    return np.repeat(
        [1 - (2.0**label - 1) / top for label, _ in gaining], [count for _, count in gaining]
    )


def _means_of_products(values):  # type: ignore[no-untyped-def]
    """A row per pool and a column per j = 0..t: the mean product of j distinct values.

    They are elementary symmetric polynomials over binomials; as means they never overflow.
    """
    import numpy as np

    many, count = values.shape
    means = np.zeros((many, count + 1))
    means[:, 0] = 1
    for t in range(1, count + 1):
        j = np.arange(1, t + 1)
        means[:, 1 : t + 1] = ((t - j) / t) * means[:, 1 : t + 1] + (j / t) * values[
            :, t - 1 : t
        ] * means[:, :t]
    return means


def _by_first_contact(n: int, m: int, gaining: int):  # type: ignore[no-untyped-def]
    """By t: the sum over ranks i of (P(t among i - 1) - P(t among i)) / i."""
    import numpy as np

    total = np.zeros(gaining + 1)
    for rank in in_slices(1, m, gaining + 1):
        total += (1 / rank) @ (drawn(n, gaining, rank - 1) - drawn(n, gaining, rank))
    return total


def g(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """E[G] over all that can stand above a document: how many, and what they gain together."""
    names = ("n", "labels", "counts", "judged", "gain")
    rows = pools.select(names).iter_rows()
    return pl.Series([_expected_g(*row) for row in rows], dtype=pl.Float64)


def _expected_g(
    n: int, labels: list[float], counts: list[int], judged: list[int], gain: float
) -> float:
    """A document of gain g has t gaining ones above it, s their gain, j others all in all.

    Weighing each composition by the documents that it leaves spares one pass for each label:
    the sum over labels of g (c - a) is over those that may come next.
    """
    import numpy as np

    gains = [(g, c) for g, c in zip(labels, counts, strict=True) if g > 0 and c > 0]
    if not gains or not gain:
        return 0.0
    gaining = sum(c for _, c in gains)
    t, s, chance, left = _compositions(gains, gaining)
    sums, at = np.unique(np.concatenate([s + g for g, _ in gains]).round(6), return_inverse=True)
    kernel = np.zeros((gaining, sums.size))
    cost = _ideal_cost(labels, judged)
    for above in in_slices(0, n - 1, max(gaining, sums.size)):
        lost = cost(above + 1)[:, None] - sums
        # Sums that cannot stand above so few have chance 0, and must not spoil the logarithm.
        discount = 1 / np.log2(2 + np.maximum(lost, 0))
        kernel += drawn(n - 1, gaining - 1, above).T @ discount
    at = at.reshape(len(gains), s.size)
    total = sum(
        g * float((chance * left[i] * kernel[t, at[i]]).sum()) for i, (g, _) in enumerate(gains)
    )
    return total / n / gain


def _compositions(gains, gaining):  # type: ignore[no-untyped-def]
    """Of t documents that gain: what they gain together, how likely, and what they leave.

    Gives t, s, and by them the chance (times gaining / (gaining - t), so that it is that of t of
    all but one), and the documents of each label that are expected to be left.
    """
    import numpy as np

    t, s, chance = np.zeros(1, int), np.zeros(1), np.ones(1)
    taken = np.zeros((0, 1))
    seen = 0
    for gain, count in gains:
        a = np.arange(count + 1)
        together = (t[:, None] + a).ravel()
        value = (s[:, None] + a * gain).ravel().round(6)
        split = _split(seen, count)[t[:, None], a].ravel()
        weight = split * np.repeat(chance, count + 1)
        cells, place = np.unique(np.stack([together, value]), axis=1, return_inverse=True)
        place = place.ravel()
        size = cells.shape[1]
        before = [np.repeat(row, count + 1) * weight for row in taken]
        sums = [np.bincount(place, row, size) for row in (*before, np.tile(a, t.size) * weight)]
        t, s, chance = cells[0].astype(int), cells[1], np.bincount(place, weight, size)
        taken = np.array(sums) / np.where(chance > 0, chance, 1)
        seen += count
    inside = t < gaining
    t, s, chance, taken = t[inside], s[inside], chance[inside], taken[:, inside]
    left = np.array([count for _, count in gains])[:, None] - taken
    return t, s, chance * (gaining / (gaining - t)), left


def _split(seen: int, count: int):  # type: ignore[no-untyped-def]
    """P(a of `count` new documents | t + a drawn of all) by t and a."""
    import numpy as np

    table = np.zeros((seen + 1, count + 1))
    for drawn_of_all, row in enumerate(drawn(seen + count, count, np.arange(seen + count + 1))):
        a = np.arange(max(0, drawn_of_all - seen), min(count, drawn_of_all) + 1)
        table[drawn_of_all - a, a] = row[a]
    return table


def _ideal_cost(labels, judged):  # type: ignore[no-untyped-def]
    """By rank: what an ideal ranking has gained by then, each rank counting 1 at least."""
    import numpy as np

    each = np.repeat(
        [max(label, 1.0) for label in labels if label > 0],
        [count for label, count in zip(labels, judged, strict=True) if label > 0],
    )
    sums = np.concatenate([[0.0], np.cumsum(each)])

    def cost(rank):  # type: ignore[no-untyped-def]
        return sums[np.minimum(rank, each.size)] + np.maximum(rank - each.size, 0)

    return cost
