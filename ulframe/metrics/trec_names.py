"""trec_eval's names and lists: each means exactly what trec_eval computes, linear gain included."""

from __future__ import annotations

import re
from collections.abc import Callable

from ulframe.metrics.catalog import AP, DCG, RR, P, R, Rprec, Success, bpref
from ulframe.metrics.metric import Measure
from ulframe.metrics.variants import U

_ndcg = U(DCG(gain="linear"))

PLAIN: dict[str, Measure] = {
    "map": AP,
    "ndcg": _ndcg,
    "recip_rank": RR,
    "Rprec": Rprec,
    "bpref": bpref,
}
"""Names that stand alone."""

_DEPTHS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")

FAMILIES: dict[str, tuple[Callable[[int], Measure], tuple[str, ...]]] = {
    "P": (lambda k: P @ k, _DEPTHS),
    "recall": (lambda k: R @ k, _DEPTHS),
    "ndcg_cut": (lambda k: _ndcg @ k, _DEPTHS),
    "map_cut": (lambda k: AP @ k, _DEPTHS),
    "relative_P": (lambda k: U(P @ k), _DEPTHS),
    "success": (lambda k: Success @ k, ("1", "5", "10")),
}
"""Names that end in a cutoff (`P_10`), and the cutoffs that trec_eval takes without being told."""

_NAME = re.compile(r"(?P<family>[A-Za-z]\w*?)_(?P<k>[1-9]\d*)")


def trec_measure(name: str) -> Measure | None:
    """The measure that trec_eval calls so, or None."""
    match = _NAME.fullmatch(name)
    if match and match["family"] in FAMILIES:
        return FAMILIES[match["family"]][0](int(match["k"]))
    return PLAIN.get(name)


def expand(text: str) -> list[str]:
    """The single names in what trec_eval's -m takes: `P.5,10`, or `ndcg_cut` for all its cutoffs.

    >>> expand("P.5,10")
    ['P_5', 'P_10']
    >>> expand("nDCG@10")
    ['nDCG@10']
    """
    family, dot, listed = text.partition(".")
    if family in FAMILIES:
        cutoffs = listed.split(",") if dot else FAMILIES[family][1]
        return [f"{family}_{cutoff.strip()}" for cutoff in cutoffs]
    return [text]
