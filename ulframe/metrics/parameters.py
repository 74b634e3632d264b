"""What may be set about a metric: defaults, and how a value is read from Python or from text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ulframe.frames.errors import BadUsage

Setting = str | int | float


@dataclass(frozen=True)
class Parameter:
    """One parameter: its default, what it takes in words, and the reader that refuses the rest."""

    default: Setting
    takes: str
    convert: Callable[[object], Setting]

    def read(self, where: str, given: object) -> Setting:
        """The value as it is kept; `where` names the parameter in the message of `BadUsage`."""
        try:
            return self.convert(given)
        except (TypeError, ValueError):
            raise BadUsage(f"{where} takes {self.takes}, not {given!r}") from None


def written(value: Setting) -> str:
    """A setting as the grammar writes it: 2 and 2.0 are both `2`."""
    return f"{value:g}" if isinstance(value, int | float) else value


def choice(default: str, allowed: Iterable[str]) -> Parameter:
    """One of some words."""
    words = tuple(allowed)

    def convert(given: object) -> str:
        if given not in words:
            raise ValueError
        return str(given)

    return Parameter(default, " or ".join(words), convert)


def number(default: float, above: float, below: float = float("inf")) -> Parameter:
    """A number strictly between two limits."""

    def convert(given: object) -> float:
        if isinstance(given, bool) or not isinstance(given, str | int | float):
            raise TypeError
        value = float(given)
        if not above < value < below:
            raise ValueError
        return int(value) if value.is_integer() else value

    limits = f"a number above {written(above)}"
    return Parameter(
        default,
        limits if below == float("inf") else f"{limits} and below {written(below)}",
        convert,
    )
