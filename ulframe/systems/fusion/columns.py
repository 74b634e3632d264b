"""The columns that the expressions of fusion read, each said once."""

import polars as pl

SCORE = pl.col("score")
"""A document's score in a run, normalised."""

RANK = pl.col("rank")
"""Its rank there, from 1; equal scores by doc_id descending, as trec_eval breaks ties."""

RETRIEVED = pl.col("retrieved")
"""How many documents the run returned for the query."""

CANDIDATES = pl.col("candidates")
"""How many documents of the query any run returned."""

WEIGHT = pl.col("weight")
"""What the run counts, 1 unless said."""

POINTS = pl.col("points")
"""What a run gives a document."""

VOTES = pl.len()
"""How many runs returned the document."""

TOTAL = POINTS.sum()

WITHIN = ["run", "query_id"]
"""What is normalised and ranked together."""


def reads(column: pl.Expr, *expressions: pl.Expr | None) -> bool:
    """Whether one of the expressions depends on the column.

    >>> reads(RANK, 1 / RANK, None), reads(SCORE, 1 / RANK)
    (True, False)
    """
    name = column.meta.output_name()
    return any(one is not None and name in one.meta.root_names() for one in expressions)
