"""What of a measure decides which fillings are extreme: by trial on every short list.

- Labels that it takes for one and the same are one class: AP tells two apart, nDCG all.
- It must never prefer the lower of two labels above the higher, so that of all fillings with the
  same labels the best has them from the top down, and the worst from the bottom up.
- Where no higher label ever lowers it, the worst filling is all 0 and the best all L.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, product

import polars as pl

from ulframe.analysis.unjudged.rankings import Rankings
from ulframe.analysis.unjudged.scoring import MARKS, Fillings, scores_of
from ulframe.frames.errors import BadUsage
from ulframe.metrics.measure import Measure

MEMORY = 4096
LENGTHS = (1, 2, 3, 4)
"""Of the lists that are tried."""

BESIDE = ((), (0.0,), (1.0,), (2.0, 0.0))
"""What is judged and not returned, on trial."""

SLACK = 1e-12  # what two equal sums may differ by


def classes_of(measure: Measure, levels: Sequence[float]) -> tuple[float, ...]:
    """The lowest of each class of labels that the measure takes for the same.

    In: labels from 0 up; 0 is always a class of its own, or of those like it.

    >>> import ulframe as ul
    >>> classes_of(ul.AP, (0.0, 1.0, 2.0)), classes_of(ul.AP(rel=2), (0.0, 1.0, 2.0))
    ((0.0, 1.0), (0.0, 2.0))
    >>> classes_of(ul.nDCG, (0.0, 1.0, 2.0))
    (0.0, 1.0, 2.0)
    """
    base = measure.base
    if {"place"} & base.reads or base.ladder:
        return tuple(levels)
    seen: dict[tuple[object, ...], float] = {}
    for level in levels:
        seen.setdefault(_seen_of(base, level), level)
    return tuple(seen.values())


def _seen_of(base: Measure, level: float) -> tuple[object, ...]:
    """All that the measure makes of a label, at a few ranks and with other columns at hand."""
    names = {*base.term.meta.root_names()} - {"label"}
    at_hand = {name: [1.0, 2.0, 5.0, 7.0] for name in sorted(names)}
    rows = pl.DataFrame({"label": [level] * 4, **at_hand}).with_columns(label=base.view.label)
    parts = [pl.when(base.metric.adds).then(base.term).otherwise(0.0)]
    parts += [each for state in base.states if (each := getattr(state, "each", None)) is not None]
    parts += [total.each for total in base.totals]
    made = rows.select(part.cast(pl.Float64).alias(str(at)) for at, part in enumerate(parts))
    return tuple(value for row in made.rows() for value in row)


def require_exchange(measures: Sequence[Measure], levels: Sequence[float]) -> None:
    """Raise `BadUsage` for a measure that prefers a lower label above a higher one."""
    for tried in (one for measure in measures for one in _cut(measure)):
        for better, worse, most, least in _exchanges(tried, tuple(levels)):
            if most < least - SLACK:
                raise BadUsage(
                    f"no holes of {tried}: it scores labels {_shown(worse)} with {least:.4g}, "
                    f"but {_shown(better)} with {most:.4g}"
                )


@lru_cache(maxsize=MEMORY)
def never_falls(measure: Measure, levels: tuple[float, ...]) -> bool:
    """Whether no higher label of a document ever lowers the score, on every list that is tried.

    >>> import ulframe as ul
    >>> never_falls(ul.P @ 10, (0.0, 1.0)), never_falls(ul.AP, (0.0, 1.0))
    (True, False)
    """
    return not any(
        higher < score - SLACK for one in _cut(measure) for score, higher in _raised(one, levels)
    )


def _raised(measure: Measure, levels: tuple[float, ...]) -> Iterator[tuple[float, float]]:
    """The score of each list, and that with one label a level higher."""
    scores = _tried(measure, levels)
    for (beside, labels), score in scores.items():
        for at, label in enumerate(labels):
            for above in levels[levels.index(label) + 1 :][:1]:
                yield score, scores[beside, (*labels[:at], above, *labels[at + 1 :])]


def _cut(measure: Measure) -> list[Measure]:
    """As it is and, since lists that are tried are short, with cutoffs that cut them."""
    if measure.k is None:
        return [measure]
    return [replace(measure, k=k) for k in sorted({1, 2, measure.k})]


Tried = dict[tuple[tuple[float, ...], tuple[float, ...]], float]


def _exchanges(
    measure: Measure, levels: tuple[float, ...]
) -> Iterator[tuple[tuple[float, ...], tuple[float, ...], float, float]]:
    """Orders that differ in two neighbours: the better one, the worse one, and their scores."""
    scores = _tried(measure, levels)
    for (beside, labels), score in scores.items():
        for at, (one, next_) in enumerate(pairwise(labels)):
            if one < next_:
                better = (*labels[:at], next_, one, *labels[at + 2 :])
                yield better, labels, scores[beside, better], score


@lru_cache(maxsize=MEMORY)
def _tried(measure: Measure, levels: tuple[float, ...]) -> Tried:
    """The score of every list of these labels, with what is judged beside it; undefined is 0."""
    keys = [
        (beside, labels)
        for beside in BESIDE
        for length in LENGTHS
        for labels in product(levels, repeat=length)
    ]
    lists = [(case, labels) for case, (_, labels) in enumerate(keys)]
    listed = [(case, str(at), at + 1, len(ls)) for case, ls in lists for at in range(len(ls))]
    beside = [(case, label, 1) for case, (labels, _) in enumerate(keys) for label in labels]
    rows = _frame(listed, ["case", "doc_id", "rank", "retrieved"]).with_columns(
        label=pl.lit(None, pl.Float64)
    )
    counts = _frame(beside, ["case", "label", "judged"])
    cases = _frame([(case, len(labels)) for case, labels in lists], ["case", "filled"])
    marks = [
        (case, str(at), label) for case, ls in lists for at, label in enumerate(ls) if label > 0
    ]
    known = Rankings(_of_trial(rows), _of_trial(counts))
    fillings = Fillings(
        _of_trial(cases).with_columns(pl.col("case").cast(pl.UInt32), filling="case"),
        pl.DataFrame(marks, schema=MARKS, orient="row"),
    )
    found = scores_of(known, fillings, {str(measure): measure})
    return {keys[case]: score or 0.0 for case, score in found.select("case", "score").iter_rows()}


def _frame(rows: Sequence[tuple[object, ...]], names: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=names, orient="row")


def _of_trial(frame: pl.DataFrame) -> pl.DataFrame:
    """With the keys of a run, every case a query."""
    return frame.with_columns(run=pl.lit("trial"), query_id=pl.col("case").cast(pl.String))


def _shown(labels: Sequence[float]) -> str:
    return ", ".join(f"{label:g}" for label in labels)
