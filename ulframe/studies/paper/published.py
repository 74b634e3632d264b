"""What the paper published, and our values beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from ulframe.report.paper.layout import KEYS
from ulframe.report.paper.plan import VALUES

PAIRS = 5 * 28
"""Of eight methods, at five cutoffs."""


def published() -> pl.DataFrame:
    """The published values, a row each, after the number of their table.

    `beside` is the share of all pairs, of a count.

    >>> published().height
    630
    """
    package = Path(__file__).parents[2]
    inside, checkout = package / "published_tables.csv", package.parent / "data"
    path = inside if inside.is_file() else checkout / "published_tables.csv"
    values = pl.read_csv(path, schema={"table": pl.Int64, **VALUES})
    counts = pl.col("quantity").is_in(["conflicts", "significant_pairs"])
    return values.with_columns(beside=pl.when(counts).then(pl.col("value") / PAIRS))


def compared(
    ours: pl.DataFrame, published: pl.DataFrame, alike: Sequence[str] = ()
) -> pl.DataFrame:
    """The keys of values, and `here, published, difference: Float64` for each, with what is beside.

    What is not of one method but of all together differs from the published value in meaning
    unless the methods are the paper's: it has a `difference` on the data sets `alike` only.
    """
    both = ours.select(*KEYS, here="value", here_beside="beside").join(
        published.select(*KEYS, published="value", published_beside="beside"),
        on=KEYS,
        how="full",
        coalesce=True,
        nulls_equal=True,
        maintain_order="left_right",
    )
    comparable = pl.col("method").is_not_null() | pl.col("dataset").is_in(list(alike))
    return both.with_columns(
        difference=pl.when(comparable).then(pl.col("here") - pl.col("published"))
    )
