"""Measures over two lists of people: correlations and distances of ranks, rank-biased overlap.

Whom a ranking leaves out stands tied behind all whom it ranks, as in Fagin, Kumar and Sivakumar
2003, Comparing top k lists; with homogenisation nobody is left out. A tie has the mean of the ranks
that it spans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ulframe.analysis.rbo import rbo
from ulframe.metrics.parameters import flag, number, within
from ulframe.studies.experts.columns import ITEM
from ulframe.studies.experts.people import KEY
from ulframe.studies.experts.settable import Settable, Settings, called

Ranks = NDArray[np.float64]

RANKS = {"own": "", "reference": "reference_"}
"""A list's name, and what the columns of its first and last ranks begin with."""


@dataclass(frozen=True)
class ListMeasure(Settable):
    """A measure of two lists; its name parses back.

    `score` is a function of the settings and of both lists' ranks, in the same order of people:
    NaN where the measure is undefined. `left_out` is False of one that takes those left out as not
    ranked at all, whose ranks are NaN then.
    """

    score: Callable[[Settings, Ranks, Ranks], float] = field(
        kw_only=True, compare=False, repr=False
    )
    left_out: bool = True

    def __str__(self) -> str:
        return self.written


def _rho(s: Settings, own: Ranks, reference: Ranks) -> float:
    if len(own) < 2 or not (np.ptp(own) and np.ptp(reference)):
        return float("nan")
    return float(np.corrcoef(own, reference)[0, 1])


def _footrule(s: Settings, own: Ranks, reference: Ranks) -> float:
    n = len(own)
    distance = float(np.abs(own - reference).sum())
    return _shared(distance, n * n // 2, bool(s["normalised"]))


def _kendall(s: Settings, own: Ranks, reference: Ranks) -> float:
    i, j = np.triu_indices(len(own), k=1)
    mine, theirs = np.sign(own[j] - own[i]), np.sign(reference[j] - reference[i])
    reversed_, one_tied = (mine * theirs < 0).sum(), ((mine == 0) != (theirs == 0)).sum()
    distance = float(reversed_ + float(s["p"]) * one_tied)
    return _shared(distance, len(i), bool(s["normalised"]))


def _shared(distance: float, most: int, normalised: bool) -> float:
    if not normalised:
        return distance
    return distance / most if most else float("nan")


def _rbo(s: Settings, own: Ranks, reference: Ranks) -> float:
    mine, theirs = _groups(own), _groups(reference)
    if not (mine and theirs):
        return float("nan")
    return float(rbo(mine, theirs, float(s["p"])).extrapolated)


def _groups(ranks: Ranks) -> list[set[int]]:
    """Who stands where, from the top, ties together."""
    there = ~np.isnan(ranks)
    return [{*map(int, np.flatnonzero(ranks == rank))} for rank in np.unique(ranks[there])]


_NORMALISED = {"normalised": flag()}

LIST_MEASURES = {
    measure.name: measure
    for measure in [
        ListMeasure(
            "rho",
            score=_rho,
            doc="Spearman's rho: the correlation of ranks.",
        ),
        ListMeasure(
            "footrule",
            _NORMALISED,
            score=_footrule,
            doc="Spearman's footrule: the sum of the differences of ranks; normalised, over the "
            "most that it can be.",
        ),
        ListMeasure(
            "kendall",
            {"p": within(0.5, 0, 1), **_NORMALISED},
            score=_kendall,
            doc="Kendall's distance: pairs reversed, and p of a pair that one ties and the other "
            "orders (Fagin et al.: K(p) of top k lists); normalised, over all pairs.",
        ),
        ListMeasure(
            "rbo",
            {"p": number(0.9, above=0, below=1)},
            score=_rbo,
            left_out=False,
            doc="Rank-biased overlap, extrapolated, with persistence p; a tie counts as the mean "
            "over its orders (Webber, Moffat and Zobel 2010; Corsi and Urbano 2024).",
        ),
    ]
}


def parse_lists(text: str) -> ListMeasure | None:
    """The measure over lists of that name; None if it is none of theirs.

    >>> str(parse_lists("kendall(p=0)"))
    'kendall(p=0)'
    """
    return called(text, LIST_MEASURES)


def list_scores(people: pl.DataFrame, asked: Mapping[str, ListMeasure]) -> pl.DataFrame:
    """`comparison`, and each measure as a Float64 column of its name, null if undefined.

    In: people as `paired` lays them out.
    """
    middles = {
        name: (pl.col(f"{prefix}first") + pl.col(f"{prefix}last")) / 2
        for name, prefix in RANKS.items()
    }
    lists = people.sort(KEY, ITEM).group_by(KEY, maintain_order=True).agg(**middles)
    rows: dict[str, list[float]] = {name: [] for name in asked}
    for own, reference in lists.select(*RANKS).iter_rows():
        given = [np.array(ranks, dtype=np.float64) for ranks in (own, reference)]
        behind = [_behind(ranks) for ranks in given]
        for name, measure in asked.items():
            both = behind if measure.left_out else given
            rows[name].append(measure.score(measure.all_settings, *both))
    scores = pl.DataFrame(
        {name: pl.Series(found, dtype=pl.Float64) for name, found in rows.items()}
    )
    return lists.select(KEY).hstack(scores).with_columns(pl.exclude(KEY).fill_nan(None))


def _behind(ranks: Ranks) -> Ranks:
    """Those left out, tied behind all others."""
    ranked = np.count_nonzero(~np.isnan(ranks))
    return np.where(np.isnan(ranks), (ranked + 1 + len(ranks)) / 2, ranks)
