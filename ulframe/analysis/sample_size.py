"""How many queries a comparison takes, and how small a difference so many can find.

Of the two-sided paired t-test: where the true mean of the differences is d standard deviations
from 0, t over n queries is noncentral with d sqrt(n). Sources: Webber, Moffat and Zobel 2008,
Statistical power in retrieval experimentation; Sakai 2016, Topic set size design. Discriminative
power, how many pairs a measure tells apart on the queries that there are, is another thing (see
`power`).
"""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy import optimize, stats

from ulframe.analysis.blocks import Block, Floats, blocks, rows_of, without_noise
from ulframe.analysis.paired import spread
from ulframe.analysis.significance import pairs_of
from ulframe.evaluation.summarise import Undefined
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike, as_lazy

ALPHA, POWER = 0.05, 0.8
LEAST = 2  # queries that a standard deviation takes
MANY = 10**6  # from which on the normal distribution is exact enough
NEAR = np.arange(-2, 7)  # about the normal approximation, in which the exact number lies

NEEDS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(["set", "measure", "run_a", "run_b"], pl.String),
    "n_queries": pl.Int64,
    **dict.fromkeys(["diff", "sd", "effect"], pl.Float64),
    "needed": pl.Int64,
    **dict.fromkeys(["detectable", "power"], pl.Float64),
}


def queries_needed(effect: float, *, alpha: float = ALPHA, power: float = POWER) -> int:
    """The fewest queries by which a paired t-test finds a difference of that size.

    `effect` is the mean of the differences in their standard deviations; `power` is the chance to
    find it, `alpha` the two-sided error level. Raises `BadUsage` for a level that is not between 0
    and 1, and for an effect of 0, which no number of queries finds.

    >>> queries_needed(0.2), queries_needed(0.5), queries_needed(0.8)
    (199, 34, 15)
    """
    _refuse_levels(alpha, power)
    if not abs(effect) > 0:
        raise BadUsage(f"effect={effect}: no number of queries finds a difference of 0")
    return int(_needed(np.array([effect]), alpha, power)[0])


def effect_detectable(queries: int, *, alpha: float = ALPHA, power: float = POWER) -> float:
    """The smallest difference, in standard deviations, that so many queries find.

    In and out as of `queries_needed`; raises `BadUsage` for fewer than two queries.

    >>> effect_detectable(199) <= 0.2 < effect_detectable(198)
    True
    """
    _refuse_levels(alpha, power)
    if queries < LEAST:
        raise BadUsage(f"queries={queries}: a paired t-test takes two at least")

    def lacking(effect: float) -> float:
        return float(power_of(np.array([queries]), np.array([effect]), alpha)[0]) - power

    high = 1.0
    while lacking(high) < 0:
        high *= 2
    return float(optimize.brentq(lacking, 0.0, high, xtol=1e-12))


def power_of(queries: Floats, effects: Floats, alpha: float) -> Floats:
    """The chance that a two-sided paired t-test over so many queries finds such effects."""
    freedom, shift = queries - 1, np.abs(effects) * np.sqrt(queries)
    limit = stats.t.ppf(1 - alpha / 2, freedom)
    below = np.nan_to_num(stats.nct.cdf(-limit, freedom, shift))  # no number where it is next to 0
    return np.asarray(stats.nct.sf(limit, freedom, shift) + below)


def sample_size(
    scores: FramesLike,
    *,
    baseline: str | None = None,
    sets: FramesLike | None = None,
    undefined: Undefined = "zero",
    alpha: float = ALPHA,
    power: float = POWER,
) -> pl.LazyFrame:
    """How many queries each pair of runs, or each run and the baseline, takes to be told apart.

    In: as `compare` takes them. Out, by set and measure as they come: `set, measure, run_a, run_b:
    String, n_queries: Int64`, those that all runs have; `diff, sd, effect: Float64`, the mean of
    the differences, their standard deviation and the ratio of the two; `needed: Int64`, how many
    queries find a difference of that size with that power; `detectable: Float64`, the smallest
    difference that `n_queries` find with it; `power`, the chance that they find this one. `needed`
    is null where the runs score alike, which no number tells apart; where the difference is the
    same on all queries, two queries are enough and `effect` is null.

    Raises `BadUsage` for a level that is not between 0 and 1, and what `compare` raises when it is
    collected.

    >>> scores = pl.DataFrame(
    ...     {
    ...         "run": ["a"] * 4 + ["b"] * 4,
    ...         "query_id": ["1", "2", "3", "4"] * 2,
    ...         "measure": "AP",
    ...         "score": [0.5, 0.75, 0.5, 0.25, 0.25, 0.25, 0.5, 0.25],
    ...     }
    ... )
    >>> sample_size(scores).select("diff", "sd", "needed").collect().rows()
    [(0.1875, 0.239..., 15)]
    """
    _refuse_levels(alpha, power)

    def found(rows: pl.DataFrame) -> pl.DataFrame:
        tables = list(blocks(rows))
        if max(len(block.queries) for block in tables) < LEAST:
            raise BadData("the power of a comparison takes two queries that all runs have")
        return pl.concat(_of_block(block, baseline, alpha, power) for block in tables)

    rows = rows_of(scores, sets=sets, undefined=undefined)
    return rows.map_batches(found, schema=NEEDS)


def needs_compared(needs: FramesLike, reference: str) -> pl.LazyFrame:
    """What each measure takes, and how that compares with a measure of reference.

    In: what `sample_size` gives. Out, by set and measure as they come: `set, measure: String,
    n_pairs: Int64, needed, detectable, times: Float64`: medians over pairs, `times` being that of
    the squared ratio of effects, which for all but few queries is the ratio of what is needed: 1.1
    means that the measure takes a tenth more queries than the reference. Pairs without an effect
    count in neither. Raises `BadUsage`, when collected, where the reference is no measure of these.

    >>> needs = pl.DataFrame(
    ...     {"set": "all", "measure": ["AP", "RR"], "run_a": "a", "run_b": "b"}
    ... ).with_columns(effect=pl.Series([0.5, 0.25]), needed=pl.Series([34, 128]), detectable=0.1)
    >>> needs_compared(needs, "AP").select("measure", "times").collect().rows()
    [('AP', 1.0), ('RR', 4.0)]
    """
    pairs = ["set", "run_a", "run_b"]

    def checked(rows: pl.DataFrame) -> pl.DataFrame:
        if reference not in rows["measure"]:
            there = ", ".join(rows["measure"].unique(maintain_order=True))
            raise BadUsage(f"no measure {reference!r} to compare with; there is {there}")
        return rows

    rows = as_lazy(needs, "effect").map_batches(checked)
    base = rows.filter(measure=reference).select(*pairs, of_reference="effect")
    ratio = (pl.col("of_reference") / pl.col("effect")).pow(2)
    both = rows.join(base, on=pairs, how="left", maintain_order="left").with_columns(
        times=pl.when(pl.col("effect") != 0).then(ratio)
    )
    return both.group_by("set", "measure", maintain_order=True).agg(
        n_pairs=pl.len().cast(pl.Int64),
        needed=pl.col("needed").median(),
        detectable=pl.col("detectable").median(),
        times=pl.col("times").filter(pl.col("of_reference") != 0).median(),
    )


# ---------------------------------------------------------------- the work
def _refuse_levels(alpha: float, power: float) -> None:
    if not 0 < alpha < 1 or not alpha < power < 1:
        raise BadUsage(f"alpha={alpha}, power={power}: 0 < alpha < power < 1")


def _needed(effects: Floats, alpha: float, power: float) -> Floats:
    """The queries that effects other than 0 take: looked for near the normal approximation."""
    quantiles = stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power)
    # that of the t-test takes about half the squared quantile more (Guenther 1981)
    near = (quantiles / np.abs(effects)) ** 2 + stats.norm.ppf(1 - alpha / 2) ** 2 / 2
    found = np.ceil(near)
    exact = near < MANY
    tried = np.maximum(np.floor(near[exact])[:, None] + NEAR, LEAST)
    enough = power_of(tried, effects[exact][:, None], alpha) >= power
    found[exact] = np.take_along_axis(tried, enough.argmax(axis=1)[:, None], axis=1)[:, 0]
    at_edge = np.flatnonzero(exact)[(enough[:, 0] & (tried[:, 0] > LEAST)) | ~enough.any(axis=1)]
    for place in at_edge:
        found[place] = _searched(abs(float(effects[place])), alpha, power)
    return np.asarray(found)


def _searched(effect: float, alpha: float, power: float) -> int:
    """The same by halving: for the few that are not near the approximation."""

    def enough(queries: int) -> bool:
        return bool(power_of(np.array([queries]), np.array([effect]), alpha)[0] >= power)

    high = LEAST
    while not enough(high):
        high *= 2
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _of_block(block: Block, baseline: str | None, alpha: float, power: float) -> pl.DataFrame:
    """One measure on one query set."""
    pairs, runs = pairs_of(block.runs, baseline), pl.Series(block.runs, dtype=pl.String)
    n, many = len(block.queries), len(pairs.a)
    d = without_noise(block.values[pairs.a] - block.values[pairs.b])
    known = n >= LEAST
    diff = d.mean(axis=1) if n else np.full(many, np.nan)
    sd = spread(d) if known else np.full(many, np.nan)
    varies = sd > 0
    effect = np.full(many, np.nan)
    effect[varies] = diff[varies] / sd[varies]
    needed = np.full(many, np.nan)
    needed[(sd == 0) & (diff != 0)] = LEAST
    other = varies & (diff != 0)
    needed[other] = _needed(effect[other], alpha, power)
    smallest = effect_detectable(n, alpha=alpha, power=power) if known else np.nan
    chance = np.where(sd == 0, np.where(diff == 0, alpha, 1.0), np.nan)
    chance[varies] = power_of(np.array([n]), effect[varies], alpha)
    numbers = {
        "diff": diff, "sd": sd, "effect": effect, "needed": needed,
        "detectable": smallest * sd, "power": chance,
    }  # fmt: skip
    names = {"set": block.set, "measure": block.measure}
    return pl.DataFrame(
        {
            **{name: pl.Series([value]).new_from_index(0, many) for name, value in names.items()},
            "run_a": runs[pairs.a],
            "run_b": runs[pairs.b],
            "n_queries": pl.Series([n]).new_from_index(0, many),
            **{name: pl.Series(values, nan_to_null=True) for name, values in numbers.items()},
        },
        schema_overrides=NEEDS,
    ).cast({"needed": pl.Int64})
