"""Weights chosen by a measure on some queries, and tried on the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb

import polars as pl

from ulframe.evaluation.evaluate import evaluate
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.frames.mapping import scan_both
from ulframe.metrics.grammar import named
from ulframe.metrics.measure import Measure
from ulframe.systems.fusion.folds import folds_of
from ulframe.systems.fusion.fuse import fuse, names_of

MOST = 5_000  # combinations of weights that are tried
AT_ONCE = 20  # of which so many are evaluated together
DIGITS = 12  # means that agree so far are equal: sums of floats differ in the last bits

Choice = dict[str, float]


@dataclass(frozen=True)
class Tuned:
    """What tuning found.

    - `weights`: by run, those with the highest mean over all queries, the first tried if equal.
      `trained` is that mean, on the queries that they were chosen on, so it says too much.
    - `tested`: the mean over all queries where each was fused by weights chosen without its fold;
      `equal`: the mean with equal weights, chosen on none.
    - `folds`: `fold`, a weight per run, `trained` and `tested`, the means inside and outside.
    - `curve`: a row per combination tried, a weight per run and its `mean`.
    - `run`: each query fused by the weights chosen without its fold, lazily.
    """

    weights: Choice
    trained: float
    tested: float
    equal: float
    folds: pl.DataFrame
    curve: pl.DataFrame
    run: pl.LazyFrame


def weights_of(runs: Iterable[str], step: float = 0.1) -> list[Choice]:
    """Every way to share 1 among the runs in multiples of `step`, which 1 is a multiple of.

    Raises `BadUsage` for another step, or where there are more than `MOST`.

    >>> weights_of(["a", "b"], 0.5)
    [{'a': 1.0, 'b': 0.0}, {'a': 0.5, 'b': 0.5}, {'a': 0.0, 'b': 1.0}]
    """
    names = list(runs)
    parts = round(1 / step) if 0 < step <= 1 else 0
    if not parts or abs(parts * step - 1) > 1e-9:
        raise BadUsage(f"step={step:g}: 1 is no multiple of it; 0.1, 0.2, 0.25 and 0.5 will do")
    count = comb(parts + len(names) - 1, len(names) - 1)
    if count > MOST:
        raise BadUsage(
            f"step={step:g} of {len(names)} runs makes {count:,} combinations, and {MOST:,} are "
            "tried at most: take a larger step or fewer runs"
        )
    return [_share(names, bars, parts) for bars in _bars(parts, len(names) - 1)]


def tune_weights(
    qrels: FramesLike,
    runs: FramesLike,
    measure: str | Measure = "AP",
    *,
    method: str = "combsum",
    norm: str | None = None,
    step: float = 0.1,
    folds: int = 5,
    depth: int | None = None,
    name: str = "fused",
) -> Tuned:
    """Choose the runs' weights by a measure's mean, and try the choice by cross-validation.

    In: as of `fuse`; `step`, see `weights_of`; `folds`, into how many the queries of the qrels are
    dealt, in the order of their ids. Every combination is evaluated on every query once; for each
    fold the best on all the others is taken. What is undefined counts as 0.

    Raises what `fuse`, `evaluate` and `weights_of` raise, and `BadData` where there are fewer
    queries than folds.

    >>> qrels = {"1": {"x": 1}, "2": {"x": 1}}
    >>> runs = {"a": {"1": ["y", "x"], "2": ["y", "x"]}, "b": {"1": ["x", "y"], "2": ["x", "y"]}}
    >>> tuned = tune_weights(qrels, runs, "RR", step=0.5, folds=2)
    >>> tuned.weights, tuned.trained, tuned.tested
    ({'a': 0.0, 'b': 1.0}, 1.0, 1.0)
    """
    judged, given = scan_both(qrels, runs)
    names = names_of(given)
    tried = weights_of(names, step)
    held = given.collect()
    fold = folds_of(judged, folds).collect()

    def fused(weights: Choice, called: str) -> pl.LazyFrame:
        return fuse(held, method, norm=norm, weights=weights, depth=depth, name=called)

    even = dict.fromkeys(names, 1 / len(names))
    candidates = [*tried, even]
    plans = [fused(weights, f"{at:06}") for at, weights in enumerate(candidates)]
    scores = pl.concat(_scores(judged, plans, measure)).join(fold, on="query_id")
    means = _means(scores)
    best = _best(means[:-1])
    rows, chosen = [], []
    for one in range(folds):
        inside = _means(scores.filter(pl.col("fold") != one))
        outside = _means(scores.filter(pl.col("fold") == one))
        at = _best(inside[:-1])
        rows.append({"fold": one, **tried[at], "trained": inside[at], "tested": outside[at]})
        queries = fold.filter(pl.col("fold") == one).lazy()
        chosen.append(fused(tried[at], name).join(queries, on="query_id", how="semi"))
    by_fold = pl.DataFrame(rows)
    sizes = fold["fold"].value_counts().sort("fold")["count"]
    return Tuned(
        weights=tried[best],
        trained=means[best],
        tested=float((by_fold["tested"] * sizes).sum() / fold.height),
        equal=means[-1],
        folds=by_fold,
        curve=pl.DataFrame(tried).with_columns(mean=means[:-1]),
        run=pl.concat(chosen).sort("query_id", maintain_order=True),
    )


def _scores(
    judged: pl.LazyFrame, plans: list[pl.LazyFrame], measure: str | Measure
) -> Iterator[pl.DataFrame]:
    """`run, query_id, score`, some plans at a time."""
    asked = named(measure)
    if len(asked) > 1:
        raise BadUsage(f"weights are chosen by one measure, not by {', '.join(asked)}")
    for start in range(0, len(plans), AT_ONCE):
        runs = pl.concat(plans[start : start + AT_ONCE])
        found = evaluate(judged, runs, asked).select("run", "query_id", "score").collect()
        yield found.with_columns(pl.col("score").fill_null(0.0))


def _means(scores: pl.DataFrame) -> pl.Series:
    """The mean of every candidate, in the order tried."""
    return scores.group_by("run").agg(mean=pl.col("score").mean()).sort("run")["mean"]


def _best(means: pl.Series) -> int:
    return means.round(DIGITS).arg_max() or 0


def _bars(parts: int, bars: int) -> list[tuple[int, ...]]:
    """Where bars may stand among so many parts, all on the first first."""
    return [*combinations(range(parts + bars), bars)][::-1]


def _share(names: list[str], bars: tuple[int, ...], parts: int) -> Choice:
    edges = [-1, *bars, parts + len(bars)]
    gaps = [after - before - 1 for before, after in pairwise(edges)]
    return {name: gap / parts for name, gap in zip(names, gaps, strict=True)}
