"""The measures of novelty and diversity, a term each, and their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.called import called
from ulframe.metrics.operators import IUB, RLB, V1, V2, A, Adjusted, Operator, U

RANK = pl.col("rank")
"""The rank of a document, from 1."""

HITS = pl.col("hits")
"""How many documents of the same subtopic stand at this rank or above, this one among them."""

RELEVANT = pl.col("relevant")
"""How many there are of the subtopic."""

SUBTOPICS = pl.col("subtopics")
"""How many subtopics of the query have a relevant document."""


@dataclass(frozen=True)
class Best:
    """The best ranking that is known: greedy, each next document that which gains most.

    A document gains, of each subtopic, `left` to the power of how often it was answered before: of
    `left` 1 each subtopic counts anew, and the ranking is the best there is.
    """

    left: float

    @property
    def exact(self) -> bool:
        """Whether it is the best of all."""
        return self.left == 1


@dataclass(frozen=True)
class Metric:
    """A sum over what a ranking returns: each document, once for every subtopic that it answers.

    - `term`: what it adds, over the columns above.
    - `per`: divides the sum, over `subtopics`; a function of the cutoff.
    - `best`: the ranking that is taken for the best, or why there is none.
    - `cut`: whether there is a cutoff; it is needed then.
    """

    term: pl.Expr = field(compare=False)
    per: Callable[[int], pl.Expr] = field(compare=False)
    best: Best | str
    cut: bool = True


def alpha_DCG(alpha: float = 0.5) -> Metric:
    """Novelty-biased DCG (Clarke et al. 2008), over its value where every document is on all."""
    left = 1 - _share("alpha_DCG", "alpha", alpha)
    discount = 1 / (RANK + 1).log(2)
    return Metric(left ** (HITS - 1) * discount, _as_if_all(left, discount), Best(left))


def ERR_IA(alpha: float = 0.5) -> Metric:
    """Intent-aware ERR (Chapelle et al. 2011), over its value where every document is on all."""
    left = 1 - _share("ERR_IA", "alpha", alpha)
    return Metric(left ** (HITS - 1) / RANK, _as_if_all(left, 1 / RANK), Best(left))


def NRBP(alpha: float = 0.5, beta: float = 0.5) -> Metric:
    """Novelty- and rank-biased precision (Clarke, Kolla and Vechtomova 2009)."""
    left, patience = 1 - _share("NRBP", "alpha", alpha), _share("NRBP", "beta", beta)
    scale = 1 - left * patience
    term = left ** (HITS - 1) * patience ** (RANK - 1) * scale
    return Metric(term, lambda k: SUBTOPICS, Best(left), cut=False)


def StRecall() -> Metric:
    """Subtopic recall (Zhai, Cohen and Lafferty 2003): the share of subtopics among the first k."""
    return Metric((HITS == 1).cast(pl.Float64), lambda k: SUBTOPICS, Best(0.0))


def P_IA() -> Metric:
    """Intent-aware precision (Agrawal et al. 2009): its mean over subtopics."""
    return Metric(pl.lit(1.0), lambda k: SUBTOPICS * k, Best(1.0))


def MAP_IA() -> Metric:
    """Intent-aware average precision (Agrawal et al. 2009): its mean over subtopics."""
    return Metric(
        HITS / RANK / RELEVANT, lambda k: SUBTOPICS,
        "which ranking is best for several subtopics at once has to be searched for", cut=False,
    )  # fmt: skip


MEASURES: Mapping[str, Callable[..., Metric]] = {
    one.__name__: one for one in (alpha_DCG, ERR_IA, NRBP, StRecall, P_IA, MAP_IA)
}
"""The measures by name."""

NORMALISED = {"alpha_nDCG": "alpha_DCG", "nERR_IA": "ERR_IA", "nNRBP": "NRBP"}
"""What the field calls U of a measure."""

ALSO = {"AP_IA": "MAP_IA", "strec": "StRecall"}
GREEK = "\N{GREEK SMALL LETTER ALPHA}"
OPERATORS = {one.name: one for one in (U, V1, V2, Adjusted, IUB, RLB)}
NEED_THE_BEST = (U, IUB)
NEED_THE_EXACT_BEST = (V1, V2, Adjusted)

_SHAPE = re.compile(
    r"(?:(?P<operator>[A-Za-z]\w*)\((?P<of>.+)\)|(?P<base>[^@]+?)(?:@(?P<cutoff>\d+))?)"
)


@dataclass(frozen=True)
class Diverse:
    """A measure: a metric down to a cutoff, under an operator."""

    name: str
    metric: Metric
    cutoff: float = inf
    operator: Operator = A


def parse(text: str) -> Diverse:
    """The measure of that name: `alpha_nDCG@20`, `ERR_IA(alpha=0.3)@10`, `V2(P_IA@5)`, `NRBP`.

    Raises `BadUsage` for one that there is not, with the nearest that there is, and for an operator
    that the metric has not, with the reason.

    >>> parse("alpha_nDCG@20").operator
    U
    """
    read = _SHAPE.fullmatch(text.strip().replace("-", "_").replace(GREEK, "alpha"))
    if not read:
        raise BadUsage(f"cannot read the measure {text!r}: it looks like alpha_nDCG@20")
    if read["operator"] in OPERATORS:
        inner = parse(read["of"])
        return Diverse(
            text, inner.metric, inner.cutoff, _allowed(OPERATORS[read["operator"]], inner)
        )
    base = read["base"] or text
    bare = base.partition("(")[0].strip()
    plain = next((n for n in NORMALISED if n.lower() == bare.lower()), None)
    metric = called(base.replace(bare, NORMALISED[plain]) if plain else base, MEASURES, ALSO)
    if metric.cut and not read["cutoff"]:
        raise BadUsage(f"{base} needs a cutoff, as in {base}@20")
    if not metric.cut and read["cutoff"]:
        raise BadUsage(f"{base} has no cutoff: it is of the whole ranking")
    if read["cutoff"] and int(read["cutoff"]) < 1:
        raise BadUsage(f"{text}: a cutoff is at least 1")
    return Diverse(text, metric, float(read["cutoff"] or inf), U if plain else A)


def _allowed(operator: Operator, of: Diverse) -> Operator:
    """The operator, if the measure has what it needs."""
    best = of.metric.best
    if of.operator is not A:
        raise BadUsage(
            f"{operator.name}({of.name}) nests two operators: {of.name} is {of.operator}"
        )
    if isinstance(best, str) and operator in (*NEED_THE_BEST, *NEED_THE_EXACT_BEST):
        raise BadUsage(f"no {operator.name} of {of.name}: {best}")
    if operator in NEED_THE_EXACT_BEST and isinstance(best, Best) and not best.exact:
        raise BadUsage(
            f"no {operator.name} of {of.name}: its best ranking is only approached, document by "
            f"document, as ndeval does; U({of.name}) is over that"
        )
    return operator


def _as_if_all(left: float, discount: pl.Expr) -> Callable[[int], pl.Expr]:
    """Of k documents that are all on every subtopic: what they would add, as ndeval divides."""

    def per(k: int) -> pl.Expr:
        ranks = pl.DataFrame({"rank": range(1, k + 1)})
        return SUBTOPICS * float(ranks.select((left ** (RANK - 1) * discount).sum()).item())

    return per


def _share(name: str, setting: str, value: float) -> float:
    if not 0 <= value <= 1:
        raise BadUsage(f"{name}({setting}={value:g}): it is from 0 to 1")
    return value
