"""Where the differences between scores come from: runs, queries, and the rest.

Every run is scored on every query once, so what runs and queries do together is the error: a
two-way analysis of variance without replication, Tague-Sutcliffe and Blustein 1995, A statistical
analysis of the TREC-3 data. Tukey's test of all pairs on it is `compare(test="hsd")`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy import stats

from ulframe.analysis.blocks import Block, Floats, blocks, rows_of
from ulframe.analysis.significance import ALPHA
from ulframe.evaluation.summarise import Undefined
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike

ANOVA: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(["set", "measure", "source"], pl.String),
    "df": pl.Int64,
    **dict.fromkeys(["sum_of_squares", "mean_square", "F", "p_value", "omega_squared"], pl.Float64),
}
MIXED: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(["set", "measure", "run"], pl.String),
    **dict.fromkeys(["diff", "se", "p_value", "ci_low", "ci_high", "query_sd"], pl.Float64),
}


def anova(
    scores: FramesLike, *, sets: FramesLike | None = None, undefined: Undefined = "zero"
) -> pl.LazyFrame:
    """Part the variation of scores into that of runs, of queries, and the rest.

    In: as `compare` takes them. Out, by set and measure as they come, four rows each: `set,
    measure, source: String` (`runs`, `queries`, `error`, `total`), `df: Int64, sum_of_squares,
    mean_square, F, p_value, omega_squared: Float64`. F is over the error's mean square; `omega_
    squared` is the share of the variance that the runs, or the queries, account for, without the
    bias of the plain share. Null where they are not defined.

    Raises `BadData`, when collected, for fewer than two runs or two queries that all have, and what
    `compare` raises.

    >>> scores = pl.DataFrame(
    ...     {
    ...         "run": ["a", "a", "a", "b", "b", "b"],
    ...         "query_id": ["1", "2", "3"] * 2,
    ...         "measure": "AP",
    ...         "score": [0.5, 0.25, 0.75, 0.25, 0.25, 0.5],
    ...     }
    ... )
    >>> anova(scores).select("source", "df", pl.col("F").round(3)).collect().rows()
    [('runs', 1, 4.0), ('queries', 2, 7.0), ('error', 2, None), ('total', 5, None)]
    """

    def found(rows: pl.DataFrame) -> pl.DataFrame:
        tables = [row for block in blocks(rows) for row in _parted(block)]
        return pl.DataFrame(tables, schema=ANOVA, orient="row")

    return rows_of(scores, sets=sets, undefined=undefined).map_batches(found, schema=ANOVA)


def _parted(block: Block) -> Iterator[tuple[object, ...]]:
    values = _large_enough(block)
    m, n = values.shape
    centred = values - values.mean()
    total = float((centred**2).sum())
    of_runs = n * float((centred.mean(axis=1) ** 2).sum())
    of_queries = m * float((centred.mean(axis=0) ** 2).sum())
    error, freedom = max(total - of_runs - of_queries, 0.0), (m - 1) * (n - 1)
    noise = error / freedom
    for source, squares, df in (("runs", of_runs, m - 1), ("queries", of_queries, n - 1)):
        f = squares / df / noise if noise > 0 else None
        p = None if f is None else float(stats.f.sf(f, df, freedom))
        omega = (squares - df * noise) / (total + noise) if total + noise > 0 else None
        yield block.set, block.measure, source, df, squares, squares / df, f, p, omega
    yield block.set, block.measure, "error", freedom, error, noise, None, None, None
    yield block.set, block.measure, "total", m * n - 1, total, None, None, None, None


def mixed_model(
    scores: FramesLike,
    baseline: str,
    *,
    sets: FramesLike | None = None,
    undefined: Undefined = "zero",
    alpha: float = ALPHA,
) -> pl.LazyFrame:
    """Each run's difference from a baseline by a linear model with queries as random effects.

    `score ~ run + (1 | query)`, fitted by restricted maximum likelihood with statsmodels, the extra
    `mixed`. In: as `compare` takes them. Out, by set, measure and run: `set, measure, run: String,
    diff, se, p_value, ci_low, ci_high, query_sd: Float64`: the difference, its standard error, the
    two-sided p-value and interval at 1 - `alpha` by the normal distribution, and the standard
    deviation of queries. Every query has every run here, so that `diff` is that of the means.

    Raises `BadUsage` where statsmodels is not installed, or there is no such baseline; when
    collected, what `anova` raises.
    """
    try:
        from statsmodels.regression.mixed_linear_model import MixedLM
    except ImportError as error:
        raise BadUsage("a mixed model needs statsmodels: pip install 'ulframe[mixed]'") from error

    def found(rows: pl.DataFrame) -> pl.DataFrame:
        tables = [row for block in blocks(rows) for row in _fitted(block)]
        return pl.DataFrame(tables, schema=MIXED, orient="row")

    def _fitted(block: Block) -> Iterator[tuple[object, ...]]:
        values = _large_enough(block)
        if baseline not in block.runs:
            raise BadUsage(f"no run {baseline!r} to be the baseline; there is {block.runs[0]!r}")
        m, n = values.shape
        others = [at for at, run in enumerate(block.runs) if run != baseline]
        runs, queries = np.repeat(np.arange(m), n), np.tile(np.arange(n), m)
        design = np.column_stack([np.ones(m * n), *(runs == at for at in others)]).astype(float)
        fit = MixedLM(values.ravel(), design, groups=queries).fit(reml=True)
        ends = fit.conf_int(alpha)
        spread = float(np.sqrt(max(fit.cov_re[0][0], 0.0)))
        for at, run in enumerate(others, start=1):
            numbers = fit.fe_params[at], fit.bse_fe[at], fit.pvalues[at], *ends[at]
            yield block.set, block.measure, block.runs[run], *map(float, numbers), spread

    return rows_of(scores, sets=sets, undefined=undefined).map_batches(found, schema=MIXED)


def _large_enough(block: Block) -> Floats:
    m, n = block.values.shape
    if m < 2 or n < 2:
        raise BadData(
            "an analysis of variance takes two runs and two queries that all have, but "
            f"{block.set!r} has {m} and {n} with {block.measure}"
        )
    return block.values
