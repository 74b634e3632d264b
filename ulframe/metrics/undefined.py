"""Where a metric is undefined: it follows from what its declaration is relative to."""

from __future__ import annotations

from functools import lru_cache

import polars as pl

from ulframe.metrics.inputs import Total
from ulframe.metrics.laws.reading import MEMORY
from ulframe.metrics.measure import Measure


@lru_cache(maxsize=MEMORY)
def measured_against(measure: Measure) -> frozenset[str]:
    """The totals of what is relevant that a value is relative to: undefined where they are all 0.

    What its term or `per` reads of them, or all that gains where it reads the ideal ranking. A
    metric that reads none is 0 where nothing is relevant; so is what only `finish` reads, a count.

    >>> import ulframe as ul
    >>> sorted(measured_against(ul.AP)), sorted(measured_against(ul.RR))
    (['r[1]'], [])
    """
    base = measure.base
    read = {*base.term.meta.root_names(), *base.divisor.meta.root_names()}
    read |= {"gaining"} if base.ladder else set()
    return frozenset(t.name for t in base.totals if t.name in read and _counts_relevant(t))


def _counts_relevant(total: Total) -> bool:
    """Whether a total counts high labels and not 0, so that without relevant ones it is 0."""
    labels = pl.DataFrame({"label": [0.0, 1e6]})
    none, high = labels.select(total.each.cast(pl.Float64)).to_series()
    return bool(none == 0 < high)
