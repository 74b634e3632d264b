"""Which queries the qrels and each run have, and the rules that only both together can break."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ulframe.evaluation.ranking import KEYS
from ulframe.frames.errors import BadData

SHOWN = 3  # queries and rows that a message names


def covered(
    qrels: pl.LazyFrame,
    runs: pl.LazyFrame,
    ranked: pl.LazyFrame,
    names: pl.LazyFrame | None,
) -> pl.LazyFrame:
    """A row per run and query that the run or the qrels have.

    In: conforming qrels and runs, the runs as ranked, and, where these are a part of a larger
    whole, the names (`run`) of all its runs. Out: `run, query_id, retrieved: Int64, in_qrels,
    in_run: Boolean`. Raises `BadData`, when collected, where a query has a document twice, or, of
    a whole, where qrels and runs have no query in common.
    """
    twice = pl.col("doc_id").hash().n_unique() < pl.len()
    wanted = qrels.group_by("query_id").agg(in_qrels=pl.lit(True), judged_twice=twice)
    # Each query that a run has is met once at rank 1, which is cheaper than grouping all rows.
    found = ranked.filter(pl.col("rank") == 1).select(
        *KEYS, "retrieved", "repeated", in_run=pl.lit(True)
    )
    rows = (
        (found.select("run").unique() if names is None else names)
        .join(wanted, how="cross")
        .join(found, on=KEYS, how="full", coalesce=True)
        .with_columns(
            pl.col("in_qrels", "in_run", "judged_twice", "repeated").fill_null(False),
            pl.col("retrieved").fill_null(0),
        )
    )
    check = _rules(qrels, runs, whole=names is None)
    checked = rows.map_batches(check, schema=rows.collect_schema())
    return checked.select(*KEYS, "retrieved", "in_qrels", "in_run")


def _rules(
    qrels: pl.LazyFrame, runs: pl.LazyFrame, *, whole: bool
) -> Callable[[pl.DataFrame], pl.DataFrame]:
    # Looking again happens while a plan runs, and only the in-memory engine may be entered then.
    def check(rows: pl.DataFrame) -> pl.DataFrame:
        if rows["judged_twice"].any():
            _refuse_repeats(rows.filter("judged_twice"), qrels, ["query_id"], "the qrels judge")
        if rows["repeated"].any():
            _refuse_repeats(rows.filter("repeated"), runs, KEYS, "a run returns")
        if whole:
            require_common(rows, qrels, runs)
        return rows

    return check


def require_common(coverage: pl.DataFrame, qrels: pl.LazyFrame, runs: pl.LazyFrame) -> None:
    """Raise `BadData`, naming the first queries of both, where they have none in common."""
    if not (coverage["in_qrels"] & coverage["in_run"]).any():
        raise BadData(_nothing_in_common(qrels, runs))


def _refuse_repeats(rows: pl.DataFrame, frame: pl.LazyFrame, keys: list[str], who: str) -> None:
    """Look at the documents themselves: equal hashes may belong to different ones."""
    suspects = rows.lazy().select(keys).unique()
    repeats = (
        frame.join(suspects, on=keys)
        .group_by(*keys, "doc_id")
        .agg(times=pl.len())
        .filter(pl.col("times") > 1)
        .with_columns(pl.col(keys).cast(pl.String))
        .sort(*keys, "doc_id")
        .collect(engine="in-memory")
    )
    if repeats.height:
        shown = "; ".join(
            ", ".join(f"{name} {value!r}" for name, value in row.items())
            for row in repeats.head(SHOWN).to_dicts()
        )
        raise BadData(
            f"{who} a document twice, {repeats.height} times in all: {shown}. Remove the "
            'repetitions, or read with duplicates="max" or duplicates="first"'
        )


def _nothing_in_common(qrels: pl.LazyFrame, runs: pl.LazyFrame) -> str:
    def first(frame: pl.LazyFrame) -> str:
        ids = frame.select(pl.col("query_id").cast(pl.String)).unique()
        queries = ids.collect(engine="in-memory")
        shown = ", ".join(map(repr, queries["query_id"].sort().head(SHOWN)))
        return f"{queries.height} ({shown}{', ...' if queries.height > SHOWN else ''})"

    return (
        "no query in common: the qrels have the queries "
        f"{first(qrels)}, the runs {first(runs)}; are these files of one collection, and their "
        "ids written alike?"
    )
