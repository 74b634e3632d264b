"""What a pool does to the comparison of systems, against all judgements that there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from ulframe.analysis.blocks import DIGITS
from ulframe.analysis.transforms import TRANSFORMS, Transform
from ulframe.evaluation.evaluate import evaluate
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike, as_lazy
from ulframe.frames.sources import scan_qrels, scan_runs
from ulframe.studies.pooling.columns import DOC, PLACE, QUERY, TRAINING
from ulframe.studies.pooling.lists import as_list
from ulframe.studies.pooling.verdicts import against, verdict

SIZES = (5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 100, 125, 150, 175, 200, 250, 300, 350, 400, 500)
MEASURES = ("AP", "V1(AP)", "V2(AP)", "nDCG@10", "V1(DCG@10)", "V2(DCG@10)")
LEVEL, ALPHA = 0.9, 0.05
FULL = "full"

EFFECTS: dict[str, type[pl.DataType]] = {
    "method": pl.String,
    "size": pl.Int64,
    "measure": pl.String,
    "judged": pl.Int64,
    "judged_with_training": pl.Int64,
    "recall": pl.Float64,
    "recall_all": pl.Float64,
    "tau": pl.Float64,
    "agrees": pl.Boolean,
    "detected": pl.Float64,
    "reversed": pl.Float64,
    "false_alarms": pl.Float64,
    "group_a": pl.Int64,
}
"""The frame of effects: its columns and their types."""


def reduced(qrels: FramesLike, pool: FramesLike) -> pl.LazyFrame:
    """The judgements that are left where only a pool was judged.

    In: qrels, and any frame with `query_id, doc_id`, such as the first rows of a judging list. Out:
    the rows of the qrels, in their order, whose document is in the pool. A pooled document that the
    qrels do not have stays without a label: nobody knows it.

    >>> order = pl.DataFrame({"query_id": "1", "doc_id": ["x", "y", "z"], "place": [1, 2, 3]})
    >>> reduced(
    ...     {"1": {"w": 1, "y": 2, "z": 0}}, order.filter(pl.col("place") <= 2)
    ... ).collect().rows()
    [('1', 'y', 2)]
    """
    keys = as_lazy(pool, PLACE).select(pl.col(QUERY, DOC).cast(pl.String))
    return scan_qrels(qrels).join(keys, on=[QUERY, DOC], how="semi", maintain_order="left")


def effects(
    qrels: FramesLike,
    runs: FramesLike,
    lists: Mapping[str, FramesLike],
    *,
    sizes: Sequence[int] = SIZES,
    measures: Sequence[str] = MEASURES,
    rel: float = 1,
    alpha: float = ALPHA,
    transform: Transform = "ranks",
    level: float = LEVEL,
    pool: str | int = "judged",
    progress: Callable[[float], None] = lambda share: None,
) -> pl.LazyFrame:
    """Compare the systems by the first `size` documents of each query's list, and by all of qrels.

    In: qrels and runs as frames; `lists`, judging lists by the name of their method; `measures`, by
    name. Queries are those of the qrels, and a query without any judgement in the pool scores 0.

    Out, a row per method, size and measure, and one of method `full` and no size per measure for
    the qrels themselves:

    - `judged`: how many documents the pool has, whether or not the qrels know them (for `full`, the
      rows of the qrels); `judged_with_training`: with those that the list was trained on.
    - `recall`: the share of a query's relevant documents (`label >= rel`) that the pool has,
      in the mean over the queries that have any; `recall_all`: of all queries' together.
    - `tau`: Kendall's tau-b between the systems' means by the pool and by the qrels, null where all
      are tied; `agrees`: whether it is at least `level`.
    - `detected`: of the pairs of systems that differ significantly by the qrels (paired t-test, p
      below `alpha`), the share that differs so, in the same direction, by the pool; `reversed`: the
      share that does in the other direction; `false_alarms`: of the other pairs, the share that
      differs significantly by the pool. Null of no pairs.
    - `group_a`: how many systems Tukey's paired HSD at `alpha` does not set apart from the best,
      after `transform`: `ranks`, `arcsine` (which no measure below 0 takes, as V2 is) or `none`.

    `pool` is what a random ranking shuffles, for V1 and V2 (see `histogram`): by default what the
    reduced qrels have. `progress` is called with the share done.

    Raises `BadUsage` at once for no list, a size below 1, a list called `full`, an unknown
    transform or a level that tau cannot have; when collected, `BadData` for a list that shares no
    query with the qrels, and what `evaluate` and `compare` raise.

    >>> import ulframe as ul
    >>> qrels, runs = ul.sample_qrels(), ul.sample_runs()
    >>> from ulframe.studies.pooling import depth_n
    >>> found = effects(qrels, runs, {"depth": depth_n(runs)}, sizes=[10], measures=["nDCG@10"])
    >>> found.select("method", "size", "judged").collect().rows()
    [('full', None, ...), ('depth', 10, 2000)]
    """
    _check(lists, sizes, transform, level)
    steps = sorted(set(sizes))

    def rows() -> pl.DataFrame:
        known, listed = pl.collect_all([scan_qrels(qrels), scan_runs(runs, documents=qrels)])
        whole = _scores(known, listed, measures, pool)
        truth = verdict(whole, alpha, transform)
        found = [_row(against(truth, truth), FULL, None, known, known, known, rel)]
        for done, (name, given) in enumerate(lists.items()):
            order = as_list(given).join(known.lazy(), on=QUERY, how="semi").collect()
            if order.is_empty():
                raise BadData(f"the list {name!r} shares no query with the qrels")
            for step, size in enumerate(steps, start=1):
                inside = order.filter(pl.col(PLACE) <= size)
                taken = order.filter((pl.col(PLACE) <= size) | pl.col(TRAINING))
                scores = _scores(reduced(known, inside).collect(), listed, measures, pool, whole)
                compared = against(verdict(scores, alpha, transform), truth)
                found.append(_row(compared, name, size, inside, taken, known, rel))
                progress((done + step / len(steps)) / len(lists))
        agrees = (pl.col("tau") >= level).fill_null(False)
        return pl.concat(found).with_columns(agrees=agrees).select(*EFFECTS)

    return pl.defer(rows, schema=EFFECTS)


def _check(
    lists: Mapping[str, FramesLike], sizes: Sequence[int], transform: Transform, level: float
) -> None:
    if not lists or FULL in lists:
        raise BadUsage(f"there must be a judging list, and none called {FULL!r}: {list(lists)}")
    if not sizes or min(sizes) < 1:
        raise BadUsage(f"sizes={list(sizes)}: there must be one, and none below 1")
    if transform not in TRANSFORMS:
        raise BadUsage(f"transform={transform!r} is not one of {', '.join(TRANSFORMS)}")
    if not -1 <= level <= 1:
        raise BadUsage(f"level={level}: Kendall's tau is from -1 to 1")


def _scores(
    qrels: pl.DataFrame,
    runs: pl.DataFrame,
    measures: Sequence[str],
    pool: str | int,
    whole: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """`run, query_id, measure, score`, undefined scores being 0; the rows of `whole`, if given.

    A query of which the pool has no judgement scores 0.
    """
    keys = ["run", QUERY, "measure"]
    if whole is not None and qrels.join(runs, on=QUERY, how="semi").is_empty():
        return whole.with_columns(score=pl.lit(0.0))
    scores = evaluate(qrels, runs, measures, pool=pool).select(*keys, "score")
    if whole is not None:
        scores = whole.lazy().drop("score").join(scores, on=keys, how="left", maintain_order="left")
    # rounded, for in floats the score of a perfect ranking may be a little above 1
    return scores.with_columns(pl.col("score").fill_null(0.0).round(DIGITS)).collect()


def _row(
    compared: pl.DataFrame,
    method: str,
    size: int | None,
    inside: pl.DataFrame,
    taken: pl.DataFrame,
    known: pl.DataFrame,
    rel: float,
) -> pl.DataFrame:
    """Rows of effects, without `agrees`, for documents `inside` the pool and `taken` in all."""
    recall, recall_all = _recalls(known, inside, rel)
    return compared.with_columns(
        method=pl.lit(method),
        size=pl.lit(size, dtype=pl.Int64),
        judged=pl.lit(inside.height, dtype=pl.Int64),
        judged_with_training=pl.lit(taken.height, dtype=pl.Int64),
        recall=pl.lit(recall, dtype=pl.Float64),
        recall_all=pl.lit(recall_all, dtype=pl.Float64),
    ).select(*(name for name in EFFECTS if name != "agrees"))


def _recalls(
    known: pl.DataFrame, inside: pl.DataFrame, rel: float
) -> tuple[float | None, float | None]:
    """The share of relevant documents that are inside: the mean over queries, and of all."""
    relevant = known.filter(pl.col("label") >= rel)
    found = relevant.join(
        inside.select(QUERY, DOC, found=pl.lit(True)), on=[QUERY, DOC], how="left"
    ).with_columns(pl.col("found").fill_null(False))
    shares = found.group_by(QUERY, maintain_order=True).agg(pl.col("found").mean())
    return shares["found"].mean(), found["found"].mean()  # type: ignore[return-value]
