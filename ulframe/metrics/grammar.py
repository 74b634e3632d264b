"""Names to measures: `V2(SP(expectation=independent)@10)`, and trec_eval's `P_10`.

The other way is `str(measure)`; what it gives parses back to an equal measure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from ulframe.frames.errors import BadUsage
from ulframe.metrics.catalog import ALIASES, CATALOG
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import OPERATORS
from ulframe.metrics.own import OWN
from ulframe.metrics.parameters import Setting
from ulframe.metrics.trec_names import FAMILIES, expand, trec_measure

Asked = str | Measure | Iterable[str | Measure] | Mapping[str, Measure]
"""One measure or several, as objects or names; or by the names to report them under."""

_CALL = re.compile(r"(?P<name>\w+)\s*(?:\((?P<inside>.*)\))?\s*(?:@(?P<k>[^@()]*))?")

_BETWEEN = re.compile(r",(?![^\[{]*[\]}])")
"""The commas that part settings, which those inside [1,2] and {1:2,2:3} do not."""


def parse(text: str) -> Measure:
    """The measure of that name.

    Raises `BadUsage`, with the nearest good names, for one that there is not.

    >>> parse("nDCG(gain=linear)@10").k
    10
    >>> parse("U(SP)@10") == parse("U(SP@10)")
    True
    >>> str(parse("ndcg_cut_10"))
    'nDCG(gain=linear)@10'
    """
    return _complete(read(text))


def read(text: str) -> Measure:
    """The measure of that name, which may still want a cutoff.

    >>> read("P")
    P
    """
    return _measure(text.strip(), text)


def _complete(measure: Measure) -> Measure:
    if measure.wants:
        raise BadUsage(f"{measure} needs {measure.wants}, as in {measure.example}")
    return measure


def _measure(text: str, whole: str) -> Measure:
    match = _CALL.fullmatch(text)
    if match is None and (found := trec_measure(text)):
        return found
    if match is None:
        raise BadUsage(f"cannot read the measure {whole!r}: it looks like V2(SP(rel=2)@10)")
    name, inside, k = match["name"], match["inside"], match["k"]
    if name in OPERATORS and inside is not None:
        measure = OPERATORS[name](_measure(inside.strip(), whole))
    elif name in (known := {**OWN, **ALIASES, **CATALOG}):
        measure = known[name](**_settings(inside, whole))
    elif inside is None and (found := trec_measure(name)):
        measure = found
    else:
        raise BadUsage(_unknown(name, whole))
    return measure if k is None else measure @ _at(k, measure, whole)


def _settings(inside: str | None, whole: str) -> dict[str, Setting]:
    settings: dict[str, Setting] = {}
    for part in _BETWEEN.split(inside or ""):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if part.strip() and not (key.isidentifier() and equals and value):
            raise BadUsage(f"cannot read {part.strip()!r} in {whole!r}: write name=value")
        if part.strip():
            settings[key] = value.strip("'\"")
    return settings


def _at(k: str, measure: Measure, whole: str) -> float:
    at = measure.metric.spelling.at
    if at:
        return float(measure.parameters[at].read(f"{measure.metric.name}@", k))
    if not re.fullmatch(r"[0-9]+", k.strip()):
        raise BadUsage(f"{whole}: the cutoff is a whole number of at least 1, not {k!r}")
    return int(k)


def _unknown(name: str, whole: str) -> str:
    known = {**CATALOG, **ALIASES, **OWN}
    names = dict.fromkeys([*map(str, known.values()), *known, *FAMILIES])  # as printed first
    close = get_close_matches(name.lower(), {one.lower() for one in names}, n=3, cutoff=0.5)
    near = [one for match in close for one in names if one.lower() == match][:3]
    within = "" if name == whole.strip() else f" in {whole!r}"
    advice = f"did you mean {', '.join(near)}?" if near else "`ulframe measures` lists them"
    return f"no measure {name!r}{within}; {advice}"


def named(measures: Asked) -> dict[str, Measure]:
    """The measures by the names they were asked for, in that order; a name given twice is one.

    >>> [(name, str(m)) for name, m in named(["map", "P.5,10"]).items()]
    [('map', 'AP'), ('P_5', 'P@5'), ('P_10', 'P@10')]
    """
    if isinstance(measures, Mapping):
        return dict(measures)
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        return named([measures])
    found: dict[str, Measure] = {}
    for one in measures:
        for name, measure in _named(one).items():
            if found.setdefault(name, measure) != measure:
                raise BadUsage(f"two measures are called {name}: declare one under another name")
    if not found:
        raise BadUsage("no measure was asked for")
    return found


def _named(one: object) -> dict[str, Measure]:
    if isinstance(one, Measure):
        return {str(one): _complete(_unmistakable(one))}
    if isinstance(one, str):
        return {name: parse(name) for name in expand(one)}
    raise BadUsage(f"{one!r} is no measure: give a name, or an object such as ulframe.nDCG @ 10")


def _unmistakable(measure: Measure) -> Measure:
    """Refuse a metric of one's own under a name that means another."""
    try:
        other = parse(str(measure))
    except BadUsage:
        return measure
    if other != measure:
        raise BadUsage(
            f"two measures are called {measure}: the one given, and another that was declared; "
            "declare yours under a new name"
        )
    return measure


def aggregate_of(name: str) -> str:
    """How the measure of that name is aggregated over queries; a mean for a name of your own.

    >>> aggregate_of("nDCG@10")
    'mean'
    """
    try:
        return parse(name).metric.aggregate
    except BadUsage:
        return "mean"
