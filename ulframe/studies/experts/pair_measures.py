"""Measures over ordered pairs: what they are made of, their declarations, and their names.

Of a pair of people, a ranking says that one is above the other, or nothing: they are tied,
incomparable, or not both ranked. A measure is one expression over how many pairs agree and
disagree, and how many each ranking orders.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.parameters import Parameter, Setting, number, written

AGREE, DISAGREE, PAIRS = pl.col("agree"), pl.col("disagree"), pl.col("pairs")

Settings = Mapping[str, Setting]
Score = Callable[[Settings, pl.Expr, pl.Expr], pl.Expr]


@dataclass(frozen=True)
class PairMeasure:
    """A measure over ordered pairs; its name parses back.

    `score` is an expression, null where the measure is undefined, given the settings and the
    number of pairs that the ranking and the reference order. It may use `AGREE`, `DISAGREE`,
    `PAIRS`: pairs that both order, alike or not, and all pairs of the people compared.
    `mean` is set for the mean of the measure one way and the other, ranking and reference changed.
    """

    name: str
    score: Score = field(compare=False, repr=False)
    parameters: Mapping[str, Parameter] = field(default_factory=dict, compare=False, repr=False)
    settings: tuple[tuple[str, Setting], ...] = ()
    mean: bool = False
    doc: str = field(default="", compare=False, repr=False)

    def __call__(self, **given: Setting) -> PairMeasure:
        """The same with these parameters. Raises `BadUsage` for others or bad values."""
        if unknown := sorted(set(given) - set(self.parameters)):
            has = ", ".join(self.parameters) or "none"
            raise BadUsage(f"{self.name} has no parameter {', '.join(unknown)}; it takes {has}")
        read = {n: self.parameters[n].read(f"{self.name}({n}=)", v) for n, v in given.items()}
        merged = dict(self.settings) | read
        kept = (n for n, p in self.parameters.items() if merged.get(n, p.default) != p.default)
        return replace(self, settings=tuple((name, merged[name]) for name in kept))

    def __str__(self) -> str:
        settings = ",".join(f"{name}={written(value)}" for name, value in self.settings)
        text = f"{self.name}({settings})" if settings else self.name
        return f"mean({text})" if self.mean else text

    @property
    def expression(self) -> pl.Expr:
        """The score, over `agree, disagree, pairs, own, reference`."""
        settings = {n: p.default for n, p in self.parameters.items()} | dict(self.settings)
        own, reference = pl.col("own_pairs"), pl.col("reference_pairs")
        score = self.score(settings, own, reference)
        return (score + self.score(settings, reference, own)) / 2 if self.mean else score


def both_ways(measure: PairMeasure) -> PairMeasure:
    """The mean of a measure of A by B and of B by A, which is symmetric.

    >>> str(both_ways(PAIR_MEASURES["pairs.F"](beta=2)))
    'mean(pairs.F(beta=2))'
    """
    return replace(measure, mean=True)


def share(part: pl.Expr, whole: pl.Expr) -> pl.Expr:
    """A quotient, null where the whole is 0."""
    return pl.when(whole > 0).then(part / whole)


# ---------------------------------------------------------------- the declarations
def _f(s: Settings, own: pl.Expr, reference: pl.Expr) -> pl.Expr:
    square = float(s["beta"]) ** 2
    return share((1 + square) * AGREE, square * reference + own)


def _cg(s: Settings, own: pl.Expr, reference: pl.Expr) -> pl.Expr:
    right, absent, wrong = (float(s[name]) for name in ("right", "absent", "reversed"))
    open_ = PAIRS - AGREE - DISAGREE
    return right * AGREE + absent * open_ + wrong * DISAGREE


def _ncg(s: Settings, own: pl.Expr, reference: pl.Expr) -> pl.Expr:
    ideal = float(s["right"]) * reference + float(s["absent"]) * (PAIRS - reference)
    return share(_cg(s, own, reference), ideal)


_BETA = {"beta": number(1, above=0)}
_VALUES = {
    "right": number(1, above=0),
    "absent": number(0.5, above=-inf),
    "reversed": number(0, above=-inf),
}

PAIR_MEASURES = {
    measure.name: measure
    for measure in [
        PairMeasure(
            "pairs.P",
            lambda s, own, reference: share(AGREE, own),
            doc="Precision: of the pairs that the ranking orders, the share ordered alike.",
        ),
        PairMeasure(
            "pairs.R",
            lambda s, own, reference: share(AGREE, reference),
            doc="Recall: of the pairs that the reference orders, the share ordered alike.",
        ),
        PairMeasure(
            "pairs.fallout",
            lambda s, own, reference: share(DISAGREE, reference),
            doc="Fall-out: of the pairs that the reference orders, the share reversed. What the "
            "reference leaves open is neither right nor wrong.",
        ),
        PairMeasure("pairs.F", _f, _BETA, doc="F: recall counts beta times as much as precision."),
        PairMeasure(
            "pairs.CG",
            _cg,
            _VALUES,
            doc="Cumulated gain: the sum over all pairs of 1 if both order it alike, 1/2 if "
            "either leaves it open, 0 if reversed; or of other values.",
        ),
        PairMeasure(
            "pairs.nCG",
            _ncg,
            _VALUES,
            doc="The same, divided by what the reference scores against itself.",
        ),
        PairMeasure(
            "pairs.agreement",
            lambda s, own, reference: share(AGREE, PAIRS),
            doc="The share of all pairs that both order, alike.",
        ),
        PairMeasure(
            "pairs.disagreement",
            lambda s, own, reference: share(DISAGREE, PAIRS),
            doc="The share of all pairs that both order, one the reverse of the other.",
        ),
        PairMeasure(
            "pairs.uncertain",
            lambda s, own, reference: share(PAIRS - AGREE - DISAGREE, PAIRS),
            doc="The share of all pairs that either leaves open.",
        ),
    ]
}


# ---------------------------------------------------------------- names
_MEAN = re.compile(r"mean\((.*)\)")
_CALL = re.compile(r"([\w.]+)(?:\((.*)\))?")


def parse_pairs(text: str) -> PairMeasure | None:
    """The measure over pairs of that name; None if it is none of theirs.

    Raises `BadUsage` for a parameter that it does not take, and for the mean of what is none.

    >>> parse_pairs("mean(pairs.F(beta=2))").settings
    (('beta', 2),)
    >>> parse_pairs("nDCG@10")
    """
    if inner := _MEAN.fullmatch(text.strip()):
        measure = parse_pairs(inner[1])
        if measure is None:
            raise BadUsage(f"{text}: mean() takes a measure over pairs, as in mean(pairs.P)")
        return both_ways(measure)
    call = _CALL.fullmatch(text.strip())
    if call is None or call[1] not in PAIR_MEASURES:
        return None
    parts = [part.partition("=") for part in (call[2] or "").split(",") if part.strip()]
    return PAIR_MEASURES[call[1]](**{name.strip(): value.strip() for name, _, value in parts})
