"""What a measure asks of a metric: parameters, a cutoff, an operator.

Measures are values: they are equal when they mean the same, `str()` of one is its name in every
table, and that name parses back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from operator import index
from typing import ClassVar, ParamSpec, TypeVar

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.declaration import Expectation, Formula, Metric, States, Variance
from ulframe.metrics.inputs import GAINING, LABEL, RETRIEVED, TOTAL, Total, at_least
from ulframe.metrics.operators import A, Operator, U
from ulframe.metrics.parameters import REL, Given, Parameter, Setting, by_label, flag, written

DEEPEST = 2**31
"""The largest cutoff; no ranking is longer."""

ON_ANY: Mapping[str, Parameter] = {"judged_only": flag()}
"""What may be set about every metric."""

T = TypeVar("T")


@dataclass(frozen=True)
class View:
    """How a measure sees the documents: whether only judged ones, and what their labels become."""

    judged_only: bool = False
    gains: str = ""

    @property
    def label(self) -> pl.Expr:
        """The label as it is seen."""
        gains = by_label(self.gains)
        if not gains:
            return LABEL
        seen = LABEL.cast(pl.Float64)
        return seen.replace(list(gains), list(gains.values()))


@dataclass(frozen=True, repr=False)
class Measure:
    """A metric as asked for: with parameters, cutoff and operator.

    The catalogue's names are measures to go on from: `AP`, `nDCG @ 10`, `AP(rel=2) @ 100`,
    `V2(SP @ 10)`; `judged_only=True`, which drops unjudged documents from the ranking before
    anything is computed, may be set about any. What is not to be had raises `BadUsage` here,
    before anything is read.

    >>> import ulframe as ul
    >>> ul.V2(ul.SP(expectation="independent") @ 10)
    V2(SP(expectation=independent)@10)
    >>> ul.U(ul.DCG @ 10) == ul.nDCG @ 10
    True
    """

    metric: Metric
    settings: tuple[tuple[str, Setting], ...] = ()
    k: int | None = None
    operator: Operator = field(default=A)

    __iter__: ClassVar[None] = None  # a parameter is read by its name: m["rel"]

    def __post_init__(self) -> None:
        """Let `help(ul.AP)` tell of AP, not of measures."""
        about = self.metric.about
        text = "\n".join(part for part in (about.doc, about.formula, about.source) if part)
        object.__setattr__(self, "__doc__", text or type(self).__doc__)

    def __matmul__(self, k: float) -> Measure:
        name, at = self.metric.name, self.metric.spelling.at
        if at:
            return self(**{at: k})
        if self.metric.cutoff == "none":
            raise BadUsage(f"{self}@{k}: {name} takes no cutoff")
        if self.k is not None:
            raise BadUsage(f"{self} has a cutoff already; @{k} cannot follow")
        if isinstance(k, bool) or not hasattr(k, "__index__") or not 1 <= k <= DEEPEST:
            limits = f"of at least 1 and at most {DEEPEST}"
            raise BadUsage(f"{self}@{k}: the cutoff is a whole number {limits}")
        return replace(self, k=index(k))

    def __call__(self, **given: Given) -> Measure:
        """The same with these parameters."""
        measure, others = self, self.metric.spelling.settings
        for spelling in sorted(set(given) & set(others)):
            measure = others[spelling](measure, given.pop(spelling))
        known = measure.parameters
        if unknown := sorted(set(given) - set(known)):
            has = f"it takes {', '.join(known)}"
            raise BadUsage(f"{self.metric.name} has no parameter {', '.join(unknown)}; {has}")
        read = {n: known[n].read(f"{self.metric.name}({n}=)", v) for n, v in given.items()}
        merged = dict(measure.settings) | read
        kept = ((n, merged[n]) for n in known if n in merged and merged[n] != known[n].default)
        return replace(measure, settings=tuple(kept))

    def __getitem__(self, parameter: str) -> Setting:
        """The parameter's value, given or by default."""
        return dict(self.settings).get(parameter, self.parameters[parameter].default)

    def __str__(self) -> str:
        at, normal = self.metric.spelling.at, self.metric.spelling.normalised
        normalised = self.operator is U and bool(normal)
        name = normal if normalised else self.metric.name
        settings = ",".join(f"{key}={written(v)}" for key, v in self.settings if key != at)
        text = f"{name}({settings})" if settings else name
        behind = dict(self.settings).get(at, self.k)
        text = text if behind is None else f"{text}@{written(behind)}"
        return text if normalised or self.operator is A else f"{self.operator.name}({text})"

    __repr__ = __str__

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """What may be set."""
        return {**_own_parameters(self.metric), **ON_ANY}

    @property
    def base(self) -> Measure:
        """The same without its operator: what value, upper and expected are computed for."""
        return replace(self, operator=A)

    @cached_property
    def uncut(self) -> Measure:
        """The same without its cutoff, where its term does not read that; else as it is."""
        bare = replace(self, k=None)
        return bare if bare.term.meta.eq(self.term) else self

    @property
    def view(self) -> View:
        """How it sees the documents."""
        gains = str(self["gains"]) if "gains" in self.parameters else ""
        return View(bool(self["judged_only"]), gains)

    @property
    def wants(self) -> str:
        """What is still to be said before it can be computed, in words; nothing as a rule."""
        at = self.metric.spelling.at
        given = self.k is not None or at in dict(self.settings)
        return "" if given or self.metric.cutoff != "required" else f"a {at or 'cutoff'}"

    @property
    def example(self) -> Measure:
        """The same with a cutoff of 10, or a recall of 0.1, where it needs one."""
        return self @ (0.1 if self.metric.spelling.at else 10) if self.wants else self

    # -------------------------------------------- the declaration, for these settings
    @cached_property
    def term(self) -> pl.Expr:
        """What one retrieved document adds."""
        return self.expression(self.metric.term).cast(pl.Float64)

    @property
    def divisor(self) -> pl.Expr:
        """What the sum of the terms is divided by: one number a query."""
        return self.expression(1.0 if self.metric.per is None else self.metric.per)

    @property
    def depth(self) -> pl.Expr | None:
        """The last rank that counts, or None where all do."""
        if self.metric.depth is not None:
            return self.expression(self.metric.depth)
        return None if self.k is None else pl.lit(self.k)

    @property
    def finish(self) -> pl.Expr | None:
        """What the value is made of that sum, over `TOTAL`; None where it is the sum."""
        return None if self.metric.finish is None else self.expression(self.metric.finish)

    @cached_property
    def states(self) -> States:
        """What its term reads of the ranking."""
        return self._given(self.metric.states)

    @property
    def ladder(self) -> States:
        """What its term reads of the ideal ranking."""
        return self._given(self.metric.ladder)

    @cached_property
    def totals(self) -> tuple[Total, ...]:
        """What is counted over the query's judgements; for a ladder, also where that ends."""
        declared = self._given(self.metric.totals)
        return declared if not self.metric.ladder or GAINING in declared else (*declared, GAINING)

    @property
    def declared_expectation(self) -> Expectation:
        """What the declaration says of the expectation; what follows from it, `laws` say."""
        return self._given(self.metric.expected)

    @property
    def declared_spread(self) -> Variance:
        """What the declaration says of the variance; what follows from it, `laws` say."""
        return self._given(self.metric.spread)

    @property
    def reads(self) -> frozenset[str]:
        """The columns that its value is made of, beside the sum of its terms."""
        return _reads(self)

    def expression(self, formula: Formula) -> pl.Expr:
        """A formula of the declaration, for these settings."""
        given = self._given(formula)
        return given if isinstance(given, pl.Expr) else pl.lit(given)

    def _given(self, declared: Callable[[Measure], T] | T) -> T:
        return declared(self) if callable(declared) else declared

    # -------------------------------------------- what formulas are written with
    def number(self, parameter: str) -> float:
        """The value of a parameter that is a number."""
        return float(self[parameter])

    @property
    def relevant(self) -> pl.Expr:
        """1 where the label is at least `rel`, else 0."""
        return at_least(self.rel)

    @property
    def nonrelevant(self) -> pl.Expr:
        """1 where the label is a judgement below `rel`, else 0."""
        return LABEL.is_between(0, self.rel, closed="left").cast(pl.Int64)

    @property
    def rel(self) -> float:
        """The smallest label that counts as relevant."""
        return float(self["rel"]) if "rel" in self.parameters else 1.0

    @property
    def hits(self) -> pl.Expr:
        """Relevant documents at or above this rank."""
        return self.of("hits")

    @property
    def r(self) -> pl.Expr:
        """The query's relevant documents."""
        return self.of("r")

    @property
    def r_at_least_1(self) -> pl.Expr:
        """The query's relevant documents as a divisor: 1 where there are none."""
        return self.r.clip(lower_bound=1)

    @property
    def cutoff_or_all(self) -> pl.Expr:
        """The cutoff, or as many documents as the run returned where that is less."""
        return RETRIEVED if self.k is None else pl.min_horizontal(RETRIEVED, pl.lit(self.k))

    def of(self, name: str) -> pl.Expr:
        """The column of a state or total; those for another `rel` are others."""
        return pl.col(self.column(name))

    def column(self, name: str) -> str:
        """The name of that column."""
        return f"{name}[{written(self.rel)}]"

    def ideal(self, name: str) -> pl.Expr:
        """What a state of `ladder` is in the ideal ranking at this rank, or at its end."""
        return pl.col(f"ideal:{name}")


def _own_parameters(metric: Metric) -> Mapping[str, Parameter]:
    if metric.parameters is not None:
        return metric.parameters
    formulas = (metric.term, metric.per, metric.depth, metric.finish)
    return {"rel": REL} if any(map(callable, formulas)) else {}


@lru_cache(maxsize=4096)
def _reads(m: Measure) -> frozenset[str]:
    parts = (m.term, m.divisor, m.depth, m.finish)
    names = (name for part in parts if part is not None for name in part.meta.root_names())
    return frozenset(names) - {TOTAL.meta.output_name()}


P = ParamSpec("P")


def _as_measure(declaration: Callable[P, Metric]) -> Callable[P, Measure]:
    def measured(*args: P.args, **fields: P.kwargs) -> Measure:
        """A metric, declared by the fields of `Metric`, as a measure to go on from."""
        return Measure(declaration(*args, **fields))

    return measured


measured = _as_measure(Metric)
