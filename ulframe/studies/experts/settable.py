"""What a measure of rankings is called, and the parameters that may be set about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar, cast

from ulframe.frames.errors import BadUsage
from ulframe.metrics.parameters import Parameter, Setting, written

Settings = Mapping[str, Setting]

_CALL = re.compile(r"([\w.]+)(?:\((.*)\))?")


@dataclass(frozen=True)
class Settable:
    """A name, what may be set, what is set, and what it is in a sentence."""

    name: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict, compare=False, repr=False)
    settings: tuple[tuple[str, Setting], ...] = ()
    doc: str = field(default="", compare=False, repr=False)

    def __call__(self, **given: Setting) -> Self:
        """The same with these parameters. Raises `BadUsage` for others or bad values."""
        if unknown := sorted(set(given) - set(self.parameters)):
            has = ", ".join(self.parameters) or "none"
            raise BadUsage(f"{self.name} has no parameter {', '.join(unknown)}; it takes {has}")
        read = {n: self.parameters[n].read(f"{self.name}({n}=)", v) for n, v in given.items()}
        merged = dict(self.settings) | read
        kept = (n for n, p in self.parameters.items() if merged.get(n, p.default) != p.default)
        return replace(self, settings=tuple((name, merged[name]) for name in kept))

    @property
    def written(self) -> str:
        """The name with what is set, which parses back."""
        settings = ",".join(f"{name}={written(value)}" for name, value in self.settings)
        return f"{self.name}({settings})" if settings else self.name

    @property
    def all_settings(self) -> Settings:
        """Every parameter's value, given or by default."""
        return {n: p.default for n, p in self.parameters.items()} | dict(self.settings)


Known = TypeVar("Known", bound=Settable)


def called(text: str, known: Mapping[str, Known]) -> Known | None:
    """The measure of a table that a text such as `pairs.F(beta=2)` calls; None if it is none.

    Raises `BadUsage` for a parameter that it does not take.
    """
    call = _CALL.fullmatch(text.strip())
    if call is None or call[1] not in known:
        return None
    parts = [part.partition("=") for part in (call[2] or "").split(",") if part.strip()]
    given = {name.strip(): value.strip() for name, _, value in parts}
    return cast(Known, known[call[1]](**given))
