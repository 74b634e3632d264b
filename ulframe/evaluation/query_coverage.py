"""Which queries the qrels and each run have, and the rules that only both together can break."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ulframe.evaluation.ranking import KEYS
from ulframe.frames.errors import BadData
from ulframe.frames.repeats import refuse_repeats

SHOWN = 3  # queries that a message names


def covered(
    qrels: pl.LazyFrame,
    runs: pl.LazyFrame,
    ranked: pl.LazyFrame,
    names: pl.LazyFrame | None,
    rel: float = 1.0,
) -> pl.LazyFrame:
    """A row per run and query that the run or the qrels have.

    In: conforming qrels and runs, the runs as ranked, and, where these are a part of a larger
    whole, the names (`run`) of all its runs; `rel`, the label from which a document is relevant.
    Out: `run, query_id, retrieved: Int64, in_qrels, in_run, has_relevant: Boolean`. Raises
    `BadData`, when collected, where a query has a document twice, or, of a whole, where qrels and
    runs have no query in common.
    """
    twice = pl.col("doc_id").hash().n_unique() < pl.len()
    wanted = qrels.group_by("query_id").agg(
        in_qrels=pl.lit(True), judged_twice=twice, has_relevant=pl.col("label").max() >= rel
    )
    # Each query that a run has is met once at rank 1, which is cheaper than grouping all rows.
    found = ranked.filter(pl.col("rank") == 1).select(
        *KEYS, "retrieved", "repeated", in_run=pl.lit(True)
    )
    rows = (
        (found.select("run").unique() if names is None else names)
        .join(wanted, how="cross")
        .join(found, on=KEYS, how="full", coalesce=True)
        .with_columns(
            pl.col("in_qrels", "in_run", "has_relevant", "judged_twice", "repeated").fill_null(
                False
            ),
            pl.col("retrieved").fill_null(0),
        )
    )
    check = _rules(qrels, runs, whole=names is None)
    checked = rows.map_batches(check, schema=rows.collect_schema())
    return checked.select(*KEYS, "retrieved", "in_qrels", "in_run", "has_relevant")


def _rules(
    qrels: pl.LazyFrame, runs: pl.LazyFrame, *, whole: bool
) -> Callable[[pl.DataFrame], pl.DataFrame]:
    # Looking again happens while a plan runs, and only the in-memory engine may be entered then.
    def check(rows: pl.DataFrame) -> pl.DataFrame:
        if rows["judged_twice"].any():
            _look_again(rows.filter("judged_twice"), qrels, ["query_id"])
        if rows["repeated"].any():
            _look_again(rows.filter("repeated"), runs, KEYS)
        if whole:
            require_common(rows, qrels, runs)
        return rows

    return check


def _look_again(rows: pl.DataFrame, frame: pl.LazyFrame, keys: list[str]) -> None:
    """Look at the documents themselves: equal hashes may belong to different ones."""
    refuse_repeats(frame.join(rows.lazy().select(keys).unique(), on=keys))


def require_common(coverage: pl.DataFrame, qrels: pl.LazyFrame, runs: pl.LazyFrame) -> None:
    """Raise `BadData`, naming the first queries of both, where they have none in common."""
    if not (coverage["in_qrels"] & coverage["in_run"]).any():
        raise BadData(_nothing_in_common(qrels, runs))


def _nothing_in_common(qrels: pl.LazyFrame, runs: pl.LazyFrame) -> str:
    def first(frame: pl.LazyFrame) -> str:
        ids = frame.select(pl.col("query_id").cast(pl.String)).unique()
        queries = ids.collect(engine="in-memory")
        shown = ", ".join(map(repr, queries["query_id"].sort().head(SHOWN)))
        return f"{queries.height} in all ({shown}{', ...' if queries.height > SHOWN else ''})"

    return (
        f"no query in common: of the qrels there are {first(qrels)}, of the runs {first(runs)}; "
        "are these files of one collection, and their ids written alike?"
    )
