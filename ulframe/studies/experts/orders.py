"""Rankings as numbers: codes for people, places for those who stand in line, wins for the others.

What is wrong with an order - a person twice, a cycle - is found here, and told by ranking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ulframe.frames.errors import BadData
from ulframe.studies.experts.columns import (
    BETTER,
    CONTEST,
    ITEM,
    POSITION,
    RANKING,
    WORSE,
)

Wins = NDArray[np.bool_]  # [i, j]: person i stands above person j


@dataclass(frozen=True)
class Orders:
    """The rankings of all contests.

    - `index`: `contest, ranking, order: UInt32`, sorted; the order's number is its row.
    - `places`: `order, item, place: UInt32`. Items are numbered from 0 within a contest, places
      from 1 within an order; equal places are ties.
    - `partial`: for each order that leaves people incomparable, its wins over the contest's items,
      eight to a byte. Its rows of `places` say only whom it ranks.
    """

    index: pl.DataFrame
    places: pl.DataFrame
    partial: Mapping[int, NDArray[np.uint8]]


def read_orders(rankings: pl.DataFrame) -> Orders:
    """Number the rankings of a frame as `scan_rankings` gives it.

    An order given as pairs is closed: what is above something above something is above it too. One
    that turns out to be a ranking with ties becomes places.

    Raises `BadData`, naming the ranking, for a person who stands in it twice, a cycle, or a frame
    without rows.
    """
    if not rankings.height:
        raise BadData("no rankings: the frame has no rows")
    if BETTER in rankings.columns:
        rankings, partial = _closed(rankings)
    else:
        _refuse_repeats(rankings)
        partial = {}
    index = (
        rankings.select(CONTEST, RANKING).unique().sort(CONTEST, RANKING).with_row_index("order")
    )
    places = rankings.join(index, on=[CONTEST, RANKING]).select(
        "order",
        (pl.col(ITEM).rank("dense").over(CONTEST) - 1).alias(ITEM),
        pl.col(POSITION).rank("dense").over("order").alias("place"),
    )
    numbers = {row[:2]: row[2] for row in index.select(CONTEST, RANKING, "order").iter_rows()}
    return Orders(index, places, {numbers[key]: wins for key, wins in partial.items()})


def _refuse_repeats(rankings: pl.DataFrame) -> None:
    repeats = (
        rankings.group_by(CONTEST, RANKING, ITEM)
        .agg(times=pl.len())
        .filter(pl.col("times") > 1)
        .sort(CONTEST, RANKING, ITEM)
    )
    if repeats.height:
        contest, ranking, item, times = repeats.row(0)
        raise BadData(
            f"ranking {ranking!r} of contest {contest!r} ranks {item!r} {times} times (such people "
            f"in all: {repeats.height}); each stands in a ranking once"
        )


# ---------------------------------------------------------------- orders given as pairs
def _closed(
    pairs: pl.DataFrame,
) -> tuple[pl.DataFrame, dict[tuple[str, str], NDArray[np.uint8]]]:
    """`contest, ranking, item, position` for all orders, and the wins of the partial ones."""
    frames, partial = [], {}
    for (contest,), part in pairs.sort(CONTEST, RANKING).group_by(CONTEST, maintain_order=True):
        items = pl.concat([part[BETTER], part[WORSE].alias(BETTER)]).unique().sort()
        coded = part.select(RANKING, pl.col(BETTER, WORSE).replace_strict(items, range(len(items))))
        for (ranking,), own in coded.group_by(RANKING, maintain_order=True):
            direct = np.zeros((len(items), len(items)), dtype=np.bool_)
            direct[own[BETTER].to_numpy(), own[WORSE].to_numpy()] = True
            wins = _closure(direct)
            if wins.diagonal().any():
                circle = _circle(direct, int(wins.diagonal().argmax()), items.to_list())
                raise BadData(
                    f"ranking {ranking!r} of contest {contest!r} goes round in a circle: {circle}"
                )
            ranked = np.flatnonzero(wins.any(axis=0) | wins.any(axis=1))
            position = (wins.sum(axis=0) - wins.sum(axis=1))[ranked]
            if not _in_line(wins[np.ix_(ranked, ranked)], position):
                partial[str(contest), str(ranking)] = np.packbits(wins, axis=1)
            frames.append(
                pl.select(
                    pl.lit(contest).alias(CONTEST),
                    pl.lit(ranking).alias(RANKING),
                    items.gather(ranked).alias(ITEM),
                    pl.lit(pl.Series(position, dtype=pl.Float64)).alias(POSITION),
                )
            )
    return pl.concat(frames), partial


def _closure(direct: Wins) -> Wins:
    """Warshall's: whoever is above k is above all whom k is above."""
    wins = direct.copy()
    for k in np.flatnonzero(direct.any(axis=1)):
        wins[wins[:, k]] |= wins[k]
    return wins


def _in_line(wins: Wins, position: NDArray[np.int_]) -> bool:
    """Whether the order is a ranking with ties; if so, losses less wins are its positions."""
    return bool((wins == (position[:, None] < position[None, :])).all())


def _circle(direct: Wins, start: int, names: list[str]) -> str:
    """A shortest cycle through `start`, written out: `a > b > a`."""
    walks, met = [[start]], {start}
    for walk in walks:  # grows while it is read: breadth first
        onward = np.flatnonzero(direct[walk[-1]]).tolist()
        if start in onward:
            return " > ".join(names[j] for j in [*walk, start])
        walks += [[*walk, j] for j in onward if j not in met]
        met.update(onward)
    raise AssertionError("start is on no cycle")
