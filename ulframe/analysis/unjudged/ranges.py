"""The lowest and the highest score of a run, over all fillings of its unjudged documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from math import factorial
from operator import mul

import polars as pl

from ulframe.analysis.unjudged.laws import classes_of, never_falls
from ulframe.analysis.unjudged.rankings import Rankings
from ulframe.analysis.unjudged.scoring import MARKS, Fillings, scores_of
from ulframe.evaluation.ranking import KEYS
from ulframe.frames.errors import BadUsage
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import V1, V2, Operator, U

MOST = 2000  # sets of labels that are tried of one query
AT_ONCE = 1_000_000  # documents in the fillings that are scored together

LEAST = {U: 0.0, V1: 0.0, V2: -1.0}
"""What scores least, of the operators that fall as the best value and chance rise."""

START, END = pl.col("start"), pl.col("end")


@dataclass(frozen=True)
class Plan:
    """How the extremes of some measures are found: over which labels, and whether all at once.

    `ends`: that no higher label lowers them, so that nothing but 0 and nothing but the highest is
    all there is to try.
    """

    classes: tuple[float, ...]
    ends: bool


def ranges(
    known: Rankings, measures: Mapping[str, Measure], levels: Sequence[float]
) -> pl.DataFrame:
    """`run, query_id, measure, lowest, highest: Float64, exact: Boolean`, where there are holes.

    `exact` is false where the extremes lie within, not at, what is told. Raises `BadUsage` where
    neither can be told.
    """
    sizes = known.holes.group_by(KEYS, maintain_order=True).agg(filled=pl.len().cast(pl.Int64))
    found = [
        part
        for plan, alike in _plans(measures, levels).items()
        for part in _of_plan(known, sizes, plan, alike)
    ]
    return pl.concat(found) if found else pl.DataFrame(schema=RANGES)


RANGES = {
    **dict.fromkeys([*KEYS, "measure"], pl.String()),
    **dict.fromkeys(["lowest", "highest"], pl.Float64()),
    "exact": pl.Boolean(),
}


def _plans(
    measures: Mapping[str, Measure], levels: Sequence[float]
) -> dict[Plan, dict[str, Measure]]:
    plans: dict[Plan, dict[str, Measure]] = {}
    for name, measure in measures.items():
        classes = classes_of(measure, levels)
        plan = Plan(classes, never_falls(measure, classes))
        plans.setdefault(plan, {})[name] = measure
    return plans


def _of_plan(
    known: Rankings, sizes: pl.DataFrame, plan: Plan, measures: Mapping[str, Measure]
) -> Iterator[pl.DataFrame]:
    kinds = len(plan.classes) - 1
    if plan.ends or not kinds:
        yield from _extremes(known, sizes, plan, measures)
        return
    few = sizes.filter(_ways(kinds) <= MOST) if kinds > 1 else sizes
    yield from _extremes(known, few, plan, measures)
    many = sizes.join(few, on=KEYS, how="anti")
    if many.height:
        yield _within(known, many, plan, measures)


def _ways(kinds: int) -> pl.Expr:
    """In how many ways so many documents divide into kinds, with 0 as one more."""
    upwards = (pl.col("filled") + at for at in range(1, kinds + 1))
    return reduce(mul, upwards, pl.lit(1.0)) / factorial(kinds)


# ---------------------------------------------------------------- tried
def _extremes(
    known: Rankings, sizes: pl.DataFrame, plan: Plan, measures: Mapping[str, Measure]
) -> Iterator[pl.DataFrame]:
    """Of every set of labels that there may be, the best and the worst order."""
    for block in _blocks(sizes, plan):
        fillings = _fillings(known, block, plan)
        scored = scores_of(known, fillings, measures).with_columns(pl.col("score").fill_null(0.0))
        yield (
            scored.join(fillings.cases, on="case")
            .group_by(*KEYS, "measure")
            .agg(lowest=pl.col("score").min(), highest=pl.col("score").max())
            .with_columns(exact=pl.lit(True))
        )


def _blocks(sizes: pl.DataFrame, plan: Plan) -> Iterator[pl.DataFrame]:
    kinds = len(plan.classes) - 1
    ways = pl.lit(2.0) if plan.ends else _ways(kinds)
    block = ((ways * (pl.col("filled") + 10)).cum_sum() / AT_ONCE).floor()
    for part in sizes.with_columns(block=block).partition_by("block", maintain_order=True):
        yield part.drop("block")


def _fillings(known: Rankings, sizes: pl.DataFrame, plan: Plan) -> Fillings:
    """Each set of labels from the top down, and from the bottom up."""
    vectors = pl.concat([_vectors(n, plan) for n in sizes["filled"].unique()])
    both = pl.DataFrame({"down": [True, False]})
    cases = sizes.join(vectors, on="filled").join(both, how="cross").with_row_index("case")
    kinds = [f"n{at}" for at in range(len(plan.classes))][1:]
    end, marks = pl.lit(0, pl.Int64), []
    for kind, label in reversed([*zip(kinds, plan.classes[1:], strict=True)]):
        start, end = end, end + pl.col(kind)
        marks.append(_marked(cases.with_columns(start=start, end=end), known, label))
    return Fillings(
        cases.select("case", *KEYS, "filled", filling="case"),
        pl.concat([pl.DataFrame(schema=MARKS), *marks]),
    )


def _vectors(n: int, plan: Plan) -> pl.DataFrame:
    """`filled, n0, n1, ...`: how many of so many documents are of which class."""
    kinds = len(plan.classes) - 1
    if plan.ends or not kinds:
        rows = [(0,) * kinds, (0,) * (kinds - 1) + (n,)] if kinds else [()]
    else:
        rows = [*_parted(n, kinds)]
    names = [f"n{at}" for at in range(1, kinds + 1)]
    return pl.DataFrame(
        [(n, *row) for row in dict.fromkeys(rows)],
        schema={"filled": pl.Int64, **dict.fromkeys(names, pl.Int64)},
        orient="row",
    )


def _parted(n: int, kinds: int) -> Iterator[tuple[int, ...]]:
    if kinds == 1:
        yield from ((many,) for many in range(n + 1))
        return
    yield from (row for row in product(range(n + 1), repeat=kinds) if sum(row) <= n)


def _marked(cases: pl.DataFrame, known: Rankings, label: float) -> pl.DataFrame:
    """`filling, doc_id, label`: the documents from `start` to `end`, counted from one side."""
    last = pl.col("filled") - 1
    return (
        cases.filter(START < END)
        .with_columns(i=pl.int_ranges(START, END))
        .explode("i")
        .with_columns(i=pl.when("down").then(pl.col("i")).otherwise(last - pl.col("i")))
        .join(known.holes, on=[*KEYS, "i"])
        .select("doc_id", filling="case", label=pl.lit(label))
        .select([*MARKS])
    )


# ---------------------------------------------------------------- told without trying
def _within(
    known: Rankings, sizes: pl.DataFrame, plan: Plan, measures: Mapping[str, Measure]
) -> pl.DataFrame:
    """From the lowest value, highest bound and most of chance to the other end of each."""
    for name, measure in measures.items():
        if measure.operator not in LEAST or not never_falls(measure.base, plan.classes):
            run, query, many = sizes.select(*KEYS, "filled").row(0)
            raise BadUsage(
                f"{name} over {len(plan.classes)} labels cannot be told for {many} unjudged "
                f"documents (run {run!r}, query {query!r}); name two labels (--labels 0 "
                f"{plan.classes[-1]:g}), which is exact, or a lesser --depth"
            )
    fillings = _fillings(known, sizes, replace(plan, ends=True))
    scored = scores_of(known, fillings, measures).join(fillings.cases, on="case")
    kinds = ["value", "upper", "expected"]
    ends = scored.group_by(*KEYS, "measure").agg(
        pl.col(kinds).min().name.prefix("least:"), pl.col(kinds).max().name.prefix("most:")
    )
    return pl.concat(_boxed(ends, name, measure.operator) for name, measure in measures.items())


def _boxed(ends: pl.DataFrame, name: str, operator: Operator) -> pl.DataFrame:
    rows = ends.filter(measure=name)
    low = rows.select(value="least:value", upper="most:upper", expected="most:expected")
    high = rows.select(value="most:value", upper="least:upper", expected="least:expected")
    score = operator.score
    return rows.select(*KEYS, "measure").with_columns(
        low.select(lowest=score.fill_null(LEAST[operator])).to_series(),
        high.select(highest=score.clip(upper_bound=1.0).fill_null(1.0)).to_series(),
        exact=pl.lit(False),
    )
