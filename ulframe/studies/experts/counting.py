"""Two rankings as sets of ordered pairs: how many pairs agree, disagree, are open.

Pairs are laid out a block at a time, with a row per ranking, and counted by matrix products; the
pairs of all rankings are never held at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ulframe.studies.experts.columns import CONTEST, ITEM
from ulframe.studies.experts.orders import Orders

CELLS = 2_000_000  # of a block: rankings x pairs
REFERENCES = 256  # counted together

COUNTS = [
    *("shared", "own_n", "reference_n", "agree", "disagree"),
    *("own_shared", "reference_shared", "own_all", "reference_all"),
]

Matrix = NDArray[np.float32]
Partial = Mapping[int, NDArray[np.uint8]]


def count_pairs(orders: Orders, wanted: pl.DataFrame) -> pl.DataFrame:
    """What two rankings have in common, for each comparison that is wanted, in the same row order.

    In: `contest, own, against`, the last two numbers of orders. Out: these and, as Int64,
    - `shared, own_n, reference_n`: people whom both rank, whom each ranks;
    - `agree, disagree`: unordered pairs that both order, alike or not;
    - `own_shared, reference_shared`: pairs of shared people that each orders;
    - `own_all, reference_all`: all pairs that each orders.
    """
    rows = wanted.with_columns(pl.lit(0, pl.Int64).alias(name) for name in COUNTS)
    rows = rows.with_row_index("row")
    parts = [rows.clear()]
    for (contest,), part in rows.group_by(CONTEST):
        numbers = orders.index.filter(pl.col(CONTEST) == contest)["order"]
        first, last = int(numbers[0]), int(numbers[-1])
        place = _laid_out(orders.places.filter(pl.col("order").is_between(first, last)), first)
        partial = {k - first: wins for k, wins in orders.partial.items() if first <= k <= last}
        chunk = (pl.col("against").rank("dense") - 1) // REFERENCES
        for _, asked in part.group_by(chunk):
            own, against = (asked[name].to_numpy() - first for name in ("own", "against"))
            counts = _counted(place, partial, own, against)
            parts.append(asked.with_columns(pl.Series(n, c).cast(pl.Int64) for n, c in counts))
    return pl.concat(parts).sort("row").drop("row")


def _laid_out(places: pl.DataFrame, first: int) -> Matrix:
    """Places with a row per person and a column per ranking; NaN where one is not ranked."""
    order, item = places["order"].to_numpy() - first, places[ITEM].to_numpy()
    place = np.full((item.max() + 1, order.max() + 1), np.nan, dtype=np.float32)
    place[item, order] = places["place"].to_numpy()
    return place


def _counted(
    place: Matrix, partial: Partial, own: NDArray[np.int_], against: NDArray[np.int_]
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Count by products of rankings with references; take what was asked from them.

    With signs +1, 0, -1 of the pairs, s * t sums to agreements less disagreements, and |s| * |t|
    to both together.
    """
    ours, row = np.unique(own, return_inverse=True)
    theirs, column = np.unique(against, return_inverse=True)
    sums = np.zeros((4, len(ours), len(theirs)))
    own_all, reference_all = np.zeros(len(ours)), np.zeros(len(theirs))
    for i, j in _blocks(len(place), CELLS // (len(ours) + len(theirs))):
        signs, ordered, ranked = _signs(place, partial, ours, i, j)
        their_signs, their_ordered, their_ranked = _signs(place, partial, theirs, i, j)
        sums[0] += signs.T @ their_signs
        sums[1] += ordered.T @ their_ordered
        sums[2] += ordered.T @ their_ranked
        sums[3] += ranked.T @ their_ordered
        own_all += ordered.sum(axis=0)
        reference_all += their_ordered.sum(axis=0)
    signed, both, own_shared, reference_shared = sums[:, row, column]
    present = (~np.isnan(place)).astype(np.float32)
    shared = (present[:, ours].T @ present[:, theirs])[row, column]
    people = present.sum(axis=0)
    found = [shared, people[own], people[against], (both + signed) / 2, (both - signed) / 2]
    found += [own_shared, reference_shared, own_all[row], reference_all[column]]
    return zip(COUNTS, found, strict=True)


def _blocks(people: int, pairs: int) -> Iterator[tuple[NDArray[np.int_], NDArray[np.int_]]]:
    """All pairs i < j, about so many at a time and never fewer than those of one person."""
    step = max(1, pairs // max(1, people))
    for first in range(0, people - 1, step):
        i, j = np.triu_indices(min(step, people - 1 - first), k=1, m=people - first)
        yield i + first, j + first


def _signs(
    place: Matrix,
    partial: Partial,
    rankings: NDArray[np.int_],
    i: NDArray[np.int_],
    j: NDArray[np.int_],
) -> tuple[Matrix, Matrix, Matrix]:
    """For pairs and rankings: +1 or -1 if i or j stands above; ordered at all; both ranked."""
    own = place[:, rankings]
    apart = own[j] - own[i]  # NaN is neither above nor below 0
    signs = (apart > 0).view(np.int8) - (apart < 0).view(np.int8)
    for at in np.flatnonzero(np.isin(rankings, list(partial))):
        wins = np.unpackbits(partial[int(rankings[at])], axis=1, count=len(place)).view(np.int8)
        signs[:, at] = wins[i, j] - wins[j, i]
    ordered, ranked = signs != 0, ~np.isnan(apart)
    return signs.astype(np.float32), ordered.astype(np.float32), ranked.astype(np.float32)
