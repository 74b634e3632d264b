"""One fold after another: its queries into memory, each method's ranking of the unseen ones out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from ulframe.frames.columns import LABEL, QUERY, RUN, SCORE
from ulframe.frames.errors import BadData
from ulframe.systems.letor.fitting import Scorer
from ulframe.systems.letor.folds import IDS, Fold, Survey, scan_part
from ulframe.systems.letor.queries import Queries, as_queries, subset

HELD_OUT = 5  # one training query in so many validates where a fold has no file for it


@dataclass(frozen=True)
class Split:
    """A fold's queries."""

    train: Queries
    valid: Queries
    test: Queries


def load(
    fold: Fold,
    known: Survey,
    sample: pl.Series | None = None,
    *,
    seed: int = 0,
    least: float | None = None,
) -> Split:
    """Read a fold; of its queries only those of the sample, if there is one.

    Documents whose label is below `least` are left out, as the -1 of semi-supervised files.

    Where the fold has no validation file, a fifth of its training queries, drawn with `seed`,
    takes its place. Raises `BadData` if a part has no queries (left), and what `as_queries` does.
    """

    def read(files: Iterable[Path], part: str) -> Queries:
        frames = [_filled(_chosen(scan_part(one), sample, least), known.features) for one in files]
        found = pl.concat(frames, how="vertical_relaxed").collect()
        return as_queries(found, f"{fold.name}'s {part}")

    train, test = read(fold.train, "train"), read(fold.test, "test")
    if fold.vali:
        return Split(train, read(fold.vali, "vali"), test)
    if len(train) < HELD_OUT:
        raise BadData(f"{fold.name} has no file for 'vali' and too few queries to hold some out")
    order = np.random.default_rng(seed).permutation(len(train))
    held, kept = order[::HELD_OUT], np.delete(order, slice(None, None, HELD_OUT))
    return Split(subset(train, np.sort(kept)), subset(train, np.sort(held)), test)


def ranking(run: str, queries: Queries, scorer: Scorer) -> pl.DataFrame:
    """A scorer's run over some queries: `run, query_id, doc_id: String, score: Float64`."""
    scores = pl.Series(SCORE, scorer(queries), pl.Float64)
    return queries.ids.select(pl.lit(run).alias(RUN), pl.all()).with_columns(scores)


def judgements(
    fold: Fold, sample: pl.Series | None = None, *, least: float | None = None
) -> pl.LazyFrame:
    """The qrels of a fold's test queries: `query_id, doc_id, label`, as `load` chooses them."""
    parts = [_chosen(scan_part(file), sample, least).select(IDS) for file in fold.test]
    return pl.concat(parts, how="vertical_relaxed")


def _chosen(frame: pl.LazyFrame, sample: pl.Series | None, least: float | None) -> pl.LazyFrame:
    if least is not None:
        frame = frame.filter(pl.col(LABEL) >= least)
    if sample is None:
        return frame
    return frame.join(sample.to_frame(QUERY).lazy(), on=QUERY, how="semi", maintain_order="left")


def _filled(frame: pl.LazyFrame, features: list[str]) -> pl.LazyFrame:
    """All features, those that a sparse file never names being 0 in it."""
    have = frame.collect_schema().names()
    zero = pl.lit(0.0, pl.Float32)
    return frame.select(*IDS, *(name if name in have else zero.alias(name) for name in features))
