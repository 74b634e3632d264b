"""Rank-biased overlap of two rankings that may be tied, cut off and of different things.

Webber, Moffat and Zobel 2010; the ties as in Corsi and Urbano 2024, "The Treatment of Ties in
Rank-Biased Overlap". What a tied item contributes to the overlap at each depth, and what the
overlap is divided by, makes a variant.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ulframe.analysis.blocks import Floats
from ulframe.frames.errors import BadData, BadUsage

Ranking = Sequence[Hashable | Iterable[Hashable]]
GROUPS = (set, frozenset, list, tuple)


@dataclass(frozen=True)
class Overlap:
    """Rank-biased overlap: `least` and `most` bound what lies below the cut, `residual` apart.

    `extrapolated` takes the agreement seen so far to go on. All in [0, 1].
    """

    extrapolated: float
    least: float
    most: float

    @property
    def residual(self) -> float:
        """How much the unseen can matter."""
        return self.most - self.least


@dataclass(frozen=True)
class Variant:
    """What an item tied from rank `top` to `bottom` gives to each depth, and the agreement.

    `agreement` is made of depth, overlap and both rankings' contributions, items x depths.
    """

    gives: Callable[[Floats, Floats, Floats], Floats]
    size: Callable[[Floats], Floats]
    agreement: Callable[[Floats, Floats, Floats, Floats], Floats]


def _whole(depth: Floats, top: Floats, bottom: Floats) -> Floats:
    return np.where(depth >= top, 1.0, 0.0)


def _in_part(depth: Floats, top: Floats, bottom: Floats) -> Floats:
    return np.clip((depth - top + 1) / (bottom - top + 1), 0.0, 1.0)


Ties = Literal["w", "a", "b"]
VARIANTS: dict[Ties, Variant] = {
    "w": Variant(_whole, lambda c: c, lambda depth, x, a, b: 2 * x / (a + b)),
    "a": Variant(_in_part, lambda c: c, lambda depth, x, a, b: x / depth),
    "b": Variant(_in_part, lambda c: c**2, lambda depth, x, a, b: x / np.sqrt(a * b)),
}
"""By the name of `ties`."""


def rbo(x: Ranking, y: Ranking, p: float, *, ties: Ties = "a") -> Overlap:
    """Rank-biased overlap, with persistence `p`: the chance to read on after each rank.

    In: rankings from the top; an element is an item, or a set, list or tuple of tied items.

    - `ties="w"`: tied items are equally good, as in sport, and share their group's first rank.
    - `"a"`: their order is not known; the mean over all orders.
    - `"b"`: the same, corrected for the information that ties lose: 1 for a ranking with itself.

    Raises `BadUsage` for another word or a `p` outside (0, 1); `BadData` for an empty ranking or an
    item that is there twice.

    >>> round(rbo(["a", "b", "c"], ["a", "c", "b"], 0.9).extrapolated, 4)
    0.955
    >>> rbo(["a", {"b", "c"}], ["a", {"b", "c"}], 0.9, ties="b").extrapolated
    1.0
    """
    if ties not in VARIANTS:
        raise BadUsage(f"ties={ties!r} is not one of {', '.join(VARIANTS)}")
    if not 0 < p < 1:
        raise BadUsage(f"p={p}: the persistence lies between 0 and 1")
    short, long = sorted((_spans(x), _spans(y)), key=len)
    return _overlap(short, long, p, VARIANTS[ties])


def _overlap(
    short: dict[Hashable, tuple[int, int]],
    long: dict[Hashable, tuple[int, int]],
    p: float,
    variant: Variant,
) -> Overlap:
    s, n = len(short), len(long)
    items = [*short, *(item for item in long if item not in short)]
    depth = np.arange(1, n + 1, dtype=np.float64)
    in_short, in_long = (_contributions(of, items, depth, variant) for of in (short, long))
    seen = np.sum(in_short * in_long, axis=0)
    size_short, size_long = (variant.size(c).sum(axis=0) for c in (in_short, in_long))
    size_short[s:] = depth[s:]  # below its end the shorter ranking goes on, untied
    weight = p**depth

    def share(overlap: Floats) -> float:
        return float(np.sum(variant.agreement(depth, overlap, size_short, size_long) * weight))

    at_cut = variant.agreement(depth, seen, size_short, size_long)[s - 1]
    common = float(seen[-1])
    unseen, below = in_long[s:], np.maximum(depth - s, 0.0)
    ahead = np.arange(len(unseen))[:, None] < below
    mean = unseen.sum(axis=0) / np.maximum((unseen > 0).sum(axis=0), 1)
    least = share(seen) + common * (np.log(1 / (1 - p)) - float(np.sum(weight / depth)))
    most = share(seen + np.sum(unseen * ahead, axis=0)) + _most_below(s, n, common, p)
    rest = (common + (n - s) * at_cut) / n * p ** (n + 1) / (1 - p)
    extrapolated = share(seen + below * at_cut * mean) + rest
    return Overlap(*(float(total * (1 - p) / p) for total in (extrapolated, least, most)))


def _most_below(s: int, n: int, common: float, p: float) -> float:
    """What lies below the longer ranking at most: until both have all the other's items."""
    last = s + n - round(common)
    depth = np.arange(n + 1, last + 1, dtype=np.float64)
    overlap = (2 * depth - n - s + common) / depth
    return float(np.sum(overlap * p**depth)) + p ** (last + 1) / (1 - p)


def _spans(ranking: Ranking) -> dict[Hashable, tuple[int, int]]:
    """The first and the last rank of each item's group."""
    spans: dict[Hashable, tuple[int, int]] = {}
    top = 1
    for element in ranking:
        group: list[Any] = list(element) if isinstance(element, GROUPS) else [element]
        bottom = top + len(group) - 1
        spans |= dict.fromkeys(group, (top, bottom))
        top = bottom + 1
    if not spans:
        raise BadData("rank-biased overlap takes rankings of at least one item")
    if len(spans) < top - 1:
        raise BadData(f"a ranking of {top - 1} items has {top - 1 - len(spans)} of them twice")
    return spans


def _contributions(
    spans: dict[Hashable, tuple[int, int]],
    items: list[Hashable],
    depth: Floats,
    variant: Variant,
) -> Floats:
    never = (np.inf, np.inf)
    top, bottom = np.array([spans.get(item, never) for item in items], dtype=np.float64).T
    there = np.isfinite(top)
    given = np.zeros((len(items), len(depth)))
    given[there] = variant.gives(depth, top[there, None], bottom[there, None])
    return given
