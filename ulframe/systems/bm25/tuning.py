"""Choosing a scoring on training queries, and measuring it once on test queries."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from math import inf
from os import PathLike

import polars as pl

from ulframe.evaluation.evaluate import Evaluation, evaluate, examine
from ulframe.evaluation.summarise import means
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.frames.sources import scan_qrels
from ulframe.metrics.grammar import Asked, named
from ulframe.systems.bm25.index import Index
from ulframe.systems.bm25.retrieval import asked_of
from ulframe.systems.bm25.scoring import BM25
from ulframe.systems.bm25.search import query_terms, rank_asked, search
from ulframe.systems.bm25.sets import QuerySet, query_set
from ulframe.systems.bm25.texts import Texts, scan_queries

K = (0.5, 0.9, 1.2, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0)
B = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0)
ZERO = (0.0,)  # what is not tuned stays out of the score
ENDS = {"k": (0, inf), "b": (0, 1), "every": (0,), "prior": (0,), "log_prior": (0,)}
SHOWN = 3
AT_ONCE = 4_000_000  # rows of runs that are held at once
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


def grid(
    *,
    k: Iterable[float] = K,
    b: Iterable[float] = B,
    every: Iterable[float] = ZERO,
    prior: Iterable[float] = ZERO,
    log_prior: Iterable[float] = ZERO,
) -> list[BM25]:
    """Every combination of these values of a scoring's numbers, the last varying fastest.

    >>> [scoring.b for scoring in grid(k=[1.2], b=[0.5, 0.75])]
    [0.5, 0.75]
    """
    return [BM25(*point) for point in product(k, b, every, prior, log_prior)]


def at_edge(best: BM25, scorings: Iterable[BM25]) -> dict[str, str]:
    """By number, `highest` or `lowest` where the best is that of all tried: beyond may be better.

    The ends of a number's range are no edges, and 0, which leaves a part of the score out.

    >>> at_edge(BM25(k=2.0, b=1.0), grid(k=[1.2, 2.0], b=[0.75, 1.0]))
    {'k': 'highest'}
    """
    points = [asdict(scoring) for scoring in scorings]
    edges = {}
    for number, chosen in asdict(best).items():
        tried = {point[number] for point in points}
        if len(tried) > 1 and chosen in (min(tried), max(tried)) and chosen not in ENDS[number]:
            edges[number] = "lowest" if chosen == min(tried) else "highest"
    return edges


def training_curve(
    index: Index,
    queries: Texts,
    qrels: FramesLike,
    scorings: Sequence[BM25],
    *,
    measure: Asked = "AP",
    depth: int = 1000,
) -> pl.DataFrame:
    """Measure each scoring on the same queries: a row per scoring, its numbers, `measure, mean`.

    The postings are read once, and as many runs evaluated together as are `AT_ONCE` rows.
    """
    asked = asked_of(index, query_terms(index, queries).collect())
    together = max(1, AT_ONCE // max(1, len(asked.queries) * depth))
    judged = scan_qrels(qrels)
    rows = []
    for start in range(0, len(scorings), together):
        some = scorings[start : start + together]
        runs = [rank_asked(asked, one, depth, f"{place:06}") for place, one in enumerate(some)]
        found = means(evaluate(judged, pl.concat(runs), measure)).collect()
        of_run = dict(found.select("run", pl.struct("measure", "mean")).iter_rows())
        nothing = {"measure": next(iter(named(measure))), "mean": 0.0}  # of a run without a row
        rows += [asdict(one) | of_run.get(f"{place:06}", nothing) for place, one in enumerate(some)]
    return pl.DataFrame(rows)


def tune(
    index: Index,
    queries: Texts,
    qrels: FramesLike,
    *,
    train: QuerySet,
    test: QuerySet,
    scorings: Sequence[BM25] | None = None,
    measures: Asked = "AP",
    depth: int = 1000,
) -> Tuned:
    """Choose the scoring that is best on `train`, by the first of the measures; run it on `test`.

    In: `train`, `test`, what `query_set` takes; `scorings`, the default being `grid()`. The test
    queries are searched and measured only for the scoring chosen, by all measures.

    Warns (`UserWarning`) if the two sets share queries, or name some that are not among `queries`
    or not in `qrels`. Raises `BadUsage` for no scoring, `BadData` for a set of which no query is
    there or judged, and what `search` and `evaluate` raise.
    """
    scorings = grid() if scorings is None else scorings
    if not scorings:
        raise BadUsage("there is no scoring to choose from")
    asked = named(measures)
    first = dict(list(asked.items())[:1])
    names = [_called(train, "the training queries"), _called(test, "the test queries")]
    learnt, tested = query_set(train).collect(), query_set(test).collect()
    _warn_of_shared(learnt, tested)
    texts, judged = scan_queries(queries), scan_qrels(qrels)
    places = {
        "among the queries to search with (--numbered, where ids are places in their file)":
            texts.select("query_id").collect(),
        f"in {_called(qrels, 'the qrels')}": judged.select("query_id").collect(),
    }  # fmt: skip
    for name, chosen in zip(names, (learnt, tested), strict=True):
        for place, there in places.items():
            _check_known(name, chosen, place, there)
    own = (_only(texts, learnt), _only(judged, learnt))
    curve = training_curve(index, *own, scorings, measure=first, depth=depth)
    best = scorings[curve["mean"].round(DIGITS).arg_max() or 0]
    run = search(index, _only(texts, tested), best, depth=depth)
    return Tuned(best, curve, run, examine(_only(judged, tested), run, asked))


def _only(frame: pl.LazyFrame, ids: pl.DataFrame) -> pl.LazyFrame:
    return frame.join(ids.lazy(), on="query_id", how="semi", maintain_order="left")


def _called(source: object, otherwise: str) -> str:
    return str(source) if isinstance(source, str | PathLike) else otherwise


def _check_known(name: str, chosen: pl.DataFrame, place: str, there: pl.DataFrame) -> None:
    """Warn of queries of a set that are not there; refuse a set of which none is."""
    unknown = chosen.join(there, on="query_id", how="anti", maintain_order="left")["query_id"]
    such = f"such as {unknown.head(SHOWN).to_list()}"
    if len(unknown) == len(chosen):
        raise BadData(f"{name}: none of {len(chosen)} queries is {place}, {such}")
    if len(unknown):
        says = f"{name}: {len(unknown)} of {len(chosen)} queries are not {place}, {such}"
        warnings.warn(says, stacklevel=3)


def _warn_of_shared(train: pl.DataFrame, test: pl.DataFrame) -> None:
    shared = train.join(test, on="query_id", maintain_order="left")["query_id"]
    if shared.len():
        warnings.warn(
            f"{shared.len()} of the {len(test)} test queries are training queries too, such as "
            f"{shared.head(SHOWN).to_list()}: the test says too much",
            stacklevel=3,
        )
