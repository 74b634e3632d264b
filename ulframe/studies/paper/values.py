"""The values of the paper's tables, worked out from scores: a row per value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import polars as pl

from ulframe.analysis.agreement import agreement
from ulframe.analysis.power import conflicts, over_cutoffs, pad, significant_pairs
from ulframe.analysis.power_difference import (
    power_difference,
    powers_over_cutoffs,
    resampled_power,
)
from ulframe.analysis.queries import PAPER_SIZES, ideal, real_and_expected, uninformative
from ulframe.analysis.retests import RETESTS
from ulframe.analysis.significance import compare
from ulframe.analysis.swaps import swap_rate
from ulframe.evaluation.summarise import means
from ulframe.frames.intake import FramesLike
from ulframe.metrics.operators import TRIPLE
from ulframe.report.families import measure_of
from ulframe.report.paper.plan import ACROSS_SETS, SETS, VALUES, Family
from ulframe.report.tables import collected
from ulframe.studies.paper.choices import Choices

ACROSS = "across"
"""The name of `PAPER_SIZES` for comparing data sets."""
WITH_BESIDE: dict[str, type[pl.DataType]] = {**VALUES, "beside": pl.Float64}
PRESETS = {"MSLR-WEB30K": "mslr", "MQ2007": "mq2007"}


@dataclass(frozen=True)
class Experiment:
    """One data set and family: per-query scores under the paper's names, and queries.

    - `scores`: `run, query_id, measure, score`, the measure being `V1(DCG)@5` and so on.
    - `queries`: real and expected, over all runs and the cutoffs that are there.
    - `sizes`: of the uninformative and of the ideal set; `across`: where data sets are compared.
    - `choices`: how it is evaluated.
    """

    dataset: str
    family: Family
    scores: pl.DataFrame
    queries: pl.DataFrame
    cutoffs: list[int]
    sizes: tuple[int, int]
    across: tuple[int, int]
    choices: Choices

    @property
    def runs(self) -> list[str]:
        """The names of the methods."""
        return self.scores["run"].unique().sort().to_list()

    def sets(self, sizes: tuple[int, int]) -> pl.DataFrame:
        """`set, query_id` of all, uninformative and ideal queries, so many of the latter."""
        frame, (n, m) = self.queries.lazy(), sizes
        parts = [frame.select(set=pl.lit("all"), query_id="query_id"),
                 uninformative(frame, n, gap=self.choices.gap).select("set", "query_id"),
                 ideal(frame, m).select("set", "query_id")]  # fmt: skip
        return pl.concat(parts).collect()


def experiment(
    dataset: str, scores: FramesLike, family: Family, choices: Choices
) -> Experiment | None:
    """Take from scores what a family needs; None where none of its measures is there.

    Any operator over the metric will do, since value, upper and expected are the same.
    """
    bases = family.bases()
    frame = collected(scores, ["run", "query_id", "measure", *TRIPLE])
    found: dict[int, str] = {}
    for name in frame["measure"].unique(maintain_order=True):
        measure = measure_of(name)
        if measure is not None and measure.base in bases:
            found.setdefault(bases[measure.base], name)
    if not found:
        return None
    names = {name: k for k, name in sorted(found.items())}
    triples = frame.lazy().filter(pl.col("measure").is_in(list(names))).with_columns(
        k=pl.col("measure").replace_strict(names, return_dtype=pl.Int64)
    )  # fmt: skip
    named = [
        triples.select(
            "run", "query_id", "k",
            place=pl.lit(place), measure=pl.format("{}@{}", pl.lit(name), "k"),
            score=operator.score,
        )
        for place, (name, operator) in enumerate(family.measures.items())
    ]  # fmt: skip
    long = pl.concat(named).sort("place", "k", "run", "query_id").drop("place", "k").collect()
    queries = real_and_expected(triples).collect()
    sizes, across = (
        _sizes(preset, queries, choices) for preset in (PRESETS.get(dataset, ACROSS), ACROSS)
    )
    return Experiment(dataset, family, long, queries, sorted(found), sizes, across, choices)


def _sizes(preset: str, queries: pl.DataFrame, choices: Choices) -> tuple[int, int]:
    """As asked, else the paper's; at most half of the queries that have something relevant."""
    default = min(max(1, queries["gap"].count() // 2), PAPER_SIZES[preset])
    asked = choices.uninformative_n, choices.ideal_n
    n, m = (default if one is None else one for one in asked)
    return n, m


# ---------------------------------------------------------------- one data set
def values_of(one: Experiment) -> Iterator[pl.DataFrame]:
    """The values of all tables that need one data set only."""
    sets = one.sets(one.sizes)
    summary = means(one.scores, sets=sets, undefined=one.choices.undefined).collect()
    yield _complete(_by_cutoff(summary.filter(set="all")), one.dataset, "mean")
    if len(one.runs) < 2:
        return
    found = {**_of_means(one, summary), **_of_pairs(one, sets), **_of_resamples(one, sets)}
    for quantity, (column, frame) in found.items():
        values = frame.rename({"set": "query_set", column: "value"})
        yield _complete(values, one.dataset, quantity)


Found: TypeAlias = dict[str, tuple[str, pl.LazyFrame]]
"""By quantity, the column that holds its value, and the frame, with what stands `beside`."""


def _of_means(one: Experiment, summary: pl.DataFrame) -> Found:
    flat = over_cutoffs(summary).collect()
    first, second = (flat.filter(set=name) for name in ("uninformative", "ideal"))
    swapped = swap_rate(first, second).with_columns(set=pl.lit(ACROSS_SETS))
    pads = pad(flat, nonpositive="keep").rename({"n_nonpositive": "beside"})
    return {
        "kendall_tau": ("tau_a", _with_plain(agreement(flat), one.family.plain)),
        "pad_percent": ("pad", pads),
        "swap_rate": ("swap_rate", swapped),
    }


def _of_pairs(one: Experiment, sets: pl.DataFrame) -> Found:
    how = one.choices
    pairs = compare(
        one.scores,
        sets=sets,
        test=how.test,
        correction="none",
        undefined=how.undefined,
        alpha=how.alpha,
    ).collect()
    decided = {
        "conflicts": ("n_conflicts", _with_plain(conflicts(pairs), one.family.plain)),
        "significant_pairs": ("n_significant", significant_pairs(pairs)),
    }
    return {
        quantity: (column, frame.with_columns(beside=pl.col(column) / pl.col("n_pairs")))
        for quantity, (column, frame) in decided.items()
    }


def _of_resamples(one: Experiment, sets: pl.DataFrame) -> Found:
    how = one.choices
    if how.test not in RETESTS:
        return {}
    powers = resampled_power(
        one.scores,
        sets=sets,
        test=how.test,
        correction="none",
        undefined=how.undefined,
        alpha=how.alpha,
        seed=how.seed,
    )
    more = power_difference(powers_over_cutoffs(powers))
    frame = _with_plain(more, one.family.plain).collect().lazy()
    return {quantity: (column, frame) for quantity, column in DIFFERENCES.items()}


DIFFERENCES = {
    "power_difference": "difference",
    "power_difference_low": "low",
    "power_difference_high": "high",
}
"""Quantities that no table of the paper has: how many more pairs than the plain measure."""


def _with_plain(frame: pl.LazyFrame, plain: str) -> pl.LazyFrame:
    """Of what there is for every two measures, the plain one against each of the others."""
    named = pl.format("{} vs {}", "measure_a", "measure_b")
    return frame.filter(measure_a=plain).with_columns(measure=named)


def _by_cutoff(summary: pl.DataFrame) -> pl.DataFrame:
    measure = pl.col("measure")
    return summary.select(
        query_set="set",
        measure=measure.str.replace(r"@\d+$", ""),
        method="run",
        k=measure.str.extract(r"@(\d+)$"),
        value="mean",
    )


def _complete(found: pl.DataFrame | pl.LazyFrame, dataset: str, quantity: str) -> pl.DataFrame:
    """In the shape of the published values."""
    frame = found.lazy().collect()
    optional = ("method", "k", "beside")
    missing = {name: pl.lit(None) for name in optional if name not in frame.columns}
    filled = frame.with_columns(dataset=pl.lit(dataset), quantity=pl.lit(quantity), **missing)
    return filled.select(pl.col(name).cast(kind) for name, kind in WITH_BESIDE.items())


# ---------------------------------------------------------------- two data sets
def _means_across(one: Experiment) -> pl.LazyFrame:
    return means(one.scores, sets=one.sets(one.across), undefined=one.choices.undefined)


def values_across(many: list[Experiment]) -> Iterator[pl.DataFrame]:
    """Swap rates between each two data sets that have at least two methods in common."""
    flat = {one.dataset: over_cutoffs(_means_across(one)).collect() for one in many}
    for one, two in combinations(many, 2):
        if len({*one.runs} & {*two.runs}) < 2:
            continue
        for name in SETS[:3]:
            first, second = (flat[x.dataset].filter(set=name) for x in (one, two))
            swapped = swap_rate(first, second).select(
                query_set=pl.lit(name), measure="measure", value="swap_rate"
            )
            both = f"{one.dataset} vs {two.dataset}"
            yield _complete(swapped, both, "swap_rate")
