"""Is a run better than chance? Per query, by the whole distribution; per run, by the sum."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Unpack

import polars as pl
from scipy import stats

from ulframe.analysis.chance.distribution import Distribution, distribution, simulated
from ulframe.analysis.chance.kinds import Kinds, kinds_of
from ulframe.analysis.corrections import benjamini_hochberg
from ulframe.analysis.paired import refuse_numbers
from ulframe.evaluation.bounds import distinct_pools, pool_rows
from ulframe.evaluation.evaluate import Options, sources_of
from ulframe.evaluation.ranking import AVERAGE, KEYS
from ulframe.evaluation.triples import Sources, shuffled, triples
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FrameLike
from ulframe.metrics.declaration import Refused
from ulframe.metrics.grammar import Asked, named
from ulframe.metrics.laws import refusal
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import SD, VALUE, A

ALPHA, DRAWS, SEED = 0.05, 10_000, 0
FINER = 10  # times as many draws, for what so many cannot tell

GROUPS = ["run", "measure"]
COLUMNS = [*KEYS, "measure", "value", "expected", "spread", "p_value", "p_adjusted"]
GAP = pl.col("value") - pl.col("expected")


@dataclass(frozen=True)
class AgainstChance:
    """What `against_chance` finds.

    - `queries`: `run, query_id, measure: String, value, expected, spread, p_value, p_adjusted:
      Float64, beyond_chance: Boolean, draws: Int64`, a row per run, query and measure. `spread` is
      the standard deviation of a random ranking. `draws` is null where p is exact; `p_value` is
      where every ranking scores the same.
    - `runs`: `run, measure: String, n_queries, n_undefined, n_beyond: Int64, mean, expected, z,
      p_value: Float64, better: Boolean`, a row per run and measure: `z` is the sum of value -
      expected over the root of the summed variances, `p_value` its upper normal tail, and `better`
      whether that is below alpha.
    - `coverage`: as `Evaluation` has it.
    """

    queries: pl.LazyFrame
    runs: pl.LazyFrame
    coverage: pl.LazyFrame


@dataclass(frozen=True)
class Settings:
    """How p-values are had."""

    draws: int
    seed: int
    alpha: float
    progress: Callable[[float], None]


def against_chance(
    qrels: FrameLike,
    runs: FrameLike,
    measures: Asked,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    alpha: float = ALPHA,
    progress: Callable[[float], None] = lambda share: None,
    **options: Unpack[Options],
) -> AgainstChance:
    """Compare runs with uniformly random rankings of each query's pool.

    In: as of `evaluate`, with its options. A measure may be an operator that grows with its metric
    (U, V1, V2, Adjusted, Z and so on). That changes nothing in the order of a query's rankings, so
    what is compared, and named in the rows, is the metric itself: DCG@10 for nDCG@10.

    The p-value of a query is P(random >= value), one-sided, equal within a relative 1e-9. It is
    exact where the value follows from a count or from the first relevant document and where the
    pool has few distinct label sequences; otherwise (1 + count)/(1 + draws) of `draws` random
    rankings (Davison and Hinkley 1997), seeded, once for each distinct histogram, cutoff and, where
    it matters, number of documents returned. `p_adjusted` is Benjamini and Hochberg's over the
    queries of a run; where it is above `alpha` though no draw reached the value, the query's
    rankings are drawn again, ten times as many.

    Raises what `evaluate` does, and `BadUsage` for a measure that `compared_with_chance` refuses
    and for `ties="average"`.

    >>> found = against_chance({"q": {"a": 1, "b": 0, "c": 0}}, {"q": {"a": 1.0}}, "P@1")
    >>> found.queries.collect().select("value", "expected", "p_value").row(0)
    (1.0, 0.3333333333333333, 0.33333333333333337)
    """
    refuse_numbers(alpha, draws, seed)
    if options.get("ties") == AVERAGE:
        raise BadUsage('ties="average" scores no one ranking, and chance is of one: break ties')
    asked = compared_with_chance(named(measures))
    settings = Settings(draws, seed, alpha, progress)
    bases = list(dict.fromkeys(asked.values()))
    sources, coverage = sources_of(qrels, runs, {str(base): base for base in bases}, **options)
    tested = pl.concat(_tested(sources, bases, settings))
    names = [(name, str(base)) for name, base in asked.items()]
    by_name = pl.DataFrame(names, schema=["measure", "base"], orient="row")
    queries = (
        by_name.with_row_index("place")
        .join(tested.with_columns(pl.col(KEYS).cast(pl.String)), on="base")
        .sort("run", "query_id", "place")
        .select(*COLUMNS, beyond_chance=pl.col("p_adjusted") <= alpha, draws="draws")
    )
    seen = coverage.with_columns(pl.col(KEYS).cast(pl.String))
    return AgainstChance(queries.lazy(), _by_run(queries, alpha).lazy(), seen)


def compared_with_chance(asked: Mapping[str, Measure]) -> dict[str, Measure]:
    """The metrics themselves: by the names asked for, or by their own where an operator was.

    Raises `BadUsage` for a measure of which less is better, that says nothing of the run, or whose
    expectation comes near the exact one only.

    >>> import ulframe as ul
    >>> compared_with_chance({"mine": ul.AP, "nDCG@5": ul.nDCG @ 5})
    {'mine': AP, 'DCG@5': DCG@5}
    """
    for name, measure in asked.items():
        if isinstance(refused := measure.metric.ideal, Refused):
            raise BadUsage(f"{name} is not compared with chance: {refused.why}")
        if not measure.operator.reads(VALUE):
            raise BadUsage(f"{name} says nothing of the run; ask for {measure.base}")
        if measure.metric.aggregate == "geometric mean":
            raise BadUsage(f"{name} is not compared with chance: it is averaged geometrically")
        if reason := refusal(measure, ["exact"]):
            raise BadUsage(f"{name} is not compared with chance: {reason}")
    return {name if m.operator is A else str(m.base): m.base for name, m in asked.items()}


# ---------------------------------------------------------------- by query
def _tested(sources: Sources, bases: list[Measure], settings: Settings) -> Iterable[pl.DataFrame]:
    """`run, query_id, base` and all that is found, of one metric after the other."""
    groups = list(shuffled(sources, bases))
    exact = [SD(base) for base in bases if not refusal(base, SD.needs)]
    grids = [grid.select(*KEYS, "retrieved") for *_, grid in groups]
    plans = [triples(sources, [*bases, *exact]), *grids, *(counts for _, counts, *_ in groups)]
    wide, *found = pl.collect_all(plans)
    done = 0
    for (keys, _, those, _), grid, counts in zip(groups, found, found[len(groups) :], strict=False):
        queries, cells = distinct_pools(counts, keys)
        placed = grid.join(queries, on=keys, how="left").select(*KEYS, "pool")
        for base in those:
            columns = {kind: pl.col(f"{kind}:{base}") for kind in ("value", "expected", "spread")}
            rows = placed.join(wide.select(*KEYS, **columns), on=KEYS)
            yield _judged(base, rows, cells, settings).with_columns(base=pl.lit(str(base)))
            settings.progress((done := done + 1) / len(bases))


def _judged(
    base: Measure, rows: pl.DataFrame, cells: pl.DataFrame, settings: Settings
) -> pl.DataFrame:
    """The rows of one metric with p-values, and with the spread where none is known exactly."""
    draws, seed = settings.draws, settings.seed
    chances = _chances(base, cells, lambda kinds: distribution(kinds, draws, seed))
    rows = _adjusted(_compared(rows, chances))
    is_coarse = (pl.col("p_adjusted") > settings.alpha) & (pl.col("p_value") < 1.5 * _FINEST)
    coarse = rows.filter(is_coarse)
    if coarse.is_empty():
        return rows
    some = cells.join(coarse.select("pool").unique(), on="pool", maintain_order="left")
    finer = _chances(base, some, lambda kinds: simulated(kinds, FINER * draws, seed))
    rest = rows.join(coarse, on=KEYS, how="anti")
    return _adjusted(pl.concat([rest, _compared(coarse, finer)]))


def _chances(
    base: Measure, cells: pl.DataFrame, of: Callable[[Kinds], Distribution]
) -> dict[int, Distribution]:
    """The distribution of each pool, worked out once for those that are the same."""
    known: dict[bytes, Distribution] = {}
    found = {}
    for pool, kinds in kinds_of(base, cells, pool_rows(cells, [base])):
        if kinds.mark not in known:
            known[kinds.mark] = of(kinds)
        found[pool] = known[kinds.mark]
    return found


_FINEST = 1 / (1 + pl.col("draws"))
"""The smallest p-value that so many draws can tell."""


def _compared(rows: pl.DataFrame, chances: Mapping[int, Distribution]) -> pl.DataFrame:
    """The rows with `p_value` and `draws`; a pool of which nothing is in the qrels has neither."""
    found = []
    for (pool,), some in rows.group_by("pool"):
        chance = chances.get(pool)
        p = None if chance is None else pl.Series(chance.reaching(some["value"].to_numpy()))
        sd = 0.0 if chance is None else chance.deviation
        filled = some.with_columns(
            pl.col("expected").fill_null(0.0 if chance is None else chance.mean),
            pl.col("spread").fill_null(sd),
            p_value=pl.lit(p, pl.Float64),
            draws=pl.lit(None if chance is None else chance.draws, pl.Int64),
        )
        found.append(filled)
    all_alike = pl.col("spread") == 0
    return pl.concat(found).with_columns(
        pl.when(~all_alike).then(pl.col("p_value", "draws")).name.keep()
    )


def _adjusted(rows: pl.DataFrame) -> pl.DataFrame:
    """`p_adjusted` over the queries of each run."""
    tested = rows.filter(pl.col("p_value").is_not_null())
    parts = [
        some.select(*KEYS, p_adjusted=pl.Series(benjamini_hochberg(some["p_value"].to_numpy())))
        for some in tested.partition_by("run")
    ]
    known = pl.concat(parts) if parts else tested.select(*KEYS, p_adjusted="p_value")
    return rows.drop("p_adjusted", strict=False).join(known, on=KEYS, how="left")


# ---------------------------------------------------------------- by run
def _by_run(queries: pl.DataFrame, alpha: float) -> pl.DataFrame:
    """A row per run and measure."""
    summed = queries.group_by(GROUPS, maintain_order=True).agg(
        n_queries=pl.len().cast(pl.Int64),
        n_undefined=pl.col("p_value").null_count().cast(pl.Int64),
        n_beyond=pl.col("beyond_chance").sum().cast(pl.Int64),
        mean=pl.col("value").mean(),
        expected=pl.col("expected").mean(),
        gap=GAP.filter(
            pl.col("spread") > 0
        ).sum(),  # where chance can score one thing only, Z is not
        variance=(pl.col("spread") ** 2).sum(),
    )
    z = pl.when(pl.col("variance") > 0).then(pl.col("gap") / pl.col("variance").sqrt())
    scored = summed.with_columns(z=z).drop("gap", "variance")
    p = pl.Series(stats.norm.sf(scored["z"].to_numpy())).fill_nan(None)
    return scored.with_columns(p_value=p, better=p < alpha)
