"""A document that stands twice in a query: found, named, and refused."""

import polars as pl

from ulframe.frames.columns import DOC, QUERY, RUN
from ulframe.frames.errors import BadData

SHOWN = 3  # repetitions that a message names


def refuse_repeats(frame: pl.LazyFrame) -> None:
    """Raise `BadData`, naming the first, where a document stands twice in a query of a run.

    In: qrels or runs. Runs at once, in memory, so that it may also be called while a plan runs.

    >>> refuse_repeats(pl.LazyFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"]}))
    """
    keys = [name for name in (RUN, QUERY) if name in frame.collect_schema().names()]
    repeats = (
        frame.group_by(*keys, DOC)
        .agg(times=pl.len())
        .filter(pl.col("times") > 1)
        .with_columns(pl.col(keys).cast(pl.String))
        .sort(*keys, DOC)
        .collect(engine="in-memory")
    )
    if repeats.is_empty():
        return
    who = "a run returns" if RUN in keys else "the qrels judge"
    shown = "; ".join(
        ", ".join(f"{name} {value!r}" for name, value in row.items())
        for row in repeats.head(SHOWN).to_dicts()
    )
    raise BadData(
        f"{who} a document twice, in {repeats.height} cases: {shown}. Remove the repetitions, or "
        'read with duplicates="max" or "first" (`ulframe convert --duplicates max`)'
    )
