"""Exact distributions where the value follows from a count, or from the first document counted."""

from __future__ import annotations

import numpy as np

from ulframe.analysis.blocks import Floats
from ulframe.analysis.chance.kinds import Kinds
from ulframe.metrics.chance.sums import drawn

Known = tuple[Floats, Floats]
"""Sums of terms, and the chance of each."""


def closed(kinds: Kinds) -> Known | None:
    """The distribution of the sum of terms, of two kinds of which one adds nothing; or None."""
    if kinds.tables is None or len(kinds.counts) != 2:
        return None
    adding = [kind for kind, added in enumerate(kinds.tables.added) if added.any()]
    if len(adding) != 1:
        return None
    added = kinds.tables.added[adding[0]]
    counted = bool(kinds.tables.counted[adding[0]])
    marked = int(kinds.counts[adding[0]])
    if _is_same_at_all_ranks(added) and (counted or added.shape[1] == 1):
        return _of_how_many(added[-1], kinds, marked)
    if counted and not added[:, 1:].any():
        return _of_the_first(added[:, 0], kinds, marked)
    return None


def _is_same_at_all_ranks(added: Floats) -> bool:
    rank, above = np.indices(added.shape)
    return bool(np.where(above <= rank, added == added[-1], True).all())


def _of_how_many(by_above: Floats, kinds: Kinds, marked: int) -> Known:
    """The t-th found adds what it adds below t - 1 others; how many are is hypergeometric."""
    found = min(kinds.m, marked)
    each = np.resize(by_above, found) if len(by_above) == 1 else by_above[:found]
    chances = drawn(int(kinds.counts.sum()), marked, np.array([kinds.m]))[0][: found + 1]
    return np.concatenate([[0.0], np.cumsum(each)]), chances


def _of_the_first(by_rank: Floats, kinds: Kinds, marked: int) -> Known:
    """None is found with what is left of the chance."""
    n, above = int(kinds.counts.sum()), np.arange(kinds.m)
    left = n - above
    none_yet = np.concatenate([[1.0], np.cumprod(np.maximum(left - marked, 0) / left)])
    return np.append(by_rank, 0.0), np.append(-np.diff(none_yet), none_yet[-1])
