"""A step of a lazy plan that is a function over the whole frame."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
from polars._typing import SchemaDict


def whole(
    frame: pl.LazyFrame,
    function: Callable[[pl.DataFrame], pl.DataFrame],
    schema: SchemaDict | None = None,
) -> pl.LazyFrame:
    """Apply a function when the plan runs, to every row and column: no filter may pass it by.

    >>> whole(pl.LazyFrame({"a": [1, 2]}), lambda rows: rows.tail(1)).head(1).collect().item()
    2
    """
    return frame.map_batches(
        function,
        schema=schema,
        predicate_pushdown=False,
        projection_pushdown=False,
        slice_pushdown=False,
    )
