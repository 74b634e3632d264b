"""Whether one run stays better than another, however their unjudged documents are judged.

Both are filled alike: a document that both returned has one label. Queries are independent of each
other, so the least of a mean difference is the mean of the least differences. These are known
exactly where every document adds a number of its own (see `adding`), or where all fillings can be
tried; else from inside, by fillings that are tried, and from outside, by the ranges of the two
runs, where these do not change with what only the other run returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import floor, log

import polars as pl

from ulframe.analysis.unjudged.adding import Sums, adds_up, by_documents
from ulframe.analysis.unjudged.laws import SLACK, classes_of
from ulframe.analysis.unjudged.rankings import Rankings
from ulframe.analysis.unjudged.scoring import MARKS, Fillings, scores_of
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import A

MOST = 1024  # fillings of one query that are all tried
REACHES = (5, 20, 100, 2**40)
"""Down to which rank a run's documents are filled on trial, in its favour."""

KEYS = ["query_id", "measure"]
SIDES = ("a", "b")


def differences(
    known: Rankings,
    measures: Mapping[str, Measure],
    levels: Sequence[float],
    scores: pl.DataFrame,
    pairs: Sequence[tuple[str, str]],
) -> pl.DataFrame:
    """What the mean differences of pairs of runs can become.

    In: `run, query_id, measure, score, lowest, highest`, without nulls. Out: `run_a, run_b,
    measure: String, diff, lowest, highest: Float64, holds: Boolean`, a row per pair and measure.
    `diff` is the mean of a less that of b, `lowest` and `highest` what it cannot go beyond, null
    where that is not known; `holds` whether it keeps its sign over all fillings: null where that is
    not known, or it is 0.
    """
    sums = [Sums.of(known, name, one, levels) for name, one in measures.items() if adds_up(one)]
    return pl.concat(_of_pair(known, measures, levels, scores, sums, pair) for pair in pairs)


def _of_pair(
    known: Rankings,
    measures: Mapping[str, Measure],
    levels: Sequence[float],
    scores: pl.DataFrame,
    sums: Sequence[Sums],
    pair: tuple[str, str],
) -> pl.DataFrame:
    a, b = pair
    alone = [name for name, measure in measures.items() if stands_alone(measure)]
    both, union = _beside(scores, a, b, alone), _union(known, a, b)
    told = {one: by_documents(both.filter(measure=one.name), union, one) for one in sums}
    exact = [one.name for one in sums if one.exact]
    others = {name: measure for name, measure in measures.items() if name not in exact}
    reached = pl.concat([
        _tried(known, union, others, levels, a, b),
        *(told[one].with_columns(whole=pl.lit(True)) for one in sums if one.exact),
    ])  # fmt: skip
    outside = pl.concat([pl.DataFrame(schema=EXTREMES).drop("whole"), *told.values()])
    rows = both.join(reached, on=KEYS, how="left").join(outside, on=KEYS, how="left", suffix="_sum")
    outer = {f"outer_{end}": pl.coalesce(f"{end}_sum", f"outer_{end}") for end in ("low", "high")}
    return _told(rows.with_columns(**outer), a, b, [*measures])


def stands_alone(measure: Measure) -> bool:
    """Whether no document that a run did not return changes its score."""
    totals = {total.name for total in measure.base.totals}
    return measure.operator is A and not measure.base.ladder and not totals & measure.base.reads


def _beside(scores: pl.DataFrame, a: str, b: str, alone: list[str]) -> pl.DataFrame:
    """`query_id, measure, diff`, and `outer_low, outer_high`, told by the ranges of the two.

    These are null of a measure that is not `alone`: what only the other run returned, and is
    relevant, changes it too.
    """
    left, right = scores.filter(run=a).drop("run"), scores.filter(run=b).drop("run")
    told = pl.when(pl.col("measure").is_in(alone))
    return left.join(right, on=KEYS, suffix="_b").select(
        *KEYS,
        diff=pl.col("score") - pl.col("score_b"),
        outer_low=told.then(pl.col("lowest") - pl.col("highest_b")),
        outer_high=told.then(pl.col("highest") - pl.col("lowest_b")),
    )


def _told(rows: pl.DataFrame, a: str, b: str, order: list[str]) -> pl.DataFrame:
    """Means over queries of what is known from outside and from inside, and what follows."""
    diff, whole = pl.col("diff"), pl.col("whole").fill_null(True)  # no row: nothing to fill
    inner = rows.with_columns(
        low=pl.min_horizontal("diff", "low"), high=pl.max_horizontal("diff", "high")
    ).with_columns(
        lowest=pl.when(whole).then("low").otherwise("outer_low"),
        highest=pl.when(whole).then("high").otherwise("outer_high"),
    )
    inside = [pl.col(name).mean() for name in ("diff", "low", "high")]
    # of one query that nothing is known of, nothing is of the mean
    outside = [pl.when(pl.col(name).is_not_null().all()).then(pl.col(name).mean()).alias(name)
               for name in ("lowest", "highest")]  # fmt: skip
    means = inner.group_by("measure").agg(*inside, *outside)
    a_leads, b_leads = pl.when(diff > SLACK), diff < -SLACK
    stays = a_leads.then(pl.col("lowest") > SLACK).when(b_leads).then(pl.col("highest") < -SLACK)
    turns = a_leads.then(pl.col("low") <= SLACK).when(b_leads).then(pl.col("high") >= -SLACK)
    place = {name: at for at, name in enumerate(order)}
    return means.sort(pl.col("measure").replace_strict(place)).select(
        pl.lit(a).alias("run_a"), pl.lit(b).alias("run_b"), "measure",
        "diff", "lowest", "highest",
        holds=pl.when(stays).then(True).when(turns).then(False),
    )  # fmt: skip


EXTREMES = {
    **dict.fromkeys(KEYS, pl.String()),
    **dict.fromkeys(["low", "high"], pl.Float64()),
    "whole": pl.Boolean(),
}
"""The least and most of what was tried for a query; whether that was all."""


def _union(known: Rankings, a: str, b: str) -> pl.DataFrame:
    """`query_id, doc_id, rank_a, rank_b`: what is unjudged of either; null where not returned."""
    sides = [
        known.holes.filter(run=run).select("query_id", "doc_id", pl.col("rank").alias(f"rank_{at}"))
        for run, at in zip((a, b), SIDES, strict=True)
    ]
    return (
        sides[0]
        .join(sides[1], on=["query_id", "doc_id"], how="full", coalesce=True)
        .sort("query_id", "doc_id")
    )


# ---------------------------------------------------------------- where fillings are tried
@dataclass(frozen=True)
class Trial:
    """`filling, query_id` and `filling, doc_id, label`: fillings of the union of two runs."""

    fillings: pl.DataFrame
    marks: pl.DataFrame


def _tried(
    known: Rankings,
    union: pl.DataFrame,
    measures: Mapping[str, Measure],
    levels: Sequence[float],
    a: str,
    b: str,
) -> pl.DataFrame:
    if not measures:
        return pl.DataFrame(schema=EXTREMES)
    labels = sorted({one for measure in measures.values() for one in classes_of(measure, levels)})
    sizes = union.group_by("query_id").agg(filled=pl.len().cast(pl.Int64))
    few = sizes.filter(pl.col("filled") <= floor(log(MOST, max(2, len(labels))) + 1e-9))
    many = sizes.join(few, on="query_id", how="anti")
    parts = [
        _extremes(known, trial, sizes, measures, a, b).with_columns(whole=pl.lit(whole))
        for trial, whole in (
            (_all(union.join(few, on="query_id", how="semi"), labels), True),
            (_some(union.join(many, on="query_id", how="semi"), labels[-1]), False),
        )
        if trial.fillings.height
    ]
    return pl.concat([pl.DataFrame(schema=EXTREMES), *parts])


def _all(union: pl.DataFrame, levels: Sequence[float]) -> Trial:
    """Every filling of each query."""
    rows = list[tuple[str, int, str, float]]()
    for (query,), documents in union.group_by("query_id", maintain_order=True):
        names = documents["doc_id"].to_list()
        for at, labels in enumerate(product(levels, repeat=len(names))):
            rows += [(str(query), at, *pair) for pair in zip(names, labels, strict=True)]
    schema = {"query_id": pl.String, "at": pl.Int64, "doc_id": pl.String, "label": pl.Float64}
    return _numbered(pl.DataFrame(rows, schema=schema, orient="row"))


def _some(union: pl.DataFrame, label: float) -> Trial:
    """What one run ranks higher than the other, down to several ranks."""
    return _numbered(pl.concat(_favoured(union, label)))


def _favoured(union: pl.DataFrame, label: float) -> Iterator[pl.DataFrame]:
    ranks = [pl.col(f"rank_{side}") for side in SIDES]
    for at, reach in enumerate(REACHES):
        for turn, (mine, other) in enumerate((ranks, ranks[::-1])):
            better = (mine <= reach) & (mine < other.fill_null(2**41))
            favoured = pl.when(better.fill_null(False)).then(label).otherwise(0.0)
            yield union.select("query_id", pl.lit(2 * at + turn).alias("at"), "doc_id",
                               label=favoured)  # fmt: skip


def _numbered(rows: pl.DataFrame) -> Trial:
    fillings = rows.select("query_id", "at").unique(maintain_order=True).with_row_index("filling")
    marks = rows.filter(pl.col("label") > 0).join(fillings, on=["query_id", "at"])
    return Trial(fillings.select("filling", "query_id"), marks.select([*MARKS]))


def _extremes(
    known: Rankings,
    trial: Trial,
    sizes: pl.DataFrame,
    measures: Mapping[str, Measure],
    a: str,
    b: str,
) -> pl.DataFrame:
    """`query_id, measure, low, high` of the difference over the fillings of a trial."""
    runs = pl.DataFrame({"run": [a, b]})
    cases = trial.fillings.join(sizes, on="query_id").join(runs, how="cross").with_row_index("case")
    wanted = Fillings(cases.select("case", "filling", "run", "query_id", "filled"), trial.marks)
    scored = scores_of(known, wanted, measures).join(cases, on="case")
    score, run = pl.col("score").fill_null(0.0), pl.col("run")
    of = {name: score.filter(run == name).first() for name in (a, b)}
    diffs = scored.group_by("filling", *KEYS).agg(diff=of[a] - of[b])
    return diffs.group_by(KEYS).agg(low=pl.col("diff").min(), high=pl.col("diff").max())
