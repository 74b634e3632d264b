"""What a metric is, and what a measure asks of it.

A `Metric` is a declaration: one row-wise Polars expression and what may be set about it. A
`Measure` is a value: a metric with its parameters, its cutoff and an operator. Measures are equal
when they mean the same, `str()` of one is its name in every table, and that name parses back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.metrics.parameters import Parameter, Setting, written
from ulframe.metrics.variants import A, Operator, U

RANK, LABEL = pl.col("rank"), pl.col("label")

NO_CUTOFF, OPTIONAL, REQUIRED = "takes no cutoff", "may have a cutoff", "needs a cutoff"

Term = Callable[["Measure"], pl.Expr]
Closed = Callable[["Measure", pl.DataFrame], pl.Series]


@dataclass(frozen=True)
class State:
    """What a reader of a ranking knows on reaching a document: a column beside rank and label.

    `seen` gives it on every row from the judged rows of one ranking, read in rank order.
    """

    name: str
    seen: Term


HITS = State("hits", lambda m: m.relevant.cum_sum())
"""Relevant documents at or above this rank."""

MISSES = State("misses", lambda m: (1 - m.relevant).cum_sum())
"""Judged documents that are not relevant, at or above this rank."""


@dataclass(frozen=True, eq=False)
class Metric:
    """The declaration of a metric: its value is the sum of `term` down to `depth`, over `per`.

    - `term`: what one retrieved document adds; an expression over `rank`, `label` and the states,
      0 where the label is 0 or below.
    - `states`: what `term` reads beside rank and label. Where that is `HITS` alone, and `term` is
      affine in it, the expectation under a random ranking follows by linearity.
    - `per`: divides the sum; an expression over the query's constants.
    - `depth`: the last rank that counts, where the query decides it (R-precision: r).
    - `expected`: the expectation in closed form where it does not follow so; a function of
      `ulframe.metrics.chance`, or None for linearity.
    - `refuses`: why V1 and V2 of this metric make no sense; empty where they do.
    - `normalised`: what the field calls U of this metric.
    """

    name: str
    term: Term = field(repr=False)
    cutoff: str = OPTIONAL
    parameters: Mapping[str, Parameter] = field(default_factory=dict, repr=False)
    states: tuple[State, ...] = field(default=(HITS,), repr=False)
    per: Term | None = field(default=None, repr=False)
    depth: Term | None = field(default=None, repr=False)
    expected: Callable[[Measure], Closed | None] = field(default=lambda _: None, repr=False)
    refuses: str = field(default="", repr=False)
    aggregate: str = field(default="mean", repr=False)
    normalised: str = field(default="", repr=False)
    doc: str = field(default="", repr=False)


@dataclass(frozen=True)
class Measure:
    """A metric as asked for: with parameters, cutoff and operator.

    The catalogue's names are measures to go on from: `AP`, `nDCG @ 10`, `AP(rel=2) @ 100`,
    `V2(SP @ 10)`. What is not to be had raises `BadUsage` here, before anything is read.

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

    def __matmul__(self, k: int) -> Measure:
        name = self.metric.name
        if self.metric.cutoff == NO_CUTOFF:
            raise BadUsage(f"{name}@{k}: {name} takes no cutoff")
        if type(k) is not int or k < 1:
            raise BadUsage(f"{name}@{k}: the cutoff is a whole number of at least 1")
        if self.k is not None:
            raise BadUsage(f"{self} has a cutoff already; @{k} cannot follow")
        return replace(self, k=k)

    def __call__(self, **given: Setting) -> Measure:
        """The same with these parameters."""
        known = self.metric.parameters
        if unknown := sorted(set(given) - set(known)):
            has = f"it takes {', '.join(known)}" if known else "it takes none"
            raise BadUsage(f"{self.metric.name} has no parameter {', '.join(unknown)}; {has}")
        read = {n: known[n].read(f"{self.metric.name}({n}=)", v) for n, v in given.items()}
        merged = dict(self.settings) | read
        kept = ((n, merged[n]) for n in known if n in merged and merged[n] != known[n].default)
        return replace(self, settings=tuple(kept))

    def __getitem__(self, parameter: str) -> Setting:
        """The parameter's value, given or by default."""
        return dict(self.settings).get(parameter, self.metric.parameters[parameter].default)

    def __str__(self) -> str:
        normalised = self.operator is U and bool(self.metric.normalised)
        name = self.metric.normalised if normalised else self.metric.name
        settings = ",".join(f"{key}={written(value)}" for key, value in self.settings)
        text = f"{name}({settings})" if settings else name
        text = f"{text}@{self.k}" if self.k else text
        return text if normalised or self.operator is A else f"{self.operator.name}({text})"

    @property
    def base(self) -> Measure:
        """The same without its operator: what value, upper and expected are computed for."""
        return replace(self, operator=A)

    # -------------------------------------------- what terms are written with
    @property
    def relevant(self) -> pl.Expr:
        """1 where the label is at least `rel`, else 0."""
        return (self.rel <= LABEL).cast(pl.Int64)

    @property
    def rel(self) -> float:
        """The smallest label that counts as relevant."""
        return float(self["rel"]) if "rel" in self.metric.parameters else 1.0

    @property
    def hits(self) -> pl.Expr:
        """Relevant documents at or above this rank."""
        return self.of(HITS.name)

    @property
    def r(self) -> pl.Expr:
        """The query's relevant documents, as a divisor: never below 1."""
        return self.of("r").clip(lower_bound=1)

    @property
    def divisor(self) -> pl.Expr:
        """What the sum of the terms is divided by: one number a query."""
        return pl.lit(1.0) if self.metric.per is None else self.metric.per(self)

    @property
    def depth(self) -> pl.Expr | None:
        """The last rank that counts, or None where all do."""
        if self.metric.depth is not None:
            return self.metric.depth(self)
        return None if self.k is None else pl.lit(self.k)

    def of(self, name: str) -> pl.Expr:
        """The column of a state or a query's constant; those for another `rel` are others."""
        return pl.col(self.column(name))

    def column(self, name: str) -> str:
        """The name of that column."""
        return f"{name}[{written(self.rel)}]"
