"""Names with numbers in brackets, `rrf(k=10)`, as calls of the functions of a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from inspect import signature
from math import inf, isfinite
from types import MappingProxyType
from typing import TypeVar

from ulframe.frames.errors import BadUsage

Made = TypeVar("Made")

NONE: Mapping[str, str] = MappingProxyType({})

_SHAPE = re.compile(r"\s*(?P<name>[\w-]+)\s*(?:\((?P<inside>[^()]*)\))?\s*")


def called(
    text: str, functions: Mapping[str, Callable[..., Made]], also: Mapping[str, str] = NONE
) -> Made:
    """What the function of that name gives for the numbers in its brackets.

    In: `also`, by other names for some, their names in the table. Case, and whether _ or - parts
    words, does not matter. Raises `BadUsage` for a name or setting that there is not, with those
    that there are, and for a setting without a default that is not given.

    >>> called("Power(of=3)", {"power": lambda base=2.0, of=1.0: base**of})
    8.0
    """
    name, inside = _parts(text)
    known = {_plain(one): one for one in functions} | {_plain(one): to for one, to in also.items()}
    if name not in known:
        near = [known[one] for one in get_close_matches(name, known, 1)] or [*functions]
        raise BadUsage(
            f"there is no {text.partition('(')[0].strip()!r}; there is {', '.join(near)}"
        )
    name = known[name]
    settings = _settings(inside, name, functions[name])
    needed = signature(functions[name]).parameters.values()
    if missing := [
        one.name for one in needed if one.default is one.empty and one.name not in settings
    ]:
        raise BadUsage(f"{name} needs {missing[0]}, as in {name}({missing[0]}=10)")
    return functions[name](**settings)


def _parts(text: str) -> tuple[str, str]:
    """The name, plain, and what is in its brackets."""
    read = _SHAPE.fullmatch(text)
    if not read:
        raise BadUsage(f"cannot read {text!r}: it looks like rrf(k=60)")
    return _plain(read["name"]), read["inside"] or ""


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def _settings(inside: str, name: str, method: Callable[..., object]) -> dict[str, float]:
    known = signature(method).parameters
    settings: dict[str, float] = {}
    for part in filter(str.strip, inside.split(",")):
        key, _, value = (piece.strip() for piece in part.partition("="))
        if key not in known:
            there = f"it takes {', '.join(known)}" if known else "it takes none"
            raise BadUsage(f"{name} has no setting {key!r}: {there}")
        with suppress(ValueError):
            settings[key] = float(value)
        if not isfinite(settings.get(key, inf)):
            raise BadUsage(f"{name}({part.strip()}): {value!r} is no number")
    return settings
