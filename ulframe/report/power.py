"""What a report tells of its measures: how many pairs each tells apart, how much is chance's."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from ulframe.analysis.chance_share import chance_share
from ulframe.analysis.power_difference import LEVEL, RESAMPLES, power_difference, resampled_power
from ulframe.analysis.retests import RETESTS
from ulframe.metrics.operators import TRIPLE
from ulframe.report.findings import Findings
from ulframe.report.table import Table
from ulframe.report.tables import significant_by_sets

WORK = 200_000_000
"""Pairs times queries, over all measures and sets, that are tested on every resample at most."""


def power_tables(findings: Findings) -> list[Table]:
    """How many pairs each measure tells apart, and how many more than the first, by query set.

    Where the latter cannot be had, the former says why.
    """
    table = significant_by_sets(findings.pairs)
    if len(findings.measures) < 2:
        return [table]
    why = _untested(findings)
    powers = findings.pairs.clear() if why else _powers(findings)
    if not why and not _are_those_of(powers, findings.pairs):
        why = "the pairs were made of other scores, or at another level"
    if why:
        return [replace(table, notes=(*table.notes, f"No intervals of the differences: {why}."))]
    return [table, _beyond_the_first(powers, findings.measure)]


def _untested(findings: Findings) -> str:
    """Why the tests are not made again on resamples of the queries; empty where they are."""
    how = findings.pairs.select("test", "correction").unique()
    if how.height > 1:
        return "the pairs are of several tests"
    if (test := how["test"].item()) not in RETESTS:
        return f"{test} is not tested again on resamples, as {', '.join(RETESTS)} are"
    if findings.pairs.height * findings.scores["query_id"].n_unique() > WORK:
        return "there are too many pairs; `ulframe compare` takes the time"
    return ""


def _powers(findings: Findings) -> pl.DataFrame:
    test, correction = findings.pairs.select("test", "correction").row(0)
    tested = pl.col("set").is_in(findings.pairs["set"].unique().to_list())
    return resampled_power(
        findings.scores.select("run", "query_id", "measure", "score"),
        test=test,
        correction=correction,
        sets=findings.sets.filter(tested),
        undefined=findings.undefined,
    ).collect()


def _are_those_of(powers: pl.DataFrame, pairs: pl.DataFrame) -> bool:
    """Whether, on the queries as they are, as many pairs are significant as in the pairs."""
    keys = ["set", "measure"]
    told = pairs.drop_nulls("significant").group_by(keys).agg(told=pl.col("significant").sum())
    beside = powers.filter(resample=0).join(told, on=keys, how="full")
    return bool((beside["n_significant"] == beside["told"]).fill_null(False).all())


def _beyond_the_first(powers: pl.DataFrame, first: str) -> Table:
    found = power_difference(powers).filter(measure_a=first).collect()
    sign = pl.when(pl.col("difference") > 0).then(pl.lit("+")).otherwise(pl.lit(""))
    low, high = (pl.col(name).round().cast(pl.Int64) for name in ("low", "high"))
    said = found.select(
        "set", measure="measure_b", said=pl.format("{}{} ({} to {})", sign, "difference", low, high)
    )
    note = (
        f"In parentheses the {LEVEL * 100:g} % interval, by {RESAMPLES:,} resamples of the "
        "queries. Where it holds 0, neither measure has shown more power."
    )
    wide = said.pivot("set", index="measure", values="said", maintain_order=True)
    return Table(f"Pairs told apart beyond those of {first}", wide, notes=(note,))


def chance_tables(findings: Findings) -> list[Table]:
    """The share of each measure's variation over queries that is chance's own, where known."""
    if not {*TRIPLE} <= {*findings.scores.columns}:
        return []
    found = chance_share(findings.scores).drop_nulls().collect()
    if found.is_empty():
        return []
    title = "Share of the variation over queries that is chance's own"
    named = found.rename({"chance_share": "share", "n_queries": "queries"})
    note = (
        "The squared correlation, over the queries, of the mean over the runs with the share of "
        "the best possible that a random ranking is expected to reach. The smaller it is, the "
        "better scores of unlike queries can be compared."
    )
    return [Table(title, named, decimals=2, notes=(note,))]
