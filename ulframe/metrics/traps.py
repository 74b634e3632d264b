"""Names that others use for something else: what to say of them, beside the numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ulframe.metrics.catalog import DCG
from ulframe.metrics.measure import Measure

Applies = Callable[[str, Measure, float], bool]


@dataclass(frozen=True)
class Trap:
    """What is `said`, with `{name}`, `{measure}` and `{k}`, of a name that others mean otherwise.

    `applies` takes the name as it was asked for, its measure, and the largest label of the qrels.
    """

    applies: Applies = field(repr=False)
    says: str


def _typed(pattern: str) -> Applies:
    """Whether a name was asked for so, in any case."""
    asked = re.compile(pattern, re.IGNORECASE)
    return lambda name, measure, highest: asked.fullmatch(name) is not None


def _is_exponential(name: str, measure: Measure, highest: float) -> bool:
    """Whether the gain of a DCG counts, and is that of neither ir_measures nor PyTerrier."""
    return has_gain(measure) and measure["gain"] == "exp" and highest > 1


def has_gain(measure: Measure) -> bool:
    """Whether a measure is a DCG with one of the two gains, not with gains given one by one."""
    return measure.metric is DCG.metric and not measure["gains"]


_CUT = r"\s*(@|[ _-]at[ _-]|[ ._-])\s*\d+k?"

TRAPS = (
    Trap(
        _typed(rf"(map|mean[ _-]?average[ _-]?precision){_CUT}"),
        "{name} is {measure}, over all r that are relevant; recommenders' MAP over min(k, r) is "
        "U(SP@{k})",
    ),
    Trap(
        _typed(rf"accuracy{_CUT}"),
        "{name} is the share of pairs in the right order; what sentence-transformers calls so, a "
        "hit rate, is Success@{k}",
    ),
    Trap(
        _typed(rf"hits{_CUT}"),
        "{name} is {measure}, whether anything relevant is among the first k; ranx's hits, how "
        "many are, is P@{k} times k",
    ),
    Trap(
        lambda name, measure, highest: re.fullmatch(r"rbp\.[0-9.]+", name) is not None,
        "{name} is {measure}: RBP takes labels from `rel` on as relevant, trec_eval's rbp weighs "
        "them by grade",
    ),
    Trap(
        _is_exponential,
        "{name} has the exponential gain 2^label - 1; that of ir_measures and PyTerrier is "
        "nDCG(gain=linear)",
    ),
)
"""Each is told once, of the first name that falls into it."""


def remarks(asked: Mapping[str, Measure], highest: float = 0.0) -> list[str]:
    """What to say of measures by the names they were asked for, `highest` being the largest label.

    >>> from ulframe.metrics.grammar import named
    >>> remarks(named("map@10"))
    ["map@10 is AP@10, over all r that are relevant; recommenders' MAP over min(k, r) is U(SP@10)"]
    """
    found = []
    for trap in TRAPS:
        falls = (name for name, measure in asked.items() if trap.applies(name, measure, highest))
        if name := next(falls, None):
            found.append(trap.says.format(name=name, measure=asked[name], k=asked[name].k))
    return found


def with_gain(asked: Mapping[str, Measure], highest: float) -> dict[str, str]:
    """What a table is to call the first DCG, where the labels tell the two gains apart.

    That its gain is meant goes without saying where both were asked for.

    >>> from ulframe.metrics.grammar import named
    >>> with_gain(named(["AP", "ndcg", "ndcg_cut_10"]), 3), with_gain(named(["nDCG", "ndcg"]), 3)
    ({'ndcg': 'ndcg (gain=linear)'}, {})
    """
    gains = {name: str(m["gain"]) for name, m in asked.items() if has_gain(m)}
    if highest <= 1 or len(set(gains.values())) != 1:
        return {}
    name, gain = next(iter(gains.items()))
    return {name: f"{name} (gain={gain})"}
