"""What a metric is, and what a measure asks of it.

A `Metric` is a declaration: one row-wise Polars expression and what may be set about it. A
`Measure` is a value: a metric with its parameters, its cutoff and an operator. Measures are equal
when they mean the same, `str()` of one is its name in every table, and that name parses back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import index

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics import inputs
from ulframe.metrics.inputs import LABEL, RETRIEVED, States, Totals, at_least
from ulframe.metrics.operators import A, Operator, U
from ulframe.metrics.parameters import Given, Parameter, Setting, by_label, flag, written

DEEPEST = 2**31
"""The largest cutoff; no ranking is longer."""

NO_CUTOFF, OPTIONAL, REQUIRED = "takes no cutoff", "may have a cutoff", "needs a cutoff"

ON_ANY: Mapping[str, Parameter] = {"judged_only": flag()}
"""What may be set about every metric."""

Term = Callable[["Measure"], pl.Expr]
Closed = Callable[["Measure", pl.DataFrame], pl.Series]
Spelling = Callable[["Measure", Given], "Measure"]


@dataclass(frozen=True, eq=False)
class Metric:
    """The declaration of a metric: its value is the sum of `term` down to `depth`, over `per`.

    - `term`: what one retrieved document adds; an expression over `rank`, `label`, the states, the
      totals and `retrieved`; 0 where `adds` does not hold.
    - `adds`: the labels that add anything; those above 0 by default.
    - `states`: what `term` reads of the ranking. Where that is the hits alone, and `term` is
      affine in them, the expectation under a random ranking follows by linearity.
    - `ladder`: what it reads of the ideal ranking at this rank (see `Measure.ideal`).
    - `totals`: what is counted over the query's judgements; relevant and not relevant by default.
    - `per`: divides the sum; an expression over totals and `retrieved`.
    - `depth`: the last rank that counts, where the query decides it (R-precision: r).
    - `finish`: what the value is made of that sum, where it is not the sum itself.
    - `expected`: the expectation in closed form where it does not follow by linearity; a function
      of `ulframe.metrics.chance`, or None for linearity.
    - `refuses`: why there is no comparison with chance; `unbounded`: why there are no bounds at
      all. Empty where there are.
    - `at`: the parameter that stands behind `@` where that is not the cutoff.
    - `spellings`: other ways to set something, as other tools have them.
    - `normalised`: what the field calls U of this metric.
    - `doc`, `formula`, `range`, `source`, `trec_eval`, `ir_measures`: what `explain` says.
    """

    name: str
    term: Term = field(repr=False)
    cutoff: str = OPTIONAL
    parameters: Mapping[str, Parameter] = field(default_factory=dict, repr=False)
    adds: pl.Expr = field(default=LABEL > 0, repr=False)
    states: States = field(default=lambda m: (inputs.hits(m),), repr=False)
    ladder: States = field(default=lambda _: (), repr=False)
    totals: Totals = field(default=lambda m: (inputs.r(m), inputs.nonrel(m)), repr=False)
    per: Term | None = field(default=None, repr=False)
    depth: Term | None = field(default=None, repr=False)
    finish: Callable[[Measure, pl.Expr], pl.Expr] | None = field(default=None, repr=False)
    expected: Callable[[Measure], Closed | None] = field(default=lambda _: None, repr=False)
    refuses: str = field(default="", repr=False)
    unbounded: str = field(default="", repr=False)
    at: str = field(default="", repr=False)
    spellings: Mapping[str, Spelling] = field(default_factory=dict, repr=False)
    aggregate: str = field(default="mean", repr=False)
    normalised: str = field(default="", repr=False)
    doc: str = field(default="", repr=False)
    formula: str = field(default="", repr=False)
    range: str = field(default="0 to 1", repr=False)
    source: str = field(default="", repr=False)
    trec_eval: str = field(default="", repr=False)
    ir_measures: str = field(default="", repr=False)


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


@dataclass(frozen=True)
class Measure:
    """A metric as asked for: with parameters, cutoff and operator.

    The catalogue's names are measures to go on from: `AP`, `nDCG @ 10`, `AP(rel=2) @ 100`,
    `V2(SP @ 10)`; `judged_only=True`, which drops unjudged documents from the ranking before
    anything is computed, may be set about any. What is not to be had raises `BadUsage` here,
    before anything is read.

    >>> import ulframe as ul
    >>> str(ul.V2(ul.SP(expectation="independent") @ 10))
    'V2(SP(expectation=independent)@10)'
    >>> ul.U(ul.DCG @ 10) == ul.nDCG @ 10
    True
    """

    metric: Metric
    settings: tuple[tuple[str, Setting], ...] = ()
    k: int | None = None
    operator: Operator = A

    def __matmul__(self, k: float) -> Measure:
        name, at = self.metric.name, self.metric.at
        if at:
            return self(**{at: k})
        if self.metric.cutoff == NO_CUTOFF:
            raise BadUsage(f"{self}@{k}: {name} takes no cutoff")
        if self.k is not None:
            raise BadUsage(f"{self} has a cutoff already; @{k} cannot follow")
        if isinstance(k, bool) or not hasattr(k, "__index__") or not 1 <= k <= DEEPEST:
            raise BadUsage(f"{self}@{k}: the cutoff is a whole number of at least 1")
        return replace(self, k=index(k))

    def __call__(self, **given: Given) -> Measure:
        """The same with these parameters."""
        measure, spellings = self, self.metric.spellings
        for spelling in sorted(set(given) & set(spellings)):
            measure = spellings[spelling](measure, given.pop(spelling))
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
        at = self.metric.at
        normalised = self.operator is U and bool(self.metric.normalised)
        name = self.metric.normalised if normalised else self.metric.name
        settings = ",".join(f"{key}={written(v)}" for key, v in self.settings if key != at)
        text = f"{name}({settings})" if settings else name
        behind = dict(self.settings).get(at, self.k)
        text = text if behind is None else f"{text}@{written(behind)}"
        return text if normalised or self.operator is A else f"{self.operator.name}({text})"

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """What may be set."""
        return {**self.metric.parameters, **ON_ANY}

    @property
    def base(self) -> Measure:
        """The same without its operator: what value, upper and expected are computed for."""
        return replace(self, operator=A)

    @property
    def view(self) -> View:
        """How it sees the documents."""
        gains = str(self["gains"]) if "gains" in self.metric.parameters else ""
        return View(bool(self["judged_only"]), gains)

    @property
    def reads(self) -> frozenset[str]:
        """The columns that its value is made of, beside the sum of its terms."""
        return _reads(self)

    @property
    def by_hits(self) -> bool:
        """Whether what a document adds is a matter of its rank, its label and the hits alone.

        Not where the measure sees documents in its own way (`view`).
        """
        known = {"rank", "label", self.column("hits")}
        return self.view == View() and known.issuperset(self.metric.term(self).meta.root_names())

    @property
    def wants(self) -> str:
        """What is still to be said before it can be computed, in words; nothing as a rule."""
        at = self.metric.at
        given = self.k is not None or at in dict(self.settings)
        return "" if given or self.metric.cutoff != REQUIRED else f"a {at or 'cutoff'}"

    @property
    def example(self) -> Measure:
        """The same with a cutoff of 10, or a recall of 0.1, where it needs one."""
        return self @ (0.1 if self.metric.at else 10) if self.wants else self

    # -------------------------------------------- what terms are written with
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
        return float(self["rel"]) if "rel" in self.metric.parameters else 1.0

    @property
    def hits(self) -> pl.Expr:
        """Relevant documents at or above this rank."""
        return self.of("hits")

    @property
    def r(self) -> pl.Expr:
        """The query's relevant documents, as a divisor: never below 1."""
        return self.of("r").clip(lower_bound=1)

    @property
    def divisor(self) -> pl.Expr:
        """What the sum of the terms is divided by: one number a query."""
        return pl.lit(1.0) if self.metric.per is None else self.metric.per(self)

    def finished(self, total: pl.Expr) -> pl.Expr:
        """The value that a sum of terms makes."""
        return total if self.metric.finish is None else self.metric.finish(self, total)

    @property
    def depth(self) -> pl.Expr | None:
        """The last rank that counts, or None where all do."""
        if self.metric.depth is not None:
            return self.metric.depth(self)
        return None if self.k is None else pl.lit(self.k)

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


@lru_cache(maxsize=4096)
def _reads(m: Measure) -> frozenset[str]:
    finished = m.metric.finish(m, pl.lit(0.0)) if m.metric.finish else pl.lit(0.0)
    parts = (m.metric.term(m), m.divisor, pl.lit(0) if m.depth is None else m.depth, finished)
    return frozenset(name for part in parts for name in part.meta.root_names())
