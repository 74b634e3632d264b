"""Which measure a word means: as it is spelled, or in any case and with any separators.

An exact spelling always wins. Otherwise a word means what all the names mean that differ from it in
case and separators only; where these are several measures (`Ndcg`), it is refused with each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher, get_close_matches

from ulframe.frames.errors import BadUsage
from ulframe.metrics.catalog import ALIASES, CATALOG, WORDS
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import OPERATORS, Operator
from ulframe.metrics.own import OWN
from ulframe.metrics.trec_names import FAMILIES

SHOWN, NEAR = 3, 0.57  # names that are suggested, and how near they are, from 0 to 1


def folded(name: str) -> str:
    """A name without its case and separators.

    >>> folded("Hit-Rate"), folded("hit_rate"), folded("HitRate")
    ('hitrate', 'hitrate', 'hitrate')
    """
    return re.sub(r"[\s_-]", "", name).lower()


def meant(name: str) -> Measure | None:
    """The measure of that name, without what may follow it; None where there is none.

    Raises `BadUsage` where several could be meant.

    >>> meant("hit rate"), meant("rbp"), meant("RBP"), meant("nothing")
    (Success, rbp, RBP, None)
    """
    if found := spelled().get(name):
        return found
    near = {one: measure for one, measure in _every_name() if folded(one) == folded(name)}
    if len(set(near.values())) > 1:
        either = " or ".join(sorted(_told_apart(near), key=len))
        raise BadUsage(f"{name!r} could be {either}; case tells them apart")
    return next(iter(near.values()), None)


def operator_meant(name: str) -> Operator | None:
    """The operator of that name, in any case."""
    near = (one for one in OPERATORS.values() if one.name.lower() == name.lower())
    return OPERATORS.get(name) or next(near, None)


def spelled() -> Mapping[str, Measure]:
    """Every measure by the names that are spelled exactly so, those that trec_eval has too."""
    trec = {name: family.alone for name, family in FAMILIES.items() if family.alone}
    return {**trec, **OWN, **ALIASES, **CATALOG}


def _every_name() -> Iterator[tuple[str, Measure]]:
    yield from spelled().items()
    yield from ((name, family.cut) for name, family in FAMILIES.items() if family.cut)
    yield from WORDS.items()


def _told_apart(near: Mapping[str, Measure]) -> Iterator[str]:
    """A name of each measure, and what it is where it is called otherwise."""
    for measure in dict.fromkeys(near.values()):
        name = next(one for one, other in near.items() if other == measure)
        yield str(measure) if str(measure) in near else f"{name} ({measure})"


def suggested(name: str) -> list[str]:
    """At most three names that are near to one that there is not, the nearest first.

    >>> suggested("nDGC"), suggested("NDGC")[0]
    (['nDCG', 'ndcg_cut', 'Rndcg'], 'NDCG')
    """
    written: dict[str, list[str]] = {}
    for one in [*spelled(), *FAMILIES, *OPERATORS, *WORDS]:
        written.setdefault(folded(one), []).append(one)
    close = get_close_matches(folded(name), written, n=SHOWN, cutoff=NEAR)
    return [max(written[one], key=lambda other: likeness(name, other)) for one in close]


def likeness(name: str, other: str) -> float:
    """How alike two names are, from 0 to 1, upper and lower case being different letters."""
    return SequenceMatcher(None, name, other).ratio()
