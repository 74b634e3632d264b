"""Discriminative power: how well a measure tells systems apart, from frames of pairs and means.

Measures that differ in their cutoff only are one family here, named without it: the paper counts
pairs x cutoffs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import numpy as np
import polars as pl

from ulframe.analysis.blocks import Block, blocks, rows_of, without_noise
from ulframe.analysis.means import checked_means
from ulframe.analysis.paired import CELLS, Settings, refuse_numbers
from ulframe.analysis.resampling import studentised
from ulframe.analysis.significance import ALPHA, SEED
from ulframe.evaluation.summarise import Undefined
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike, as_lazy
from ulframe.metrics.grammar import parse

_CUTOFF = re.compile(r"(?:@|_at_|_)([0-9]+[kK]?)(?=\)*$)")


def _cut(name: str) -> tuple[str, str | None]:
    """A measure without its cutoff, and that; what else stands behind @, a recall say, is none."""
    match = _CUTOFF.search(name)
    if match is None or _takes_none(name):
        return name, None
    return name[: match.start()] + name[match.end() :], match[1]


def _takes_none(name: str) -> bool:
    try:
        return parse(name).k is None
    except BadUsage:
        return False  # a name of the user's own


def _of_names(part: Callable[[str], str | None]) -> pl.Expr:
    def each(names: pl.Series) -> pl.Series:
        known = {name: part(name) for name in names.unique()}
        return names.replace_strict(known, return_dtype=pl.String)

    return pl.col("measure").map_batches(each, pl.String)


WITHOUT_CUTOFF = _of_names(lambda name: _cut(name)[0])
"""The measure without its cutoff: `V2(SP)` for `V2(SP@10)`, `P` for `P_10`."""

CUTOFF = _of_names(lambda name: _cut(name)[1])
TESTED = ["set", "test", "correction"]


def over_cutoffs(means: FramesLike) -> pl.LazyFrame:
    """Average means over cutoffs: a measure's `mean` at 5, 10 and 20 becomes one.

    In: `run, measure, mean` and possibly `set`. Out, as they come: the same, with the measure
    named without cutoff. A measure without one stays as it is.

    >>> means = pl.DataFrame(
    ...     {"run": "a", "set": "all", "measure": ["V2(SP@5)", "V2(SP@10)"], "mean": [0.5, 0.25]}
    ... )
    >>> over_cutoffs(means).collect().rows()
    [('a', 'all', 'V2(SP)', 0.375)]
    """
    frame = as_lazy(means, "mean")
    keys = [name for name in ("run", "set") if name in frame.collect_schema()]
    return frame.group_by(*keys, WITHOUT_CUTOFF, maintain_order=True).agg(pl.col("mean").mean())


def significant_pairs(pairs: FramesLike) -> pl.LazyFrame:
    """How many pairs each measure tells apart, all its cutoffs together.

    In: a frame of pairs. Out, as they come: `set, test, correction, measure: String, n_significant,
    n_pairs: Int64`, the measure without cutoff. Pairs that could not be tested do not count.
    """
    return (
        as_lazy(pairs, "p_value")
        .drop_nulls("significant")
        .group_by(*TESTED, WITHOUT_CUTOFF, maintain_order=True)
        .agg(
            n_significant=pl.col("significant").sum().cast(pl.Int64),
            n_pairs=pl.len().cast(pl.Int64),
        )
    )


def conflicts(pairs: FramesLike) -> pl.LazyFrame:
    """On how many pairs of runs two measures decide differently, at the same cutoff.

    They do where one finds the pair significant and the other does not, or both do in opposite
    directions. In: a frame of pairs. Out, measures without cutoff and as they come: `set, test,
    correction, measure_a, measure_b: String, n_conflicts, n_opposite, n_pairs: Int64`.
    """
    keys = [*TESTED, "cutoff", "run_a", "run_b"]
    frame = (
        as_lazy(pairs, "p_value")
        .drop_nulls("significant")
        .select(
            *TESTED, "run_a", "run_b", "significant", "diff",
            measure=WITHOUT_CUTOFF, cutoff=CUTOFF.fill_null(""),
        )
        .with_row_index("place")
        .with_columns(pl.col("place").min().over("measure"))
    )  # fmt: skip
    apart = pl.col("significant") != pl.col("significant_b")
    opposite = (
        pl.col("significant") & pl.col("significant_b") & (pl.col("diff") * pl.col("diff_b") < 0)
    )
    return (
        frame.join(frame, on=keys, suffix="_b", maintain_order="left_right")
        .filter(pl.col("place") < pl.col("place_b"))
        .group_by(*TESTED, pl.col("measure").alias("measure_a"), "measure_b", maintain_order=True)
        .agg(
            n_conflicts=(apart | opposite).sum().cast(pl.Int64),
            n_opposite=opposite.sum().cast(pl.Int64),
            n_pairs=pl.len().cast(pl.Int64),
        )
    )


def asl_curve(pairs: FramesLike) -> pl.LazyFrame:
    """The achieved significance levels in order: the lower a measure's curve, the sharper it is.

    Sakai 2006. In: a frame of pairs. Out, by set, test and measure as they come: `set, test,
    correction, measure: String, place: Int64` (1 the smallest p), `share: Float64` of the pairs up
    to there, `p_value: Float64`.
    """
    keys = [*TESTED, "measure"]
    place = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(keys)
    return (
        as_lazy(pairs, "p_value")
        .drop_nulls("p_value")
        .with_row_index("block")
        .with_columns(pl.col("block").min().over(keys))
        .sort("block", "p_value")
        .with_columns(place=place)
        .select(*keys, "place", share=pl.col("place") / pl.len().over(keys), p_value="p_value")
    )


def pad(means: FramesLike, *, nonpositive: Nonpositive = "null") -> pl.LazyFrame:
    """Percentage absolute difference: how far apart a measure puts runs, relative to their means.

    The paper's equation 8: the mean over all pairs of |a - b| / max(a, b), in percent. In: `run,
    measure, mean` and possibly `set`. Out, as they come: `set, measure: String, pad: Float64,
    n_pairs, n_nonpositive: Int64`, the last counting the pairs whose larger mean is not positive,
    which V2's may be. Relative to it a difference means nothing, so these are left out of `pad`
    and of `n_pairs`; `nonpositive="keep"` takes the equation literally, as the paper's tables did
    (a maximum of 0 is left out even then). Raises `BadUsage` for another word, and what
    `checked_means` does.

    >>> means = pl.DataFrame({"run": ["a", "b"], "measure": "AP", "mean": [0.5, 0.25]})
    >>> pad(means).collect().rows()
    [('all', 'AP', 50.0, 1, 0)]
    """
    if nonpositive not in KEPT:
        raise BadUsage(f"nonpositive={nonpositive!r} is not one of {', '.join(KEPT)}")
    rows = checked_means(means).drop_nulls()
    larger = pl.max_horizontal("mean", "mean_b")
    difference = (pl.col("mean") - pl.col("mean_b")).abs() / pl.col("larger") * 100
    return (
        rows.join(rows, on=["set", "measure"], suffix="_b", maintain_order="left")
        .filter(pl.col("run") < pl.col("run_b"))
        .with_columns(larger=larger)
        .with_columns(pad=pl.when(KEPT[nonpositive]).then(difference))
        .group_by("set", "measure", maintain_order=True)
        .agg(
            pl.col("pad").mean(),
            n_pairs=pl.col("pad").count().cast(pl.Int64),
            n_nonpositive=(pl.col("larger") <= 0).sum().cast(pl.Int64),
        )
    )


Nonpositive = Literal["null", "keep"]
KEPT: dict[Nonpositive, pl.Expr] = {"null": pl.col("larger") > 0, "keep": pl.col("larger") != 0}
"""Which pairs have a percentage, by the name of the option `nonpositive`."""

NEEDED: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(["set", "measure"], pl.String),
    **dict.fromkeys(["difference", "typical"], pl.Float64),
    "n_pairs": pl.Int64,
}


def difference_needed(
    scores: FramesLike,
    *,
    sets: FramesLike | None = None,
    undefined: Undefined = "zero",
    alpha: float = ALPHA,
    resamples: int = 1000,
    seed: int = SEED,
) -> pl.LazyFrame:
    """The difference between two means that it takes to be significant at `alpha`.

    Sakai 2006, algorithm 2, on the studentised bootstrap: for each pair, the mean of the resample
    whose t is the one just significant. In: as `compare`. Out, by set and measure as they come:
    `set, measure: String, difference: Float64`, the largest over all pairs, which Sakai takes, so
    that it is enough for any, `typical: Float64`, their median, and `n_pairs: Int64`. Null where
    there are fewer than two queries, or all differences are constant. Raises what `compare` does.
    """
    refuse_numbers(alpha, resamples, seed)
    settings = Settings(alpha, resamples, seed, lambda n: None)

    def needed(rows: pl.DataFrame) -> pl.DataFrame:
        found = [_needed(block, settings) for block in blocks(rows)]
        return pl.DataFrame(found, schema=NEEDED, orient="row")

    return rows_of(scores, sets=sets, undefined=undefined).map_batches(needed, schema=NEEDED)


def _needed(block: Block, settings: Settings) -> tuple[str, str, float | None, float | None, int]:
    a, b = np.triu_indices(len(block.runs), 1)
    chunks = np.array_split(np.arange(len(a)), len(a) * settings.resamples // CELLS + 1)
    place = settings.resamples - max(1, int(settings.alpha * settings.resamples))
    found = []
    for chunk in chunks:
        d = without_noise(block.values[a[chunk]] - block.values[b[chunk]])
        d = d[np.ptp(d, axis=1) > 0]
        if not d.size:
            continue
        squares, means = studentised(d, settings)
        at = np.argpartition(squares, place, axis=0)[place]
        found.append(np.abs(means[at, np.arange(len(d))]))
    if not found:
        return block.set, block.measure, None, None, 0
    each = np.concatenate(found)
    return block.set, block.measure, float(each.max()), float(np.median(each)), len(each)
