"""What may be set about a metric: defaults, and how a value is read from Python or from text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ulframe.frames.errors import BadUsage

LARGEST = 1e150
"""Numbers are below it, as the products of two are then below the largest float."""

Setting = str | int | float | bool
Given = Setting | Mapping[int, float] | Iterable[float]


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
        except (AttributeError, OverflowError, TypeError, ValueError):
            raise BadUsage(f"{where} takes {self.takes}, not {given!r}") from None


def written(value: Setting) -> str:
    """A setting as the grammar writes it: in the shortest text that means exactly this number.

    >>> written(2), written(2.0), written(0.05), written(1 / 3), written(1234567)
    ('2', '2', '0.05', '0.3333333333333333', '1234567')
    """
    return str(value) if isinstance(value, bool | str) else repr(float(value)).removesuffix(".0")


def choice(default: str, allowed: Iterable[str]) -> Parameter:
    """One of some words."""
    words = tuple(allowed)

    def convert(given: object) -> str:
        if given not in words:
            raise ValueError
        return str(given)

    return Parameter(default, " or ".join(words), convert)


def number(default: float, above: float, below: float = LARGEST) -> Parameter:
    """A number strictly between two limits."""

    def convert(given: object) -> float:
        value = _number(given)
        if not above < value < below:
            raise ValueError
        return value

    return Parameter(
        default, f"a number above {written(above)} and below {written(below)}", convert
    )


def whole(default: int, most: int) -> Parameter:
    """A whole number from 1 to `most`."""

    def convert(given: object) -> int:
        value = _number(given)
        if value not in range(1, most + 1):
            raise ValueError
        return int(value)

    return Parameter(default, f"a whole number from 1 to {most}", convert)


def share(default: float) -> Parameter:
    """A number from 0 to 1."""

    def convert(given: object) -> float:
        value = _number(given)
        if not 0 <= value <= 1:
            raise ValueError
        return value

    return Parameter(default, "a number from 0 to 1", convert)


def within(default: float, least: float, most: float) -> Parameter:
    """A number from one limit to another, both included."""

    def convert(given: object) -> float:
        value = _number(given)
        if not least <= value <= most:
            raise ValueError
        return value

    return Parameter(default, f"a number from {written(least)} to {written(most)}", convert)


def flag(default: bool = False) -> Parameter:
    """True or False."""

    def convert(given: object) -> bool:
        if str(given).lower() not in ("true", "false"):
            raise ValueError
        return str(given).lower() == "true"

    return Parameter(default, "True or False", convert)


REL = number(1, above=0)
"""The smallest label that counts as relevant."""


# ---------------------------------------------------------------- several numbers in one setting
def numbers(default: Iterable[float], many: int | None = None) -> Parameter:
    """A list of numbers, kept as text: `[1,-1,0,0]`."""

    def convert(given: object) -> str:
        parts = given.strip("[]").split(",") if isinstance(given, str) else list(given)  # type: ignore[call-overload]
        read = [_number(part) for part in parts]
        if many not in (None, len(read)):
            raise ValueError
        return f"[{','.join(map(written, read))}]"

    takes = "numbers" if many is None else f"{many} numbers"
    return Parameter(convert(default), f"{takes}, as in [1,0.5]", convert)


def levels() -> Parameter:
    """Gains by label, kept as text: `{1:3,2:9}`; labels that are not in it are their own gain."""

    def convert(given: object) -> str:
        if isinstance(given, str):
            pairs = [part.partition(":")[::2] for part in given.strip("{}").split(",")]
        else:
            pairs = list(given.items())  # type: ignore[attr-defined]
        read = sorted((_number(label), _number(gain)) for label, gain in pairs)
        if any(gain < 0 for _, gain in read):
            raise ValueError
        return f"{{{','.join(f'{written(label)}:{written(gain)}' for label, gain in read)}}}"

    return Parameter("", "gains of at least 0 by label, as in {1:3,2:9}", convert)


def listed(setting: Setting) -> list[float]:
    """The numbers of a setting that `numbers` read."""
    return [float(part) for part in str(setting).strip("[]").split(",")]


def by_label(setting: Setting) -> dict[float, float]:
    """The gains of a setting that `levels` read."""
    pairs = (part.partition(":") for part in str(setting).strip("{}").split(",") if part)
    return {float(label): float(gain) for label, _, gain in pairs}


def _number(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise TypeError
    value = float(given)
    if not abs(value) < LARGEST:  # NaN among others
        raise ValueError
    return int(value) if value.is_integer() else value
