"""Choosing a scoring on training queries, and measuring it once on test queries."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import polars as pl

from ulframe.evaluation.evaluate import Evaluation, evaluate, examine
from ulframe.evaluation.summarise import means
from ulframe.frames.errors import BadUsage
from ulframe.frames.sources import scan_qrels
from ulframe.metrics.grammar import Asked, named
from ulframe.systems.bm25.index import Index
from ulframe.systems.bm25.scoring import BM25
from ulframe.systems.bm25.search import search
from ulframe.systems.bm25.sets import query_set
from ulframe.systems.bm25.texts import scan_queries

K = (0.5, 0.9, 1.2, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0)
B = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0)
SHOWN = 3
DIGITS = 12  # means that agree so far are equal: sums of floats differ in the last bits


@dataclass(frozen=True)
class Tuned:
    """What tuning found.

    - `best`: the scoring with the highest mean on the training queries, the grid's first if equal.
    - `curve`: a row per scoring, in the grid's order: its numbers, `measure: String`, `mean:
      Float64` over the training queries.
    - `run`: the test queries' run by the best scoring, lazily.
    - `test`: its scores and coverage, lazily, as `ulframe.examine` gives them.
    """

    best: BM25
    curve: pl.DataFrame
    run: pl.LazyFrame
    test: Evaluation


def grid(**values: Iterable[float]) -> list[BM25]:
    """Every combination of values of `k, b, every, prior, log_prior`, the last varying fastest.

    `k` and `b` run through `K` and `B` if not given, the others stay 0.

    >>> [scoring.b for scoring in grid(k=[1.2], b=[0.5, 0.75])]
    [0.5, 0.75]
    """
    if unknown := sorted({*values} - {*BM25.__dataclass_fields__}):
        raise BadUsage(f"no number {unknown} to tune; there are {[*BM25.__dataclass_fields__]}")
    lists = {"k": K, "b": B, **values}
    return [BM25(**dict(zip(lists, point, strict=True))) for point in product(*lists.values())]


def training_curve(
    index: Index,
    queries: Any,
    qrels: Any,
    scorings: Sequence[BM25],
    *,
    measure: Asked = "AP",
    depth: int = 1000,
) -> pl.DataFrame:
    """Measure each scoring on the same queries: a row per scoring, its numbers, `measure, mean`.

    Runs are made and evaluated one after another, so that only one is in memory.
    """
    rows = []
    for scoring in scorings:
        scores = evaluate(qrels, search(index, queries, scoring, depth=depth), measure)
        mean = means(scores).select("measure", "mean").collect().row(0, named=True)
        rows.append(asdict(scoring) | mean)
    return pl.DataFrame(rows)


def tune(
    index: Index,
    queries: Any,
    qrels: Any,
    *,
    train: Any,
    test: Any,
    scorings: Sequence[BM25] | None = None,
    measures: Asked = "AP",
    depth: int = 1000,
) -> Tuned:
    """Choose the scoring that is best on `train`, by the first of the measures; run it on `test`.

    In: `train`, `test`, what `query_set` takes; `scorings`, the default being `grid()`. The test
    queries are searched and measured only for the scoring chosen, by all measures.

    Warns (`UserWarning`) if the two sets share queries. Raises `BadUsage` for no scoring, and what
    `search` and `evaluate` raise.
    """
    scorings = grid() if scorings is None else scorings
    if not scorings:
        raise BadUsage("there is no scoring to choose from")
    asked = named(measures)
    first = dict(list(asked.items())[:1])
    train, test = query_set(train).collect(), query_set(test).collect()
    _warn_of_shared(train, test)
    texts, judged = scan_queries(queries), scan_qrels(qrels)
    own = (_only(texts, train), _only(judged, train))
    curve = training_curve(index, *own, scorings, measure=first, depth=depth)
    best = scorings[curve["mean"].round(DIGITS).arg_max() or 0]
    run = search(index, _only(texts, test), best, depth=depth)
    return Tuned(best, curve, run, examine(_only(judged, test), run, asked))


def _only(frame: pl.LazyFrame, ids: pl.DataFrame) -> pl.LazyFrame:
    return frame.join(ids.lazy(), on="query_id", how="semi", maintain_order="left")


def _warn_of_shared(train: pl.DataFrame, test: pl.DataFrame) -> None:
    shared = train.join(test, on="query_id", maintain_order="left")["query_id"]
    if shared.len():
        warnings.warn(
            f"{shared.len()} of the {len(test)} test queries are training queries too, such as "
            f"{shared.head(SHOWN).to_list()}: the test says too much",
            stacklevel=3,
        )
