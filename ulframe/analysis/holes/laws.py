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
from itertools import product

import polars as pl

from ulframe.analysis.holes.rankings import Rankings
from ulframe.analysis.holes.scoring import Fillings, scores_of
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
    parts = [base.metric.adds, base.term]
    parts += [each for state in base.states if (each := getattr(state, "each", None)) is not None]
    parts += [total.each for total in base.totals]
    made = rows.select(part.cast(pl.Float64).alias(str(at)) for at, part in enumerate(parts))
    return tuple(value for row in made.rows() for value in row)


def require_exchange(measures: Sequence[Measure], levels: Sequence[float]) -> None:
    """Raise `BadUsage` for a measure that prefers a lower label above a higher one."""
    for measure in (one for measure in measures for one in _cut(measure)):
        for better, worse, most, least in _exchanges(measure, tuple(levels)):
            if most < least - SLACK:
                raise BadUsage(
                    f"no holes of {measure}: it scores labels {_shown(worse)} with {least:.4g}, "
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
        for at, (one, next_) in enumerate(zip(labels, labels[1:], strict=False)):
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
    rows = [
        ("trial", str(case), str(at), at + 1, len(labels), None)
        for case, (_, labels) in enumerate(keys)
        for at in range(len(labels))
    ]
    counts = [
        (str(case), label, 1) for case, (beside, _) in enumerate(keys) for label in beside
    ] + [(str(case), -1.0, 0) for case in range(len(keys))]
    cases = [("trial", str(case), case, len(labels)) for case, (_, labels) in enumerate(keys)]
    marks = [
        (case, str(at), label)
        for case, (_, labels) in enumerate(keys)
        for at, label in enumerate(labels)
        if label > 0
    ]
    known = Rankings(
        pl.DataFrame(
            rows,
            schema={"run": pl.String, "query_id": pl.String, "doc_id": pl.String,
                    "rank": pl.Int64, "retrieved": pl.Int64, "label": pl.Float64},
            orient="row",
        ),
        pl.DataFrame(
            counts,
            schema={"query_id": pl.String, "label": pl.Float64, "judged": pl.Int64},
            orient="row",
        ),
    )  # fmt: skip
    fillings = Fillings(
        pl.DataFrame(
            cases,
            schema={"run": pl.String, "query_id": pl.String, "case": pl.UInt32,
                    "filled": pl.Int64},
            orient="row",
        ),
        pl.DataFrame(
            marks,
            schema={"case": pl.UInt32, "doc_id": pl.String, "label": pl.Float64},
            orient="row",
        ),
    )  # fmt: skip
    found = scores_of(known, fillings, {str(measure): measure})
    return {keys[case]: score or 0.0 for case, score in found.select("case", "score").iter_rows()}


def _shown(labels: Sequence[float]) -> str:
    return ", ".join(f"{label:g}" for label in labels)
