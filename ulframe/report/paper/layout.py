"""From values to tables: ours, the published ones beneath, and the difference."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from ulframe.report.paper.plan import MEASURES, METHODS, SETS
from ulframe.report.table import Table
from ulframe.report.tables import best_in_columns

HERE, PUBLISHED, DIFFERENCE = "here", "published", "difference"
KEYS = ["dataset", "query_set", "quantity", "measure", "method", "k"]


def by_source(values: pl.DataFrame) -> pl.DataFrame:
    """Rows of ours, of theirs, and of what differs, told apart by `source`: `KEYS, value`."""
    long = values.unpivot([HERE, PUBLISHED, DIFFERENCE], index=KEYS, variable_name="source")
    return long.drop_nulls("value")


def means_table(rows: pl.DataFrame, title: str, decimals: int) -> Table:
    """Methods by cutoffs; the best of our own in each column is marked."""
    several = rows["measure"].n_unique() > 1
    name = pl.col("measure").str.extract(r"^(V\d)").fill_null("")
    column = pl.format("{}@{}", name, "k") if several else pl.format("{}@{}", "measure", "k")
    return _laid_out(
        rows.with_columns(column=column).sort("measure", "k", maintain_order=True),
        ["method"], title, decimals, best=True,
    )  # fmt: skip


def sets_table(rows: pl.DataFrame, title: str, decimals: int) -> Table:
    """Data sets and measures by query sets."""
    columns = pl.col("query_set").replace_strict({name: i for i, name in enumerate(SETS)})
    in_order = rows.with_columns(column="query_set").sort(columns, maintain_order=True)
    return _laid_out(in_order, ["dataset", "measure"], title, decimals, best=False)


def _laid_out(
    rows: pl.DataFrame, index: list[str], title: str, decimals: int, *, best: bool
) -> Table:
    """A row per index and source; the source is left out where all is ours."""
    wide = rows.pivot("column", index=[*index, "source"], values="value", maintain_order=True)
    sources = pl.Enum([HERE, PUBLISHED, DIFFERENCE])
    wide = wide.with_columns(pl.col("source").cast(sources)).sort(
        *(_place(wide, name) for name in index), "source", maintain_order=True
    )
    numbers = wide.drop(*index, "source")
    ours = pl.Series(wide["source"] == HERE)
    marked = best_in_columns(numbers.with_columns(pl.when(ours).then(pl.all())), decimals)
    if ours.all():
        wide = wide.drop("source")
    else:
        wide = wide.with_columns(pl.col("source").cast(pl.String))
    table = Table(title, wide, decimals)
    return replace(table, best=marked) if best else table


def _place(wide: pl.DataFrame, name: str) -> pl.Expr:
    """Methods and measures as the paper lists them, other methods by name, data sets as given."""
    known = {"method": METHODS, "measure": MEASURES}.get(name, [])
    others = wide[name].unique(maintain_order=True).to_list()
    if name == "method":
        others.sort()
    order = [*known, *(value for value in others if value not in known)]
    return pl.col(name).replace_strict({value: at for at, value in enumerate(order)})
