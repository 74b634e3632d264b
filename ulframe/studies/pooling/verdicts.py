"""What scores say about systems: their order, who differs significantly, who is with the best."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ulframe.analysis.agreement import tau_b
from ulframe.analysis.blocks import DIGITS
from ulframe.analysis.significance import compare, group_a
from ulframe.analysis.transforms import TRANSFORMS, Transform
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


def verdict(scores: pl.DataFrame, alpha: float, transform: Transform) -> Verdict:
    """Judge the systems by scores without nulls: paired t-tests, Tukey's HSD after `transform`."""
    better = pl.col("diff").sign() * pl.col("significant").fill_null(False)
    tested = compare(scores, correction="none", alpha=alpha).select(*PAIR, better=better)
    average = means(scores).sort("measure", "run").select("measure", "run", "mean")
    groups = (
        group_a(compare(TRANSFORMS[transform](scores), test="hsd", alpha=alpha))
        .group_by("measure", maintain_order=True)
        .agg(pl.col("group_a").sum().cast(pl.Int64))
    )
    return Verdict(*pl.collect_all([average, tested, groups]))


def against(found: Verdict, truth: Verdict) -> pl.DataFrame:
    """Compare two verdicts: `measure, tau, detected, reversed, false_alarms, group_a`."""
    said, true = pl.col("better_found"), pl.col("better")
    both = truth.pairs.join(found.pairs, on=PAIR, suffix="_found", maintain_order="left")
    pairs = both.group_by("measure", maintain_order=True).agg(
        detected=(said == true).filter(true != 0).mean(),
        reversed=(said == -true).filter(true != 0).mean(),
        false_alarms=(said != 0).filter(true == 0).mean(),
    )
    orders = truth.means.join(found.means, on=["measure", "run"], suffix="_found")
    taus = [
        (measure, tau_b(rows["mean"].to_list(), rows["mean_found"].to_list()))
        for (measure,), rows in orders.group_by("measure")
    ]
    schema = {"measure": pl.String, "tau": pl.Float64}
    tau = pl.DataFrame(taus, schema=schema, orient="row").with_columns(
        pl.col("tau").round(DIGITS)  # with ties, that of equal orders is not quite 1 in floats
    )
    return pairs.join(tau, on="measure", maintain_order="left").join(
        found.groups, on="measure", maintain_order="left"
    )
