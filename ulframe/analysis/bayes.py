"""What is likely of the difference of two runs: better, worse, or practically the same.

The Bayesian signed-rank test of Benavoli, Corani, Demsar and Zaffalon 2017, Time for a change: a
tutorial for comparing multiple classifiers through Bayesian analysis. A p-value tells how odd the
data would be, were there no difference; these are the chances of the three themselves.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from ulframe.analysis.blocks import Block, Floats, blocks, rows_of, without_noise
from ulframe.analysis.significance import SEED, pairs_of
from ulframe.evaluation.summarise import Undefined
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike

SAMPLES = 10_000
ROPE = 0.01  # what makes no difference in practice, in the measure's unit
PRIOR = 0.5  # the weight of one difference of 0 beside those observed
CELLS = 4_000_000  # weights and sums that are held at once

BAYES: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(["set", "measure", "run_a", "run_b"], pl.String),
    "n_queries": pl.Int64,
    **dict.fromkeys(["diff", "a_better", "same", "b_better"], pl.Float64),
}


def bayes(
    scores: FramesLike,
    *,
    rope: float = ROPE,
    baseline: str | None = None,
    sets: FramesLike | None = None,
    undefined: Undefined = "zero",
    samples: int = SAMPLES,
    seed: int = SEED,
) -> pl.LazyFrame:
    """The chances that a run is better than another, practically the same, and worse.

    In: as `compare` takes them; `rope`, the region of practical equivalence: a difference no larger
    makes none. Out, by set and measure as they come: `set, measure, run_a, run_b: String,
    n_queries: Int64, diff, a_better, same, b_better: Float64`; `diff` is the mean of a less that of
    b, the three chances add up to 1.

    By the signed-rank test: differences have Dirichlet-distributed weights, with one of 0 that
    weighs half as much as the prior; what is compared is how the means of pairs of differences lie.
    The chances are shares of `samples` draws, seeded.

    Raises `BadUsage` for a rope below 0 or fewer than one sample, and what `compare` raises.

    >>> scores = pl.DataFrame(
    ...     {
    ...         "run": ["a"] * 9 + ["b"] * 9,
    ...         "query_id": list("123456789") * 2,
    ...         "measure": "AP",
    ...         "score": [0.5] * 9 + [0.25] * 8 + [0.5],
    ...     }
    ... )
    >>> bayes(scores).select(pl.col("a_better", "b_better").round(1)).collect().rows()
    [(1.0, 0.0)]
    """
    if not rope >= 0 or samples < 1:
        raise BadUsage(f"rope={rope}, samples={samples}: rope is 0 or more, samples 1 or more")

    def found(rows: pl.DataFrame) -> pl.DataFrame:
        parts = [row for block in blocks(rows) for row in _of_block(block)]
        return pl.DataFrame(parts, schema=BAYES, orient="row")

    def _of_block(block: Block) -> list[tuple[object, ...]]:
        pairs = pairs_of(block.runs, baseline)
        told: list[tuple[object, ...]] = []
        for a, b in zip(pairs.a, pairs.b, strict=True):
            diffs = without_noise(block.values[a] - block.values[b])
            chances = signed_rank(diffs, rope, samples, np.random.default_rng(seed))
            names = block.set, block.measure, block.runs[a], block.runs[b]
            told.append((*names, len(diffs), float(diffs.mean()), *chances))
        return told

    return rows_of(scores, sets=sets, undefined=undefined).map_batches(found, schema=BAYES)


def signed_rank(
    diffs: Floats, rope: float, samples: int, random: np.random.Generator
) -> tuple[float, float, float]:
    """The chances that such differences lie above `rope`, within it, and below."""
    observed = np.append(diffs, 0.0)
    sums = observed[:, None] + observed[None, :]
    above, below = (sums > 2 * rope).astype(float), (sums < -2 * rope).astype(float)
    weighs = np.append(np.ones(len(diffs)), PRIOR)
    wins = np.zeros(3)
    step = max(1, CELLS // len(observed))
    for first in range(0, samples, step):
        weights = random.dirichlet(weighs, min(step, samples - first))
        better = np.einsum("si,si->s", weights @ above, weights)
        worse = np.einsum("si,si->s", weights @ below, weights)
        shares = np.column_stack([better, 1 - better - worse, worse])
        wins += np.bincount(shares.argmax(axis=1), minlength=3)
    chances = wins / samples
    return float(chances[0]), float(chances[1]), float(chances[2])
