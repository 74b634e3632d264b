"""What V2 of a random ranking is on average, which is not 0, since V2 has two slopes."""

from __future__ import annotations

import polars as pl

from ulframe.analysis.chance.distribution import distribution
from ulframe.analysis.chance.kinds import kinds_of
from ulframe.evaluation.bounds import bounds_of, distinct_pools, pool_rows
from ulframe.evaluation.pools import Pool, pools
from ulframe.evaluation.triples import counts_seen
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FrameLike
from ulframe.frames.sources import scan_qrels
from ulframe.metrics.grammar import parse
from ulframe.metrics.laws import TOLERANCE, refusal
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import V2

DRAWS, SEED = 10_000, 0

_EXPECTED, _ROOM = pl.col("expected"), pl.col("upper") - pl.col("expected")
_HAS_MEAN = (_EXPECTED > 0) & (TOLERANCE * pl.col("upper") < _ROOM)
_SLOPES = (1 / _ROOM - 1 / _EXPECTED) / 2


def mean_of_v2(
    qrels: FrameLike,
    measure: str | Measure,
    *,
    pool: Pool = "judged",
    draws: int = DRAWS,
    seed: int = SEED,
) -> pl.LazyFrame:
    """The mean of V2 of uniformly random rankings, query by query.

    With E the expectation and U the best possible value, it is 1/2 E|A - E| (1/(U - E) - 1/E): half
    of what a ranking strays falls on either side, and is divided by U - E above and by E below. So
    it is below 0 where E is nearer to 0 than to U, as it is for most queries, and a mean V2 below 0
    does not say that a run is worse than chance.

    In: qrels as `evaluate` takes them, and a metric that there is V2 of. Out, ordered by query:
    `query_id: String, expected, upper, mean, error: Float64`. `error` is the standard error of a
    mean that is simulated by `draws` rankings, 0 of one that is exact: where the value follows from
    a count or from the first relevant document, or where distinct rankings are few. `mean` is null
    unless 0 < E < U.

    Raises `BadUsage` for a measure without V2, whose expectation comes near the exact one only, or
    that reads how many documents a run returned.

    >>> import ulframe as ul
    >>> mean_of_v2({"q": {"a": 1, "b": 0, "c": 0}}, ul.DCG @ 1).collect()["mean"].round(9).item()
    -0.333333333
    """
    base = V2((parse(measure) if isinstance(measure, str) else measure).base).base
    if reason := refusal(base, ["exact"]):
        raise BadUsage(f"the mean of V2({base}) is not known: {reason}")
    if "retrieved" in base.reads or base.view.judged_only:
        raise BadUsage(f"{base} depends on how many documents a run returned, and so does its mean")
    counts, keys = pools(scan_qrels(qrels), pool, None, qrels)
    rows = counts_seen(counts, keys, base.view).collect()
    queries, cells = distinct_pools(rows, keys)
    bounds = bounds_of(rows.lazy(), keys, [base]).collect()
    placed = queries.join(bounds, on=keys).rename(
        {f"upper:{base}": "upper", f"expected:{base}": "expected"}
    )
    known = placed.unique("pool").select("pool", "expected", "upper")
    centres = dict(known.filter(_HAS_MEAN).select("pool", "expected").iter_rows())
    away = [
        (pool, *distribution(kinds, draws, seed).deviating(centres[pool]))
        for pool, kinds in kinds_of(base, cells, pool_rows(cells, [base]))
        if pool in centres
    ]
    schema = {"pool": pl.Int64, "away": pl.Float64, "error": pl.Float64}
    found = placed.join(pl.DataFrame(away, schema=schema, orient="row"), on="pool", how="left")
    return (
        found.select(
            "query_id", "expected", "upper",
            mean=pl.col("away") * _SLOPES, error=pl.col("error") * _SLOPES.abs(),
        ).sort("query_id").lazy()
    )  # fmt: skip
