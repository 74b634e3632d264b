"""Which tables a report has."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from ulframe.report.findings import Findings
from ulframe.report.power import chance_tables, power_tables
from ulframe.report.table import Table
from ulframe.report.tables import (
    marked,
    measures_by_sets,
    pivot,
    runs_by_measures,
)


def tables_of(findings: Findings) -> Iterator[Table]:
    """All of them, in order."""
    yield leaderboard(findings)
    yield means_by_set(findings)
    yield best_by_set(findings)
    if len(findings.pairs):
        yield from power_tables(findings)
    yield from chance_tables(findings)
    yield sets_table(findings)
    yield sizes(findings)


def leaderboard(findings: Findings) -> Table:
    """Runs, best first, by measures."""
    table = runs_by_measures(findings.overall)
    if findings.baseline is None:
        return table
    return marked(table, findings.main_pairs, findings.baseline)


def means_by_set(findings: Findings) -> Table:
    """Runs by query sets, of the first measure."""
    return pivot(
        findings.summary.filter(measure=findings.measure),
        index="run",
        columns="set",
        values="mean",
        title=f"Means of {findings.measure} by query set",
    )


def best_by_set(findings: Findings) -> Table:
    """Measures by query sets, of the best run."""
    return measures_by_sets(findings.summary, findings.runs[0])


def sets_table(findings: Findings) -> Table:
    """Each set's size, and what is reached and expected there."""
    rows = (
        findings.sets.join(findings.main_queries, on="query_id", how="left", maintain_order="left")
        .group_by("set", maintain_order=True)
        .agg(
            pl.len().cast(pl.Int64).alias("queries"),
            pl.col("real").mean().alias("actual, mean"),
            pl.col("expected").mean().alias("by chance, mean"),
            pl.col("gap").mean().alias("difference"),
        )
    )
    first = next(iter(findings.queries), None)
    notes = [f"Actual and by chance: {first}, averaged over the systems."] if first else []
    return Table("What each set holds", rows, notes=tuple(notes))


def sizes(findings: Findings) -> Table:
    """How many queries are in each measure's means, and where it is undefined for some run."""
    most = pl.col("n_queries", "n_undefined").max()
    counted = findings.overall.group_by("measure", maintain_order=True).agg(most)
    named = counted.rename({"n_queries": "queries in the mean", "n_undefined": "undefined"})
    return Table("Queries behind the means", named)
