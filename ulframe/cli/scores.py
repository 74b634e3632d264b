"""What commands read back: tables of scores and of query sets."""

from __future__ import annotations

from difflib import get_close_matches

import polars as pl

from ulframe.cli.output import counted, remark
from ulframe.evaluation.query_sets import as_sets
from ulframe.frames.columns import QUERY, RUN, SCORE, no_column
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import as_written, spread
from ulframe.metrics.operators import TRIPLE

KEYS = [RUN, QUERY, "measure"]
NUMBERS = [SCORE, *TRIPLE]
FEW = 3  # sets that are named for having no query


def read_scores(
    source: str, runs: list[str] | None = None, measures: list[str] | None = None
) -> pl.DataFrame:
    """Read scores from a table, glob, folder or `-`: of all runs and measures, or of those asked.

    Out: the columns of the scores frame that are there. Raises `BadData` where a file is no table,
    lacks a key or has something else for a number; `BadUsage` for a run or measure that is not in.
    """
    frame = pl.concat([as_written(item, SCORE) for item in spread(source)], how="diagonal")
    have = frame.collect_schema().names()
    if missing := [name for name in (*KEYS, SCORE) if name not in have]:
        raise no_column(missing, have, source, "`ulframe eval -o` writes scores")
    numbers = [name for name in NUMBERS if name in have]
    typed = frame.select(pl.col(KEYS).cast(pl.String), pl.col(numbers).cast(pl.Float64))
    try:
        scores = typed.collect()
    except pl.exceptions.PolarsError as error:
        raise BadData(f"{source}: cannot be read as scores: {error}") from error
    for name, wanted in ((RUN, runs), ("measure", measures)):
        scores = _chosen(scores, name, wanted)
    return scores


def read_sets(source: str) -> pl.LazyFrame:
    """Read query sets, or attributes of queries, from a table, glob, folder or `-`."""
    return pl.concat([as_sets(item) for item in spread(source)])


def read_table(source: str) -> pl.LazyFrame:
    """Read any table, glob or folder of tables, or `-`, as it stands."""
    return as_written(source, SCORE)


def remark_on_sets(sets: pl.LazyFrame, scores: pl.DataFrame) -> None:
    """Say of which sets no query is in the scores, so that nothing is told of them."""
    known = pl.col(QUERY).is_in(scores[QUERY].unique().implode())
    sizes = sets.group_by("set", maintain_order=True).agg(pl.len(), known=known.any()).collect()
    lost = sizes.filter(~pl.col("known"))
    for name, size, _ in lost.head(FEW).iter_rows():
        remark(f"set {name}: none of its {counted(size, 'query')} is in the scores")
    if lost.height > FEW:
        remark(f"... and so of {counted(lost.height - FEW, 'other set')}")


def _chosen(scores: pl.DataFrame, name: str, wanted: list[str] | None) -> pl.DataFrame:
    if wanted is None:
        return scores
    known = scores[name].unique().to_list()
    for one in wanted:
        if one not in known:
            near = get_close_matches(one, known, n=3, cutoff=0.3) or sorted(known)[:3]
            raise BadUsage(f"no {name} {one!r} in the scores; there is {', '.join(near)}")
    return scores.filter(pl.col(name).is_in(wanted))
