"""How the variance of a measure under a random ranking is had."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from ulframe.metrics.declaration import Form, Refused
from ulframe.metrics.inputs import RunningSum
from ulframe.metrics.laws.bounds import labels_tried
from ulframe.metrics.laws.expectation import expectation_of, unsteady
from ulframe.metrics.laws.reading import (
    MEMORY,
    TOLERANCE,
    counts_by_ones,
    is_affine,
    names_in,
    reads_ranking_alone,
    sums_of,
)

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure


@dataclass(frozen=True)
class ByRank:
    """What a document adds depends on its rank and label alone."""


@dataclass(frozen=True)
class InPairs:
    """A document adds a weight of its rank times what pairs it with each one down to it.

    The weight of a rank is the slope of the term in `state` for a document of `label` there.
    """

    state: RunningSum
    label: float


@dataclass(frozen=True)
class AlongRanks:
    """What a document adds depends on its rank, on what `count` has, and on whether it counts."""

    count: RunningSum


SpreadHow: TypeAlias = Form | ByRank | InPairs | AlongRanks | Refused

SIMULATED = "`ulframe chance` has it by simulation"


@lru_cache(maxsize=MEMORY)
def spread_of(measure: Measure) -> SpreadHow:
    """How the variance under a random ranking is had: by the declaration, or by what is read.

    A function of rank and label: as Hoeffding has the variance of a sum over a random permutation.
    A weight of the rank times a running sum: by how many documents two pairs have in common. Any
    function of rank and one count that tells documents apart by whether they are counted: rank by
    rank. Anything else needs a form of its own (`spread=Form(...)`), or is refused.

    >>> import ulframe as ul
    >>> spread_of(ul.DCG @ 10)
    ByRank()
    """
    base = measure.base
    if isinstance(none := expectation_of(base), Refused):
        return none
    if isinstance(declared := base.declared_spread, Form | Refused):
        return declared
    if reason := unsteady(base):
        return Refused(f"{reason}; {SIMULATED}")
    sums = sums_of(base)
    read = [sums[name] for name in sorted(names_in(base.term) & sums.keys())]
    if not read:
        return ByRank()
    if pairs := _pairs(base, read):
        return pairs
    if len(read) == 1 and counts_by_ones(read[0]) and _tells_two_kinds(base, read[0]):
        return AlongRanks(read[0])
    return Refused(f"there is no exact variance of it; {SIMULATED}")


def slopes(base: Measure, read: list[RunningSum], rows: pl.DataFrame) -> pl.DataFrame:
    """`label, rank`; the term there `at` running sums of 0, and its slope along each, by name."""
    none = rows.select("label", "rank").with_columns(pl.lit(0.0).alias(s.name) for s in read)
    at = none.select(at=base.term).to_series()
    along = [none.with_columns(pl.lit(1.0).alias(s.name)).select(base.term) for s in read]
    named = zip(read, along, strict=True)
    return none.with_columns(at, *((one.to_series() - at).alias(s.name) for s, one in named))


# ---------------------------------------------------------------- what is tried
_LABELS = [-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0]
_RANKS = [1.0, 2.0, 3.0, 5.0, 10.0, 100.0, 1000.0]


def _labels(base: Measure) -> list[float]:
    """Labels on both sides of every threshold."""
    return sorted({*_LABELS, *labels_tried(base)})


def _pairs(base: Measure, read: list[RunningSum]) -> InPairs | None:
    """The state and label that tell the weights of ranks; None where it is no matter of pairs."""
    if not (reads_ranking_alone(base) and is_affine(base)):
        return None
    tried = list(product(_labels(base), _RANKS))
    rows = pl.DataFrame(tried, schema=["label", "rank"], orient="row")
    table = slopes(base, read, rows).with_columns(s.each.alias(f"each:{s.name}") for s in read)
    first = table.filter(pl.col("rank") == 1)
    weighing = [(s, row.item(0, "label")) for s in read
                if (row := first.filter(pl.col(s.name) != 0)).height]  # fmt: skip
    if not weighing or (table["at"] != 0).any() or not _is_symmetric(first, read):
        return None
    pairs = InPairs(*weighing[0])
    return pairs if _is_product(table, first, pairs, read) else None


def _is_product(
    table: pl.DataFrame, first: pl.DataFrame, pairs: InPairs, read: list[RunningSum]
) -> bool:
    """Whether every slope is that at rank 1 times one weight of the rank."""
    names = [state.name for state in read]
    weights = table.filter(label=pairs.label).select("rank", weight=pairs.state.name)
    top = weights["weight"][0]
    rows = table.join(weights, on="rank").join(first, on="label", suffix=":1")
    odd = (
        (pl.col(name) * top - pl.col(f"{name}:1") * pl.col("weight")).abs()
        > TOLERANCE * (pl.col(f"{name}:1") * top).abs()
        for name in names
    )
    return not rows.select(pl.any_horizontal(odd).any()).item()


def _is_symmetric(first: pl.DataFrame, read: list[RunningSum]) -> bool:
    """Whether two documents make the same pair in either order, and unjudged ones none."""
    pairs = first.join(first, how="cross", suffix=":2")
    one = pl.sum_horizontal(pl.col(s.name) * pl.col(f"each:{s.name}:2") for s in read)
    other = pl.sum_horizontal(pl.col(f"{s.name}:2") * pl.col(f"each:{s.name}") for s in read)
    odd = ((one - other).abs() > TOLERANCE) | ((pl.col("label") < 0) & (one.abs() > 0))
    return not pairs.select(odd.any()).item()


def _tells_two_kinds(base: Measure, count: RunningSum) -> bool:
    """Whether the term is alike for all labels that are counted, and for all that are not."""
    others = names_in(base.term) - {"rank", "label", count.name}
    if others - {"retrieved", *(total.name for total in base.totals)}:
        return False  # what differs from label to label, or along the ideal ranking
    at = {"label": _labels(base), "rank": _RANKS, count.name: [0.0, 1.0, 2.0, 5.0, 100.0]}
    at |= {name: [5.0, 2.0] for name in others}
    rows = pl.DataFrame(list(product(*at.values())), schema=[*at], orient="row").with_columns(
        term=base.term, counted=count.each
    )
    rows = rows.filter(pl.col(count.name).is_between("counted", "rank"))
    alike = rows.group_by("rank", count.name, "counted", *others).agg(
        gap=pl.col("term").max() - pl.col("term").min(), scale=pl.col("term").abs().max()
    )
    return not (alike["gap"] > TOLERANCE * alike["scale"]).any()
