"""How alike two rankings of the same things are: Kendall's tau and the AP correlation.

The functions take two sequences of numbers, one a thing, higher being better, as two measures'
means of the same systems are. Numbers that agree to 12 digits are ties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl
from scipy import stats

from ulframe.analysis.blocks import Block, Floats, blocks, rows_of, without_noise
from ulframe.analysis.means import checked_means
from ulframe.evaluation.summarise import Undefined
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike

Numbers = Sequence[float] | Floats


def tau_a(x: Numbers, y: Numbers) -> float:
    """Kendall's tau-a: pairs in the same order less pairs in opposite order, over all pairs.

    In [-1, 1]; a pair tied in either counts as neither. Raises `BadData` for sequences of unequal
    length, of fewer than two things, or with a number that is none.

    >>> tau_a([3, 2, 1], [3, 1, 2])
    0.333...
    """
    x, y = _checked(x, y)
    return float(np.sum(_signs(x) * _signs(y))) / (len(x) * (len(x) - 1))


def tau_b(x: Numbers, y: Numbers) -> float | None:
    """Kendall's tau-b: as tau-a, over the pairs that are not tied; None where all are tied in one.

    >>> tau_b([4, 3, 2, 1], [4, 3, 1, 2])
    0.666...
    """
    x, y = _checked(x, y)
    tau = float(stats.kendalltau(x, y, variant="b").statistic)
    return None if np.isnan(tau) else tau


def tau_ap(x: Numbers, y: Numbers) -> float:
    """AP correlation: as Kendall's tau, but errors near the top of `y` weigh more.

    In [-1, 1]. `x` is the truth and `y` the ranking judged by it; swapped they give another value.
    Yilmaz, Aslam and Robertson 2008. Raises `BadData` where there are ties; see `tau_ap_a` and
    `tau_ap_b`.

    >>> tau_ap([3, 2, 1], [3, 1, 2]), tau_ap([3, 2, 1], [2, 3, 1])
    (0.5, 0.0)
    """
    _, y = _checked(x, y)
    _no_ties(y, "the judged ranking has ties; tau_ap_a and tau_ap_b take them")
    return tau_ap_a(x, y)


def tau_ap_a(x: Numbers, y: Numbers) -> float:
    """AP correlation with a truth `x` without ties: the mean over all ways to order ties in `y`.

    Urbano and Marrero 2017, for accuracy. Raises `BadData` where `x` has ties.

    >>> tau_ap_a([3, 2, 1], [2, 1, 1]) == (tau_ap([3, 2, 1], [3, 2, 1]) + 0.5) / 2
    True
    """
    x, y = _checked(x, y)
    _no_ties(x, "the true ranking has ties; tau_ap_b takes them")
    above, concordant = _above(x, y)
    tied = np.sum(y[:, None] == y[None, :], axis=1)
    found = 0.0
    for before, agreeing, size in zip(above, concordant, tied, strict=True):  # of each thing
        inside = np.arange(size)  # how many of those tied with it may stand before it
        there = before + inside
        share = (agreeing + inside / 2) / np.maximum(there, 1)
        found += float(np.sum(share[there > 0])) / int(size)
    return 2 * found / (len(x) - 1) - 1


def tau_ap_b(x: Numbers, y: Numbers) -> float | None:
    """AP correlation of two rankings of which none is the truth; both may have ties.

    The mean of both directions, each over the things that are not tied at the top; None where all
    are tied in one. Urbano and Marrero 2017, for agreement.

    >>> tau_ap_b([3, 2, 1], [3, 1, 2])
    0.5
    """
    x, y = _checked(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return (_untied_ap(x, y) + _untied_ap(y, x)) / 2


def tau_w(x: Numbers, y: Numbers) -> float | None:
    """Weighted tau: a swap weighs 1 / (rank + 1) of both its things, so that the top counts most.

    Ranks are those of `x` and of `y` in turn, and the mean is taken. Vigna 2015, A weighted
    correlation index for rankings with ties; computed by scipy. None where all are tied in one.

    >>> tau_w([4, 3, 2, 1], [4, 3, 1, 2]) > tau_w([4, 3, 2, 1], [3, 4, 2, 1])
    True
    """
    x, y = _checked(x, y)
    tau = float(stats.weightedtau(x, y).statistic)
    return None if np.isnan(tau) else tau


def tau_missing(x: Mapping[str, float], y: Mapping[str, float]) -> float | None:
    """Kendall's tau-b of two rankings of which each may lack systems that the other has.

    In: what each system scored, by its name. A system that is missing stands tied behind all that
    are there, as in a list of the best few. None where all are tied in one.

    >>> tau_missing({"a": 3, "b": 2, "c": 1}, {"a": 3, "b": 2})
    1.0
    >>> tau_missing({"a": 2, "b": 1}, {"a": 2, "c": 1})
    0.333...
    """
    names = sorted({*x, *y})
    sides = []
    for side in (x, y):
        behind = min(side.values(), default=0.0) - 1
        sides.append([side.get(name, behind) for name in names])
    return tau_b(*sides)


def agreement_intervals(
    scores: FramesLike,
    *,
    sets: FramesLike | None = None,
    undefined: Undefined = "zero",
    resamples: int = 1000,
    seed: int = 0,
) -> pl.LazyFrame:
    """How sure it is how alike every two measures rank the runs: tau over resampled queries.

    In: `scores` as `compare` takes them. Out, measures as they come: `set, measure_a, measure_b:
    String, n_queries: Int64, tau_b, low, high: Float64`: tau-b of the runs' means, and the 2.5 and
    97.5 % percentiles of it over bootstrap samples of the queries that all runs have, the same for
    both measures. Null where all runs are tied; a resample in which they are counts as 0.

    Raises what `compare` does, and `BadUsage` for fewer than one resample.

    >>> import ulframe as ul
    >>> scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), ["nDCG@10", "RR"])
    >>> found = agreement_intervals(scores, resamples=200).collect()
    >>> found["low"].item() < found["tau_b"].item() < found["high"].item()
    True
    """
    if resamples < 1:
        raise BadUsage(f"resamples={resamples}: at least 1")

    def found(rows: pl.DataFrame) -> pl.DataFrame:
        tables: dict[str, list[Block]] = {}
        for block in blocks(rows):
            tables.setdefault(block.set, []).append(block)
        told = [
            (name, a.measure, b.measure, *_resampled(a, b, resamples, seed))
            for name, some in tables.items()
            for a, b in combinations(some, 2)
        ]
        return pl.DataFrame(told, schema=INTERVALS, orient="row")

    return rows_of(scores, sets=sets, undefined=undefined).map_batches(found, schema=INTERVALS)


INTERVALS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(["set", "measure_a", "measure_b"], pl.String),
    "n_queries": pl.Int64,
    **dict.fromkeys(["tau_b", "low", "high"], pl.Float64),
}


def _resampled(
    a: Block, b: Block, resamples: int, seed: int
) -> tuple[int, float | None, float | None, float | None]:
    """How many queries, tau of the means, and its interval, of the runs that both have."""
    runs = [run for run in a.runs if run in b.runs]
    queries = [query for query in a.queries if query in b.queries]
    values = [
        block.values[np.ix_([block.runs.index(run) for run in runs],
                            [block.queries.index(query) for query in queries])]
        for block in (a, b)
    ]  # fmt: skip
    if len(runs) < 2 or not queries:
        return len(queries), None, None, None
    tau = tau_b(*(one.mean(axis=1) for one in values))
    random = np.random.default_rng(seed)
    drawn = random.integers(len(queries), size=(resamples, len(queries)))
    taus = [tau_b(*(one[:, some].mean(axis=1) for one in values)) or 0.0 for some in drawn]
    low, high = np.quantile(taus, [0.025, 0.975])
    return len(queries), tau, *((None, None) if tau is None else (float(low), float(high)))


def agreement(means: FramesLike) -> pl.LazyFrame:
    """How alike every two measures rank the runs.

    In: `run, measure, mean` and possibly `set`, as `summarise` and `means` give them. Out, measures
    as they come: `set, measure_a, measure_b: String, n_runs: Int64, tau_a, tau_b, tau_ap_b:
    Float64`, over the runs that have both means; null where there are fewer than two, or all tied.
    Raises what `checked_means` does.

    >>> import ulframe as ul
    >>> scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), ["nDCG@10", "V2(SP@10)"])
    >>> agreement(ul.means(scores)).select("measure_a", "measure_b", "n_runs").collect().rows()
    [('nDCG@10', 'V2(SP@10)', 8)]
    """
    return checked_means(means).map_batches(_agreement, schema=AGREEMENT)


AGREEMENT: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(["set", "measure_a", "measure_b"], pl.String),
    "n_runs": pl.Int64,
    **dict.fromkeys(["tau_a", "tau_b", "tau_ap_b"], pl.Float64),
}


def _agreement(means: pl.DataFrame) -> pl.DataFrame:
    rows = []
    for (name,), part in means.group_by("set", maintain_order=True):
        table = part.pivot("measure", index="run", values="mean", maintain_order=True).drop("run")
        for a, b in combinations(table.columns, 2):
            both = table.select(a, b).drop_nulls()
            x, y = (both[column].to_numpy() for column in (a, b))
            taus = [tau(x, y) for tau in (tau_a, tau_b, tau_ap_b)] if len(x) > 1 else [None] * 3
            rows.append((name, a, b, len(x), *taus))
    return pl.DataFrame(rows, schema=AGREEMENT, orient="row")


def _above(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """For each thing, how many stand above it in `y`, and how many of these in `x` too."""
    above = y[None, :] > y[:, None]
    return above.sum(axis=1), (above & (x[None, :] > x[:, None])).sum(axis=1)


def _untied_ap(x: Floats, y: Floats) -> float:
    above, concordant = _above(x, y)
    below_top = above > 0
    return float(np.mean(concordant[below_top] / above[below_top])) * 2 - 1


def _no_ties(x: Floats, otherwise: str) -> None:
    if len(np.unique(x)) < len(x):
        raise BadData(otherwise)


def _signs(x: Floats) -> Floats:
    """Of each pair of things, whether the first is better (1), worse (-1) or tied (0)."""
    return np.sign(x[:, None] - x[None, :])


def _checked(x: Numbers, y: Numbers) -> tuple[Floats, Floats]:
    try:
        first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadData(f"a correlation takes two sequences of numbers: {error}") from error
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise BadData(
            "a correlation takes two sequences of equally many things, at least two, "
            f"not {first.shape} and {second.shape}"
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise BadData("a correlation takes finite numbers only")
    return without_noise(first), without_noise(second)
