"""What operators need of a metric."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias

from ulframe.metrics.declaration import Approximate, Refused
from ulframe.metrics.laws.expectation import expectation_of, is_near_only
from ulframe.metrics.laws.spread import spread_of

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure

Need: TypeAlias = Literal["bounds", "ideal", "chance", "exact", "spread", "zero"]


def _why(declared: object, kind: type[Refused] | type[Approximate]) -> str:
    return declared.why if isinstance(declared, kind) else ""


NEAR = "its expectation comes near the exact one only, and this would not be what it says"

NEEDS: dict[Need, Callable[[Measure], str]] = {
    "bounds": lambda m: _why(m.metric.ideal, Refused),
    "zero": lambda m: _why(m.metric.zero, Refused),
    "chance": lambda m: _why(expectation_of(m), Refused),
    "exact": lambda m: NEAR if is_near_only(m) else "",
    "spread": lambda m: _why(spread_of(m), Refused),
    "ideal": lambda m: _why(m.metric.ideal, Approximate),
}
"""Why a metric does not have what an operator needs; empty where it does."""


def refusal(measure: Measure, needs: Iterable[Need]) -> str:
    """Why there is no operator with these needs of a measure; empty where there is one.

    >>> import ulframe as ul
    >>> refusal(ul.unj @ 5, ["bounds"])
    'it counts what was not judged, of which less is better'
    """
    asked = set(needs)
    return next((why for need, of in NEEDS.items() if need in asked and (why := of(measure))), "")
