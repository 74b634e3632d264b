"""What scores say about systems: their order, who differs significantly, who is with the best."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl
from scipy import stats

from ulframe.analysis.agreement import tau_b
from ulframe.analysis.blocks import Floats, blocks, rows_of, without_noise
from ulframe.analysis.significance import compare
from ulframe.analysis.transforms import TRANSFORMS
from ulframe.evaluation.summarise import means

PAIR = ["measure", "run_a", "run_b"]


@dataclass(frozen=True)
class Verdict:
    """What the scores of all systems say.

    - `means`: `measure, run, mean`, sorted.
    - `pairs`: `measure, run_a, run_b, better`: 1 where the first is significantly better, -1 where
      the second is, else 0.
    - `groups`: `measure, group_a`, how many systems are not set apart from the best.
    """

    means: pl.DataFrame
    pairs: pl.DataFrame
    groups: pl.DataFrame


def verdict(scores: pl.DataFrame, alpha: float, transform: str) -> Verdict:
    """Judge the systems by scores without nulls: paired t-tests, Tukey's HSD after `transform`."""
    better = pl.col("diff").sign() * pl.col("significant").fill_null(False)
    tested = compare(scores, correction="none", alpha=alpha).select(*PAIR, better=better)
    average = means(scores).sort("measure", "run").select("measure", "run", "mean")
    rows, pairs, averages = pl.collect_all(
        [rows_of(TRANSFORMS[transform](scores)), tested, average]
    )
    sizes = [(block.measure, group_a_size(block.values, alpha)) for block in blocks(rows)]
    groups = pl.DataFrame(sizes, schema={"measure": pl.String, "group_a": pl.Int64}, orient="row")
    return Verdict(averages, pairs, groups)


def against(found: Verdict, truth: Verdict) -> pl.DataFrame:
    """Compare two verdicts: `measure, tau, detected, false_alarms, group_a` (see `effects`)."""
    true = pl.col("better_true")
    both = truth.pairs.join(found.pairs, on=PAIR, suffix="_found").rename({"better": "better_true"})
    pairs = both.group_by("measure", maintain_order=True).agg(
        detected=(pl.col("better_found") == true).filter(true != 0).mean(),
        false_alarms=(pl.col("better_found") != 0).filter(true == 0).mean(),
    )
    orders = truth.means.join(found.means, on=["measure", "run"], suffix="_found")
    taus = [
        (measure, tau_b(rows["mean"].to_list(), rows["mean_found"].to_list()))
        for (measure,), rows in orders.group_by("measure")
    ]
    tau = pl.DataFrame(taus, schema={"measure": pl.String, "tau": pl.Float64}, orient="row")
    return pairs.join(tau, on="measure", maintain_order="left").join(
        found.groups, on="measure", maintain_order="left"
    )


def group_a_size(values: Floats, alpha: float) -> int:
    """How many runs Tukey's HSD does not set apart from the best: runs x queries in.

    As `ulframe.analysis.group_a` of `compare(test="hsd")`, but by the difference that would just be
    significant: the p-values of all pairs are an integral each, which adds up over many pools.
    """
    m, n = values.shape
    if n < 2:
        return int(m)  # nothing is known of any pair
    means = values.mean(axis=1)
    rest = without_noise(values) - means[:, None] - values.mean(axis=0) + values.mean()
    df = (m - 1) * (n - 1)
    honest = critical(alpha, m, df) * np.sqrt(np.sum(rest**2) / df / n)
    return int(np.sum(means.max() - means <= honest + 1e-12))


@cache
def critical(alpha: float, m: int, df: int) -> float:
    """The studentised range of `m` means that is exceeded by chance `alpha`."""
    return float(stats.studentized_range.ppf(1 - alpha, m, df))
