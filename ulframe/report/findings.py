"""What a report tells: everything that is computed from scores, before it is laid out anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import polars as pl

from ulframe.analysis.queries import query_sets, real_and_expected
from ulframe.analysis.significance import PAIRS, compare
from ulframe.evaluation.query_sets import as_sets
from ulframe.evaluation.summarise import Undefined, summarise
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike, as_lazy
from ulframe.metrics.laws import is_compared
from ulframe.metrics.measure import Measure
from ulframe.report.families import measure_of
from ulframe.report.tables import collected

NEEDED = ["run", "query_id", "measure", "score"]
SETS_SHOWN = ["informative", "ideal", "uninformative", "easy", "hard", "distractive"]
"""The sets of `query_sets` in order: where systems beat chance, where they do not, below it."""
SHARE = 0.25
"""Of the queries: in the uninformative and in the ideal set, each, unless sets are given."""


class File(TypedDict):
    """A file that was read."""

    path: str
    bytes: int
    sha256: str


class Made(TypedDict, total=False):
    """How one step made its numbers, as the footer of a file that a command wrote tells it."""

    title: str
    inputs: Sequence[File]
    versions: Mapping[str, str]
    options: Mapping[str, object]
    missing: Mapping[str, Sequence[str]]
    dropped: Sequence[str]


@dataclass(frozen=True)
class Findings:
    """The frames that a report is made of, by the contracts of the frames.

    - `scores`, `sets` (`set, query_id`, the set `all` first), `pairs` (of the set `all` and, where
      there are not too many, of the other sets; empty with one run).
    - `summary`: means over each set, with intervals, runs best first.
    - `queries`: `real_and_expected` of each measure that has an expectation, by the measure.
    - `measure`: the one that comes first; `runs`, best first by it.
    - `baseline`: the run that others are marked against, if any.
    - `made`: how the numbers were made, as the footers of files tell it.
    """

    scores: pl.DataFrame
    summary: pl.DataFrame
    sets: pl.DataFrame
    pairs: pl.DataFrame
    queries: Mapping[str, pl.DataFrame]
    measure: str
    runs: Sequence[str]
    measures: Sequence[str]
    undefined: Undefined = "zero"
    baseline: str | None = None
    made: Sequence[Made] = field(default=())

    @property
    def main_pairs(self) -> pl.DataFrame:
        """The pairs of all queries; where there are none, of the first set."""
        sets = self.pairs["set"].unique(maintain_order=True).to_list()
        return self.pairs.filter(set="all" if "all" in sets or not sets else sets[0])

    @property
    def overall(self) -> pl.DataFrame:
        """The summary of all queries."""
        return self.summary.filter(set="all")

    @property
    def main_queries(self) -> pl.DataFrame:
        """Real and expected of the first measure that has an expectation; empty if none has."""
        return next(iter(self.queries.values()), real_and_expected(NO_SCORES).collect())


NO_SCORES = pl.DataFrame(
    schema={
        **dict.fromkeys(["run", "query_id", "measure"], pl.String),
        **dict.fromkeys(["score", "value", "upper", "expected"], pl.Float64),
    }
)
PAIR_ROWS = 100_000
"""Pairs of all sets are tested where they are no more than this."""


def find(
    scores: FramesLike,
    *,
    sets: FramesLike | None = None,
    pairs: FramesLike | None = None,
    undefined: Undefined = "zero",
    baseline: str | None = None,
    made: Sequence[Made] = (),
) -> Findings:
    """Work out what a report tells.

    In: `scores` as `evaluate` gives them; `sets`, any frame that `as_sets` takes, by default those
    of `query_sets` by the first measure with an expectation, a quarter of the queries being
    uninformative and a quarter ideal; `pairs`, a frame of pairs, by default t-tests of all;
    `undefined` as for `summarise`; `baseline`, a run to mark the others against. Raises `BadData`
    for scores without rows, `BadUsage` for a baseline that is not in them.
    """
    frame = collected(scores, NEEDED)
    if frame.is_empty():
        raise BadData("the scores have no rows to report")
    measures = frame["measure"].unique(maintain_order=True).to_list()
    if baseline is not None and baseline not in (known := frame["run"].unique().sort()):
        raise BadUsage(f"no run {baseline!r} to be the baseline; there is {', '.join(known)}")
    queries = _queries(frame, measures)
    all_sets = _sets(frame, sets, queries)
    slim = frame.lazy().select(NEEDED)
    summary = pl.concat(  # set by set: all together take several times the memory
        summarise(slim, sets=part, undefined=undefined).collect()
        for part in all_sets.partition_by("set", maintain_order=True)
    )
    runs = _best_first(summary.filter(set="all"), measures[0])
    return Findings(
        scores=frame,
        summary=_in_order(summary, runs, all_sets["set"].unique(maintain_order=True).to_list()),
        sets=all_sets,
        pairs=_pairs(frame, all_sets, pairs, undefined),
        queries=queries,
        measure=measures[0],
        runs=runs,
        measures=measures,
        undefined=undefined,
        baseline=baseline,
        made=made,
    )


def _queries(scores: pl.DataFrame, measures: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Real and expected by measure; measures of one metric and cutoff share a frame."""
    found: dict[Measure | str, pl.DataFrame] = {}
    by_measure = {}
    if not {"value", "upper", "expected"} <= set(scores.columns):
        return {}
    for name in measures:
        measure = measure_of(name)
        if measure is not None and not is_compared(measure):
            continue
        key = measure.base if measure else name
        if key not in found:
            found[key] = real_and_expected(scores.lazy().filter(measure=name)).collect()
        if found[key]["expected"].count():
            by_measure[name] = found[key]
    return by_measure


def _sets(
    scores: pl.DataFrame, sets: FramesLike | None, queries: Mapping[str, pl.DataFrame]
) -> pl.DataFrame:
    everything = scores.select(set=pl.lit("all"), query_id="query_id").unique(maintain_order=True)
    if sets is not None:
        given = as_sets(sets).filter(pl.col("set") != "all").collect()
    elif queries:
        frame = next(iter(queries.values()))
        n = max(1, round(SHARE * frame["gap"].count()))
        named = query_sets(frame.lazy(), uninformative_n=n, ideal_n=n)
        given = (
            named.filter(pl.col("set").is_in(SETS_SHOWN)).select("set", "query_id").collect()
        ).sort(pl.col("set").cast(pl.Enum(SETS_SHOWN)), maintain_order=True)
    else:
        given = everything.clear()
    return pl.concat(
        [everything, given.join(everything, on="query_id", how="semi", maintain_order="left")]
    )


def _pairs(
    scores: pl.DataFrame, sets: pl.DataFrame, pairs: FramesLike | None, undefined: Undefined
) -> pl.DataFrame:
    if pairs is not None:
        return collected(pairs, ["set", "measure", "run_a", "run_b", "p_adjusted", "significant"])
    runs, families = scores["run"].n_unique(), scores["measure"].n_unique()
    if runs < 2:
        return pl.DataFrame(schema=PAIRS)
    every = runs * (runs - 1) // 2 * families * sets["set"].n_unique()
    chosen = sets if every <= PAIR_ROWS else None
    return compare(as_lazy(scores, "score"), sets=chosen, undefined=undefined).collect()


def _best_first(summary: pl.DataFrame, measure: str) -> list[str]:
    ranked = summary.filter(measure=measure).sort(
        "mean", "run", descending=[True, False], nulls_last=True
    )
    others = sorted({*summary["run"].unique()} - {*ranked["run"]})
    return [*ranked["run"], *others]


def _in_order(rows: pl.DataFrame, runs: Sequence[str], sets: Sequence[str]) -> pl.DataFrame:
    """Sets as they come, runs best first, measures as asked."""
    places = [
        pl.col(name).replace_strict({one: place for place, one in enumerate(values)})
        for name, values in (("set", sets), ("run", runs))
    ]
    return rows.sort(places, maintain_order=True)
