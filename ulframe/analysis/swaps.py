"""Swap rates: how often two sets of queries put the same two runs in opposite order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from ulframe.analysis.blocks import Block, Floats, blocks, rows_of, without_noise
from ulframe.analysis.means import checked_means
from ulframe.analysis.paired import CELLS
from ulframe.evaluation.summarise import Undefined
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike, as_lazy

BINS = tuple(i / 100 for i in range(21))
"""Where the bins of differences begin: 0, 0.01, ..., 0.20; the last has no end."""

SPLITS = 1000
SWAPS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(["set", "measure"], pl.String),
    **dict.fromkeys(["at_least", "below"], pl.Float64),
    **dict.fromkeys(["n_compared", "n_swapped"], pl.Int64),
    "swap_rate": pl.Float64,
}


def swap_rate(first: FramesLike, second: FramesLike) -> pl.LazyFrame:
    """Of all pairs of runs, the share whose order differs between two data sets or query sets.

    The paper's. In: two frames with `run, measure, mean`, of one query set each; what counts are
    the runs and measures that both have. Out, by measure: `measure: String, n_pairs, n_swapped:
    Int64, swap_rate: Float64`. A pair that is tied in one of them is not swapped. Raises, when
    collected, what `checked_means` does, and `BadData` for means of several sets.

    >>> first = pl.DataFrame({"run": ["a", "b", "c"], "measure": "AP", "mean": [0.3, 0.2, 0.1]})
    >>> second = pl.DataFrame({"run": ["a", "b", "c"], "measure": "AP", "mean": [0.3, 0.4, 0.2]})
    >>> swap_rate(first, second).collect().rows()
    [('AP', 3, 1, 0.333...)]
    """
    one, two = (
        checked_means(means)
        .map_batches(_of_one_set)
        .select("run", "measure", pl.col("mean").round(12).alias(name))
        for means, name in ((first, "one"), (second, "two"))
    )
    both = one.join(two, on=["run", "measure"]).drop_nulls()
    swapped = (pl.col("one") - pl.col("one_b")) * (pl.col("two") - pl.col("two_b")) < 0
    return (
        both.join(both, on="measure", suffix="_b")
        .filter(pl.col("run") < pl.col("run_b"))
        .group_by("measure")
        .agg(n_pairs=pl.len().cast(pl.Int64), n_swapped=swapped.sum().cast(pl.Int64))
        .with_columns(swap_rate=pl.col("n_swapped") / pl.col("n_pairs"))
        .sort("measure")
    )


def _of_one_set(means: pl.DataFrame) -> pl.DataFrame:
    names = means["set"].unique(maintain_order=True).to_list()
    if len(names) > 1:
        raise BadData(
            f"a swap rate is between two query sets, but one frame has the sets "
            f"{', '.join(map(repr, names))}: choose one with filter"
        )
    return means


def split_swaps(
    scores: FramesLike,
    *,
    sets: FramesLike | None = None,
    undefined: Undefined = "zero",
    splits: int = SPLITS,
    seed: int = 0,
    bins: Sequence[float] = BINS,
    progress: Callable[[float], None] = lambda share: None,
) -> pl.LazyFrame:
    """Swap rates by size of difference, over random splits of the queries into disjoint halves.

    Voorhees and Buckley 2002; Sakai 2006. In: as `compare`. Each split compares every pair of runs
    on one half; the difference there tells the bin, and the pair is swapped where the other half
    puts it in opposite order. Out, by set and measure as they come, a row per bin: `set, measure:
    String, at_least, below: Float64` (the bin; the last has no end, null), `n_compared, n_swapped:
    Int64, swap_rate: Float64`, null where nothing was compared.

    Halves have n // 2 queries each. Raises `BadUsage` for bins that do not rise from 0, for no
    splits, or for a seed below 0.
    """
    edges = np.asarray(bins, dtype=np.float64)
    if splits < 1 or len(edges) == 0 or edges[0] != 0 or (np.diff(edges) <= 0).any():
        raise BadUsage(f"splits={splits}, bins={list(bins)}: at least one, and rising from 0")
    if seed < 0:
        raise BadUsage(f"seed={seed} is below 0")

    def swaps(rows: pl.DataFrame) -> pl.DataFrame:
        tables = list(blocks(rows))
        found = [pl.DataFrame(schema=SWAPS)]
        for done, block in enumerate(tables, start=1):
            found.append(_split_swaps(block, edges, splits, seed))
            progress(done / len(tables))
        return pl.concat(found)

    return rows_of(scores, sets=sets, undefined=undefined).map_batches(swaps, schema=SWAPS)


def difference_for(swaps: FramesLike, rate: float = 0.05) -> pl.LazyFrame:
    """The smallest difference that, from there on, is swapped in at most `rate` of the cases.

    In: what `split_swaps` gives. Out, by set and measure as they come: `set, measure: String,
    difference: Float64`, null where no bin is so sure, and `share: Float64` of all comparisons
    that differ by as much: the more, the better the measure tells systems apart (Sakai 2006). It is
    null where nothing was compared.

    >>> swaps = pl.DataFrame(
    ...     {
    ...         "set": "all",
    ...         "measure": "AP",
    ...         "at_least": [0.0, 0.01, 0.02],
    ...         "n_compared": [50, 30, 20],
    ...         "swap_rate": [0.4, 0.05, 0.0],
    ...     }
    ... )
    >>> difference_for(swaps).collect().rows()
    [('all', 'AP', 0.01, 0.5)]
    """
    keys = ["set", "measure"]
    worst = pl.col("swap_rate").fill_null(0.0).cum_max(reverse=True).over(keys)
    compared = pl.col("n_compared")
    return (
        as_lazy(swaps, "swap_rate")
        .with_columns(sure=(worst <= rate) & (compared > 0))
        .group_by(keys, maintain_order=True)
        .agg(
            difference=pl.col("at_least").filter("sure").min(),
            share=pl.when(compared.sum() > 0).then(compared.filter("sure").sum() / compared.sum()),
        )
    )


def _split_swaps(block: Block, edges: Floats, splits: int, seed: int) -> pl.DataFrame:
    compared, swapped = np.zeros((2, len(edges)), dtype=np.int64)
    m, n = block.values.shape
    a, b = np.triu_indices(m, 1)
    rng = np.random.default_rng(seed)
    step = max(1, CELLS // max(len(a), n, 1))
    for start in range(0, splits if n > 1 else 0, step):
        halves = _halves(rng, min(step, splits - start), n)
        first, second = (without_noise(half @ block.values.T) for half in halves)
        d, other = (without_noise(means[:, a] - means[:, b]) for means in (first, second))
        bins = np.searchsorted(edges, np.abs(d).ravel(), side="right") - 1
        compared += np.bincount(bins, minlength=len(edges))
        swapped += np.bincount(bins[(d * other < 0).ravel()], minlength=len(edges))
    return pl.DataFrame(
        {
            "set": pl.Series([block.set]).new_from_index(0, len(edges)),
            "measure": pl.Series([block.measure]).new_from_index(0, len(edges)),
            "at_least": edges,
            "below": [*edges[1:], None],
            "n_compared": compared,
            "n_swapped": swapped,
        },
        schema_overrides=SWAPS,
    ).with_columns(
        swap_rate=pl.when(pl.col("n_compared") > 0).then(pl.col("n_swapped") / pl.col("n_compared"))
    )


def _halves(rng: np.random.Generator, splits: int, n: int) -> tuple[Floats, Floats]:
    """Weights of the mean over one half of n queries and over another, a row per split."""
    order = rng.permuted(np.tile(np.arange(n), (splits, 1)), axis=1)
    size = n // 2
    return (order < size) / size, ((order >= size) & (order < 2 * size)) / size
