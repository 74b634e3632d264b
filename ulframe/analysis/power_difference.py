"""Does one measure tell more pairs of runs apart than another? By bootstrap over queries.

A number of significant pairs is an estimate: other queries would have given another one. Here the
queries are drawn anew with replacement, all measures on the same draws, and every pair is tested
again on each draw; how the difference of two measures' numbers varies is its interval.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np
import polars as pl

from ulframe.analysis.blocks import Block, Floats, blocks, rows_of
from ulframe.analysis.corrections import Correction
from ulframe.analysis.paired import Settings, refuse_numbers
from ulframe.analysis.power import TESTED, WITHOUT_CUTOFF
from ulframe.analysis.procedures import Test
from ulframe.analysis.resampling import draws
from ulframe.analysis.retests import RETESTS, numbers_found
from ulframe.analysis.significance import ALPHA, SEED, correction_for, one_of, pairs_of
from ulframe.evaluation.summarise import Undefined
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FrameLike, as_lazy

RESAMPLES, LEVEL = 1000, 0.95
POWERS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys([*TESTED, "measure"], pl.String),
    **dict.fromkeys(["resample", "n_significant", "n_pairs"], pl.Int64),
}
"""The frame of resampled powers: its columns and their types."""


def resampled_power(
    scores: FrameLike,
    *,
    test: Test = "t",
    correction: Correction | None = None,
    baseline: str | None = None,
    sets: FrameLike | None = None,
    undefined: Undefined = "zero",
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> pl.LazyFrame:
    """How many pairs each measure tells apart, on the queries and on resamples of them.

    In: as `compare`, with `test` one of `t`, `sign` and `hsd`: the others draw or rank anew for
    every pair, which is too much to be done on every resample. Out, by set and measure as they
    come: `set, test, correction, measure: String, resample, n_significant, n_pairs: Int64`.
    Resample 0 is the queries as they are, and its number that of `compare`. All measures of a set
    see the same resamples; a query that a measure is not compared on is left out of each for it.
    A measure with fewer than two queries has no rows. Raises what `compare` does, and `BadUsage`
    for another test.
    """
    retest = one_of("test", test, RETESTS)
    named = correction_for(test, correction)
    refuse_numbers(alpha, resamples, seed)
    settings = Settings(alpha, resamples, seed, lambda n: None)

    def counted(rows: pl.DataFrame) -> pl.DataFrame:
        tables = [block for block in blocks(rows) if block.values.shape[1] > 1]
        found = [pl.DataFrame(schema=POWERS)]
        for _, alike in groupby(tables, key=lambda block: block.set):
            of_set = list(alike)
            drawn_from = sorted({query for block in of_set for query in block.queries})
            for block in of_set:
                pairs = pairs_of(block.runs, baseline)
                numbers = [
                    numbers_found(retest, named, block.values, pairs, weights, alpha)
                    for weights in _weights(block, drawn_from, settings)
                ]
                found.append(
                    pl.DataFrame({"n_significant": np.concatenate(numbers)})
                    .with_row_index("resample")
                    .with_columns(
                        set=pl.lit(block.set), test=pl.lit(test), correction=pl.lit(named),
                        measure=pl.lit(block.measure), n_pairs=len(pairs.a),
                    )
                    .select(pl.col(name).cast(kind) for name, kind in POWERS.items())
                )  # fmt: skip
        return pl.concat(found)

    return rows_of(scores, sets=sets, undefined=undefined).map_batches(counted, schema=POWERS)


def _weights(block: Block, drawn_from: list[str], settings: Settings) -> Iterator[Floats]:
    """How often each query of the block is in the queries themselves, then in each resample."""
    at = np.searchsorted(drawn_from, block.queries)
    yield np.ones((1, len(at)))
    for weights in draws(len(drawn_from), settings):
        yield weights[:, at]


def powers_over_cutoffs(powers: FrameLike) -> pl.LazyFrame:
    """Add up powers over cutoffs, as `significant_pairs` does: `nDCG` is `nDCG@5` and `nDCG@10`.

    In and out: what `resampled_power` gives, measures named without their cutoff.
    """
    return (
        as_lazy(powers, "n_significant")
        .group_by(*TESTED, WITHOUT_CUTOFF, "resample", maintain_order=True)
        .agg(pl.col("n_significant", "n_pairs").sum())
    )


def power_difference(powers: FrameLike, *, level: float = LEVEL) -> pl.LazyFrame:
    """How many more pairs one measure tells apart than another, with an interval.

    In: what `resampled_power` gives. Out, for every two measures that were tried on as many pairs,
    in the order in which they come: `set, test, correction, measure_a, measure_b: String, n_a, n_b,
    n_pairs, difference: Int64, low, high: Float64`. `difference` is `n_b - n_a`; from `low` to
    `high` is the percentile interval over the resamples, at `level`. Where it holds 0, the queries
    do not tell which of the two measures has more power. It need not lie around `difference`: in
    resamples queries repeat, so that more pairs are significant there. Raises `BadUsage` unless
    0 < `level` < 1.

    >>> import ulframe as ul
    >>> scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), ["nDCG@10", "V2(DCG@10)"])
    >>> found = power_difference(resampled_power(scores, test="hsd")).collect()
    >>> found.select("measure_b", "n_a", "n_b", "n_pairs", "difference").rows()
    [('V2(DCG@10)', 15, 13, 28, -2)]
    """
    if not 0 < level < 1:
        raise BadUsage(f"level={level}: 0 < level < 1")
    frame = as_lazy(powers, "n_significant").with_row_index("place")
    frame = frame.with_columns(pl.col("place").min().over(*TESTED, "measure"))
    observed, drawn = pl.col("resample") == 0, pl.col("resample") > 0
    more = pl.col("n_significant_b") - pl.col("n_significant")
    return (
        frame.join(
            frame, on=[*TESTED, "resample", "n_pairs"], suffix="_b", maintain_order="left_right"
        )
        .filter(pl.col("place") < pl.col("place_b"))
        .group_by(*TESTED, pl.col("measure").alias("measure_a"), "measure_b", maintain_order=True)
        .agg(
            n_a=pl.col("n_significant").filter(observed).first(),
            n_b=pl.col("n_significant_b").filter(observed).first(),
            n_pairs=pl.col("n_pairs").first(),
            difference=more.filter(observed).first(),
            low=more.filter(drawn).quantile((1 - level) / 2, "linear"),
            high=more.filter(drawn).quantile((1 + level) / 2, "linear"),
        )
    )
