"""Runs in, one run out: as a plan."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import isfinite

import polars as pl

from ulframe.evaluation.ranking import coded, rank
from ulframe.frames.contract import conformed
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.frames.repeats import refuse_repeats
from ulframe.frames.sources import scan_runs
from ulframe.metrics.called import called
from ulframe.systems.fusion.columns import CANDIDATES, RANK, RETRIEVED, SCORE, WEIGHT, WITHIN
from ulframe.systems.fusion.methods import ALSO, METHODS, Finish, Method
from ulframe.systems.fusion.norms import NORMS, Norm, normalise

SHOWN = 5  # names that a message lists
DEFAULT = "min-max"
DIGITS = 12  # sums that agree so far are equal: those of floats differ in the last bits
DOCUMENT = ["query_id", "doc_id"]
Weights = Mapping[str, float]


def fuse(
    runs: FramesLike,
    method: str | Method = "rrf",
    *,
    norm: str | None = None,
    weights: Weights | None = None,
    depth: int | None = None,
    name: str = "fused",
) -> pl.LazyFrame:
    """Make one run of several.

    In: `runs` as `scan_runs` takes them, two at least; `method`, a name of `METHODS`, with settings
    in brackets where it has some (`rrf(k=10)`), or a `Method`; `norm`, a name of `NORMS`, for
    methods that read scores, `min-max` by default; `weights` by the names of all runs, for methods
    that take some; `depth`, how many documents of a query are kept. Out: `run, query_id, doc_id:
    String, score: Float64`, ordered by query, score, and doc_id descending. `run` is `name`.

    A document that a run did not return gets nothing from it, but for `borda`. A run that returned
    nothing for a query has no say in it. Equal scores in a run are ranked by doc_id descending, as
    trec_eval does; fused ones too, after 12 digits. The runs' names are read at once, the rest is a
    plan.

    Raises `BadUsage` for a method, norm, setting or weight that there is not, or that has no effect
    there; `BadData` for a single run, a document that a run returned twice, and where a score comes
    out as no number, as infinite ones make it.

    >>> runs = {"a": {"q": {"x": 9.0, "y": 5.0, "z": 1.0}}, "b": {"q": {"y": 0.4, "w": 0.2}}}
    >>> fuse(runs, "combsum").collect().rows()  # x: 1, y: 4/8 + 1, z: 0, w: 0
    [('fused', 'q', 'y', 1.5), ('fused', 'q', 'x', 1.0), ('fused', 'q', 'z', 0.0),
     ('fused', 'q', 'w', 0.0)]
    >>> fuse(runs, "rrf(k=1)", weights={"a": 1, "b": 3}, depth=1).collect()["score"][0]  # 1/3 + 3/2
    1.83333333333
    """
    chosen = called(method, METHODS, ALSO) if isinstance(method, str) else method
    known = normed(chosen, norm, str(method))
    given = scan_runs(runs)
    names = names_of(given)
    if weights is not None and not chosen.reads(WEIGHT):
        raise BadUsage(f"{method} takes no weights; combsum, combmnz, rrf, borda and others do")
    listed = listed_for(chosen, known, given).with_columns(weight=weighed(names, weights))
    return finished(combined(normalise(listed, known), chosen), given, depth, name)


def names_of(runs: pl.LazyFrame) -> list[str]:
    """The names of the runs, sorted; `BadData` where there is nothing to fuse."""
    names: list[str] = runs.select(pl.col("run").unique().sort()).collect()["run"].to_list()
    if len(names) < 2:
        raise BadData(f"fusion takes two runs at least; there is {names[0]!r}" if names else
                      "fusion takes two runs at least; there is none")  # fmt: skip
    return names


def normed(method: Method, norm: str | None, name: str) -> Norm | None:
    """The norm of that name, `min-max` by default; none for a method that reads no scores."""
    if norm is not None and norm not in NORMS:
        raise BadUsage(f"norm={norm!r} is not one of {', '.join(NORMS)}")
    if norm not in (None, "none") and not method.reads(SCORE):
        raise BadUsage(f"{name} reads ranks and no scores, so norm={norm} would change nothing")
    return NORMS[norm or DEFAULT] if method.reads(SCORE) else None


def listed_for(method: Method, norm: Norm | None, runs: pl.LazyFrame) -> pl.LazyFrame:
    """What runs returned, `run, query_id, doc_id`, with those columns that are read."""
    readers: list[Method | Norm] = [method] if norm is None else [method, norm]
    rows = coded(runs)
    if any(reader.reads(RANK) for reader in readers):
        places = coded(rank(runs)).select(*WITHIN, "doc_id", RANK, RETRIEVED)
        rows = places if norm is None else rows.join(places, on=[*WITHIN, "doc_id"])
    if any(reader.reads(CANDIDATES) for reader in readers):
        of_query = rows.group_by("query_id").agg(candidates=pl.col("doc_id").n_unique())
        rows = rows.join(of_query.with_columns(CANDIDATES.cast(pl.Int64)), on="query_id")
    return rows


def combined(listed: pl.LazyFrame, method: Method) -> pl.LazyFrame:
    """Every document's fused score: `query_id, doc_id, score, repeated`, in no order.

    `repeated` is whether a run returned it twice.
    """
    points = method.points if method.absent is None else method.points - method.absent
    fused = (
        listed.with_columns(points=points)
        .group_by(DOCUMENT)
        .agg(score=method.fused, repeated=pl.col("run").n_unique() < pl.len())
    )
    if method.finish is not None:
        return _sorted_by(method.finish, fused)
    if method.absent is None:
        return fused
    of_runs = listed.with_columns(absent=method.absent).unique(WITHIN)
    of_all = of_runs.group_by("query_id").agg(pl.col("absent").sum())
    return fused.join(of_all, on="query_id").with_columns(SCORE + pl.col("absent"))


def finished(fused: pl.LazyFrame, runs: pl.LazyFrame, depth: int | None, name: str) -> pl.LazyFrame:
    """A run of fused scores: checked, in order, cut."""
    if depth is not None and depth < 1:
        raise BadUsage(f"depth={depth} is below 1")
    checked = fused.map_batches(partial(_usable, runs), streamable=True)
    ordered = checked.select(
        pl.lit(name).alias("run"),
        pl.col(DOCUMENT).cast(pl.String),
        pl.col("score").cast(pl.Float64).round_sig_figs(DIGITS),
    ).sort("query_id", "score", "doc_id", descending=[False, True, True])
    if depth is not None:
        ordered = ordered.filter(pl.int_range(pl.len()).over("query_id") < depth)
    return conformed(ordered, "score")


def weighed(names: list[str], weights: Weights | None) -> pl.Expr:
    """What each run counts. Raises `BadUsage` for a run without a weight, or the reverse."""
    if weights is None:
        return pl.lit(1.0)
    if unknown := sorted({*names} ^ {*weights}):
        there = ", ".join(names[:SHOWN])
        raise BadUsage(f"every run has a weight, and no other: not so {unknown[0]!r}, of {there}")
    if wrong := [run for run, weight in weights.items() if not isfinite(weight)]:
        raise BadUsage(f"the weight of {wrong[0]!r} is {weights[wrong[0]]}, which is no number")
    numbers = {run: float(weight) for run, weight in weights.items()}
    return pl.col("run").cast(pl.String).replace_strict(numbers, return_dtype=pl.Float64)


def _sorted_by(finish: Finish, fused: pl.LazyFrame) -> pl.LazyFrame:
    """The documents of each query as `finish` orders them."""

    def of_query(query: pl.DataFrame) -> pl.DataFrame:
        alike = query.select(pl.col("query_id", "repeated").first())
        return alike.join(finish(query), how="cross")

    schema = pl.Schema(
        {"query_id": pl.String(), "repeated": pl.Boolean(), "doc_id": pl.String(),
         "score": pl.Float64()}
    )  # fmt: skip
    any_twice = pl.col("repeated").any().over("query_id")
    texts = fused.with_columns(pl.col("query_id").cast(pl.String), any_twice)
    return texts.group_by("query_id").map_groups(of_query, schema)


def _usable(runs: pl.LazyFrame, batch: pl.DataFrame) -> pl.DataFrame:
    if batch["repeated"].any():
        refuse_repeats(runs)
    wrong = batch.filter(~pl.col("score").is_finite().fill_null(False))
    if wrong.height:
        query, document, score = wrong.select(*DOCUMENT, "score").row(0)
        raise BadData(
            f"query {query!r}, document {document!r}: the fused score is {score}. Infinite scores "
            "have no norm; a method of ranks, such as rrf, takes them"
        )
    return batch
