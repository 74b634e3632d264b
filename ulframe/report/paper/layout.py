"""From values to tables: ours, the published ones beside them, and the difference."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from ulframe.report.paper.plan import MEASURES, METHODS, SETS, Kind
from ulframe.report.table import Table
from ulframe.report.tables import best_in_columns

SOURCES = {
    "here": "{}",
    "here_beside": "{0} {1}",
    "published": "{} published",
    "published_beside": "{0} published {1}",
    "difference": "{} difference",
}
"""What stands in the columns of a cutoff or set, and how they are named after it."""

KEYS = ["dataset", "query_set", "quantity", "measure", "method", "k"]


def means_table(values: pl.DataFrame, title: str, kind: Kind) -> Table:
    """Methods by cutoffs; the best of our own in each column is marked."""
    several = values["measure"].n_unique() > 1
    name = pl.col("measure").str.extract(r"^(V\d)").fill_null("")
    column = pl.format("{}@{}", name, "k") if several else pl.format("{}@{}", "measure", "k")
    in_order = values.with_columns(column=column).sort("measure", "k", maintain_order=True)
    table = _laid_out(in_order, ["method"], title, kind)
    ours = in_order["column"].unique()
    best = best_in_columns(table.frame.select(table.numbers), kind.decimals)
    others = [pl.lit(False).alias(name) for name in table.numbers if name not in ours]
    return replace(table, best=best.with_columns(others))


def sets_table(values: pl.DataFrame, title: str, kind: Kind) -> Table:
    """Data sets and measures by query sets."""
    columns = pl.col("query_set").replace_strict({name: i for i, name in enumerate(SETS)})
    in_order = values.with_columns(column="query_set").sort(columns, maintain_order=True)
    return _laid_out(in_order, ["dataset", "measure"], title, kind)


def _laid_out(values: pl.DataFrame, index: list[str], title: str, kind: Kind) -> Table:
    """A row per index; ours, theirs and the difference in columns of their own, where there are."""
    wide = values.pivot("column", index=index, values=list(SOURCES), maintain_order=True)
    wide = wide.sort(*(_place(wide, name) for name in index), maintain_order=True)
    columns = [
        pl.col(f"{source}_{column}")
        .cast(pl.Int64 if source in kind.whole else pl.Float64)
        .alias(name.format(column, kind.beside))
        for column in values["column"].unique(maintain_order=True)
        for source, name in SOURCES.items()
        if wide[f"{source}_{column}"].count()
    ]
    return Table(title, wide.select(*index, *columns), kind.decimals)


def _place(wide: pl.DataFrame, name: str) -> pl.Expr:
    """Methods and measures as the paper lists them, other methods by name, data sets as given."""
    known = {"method": METHODS, "measure": MEASURES}.get(name, [])
    others = wide[name].unique(maintain_order=True).to_list()
    if name == "method":
        others.sort()
    order = [*known, *(value for value in others if value not in known)]
    return pl.col(name).replace_strict({value: at for at, value in enumerate(order)})
