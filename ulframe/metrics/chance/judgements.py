"""Expectations where it counts which documents of the pool were judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ulframe.metrics.chance.sums import RANK, down_to

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure

EPSILON = 0.00001
"""trec_eval's, which keeps a share of nothing at 1/2."""

N = pl.col("n")


def inferred_share(relevant: pl.Expr, judged: pl.Expr) -> pl.Expr:
    """The share of relevant documents among judged ones."""
    return (relevant + EPSILON) / (judged + 2 * EPSILON)


def inf_ap(measure: Measure, pools: pl.DataFrame) -> pl.Series:
    """The pool's relevant documents stand at every rank i alike; above are i - 1 of the others.

    t of those are judged, rho t of them relevant in expectation, and of the rest a share omega
    belongs to the pool of the qrels. So the share of relevant ones is rho + e (1 - 2 rho) / (t +
    2e), and what is pooled above is t + omega (i - 1 - t). What remains is the mean of 1 / (t +
    2e), over the hypergeometric t. (Of `pool="retrieved"` it is not known which of the documents
    with negative labels belong to the qrels: as many as these have are taken to.)
    """
    r, judged = measure.of("pool_r"), measure.of("pool_r") + measure.of("pool_nonrel")
    omega = pl.min_horizontal(1.0, pl.col("unlabelled") / (N - judged).clip(lower_bound=1))
    frame = pools.select(
        n=N,
        judged=judged,
        omega=omega,
        rho=(r - 1).clip(lower_bound=0) / (judged - 1).clip(lower_bound=1),
        among=((judged - 1) / (N - 1).clip(lower_bound=1)).clip(0, 1),
        scale=r / N / measure.r_at_least_1,
        harmonic=down_to(pools, N, 1 / RANK),
    )
    frame = frame.join(_inverses(frame), on=["n", "judged"], maintain_order="left")
    above = N - pl.col("harmonic")  # the sum over i of (i - 1) / i
    rho, omega, among = pl.col("rho"), pl.col("omega"), pl.col("among")
    pooled = above * (among + omega * (1 - among))
    noise = (1 - omega) * (pl.col("harmonic") - 1) + (
        omega * pl.col("above_inverse") - 2 * EPSILON * (1 - omega) * pl.col("inverse")
    )
    total = pl.col("harmonic") + rho * pooled + EPSILON * (1 - 2 * rho) * noise
    scaled = pl.when(pl.col("scale") > 0).then(total * pl.col("scale")).otherwise(0.0)
    return frame.select(scaled).to_series()


def _inverses(frame: pl.DataFrame) -> pl.DataFrame:
    """Sums over ranks i > 1 of E[1 / (t + 2e)] / i, and of (i - 1) times that, by n and judged."""
    rows = []
    for n, judged in frame.select("n", "judged").unique().iter_rows():
        means = _mean_inverses(n - 1, max(judged - 1, 0))[1:]
        inverse = sum(mean / rank for rank, mean in enumerate(means, start=2))
        rows.append((n, judged, inverse, sum(means) - inverse))
    names = {"n": pl.Int64, "judged": pl.Int64, "inverse": pl.Float64, "above_inverse": pl.Float64}
    return pl.DataFrame(rows, schema=names, orient="row")


def _mean_inverses(n: int, marked: int) -> list[float]:
    """By draws j = 0..n: e_j = E[1 / (t + a)], a = 2e, of t marked documents among j drawn of n.

    With x^(t + a - 1) integrated from 0 to 1 for 1 / (t + a), the generating function of
    C(n, j) e_j has a differential equation of first order, and so e_j a recurrence:

        (j + a) e_j = (n + 1) / (n + 1 - j) + (n - marked - j + 1 - a) j / (n + 1 - j) e_{j-1}

    An error shrinks going up from e_0 = 1 / a as far as `turn`, and going down from e_n from there.
    """
    a = 2 * EPSILON
    up, down = [1 / a], [1 / (marked + a)]
    turn = n - marked // 2
    for j in range(1, turn + 1):
        rest = (n - marked - j + 1 - a) * j * up[-1]
        up.append((n + 1 + rest) / (n + 1 - j) / (j + a))
    for j in range(n, turn + 1, -1):
        rest = (j + a) * (n + 1 - j) * down[-1] - (n + 1)
        down.append(rest / (n - marked - j + 1 - a) / j)
    return up + down[::-1] if turn < n else up
