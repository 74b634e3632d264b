"""The function `holes`, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from ulframe.analysis.unjudged.draws import drawn
from ulframe.analysis.unjudged.laws import SLACK, require_exchange
from ulframe.analysis.unjudged.next_documents import next_documents
from ulframe.analysis.unjudged.pairs import differences
from ulframe.analysis.unjudged.ranges import RANGES, ranges
from ulframe.analysis.unjudged.rankings import Rankings, rankings
from ulframe.evaluation.evaluate import evaluate
from ulframe.evaluation.ranking import KEYS
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.metrics.grammar import Asked, named
from ulframe.metrics.measure import Measure

DEPTHS = (5, 10, 20, 100)
DRAWS, SEED = 200, 0


@dataclass(frozen=True)
class Holes:
    """What `holes` finds.

    - `labels`: what an unjudged document may have.
    - `judged`: `run: String, depth: Int64, judged: Float64`, the share of what a run returned down
      to that depth that is judged, mean over queries.
    - `queries`: `run, query_id, measure: String, score, lowest, highest, condensed: Float64,
      unjudged: Int64, exact: Boolean`: today's score, the extremes over all fillings, the score of
      the judged documents alone (null of a measure that cannot be had so); undefined scores are 0.
    - `runs`: the same as means, without `query_id`; `unjudged` is a sum, `exact` holds of all.
    - `pairs`: `run_a, run_b, measure: String, diff, lowest, highest: Float64, holds: Boolean,
      share: Float64`: of each pair, a the better today; `holds` says whether it stays so over all
      fillings (null: not known), `share` in which share of random ones.
    - `documents`: `query_id, doc_id: String, influence, rate: Float64, runs, best_rank: Int64`,
      what to judge next, most influential first.
    """

    labels: tuple[float, ...]
    judged: pl.DataFrame
    queries: pl.DataFrame
    runs: pl.DataFrame
    pairs: pl.DataFrame
    documents: pl.DataFrame


def holes(
    qrels: FramesLike,
    runs: FramesLike,
    measures: Asked,
    *,
    baseline: str | None = None,
    labels: Sequence[float] | None = None,
    depth: int | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
    progress: Callable[[float], None] = lambda share: None,
) -> Holes:
    """What scores and comparisons could become, were the unjudged documents of the runs judged.

    In: `qrels` and `runs` as of `evaluate`, and measures. A filling gives each unjudged document
    that a run returned (down to `depth`, if given) one of `labels`: by default 0 to the highest of
    the qrels, in whole steps. Documents that no run returned stay not relevant. Pairs are all, or
    each run with the `baseline`.

    The extremes are exact of measures that no higher label lowers (P, DCG, RBP, RR, Success), of
    all that tell two labels apart (AP, R, bpref ...), and of others where few documents are
    unjudged; of U, V1 and V2 with many, they are bounds, and `exact` is false. In random fillings a
    document has a label as often as the judged ones of the runs that returned it, seeded.

    Raises `BadUsage` for a measure that prefers a lower label above a higher one, is aggregated
    otherwise than by a mean, or looks at judged documents alone, for labels below 0 or without 0,
    and where neither extremes nor bounds can be told.

    >>> qrels = {"q": {"a": 1, "b": 0}}
    >>> runs = {"x": {"q": {"a": 3, "b": 2, "c": 1}}, "y": {"q": {"b": 3, "a": 2, "d": 1}}}
    >>> found = holes(qrels, runs, "AP")
    >>> found.runs.select("run", "score", "lowest", "highest").row(0)
    ('x', 1.0, 0.8333333333333333, 1.0)
    >>> found.pairs.select("run_a", "run_b", "holds").row(0)
    ('x', 'y', False)
    """
    asked = named(measures)
    _require(asked)
    known = rankings(qrels, runs, depth)
    levels = _levels(known, labels)
    require_exchange([*asked.values()], levels)
    pairs = _pairs(known.runs, baseline)
    queries = _queries(known, qrels, runs, asked, levels, depth)
    progress(0.5)
    judged = _judged(known)
    told = _sided(differences(known, asked, levels, queries, pairs)) if pairs else _NO_PAIRS
    progress(0.7)
    shared = _with_shares(told, queries, drawn(known, asked, draws, seed) if pairs else ())
    progress(0.9)
    many = len(known.runs) > 1
    documents = next_documents(known, asked, levels[-1], baseline) if many else _NO_DOCUMENTS
    return Holes(levels, judged, queries, _means(queries, [*asked]), shared, documents)


_NO_PAIRS = pl.DataFrame(
    schema={
        **dict.fromkeys(["run_a", "run_b", "measure"], pl.String),
        **dict.fromkeys(["diff", "lowest", "highest"], pl.Float64),
        "holds": pl.Boolean,
    }
)
_NO_DOCUMENTS = pl.DataFrame(
    schema={
        **dict.fromkeys(["query_id", "doc_id"], pl.String),
        **dict.fromkeys(["influence", "rate"], pl.Float64),
        **dict.fromkeys(["runs", "best_rank"], pl.Int64),
    }
)


# ---------------------------------------------------------------- what is asked
def _require(measures: Mapping[str, Measure]) -> None:
    for name, measure in measures.items():
        if measure.metric.aggregate != "mean":
            raise BadUsage(f"no holes of {name}: its queries make a {measure.metric.aggregate}")
        if measure.view.judged_only:
            raise BadUsage(f"no holes of {name}: it sees judged documents alone, so has none")


def _levels(known: Rankings, labels: Sequence[float] | None) -> tuple[float, ...]:
    """The labels that an unjudged document may have, from 0 up."""
    if labels is not None:
        given = sorted({float(label) for label in labels})
        if len(given) < 2 or given[0] != 0:
            raise BadUsage(f"labels={[*labels]}: 0 and at least one above it, as in 0 1")
        return tuple(given)
    highest = max(1.0, known.highest)
    if highest.is_integer():
        return tuple(float(step) for step in range(int(highest) + 1))
    found = known.counts.filter(pl.col("label") > 0)["label"].unique().sort()
    return (0.0, *found)


def _pairs(runs: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    if baseline is None:
        return [*combinations(runs, 2)]
    if baseline not in runs:
        raise BadUsage(f"no run {baseline!r} to be the baseline; there is {', '.join(runs[:3])}")
    return [(run, baseline) for run in runs if run != baseline]


# ---------------------------------------------------------------- what is found
def _queries(
    known: Rankings,
    qrels: FramesLike,
    runs: FramesLike,
    measures: Mapping[str, Measure],
    levels: Sequence[float],
    depth: int | None,
) -> pl.DataFrame:
    keys = [*KEYS, "measure"]
    scores = evaluate(qrels, runs, measures, depth=depth).select(*keys, "score")
    judged_only = _condensed(measures)
    condensed = evaluate(qrels, runs, judged_only, depth=depth).select(*keys, condensed="score")
    many = known.holes.group_by(KEYS).agg(unjudged=pl.len().cast(pl.Int64))
    found = ranges(known, measures, levels) if many.height else pl.DataFrame(schema=RANGES)
    score = pl.col("score").fill_null(0.0)
    return (
        scores.join(condensed, on=keys, how="left", maintain_order="left")
        .join(found.lazy(), on=keys, how="left", maintain_order="left")
        .join(many.lazy(), on=KEYS, how="left", maintain_order="left")
        .select(
            *keys,
            score=score,
            lowest=pl.coalesce("lowest", score),
            highest=pl.coalesce("highest", score),
            condensed=pl.col("condensed").fill_null(0.0),
            unjudged=pl.col("unjudged").fill_null(0),
            exact=pl.col("exact").fill_null(True),
        )
        .collect()
    )


def _condensed(measures: Mapping[str, Measure]) -> dict[str, Measure]:
    """The measures of the judged documents alone, under the same names."""
    return {name: measure(judged_only=True) for name, measure in measures.items()}


def _means(queries: pl.DataFrame, order: list[str]) -> pl.DataFrame:
    numbers = pl.col("score", "lowest", "highest", "condensed")
    place = {name: at for at, name in enumerate(order)}
    means = queries.group_by("run", "measure").agg(
        numbers.mean(), pl.col("unjudged").sum(), pl.col("exact").all()
    )
    return means.sort("run", pl.col("measure").replace_strict(place))


def _judged(known: Rankings) -> pl.DataFrame:
    """A query that a run misses, or with nothing returned, has nothing judged."""
    shares = [
        known.rows.filter(pl.col("rank") <= depth)
        .group_by(KEYS)
        .agg(judged=pl.col("label").is_not_null().mean())
        .group_by("run")
        .agg(pl.col("judged").sum() / len(known.queries))
        .with_columns(depth=pl.lit(depth, pl.Int64))
        for depth in DEPTHS
    ]
    return pl.concat(shares).sort("run", "depth").select("run", "depth", "judged")


def _sided(pairs: pl.DataFrame) -> pl.DataFrame:
    """With the better run of each pair as a."""
    turned = pl.col("diff") < 0
    return pairs.with_columns(
        run_a=pl.when(turned).then("run_b").otherwise("run_a"),
        run_b=pl.when(turned).then("run_a").otherwise("run_b"),
        diff=pl.col("diff").abs(),
        lowest=pl.when(turned).then(-pl.col("highest")).otherwise("lowest"),
        highest=pl.when(turned).then(-pl.col("lowest")).otherwise("highest"),
    )


def _with_shares(
    pairs: pl.DataFrame, queries: pl.DataFrame, drawn: Iterable[pl.DataFrame]
) -> pl.DataFrame:
    """With the share of random fillings in which a has the higher mean.

    What no draw has a query of is as it is today.
    """
    keys, name = ["run_a", "run_b", "measure"], ["run", "measure"]
    sums = [part.group_by("draw", *name).agg(pl.col("score").sum()) for part in drawn]
    if not sums:
        certain = pl.when(pl.col("diff") > SLACK).then(1.0).otherwise(0.0)
        return pairs.with_columns(share=certain)
    scores = (
        pl.concat(sums)
        .join(_unmoved(queries), on=name)
        .select("draw", *name, score=(pl.col("score") + pl.col("unmoved")) / pl.col("n"))
    )
    a = pairs.select(keys).join(scores, left_on=["run_a", "measure"], right_on=name)
    both = a.join(
        scores,
        left_on=["run_b", "measure", "draw"],
        right_on=[*name, "draw"],
        suffix="_b",
    )
    shares = both.group_by(keys).agg(share=(pl.col("score") - pl.col("score_b") > SLACK).mean())
    return pairs.join(shares, on=keys, how="left", maintain_order="left")


def _unmoved(queries: pl.DataFrame) -> pl.DataFrame:
    """`run, measure, unmoved, n`: the sum over queries of which no run has anything unjudged."""
    moved = queries.filter(pl.col("unjudged") > 0).select("query_id").unique()
    others = queries.join(moved, on="query_id", how="anti")
    sums = others.group_by("run", "measure").agg(unmoved=pl.col("score").sum())
    counts = queries.group_by("run", "measure").agg(n=pl.len())
    return counts.join(sums, on=["run", "measure"], how="left").with_columns(
        pl.col("unmoved").fill_null(0.0)
    )
