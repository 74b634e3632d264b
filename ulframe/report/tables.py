"""The tables that papers print, made of summaries and pairs: what stands in which cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike, as_lazy, require
from ulframe.metrics.grammar import aggregate_of
from ulframe.report.families import by_cutoff
from ulframe.report.table import BETTER, DECIMALS, WORSE, Table


def pivot(
    rows: FramesLike,
    *,
    index: str | Sequence[str],
    columns: str,
    values: str,
    title: str,
    decimals: int = DECIMALS,
    notes: Sequence[str] = (),
) -> Table:
    """Turn tidy rows into a table: a row per `index`, a column per value of `columns`.

    Rows and columns keep the order in which they come; the largest number of each column is its
    best. Raises `BadData` where a column is missing, and where two rows meet in one cell.

    >>> rows = pl.DataFrame({"run": ["a", "b"], "measure": "AP", "mean": [0.25, 0.5]})
    >>> pivot(rows, index="run", columns="measure", values="mean", title="Means").frame.rows()
    [('a', 0.25), ('b', 0.5)]
    """
    index = [index] if isinstance(index, str) else list(index)
    frame = collected(rows, [*index, columns, values])
    if (twice := frame.select(*index, columns).is_duplicated()).any():
        row = frame.filter(twice).row(0, named=True)
        raise BadData(f"two rows meet in one cell of {title!r}: {row}; choose one with filter()")
    wide = frame.pivot(columns, index=index, values=values, maintain_order=True)
    best = best_in_columns(wide.drop(index), decimals)
    return Table(title, wide, decimals, best, notes=tuple(notes))


def best_in_columns(numbers: pl.DataFrame, decimals: int) -> pl.DataFrame:
    """Whether each number is its column's largest, as printed: equal digits are equally good.

    Where all are equal, none is.
    """
    rounded = pl.all().cast(pl.Float64).round(decimals)
    best = (rounded == rounded.max()) & (rounded.drop_nulls().n_unique() > 1)
    return numbers.select(best.fill_null(False))


def runs_by_measures(summary: FramesLike, *, set: str | None = None) -> Table:
    """Means of runs (rows) by measures (columns).

    In: a summary (see `summarise`, `means`); of several query sets, the one that `set` names.
    Measures that are counts, summed over the queries, are whole numbers.
    """
    rows = of_set(summary, set)
    where = rows["set"][0]
    title = "Means over the queries" + ("" if where == "all" else f" of the set {where}")
    table = pivot(rows, index="run", columns="measure", values="mean", title=title)
    counts = [name for name in table.numbers if aggregate_of(name) == "sum"]
    return replace(table, frame=table.frame.with_columns(pl.col(counts).round().cast(pl.Int64)))


def runs_by_cutoffs(summary: FramesLike, family: str, *, set: str | None = None) -> Table:
    """Means of runs (rows) by a measure's cutoffs (columns), shallowest first.

    In: a summary; `family`, a measure without its cutoff, such as `nDCG` or `V2(SP)`. Raises
    `BadUsage`, with the families that there are, for another one.

    >>> import ulframe as ul
    >>> scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), ["P@5", "P@10", "nDCG@5"])
    >>> runs_by_cutoffs(ul.means(scores), "P").frame.columns
    ['run', '5', '10']
    """
    rows = by_cutoff(of_set(summary, set))
    if family not in (known := rows["family"].unique(maintain_order=True).to_list()):
        raise BadUsage(f"no {family!r} with cutoffs; there is {', '.join(known) or 'none'}")
    return pivot(
        rows.filter(family=family).sort("k", maintain_order=True),
        index="run",
        columns="k",
        values="mean",
        title=f"{family} by cutoff",
    )


def measures_by_sets(summary: FramesLike, run: str) -> Table:
    """One run's means: measures (rows) by query sets (columns)."""
    rows = collected(summary, ["run", "set", "measure", "mean"]).filter(run=run)
    if rows.is_empty():
        raise BadUsage(f"no run {run!r} in the summary")
    table = pivot(
        rows,
        index="measure",
        columns="set",
        values="mean",
        title=f"Means of {run} by query set",
    )
    return unmarked(table)


def significant_by_sets(pairs: FramesLike) -> Table:
    """How many pairs of runs each measure (rows) tells apart on each query set (columns)."""
    frame = collected(pairs, ["set", "measure", "test", "correction", "significant"])
    counted = frame.group_by("set", "measure", maintain_order=True).agg(
        pl.col("significant").sum().cast(pl.Int64), tested=pl.col("significant").count()
    )
    first = counted.filter(set=counted["set"][0])["tested"]
    how = " and ".join(
        f"{test} test, correction {correction}"
        for test, correction in frame.select("test", "correction").unique().sort("test").rows()
    )
    return pivot(
        counted,
        index="measure",
        columns="set",
        values="significant",
        title="Pairs of runs that differ significantly",
        notes=[f"Of {span(first)} pairs; {how}."],
    )


def span(counts: pl.Series) -> str:
    """The smallest and the largest of some numbers, or the one that they all are.

    >>> span(pl.Series([28, 3, 28])), span(pl.Series([2415]))
    ('3 to 28', '2,415')
    """
    ends = counts.unique().sort().to_list()
    return f"{ends[0]:,} to {ends[-1]:,}" if len(ends) > 1 else f"{ends[0]:,}"


def marked(table: Table, pairs: FramesLike, baseline: str, *, set: str | None = None) -> Table:
    """Mark the runs that are significantly better (↑) or worse (↓) than a baseline.

    In: a table with a row per `run` and a column per measure, as `runs_by_measures` gives; a frame
    of pairs that has each run's pair with the baseline. A measure without pairs stays unmarked.
    """
    rows = of_set(pairs, set)
    ways = (("a", "b", 1), ("b", "a", -1))
    against = pl.concat(
        rows.select(
            "measure",
            "significant",
            run=f"run_{one}",
            other=f"run_{other}",
            better=pl.col("diff") * sign > 0,
        )
        for one, other, sign in ways
    ).filter(other=baseline)
    if against.is_empty():
        raise BadUsage(f"no pair with the baseline {baseline!r}")
    arrow = pl.when("better").then(pl.lit(BETTER)).otherwise(pl.lit(WORSE))
    mark = pl.when("significant").then(arrow).otherwise(pl.lit(""))
    wide = against.with_columns(mark=mark).pivot("measure", index="run", values="mark")
    wanted = [pl.col(name) if name in wide.columns else pl.lit("").alias(name)
              for name in table.numbers]  # fmt: skip
    marks = table.frame.select("run").join(wide, on="run", how="left", maintain_order="left")
    note = f"{BETTER} significantly better, {WORSE} significantly worse than {baseline}."
    marks = marks.select(wanted).fill_null("")
    return replace(table, marks=marks, notes=(*table.notes, note))


def unmarked(table: Table) -> Table:
    """The same without best ones: where the numbers of a column cannot be compared."""
    return replace(table, best=None)


def of_set(rows: FramesLike, set: str | None) -> pl.DataFrame:
    """The rows of that query set; of the only one where none is named."""
    frame = collected(rows, ["set"])
    names = frame["set"].unique(maintain_order=True).to_list()
    if set is None and len(names) == 1:
        return frame
    if set not in names:
        raise BadUsage(f"set={set!r} is not one of the query sets {', '.join(names)}")
    return frame.filter(set=set)


def collected(rows: FramesLike, needed: Sequence[str]) -> pl.DataFrame:
    """The rows of any frame, once these columns are known to be there."""
    return require(as_lazy(rows, "mean"), needed, "the rows").collect()
