"""Names to methods: `rrf`, and with settings `rrf(k=10)`; also as ranx calls them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from inspect import signature
from math import inf, isfinite
from typing import TypeVar

from ulframe.frames.errors import BadUsage

Made = TypeVar("Made")

NAME = re.compile(r"\s*(?P<name>[\w-]+)\s*(?:\((?P<inside>[^()]*)\))?\s*")

ALSO = {
    "sum": "combsum",
    "wsum": "combsum",
    "mnz": "combmnz",
    "wmnz": "combmnz",
    "gmnz": "combgmnz",
    "anz": "combanz",
    "min": "combmin",
    "max": "combmax",
    "med": "combmed",
    "bordafuse": "borda",
    "w-bordafuse": "borda",
    "w-condorcet": "condorcet",
}
"""What ranx calls some methods; its weighted ones are ours with weights."""


def called(text: str, methods: Mapping[str, Callable[..., Made]]) -> Made:
    """The method of that name with the settings in its brackets.

    Raises `BadUsage` for a name or setting that there is not, with those that there are.

    >>> from ulframe.systems.fusion.methods import METHODS, rrf
    >>> called("RRF(k=10)", METHODS) == rrf(k=10)
    True
    """
    name, inside = _parts(text)
    if name not in methods:
        near = get_close_matches(name, methods, 1) or [*methods]
        raise BadUsage(f"there is no method {name!r}; there is {', '.join(near)}")
    return methods[name](**_settings(inside, name, methods[name]))


def name_of(text: str) -> str:
    """The name alone, as ours.

    >>> name_of("RRF(k=10)"), name_of("w_bordafuse")
    ('rrf', 'borda')
    """
    return _parts(text)[0]


def _parts(text: str) -> tuple[str, str]:
    """The name and what is in its brackets."""
    read = NAME.fullmatch(text)
    if not read:
        raise BadUsage(f"cannot read the method {text!r}: it looks like rrf(k=60)")
    name = read["name"].lower().replace("_", "-")
    return ALSO.get(name, name), read["inside"] or ""


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
