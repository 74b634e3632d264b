"""Names to measures: `V2(SP(expectation=independent)@10)`, and trec_eval's `P_10`.

The other way is `str(measure)`; what it gives parses back to an equal measure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ulframe.frames.errors import BadUsage
from ulframe.metrics.elsewhere import said_of
from ulframe.metrics.measure import Measure
from ulframe.metrics.parameters import Setting
from ulframe.metrics.spelling import meant, operator_meant, spelled, suggested
from ulframe.metrics.trec_names import expand, trec_measure

Asked = str | Measure | Iterable[str | Measure] | Mapping[str, Measure]
"""One measure or several, as objects or names; or by the names to report them under."""

_CALL = r"(?P<name>[^@()]+?)\s*(?:\((?P<inside>.*)\))?"
_NUMBER = r"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)[kK]?"
_LOOSE = r"\s*(?P<by>[ _-]at[ _-]|[._-])"

SHAPES = tuple(
    re.compile(_CALL + behind)
    for behind in (r"", r"\s*(?P<by>@)(?P<value>[^@()]*)", rf"{_LOOSE}(?P<value>{_NUMBER})")
)
"""A name with what may be set in brackets; then `@10`; or, as others write it, `_at_10`, `.10`."""

_SEVERAL = re.compile(
    rf"(?P<before>(?:\w+\()*[^@()=]+(?:\(.*\))?(?:\s*@|{_LOOSE}))\s*"
    rf"(?P<values>{_NUMBER}(?:\s*,\s*{_NUMBER})+)(?P<after>\s*\)*)"
)
"""Several numbers behind one name: `nDCG@1,3,5`, `V2(SP@5,10)`."""

THOUSAND = {"": 1, "k": 1000}

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
    if found := _in_trec_eval(text):
        return found
    shapes = [match.groupdict() for shape in SHAPES if (match := shape.fullmatch(text))]
    for shape in shapes:
        measure = _called(shape["name"], shape["inside"], whole)
        if measure and "by" in shape:
            return _followed(measure, shape["by"], shape["value"], whole)
        if measure:
            return measure
    for name in expand(text):
        trec_measure(name)  # says itself what it cannot read behind a name of its own
    if not shapes:
        raise BadUsage(f"cannot read the measure {whole!r}: it looks like V2(SP(rel=2)@10)")
    raise BadUsage(_unknown(shapes[0]["name"], whole))


def _in_trec_eval(name: str) -> Measure | None:
    """The measure that trec_eval prints so; None where it could not read the name."""
    try:
        return trec_measure(name)
    except BadUsage:
        return None


def _called(name: str, inside: str | None, whole: str) -> Measure | None:
    """The operator of a measure, or the measure with these settings; None where there is none."""
    if inside is not None and (operator := operator_meant(name)):
        return operator(_measure(inside.strip(), whole))
    measure = meant(name)
    return measure(**_settings(inside, whole)) if measure else None


def _followed(measure: Measure, by: str, value: str, whole: str) -> Measure:
    """The measure with the number that follows it: a cutoff, or what else its name says."""
    spelling = measure.metric.spelling
    if by == "." and spelling.dot:
        return measure(**{spelling.dot: value if "." in value else f"0.{value}"})
    if by == "." and spelling.at and "." not in value:
        raise BadUsage(f"{whole}: is that 0.{value}, or {value}? write {measure.example}")
    return measure @ _at(value, measure, whole)


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
    match = re.fullmatch(r"([0-9]+)(k?)", k.strip().lower())
    if match is None:
        raise BadUsage(f"{whole}: the cutoff is a whole number of at least 1, not {k!r}")
    return int(match[1]) * THOUSAND[match[2]]


def _unknown(name: str, whole: str) -> str:
    if elsewhere := said_of(name):
        return f"{name} {elsewhere} QRELS RUN -m {name}"
    near = suggested(name)
    within = "" if name == whole.strip() else f" in {whole!r}"
    advice = f"did you mean {', '.join(near)}?" if near else "`ulframe measures` lists them"
    return f"no measure {name!r}{within}; {advice}"


def named(measures: Asked) -> dict[str, Measure]:
    """The measures by the names they were asked for, in that order; a name given twice is one.

    >>> [(name, str(m)) for name, m in named(["map", "P.5,10"]).items()]
    [('map', 'AP'), ('P_5', 'P@5'), ('P_10', 'P@10')]
    >>> list(named("nDCG@1,3"))
    ['nDCG@1', 'nDCG@3']
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
        return {name: parse(name) for name in single_names(one)}
    raise BadUsage(f"{one!r} is no measure: give a name, or an object such as ulframe.nDCG @ 10")


def single_names(text: str) -> list[str]:
    """The names of single measures in what was asked for, where that is a list of several.

    >>> single_names("V2(SP@5,10)"), single_names("P.5,10"), single_names("AP")
    (['V2(SP@5)', 'V2(SP@10)'], ['P_5', 'P_10'], ['AP'])
    """
    names = expand(text)
    readable = names if all(map(_in_trec_eval, names)) else [text]
    return [name for one in readable for name in _split(one)]


def _split(text: str) -> list[str]:
    match = None if _in_trec_eval(text) else _SEVERAL.fullmatch(text)
    if match is None:
        return [text]
    values = re.split(r"\s*,\s*", match["values"])
    return [f"{match['before']}{value}{match['after']}" for value in values]


def _unmistakable(measure: Measure) -> Measure:
    """Refuse a metric of one's own under a name that means another."""
    name = measure.metric.name
    other = spelled().get(name) or _in_trec_eval(name)
    if other and other.metric is not measure.metric:
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
