"""What trec_eval's -m asks for, and in which order it is printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from ulframe.frames.errors import BadUsage
from ulframe.metrics.trec_names import FAMILIES, NICKNAMES, expand

RUNID, RELSTRING = "runid", "relstring"
"""The two that are no numbers."""

NOT_OFFERED = ("prefs", "all_prefs", "qrels_jg", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg")


def _order() -> list[str]:
    names = list(FAMILIES)
    names.insert(names.index("recall"), RELSTRING)
    return [RUNID, *names]


ORDER = _order()
"""Everything that -m takes, as it is printed."""


def asked_for(given: Sequence[str]) -> dict[str, str]:
    """The names asked for, each with its parameters: the first that are given, as in trec_eval.

    >>> asked_for(["P.5,7", "P.10", "map"])
    {'P': '5,7', 'map': ''}
    """
    asked: dict[str, str] = {}
    for text in given:
        name, dot, parameters = text.partition(".")
        _refuse(name, text)
        if dot and not parameters:
            raise BadUsage(f"-m {text}: no parameters behind the point")
        for one in _listed(name):
            # a list has no parameters to heed, nor has trec_eval
            asked[one] = asked.get(one) or ("" if name in NICKNAMES else parameters)
    return asked


def _listed(name: str) -> tuple[str, ...]:
    strings = (RELSTRING,) if name == "all_trec" else ()
    return (RUNID, *NICKNAMES[name], *strings) if name in NICKNAMES else (name,)


def _refuse(name: str, text: str) -> None:
    if name in NOT_OFFERED or name.startswith("prefs_"):
        raise BadUsage(f"-m {text}: {name} needs preferences or several judges, not offered here")
    if name not in NICKNAMES and name not in ORDER:
        raise BadUsage(f"-m {text}: trec_eval has no measure {name!r}{_advice(name)}")


def _advice(name: str) -> str:
    """How to ask for a name that trec_eval prints, such as P_5; or the nearest that there are."""
    printed = [one for one in FAMILIES if name.startswith(f"{one}_")]
    if printed:
        family = max(printed, key=len)
        return f"; write {family}.{name[len(family) + 1 :]}"
    near = get_close_matches(name, [*NICKNAMES, *ORDER], n=3)
    return f"; did you mean {', '.join(near)}?" if near else ", nor one like it"


def printed_names(asked: Mapping[str, str]) -> Iterator[str]:
    """Each single name to print, in trec_eval's order.

    >>> list(printed_names({"P": "10,5", "map": ""}))
    ['map', 'P_5', 'P_10']
    """
    for name in ORDER:
        if name in asked and name in FAMILIES:
            yield from expand(f"{name}.{asked[name]}" if asked[name] else name)
        elif name in asked:
            yield f"{name}_{asked[name]}" if asked[name] else name
