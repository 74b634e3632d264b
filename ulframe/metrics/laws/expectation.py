"""How the expectation of a measure under a random ranking is had."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from ulframe.metrics.declaration import LINEAR, Form, Linear, Refused
from ulframe.metrics.inputs import RunningSum
from ulframe.metrics.laws.reading import (
    MEMORY,
    constants_of,
    counts_by_ones,
    given_there,
    is_affine,
    is_affine_finish,
    names_in,
    sums_of,
)

if TYPE_CHECKING:
    from ulframe.metrics.measure import Measure


@dataclass(frozen=True)
class Distributed:
    """An expectation by the exact distribution of what `count` has above a document."""

    count: RunningSum


FORM = "give it a form (`expected=Form(...)`)"

How: TypeAlias = Form | Linear | Distributed | Refused


@lru_cache(maxsize=MEMORY)
def expectation_of(measure: Measure) -> How:
    """How the expectation under a random ranking is had: by the declaration, or by what is read.

    Affine in running sums: by linearity. Any function of rank, label and one count: by the
    distribution of that count given rank and label, which is hypergeometric. Both where all else
    is constant for a query, and the value affine in the sum of its terms. Anything else needs a
    form of its own, or is refused.

    >>> import ulframe as ul
    >>> expectation_of(ul.AP)
    Linear()
    """
    base = measure.base
    declared = base.declared_expectation
    if isinstance(declared, Form | Refused):
        return declared
    if isinstance(base.metric.ideal, Refused):
        return base.metric.ideal
    if reason := unsteady(base):
        return Refused(f"{reason}; {FORM}")
    if is_affine(base):
        return LINEAR
    if declared is LINEAR:
        return Refused("it is declared LINEAR, but its term is not affine in what it reads")
    sums = sums_of(base)
    counts = [sums[name] for name in sorted(names_in(base.term) & sums.keys())]
    if len(counts) == 1 and counts_by_ones(counts[0]):
        return Distributed(counts[0])
    together = " and ".join(state.name for state in counts)
    return Refused(f"its term is not affine in {together}; {FORM}")


def unsteady(base: Measure) -> str:
    """Why no law could tell what a random ranking scores; empty if one can."""
    constant = constants_of(base)
    known = {"rank", "label", *given_there(base), *sums_of(base)}
    if unknown := names_in(base.term) - known:
        return (
            f"its term reads {', '.join(sorted(unknown))}, of which it is not known what a random "
            "ranking has"
        )
    for what, part in (("per", base.divisor), ("depth", base.depth), ("finish", base.finish)):
        names = set() if part is None else names_in(part) - {"total"}
        if varying := names - constant:
            return f"its `{what}` reads {', '.join(sorted(varying))}, no constant of a query"
    if not is_affine_finish(base):
        return "what it is made of its sum (`finish`) is not affine, so that means do not follow"
    return ""


def is_near_only(measure: Measure) -> bool:
    """Whether its expectation is known to come near only."""
    how = expectation_of(measure)
    return isinstance(how, Form) and not how.exact


def is_compared(measure: Measure) -> bool:
    """Whether there is an expectation of it under a random ranking."""
    return not isinstance(expectation_of(measure), Refused)
