"""Measures over ordered pairs: what they are made of, their declarations, and their names.

Of a pair of people, a ranking says that one is above the other, or nothing: they are tied,
incomparable, or not both ranked. A measure is one expression over how many pairs agree and
disagree, and how many each ranking orders.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.parameters import number
from ulframe.studies.experts.settable import Settable, Settings, called

AGREE, DISAGREE, PAIRS = pl.col("agree"), pl.col("disagree"), pl.col("pairs")
TIERS = pl.col("tiers")

Score = Callable[[Settings, pl.Expr, pl.Expr], pl.Expr]


@dataclass(frozen=True)
class PairMeasure(Settable):
    """A measure over ordered pairs; its name parses back.

    `score` is an expression, null where the measure is undefined, given the settings and the
    number of pairs that the ranking and the reference order. It may use `AGREE`, `DISAGREE`,
    `PAIRS`: pairs that both order, alike or not, and all pairs of the people compared; and `TIERS`,
    how many different places the ranking has that has fewer.
    `mean` is set for the mean of the measure one way and the other, ranking and reference changed.
    """

    score: Score = field(kw_only=True, compare=False, repr=False)
    mean: bool = False

    def __str__(self) -> str:
        return f"mean({self.written})" if self.mean else self.written

    @property
    def expression(self) -> pl.Expr:
        """The score, over `agree, disagree, pairs, own, reference`."""
        settings = self.all_settings
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
            score=lambda s, own, reference: share(AGREE, own),
            doc="Precision: of the pairs that the ranking orders, the share ordered alike.",
        ),
        PairMeasure(
            "pairs.R",
            score=lambda s, own, reference: share(AGREE, reference),
            doc="Recall: of the pairs that the reference orders, the share ordered alike.",
        ),
        PairMeasure(
            "pairs.fallout",
            score=lambda s, own, reference: share(DISAGREE, reference),
            doc="Fall-out: of the pairs that the reference orders, the share reversed. What the "
            "reference leaves open is neither right nor wrong.",
        ),
        PairMeasure(
            "pairs.F", _BETA, score=_f, doc="F: recall counts beta times as much as precision."
        ),
        PairMeasure(
            "pairs.CG",
            _VALUES,
            score=_cg,
            doc="Cumulated gain: the sum over all pairs of 1 if both order it alike, 1/2 if "
            "either leaves it open, 0 if reversed; or of other values.",
        ),
        PairMeasure(
            "pairs.nCG",
            _VALUES,
            score=_ncg,
            doc="The same, divided by what the reference scores against itself.",
        ),
        PairMeasure(
            "pairs.agreement",
            score=lambda s, own, reference: share(AGREE, PAIRS),
            doc="The share of all pairs that both order, alike.",
        ),
        PairMeasure(
            "pairs.disagreement",
            score=lambda s, own, reference: share(DISAGREE, PAIRS),
            doc="The share of all pairs that both order, one the reverse of the other.",
        ),
        PairMeasure(
            "pairs.uncertain",
            score=lambda s, own, reference: share(PAIRS - AGREE - DISAGREE, PAIRS),
            doc="The share of all pairs that either leaves open.",
        ),
        PairMeasure(
            "tau_a",
            score=lambda s, own, reference: share(AGREE - DISAGREE, PAIRS),
            doc="Kendall's tau a: agreements less disagreements, over all pairs.",
        ),
        PairMeasure(
            "tau_b",
            score=lambda s, own, reference: share(AGREE - DISAGREE, (own * reference).sqrt()),
            doc="Kendall's tau b: the same, over the geometric mean of the pairs that each orders.",
        ),
        PairMeasure(
            "tau_c",
            score=lambda s, own, reference: share(
                2 * TIERS * (AGREE - DISAGREE), pl.col("n") ** 2 * (TIERS - 1)
            ),
            doc="Stuart's tau c: the same, over the most that so many tiers allow; tiers are the "
            "different places of the ranking that has fewer.",
        ),
    ]
}


# ---------------------------------------------------------------- names
_MEAN = re.compile(r"mean\((.*)\)")


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
    return called(text, PAIR_MEASURES)
