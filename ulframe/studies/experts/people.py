"""Measures over people: the catalogue's, with relevance from the reference; overlap of top k's.

A tie has no order, so a measure's value is its expectation over all orders of the tied: the terms
of `ulframe.metrics` summed over every place that a person may take, each with its chance. That is
exact by linearity, as for the expectation under a random ranking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from ulframe.evaluation.bounds import bounds_of
from ulframe.evaluation.values import tally
from ulframe.frames.errors import BadUsage
from ulframe.metrics.inputs import RANK
from ulframe.metrics.laws import is_affine
from ulframe.metrics.measure import Measure, View
from ulframe.metrics.operators import ON_REQUEST, A
from ulframe.studies.experts.columns import ITEM

KEY = "comparison"
FIRST, LAST = pl.col("first"), pl.col("last")

LINEAR = pl.col("n") + 1 - pl.col("rank")
"""Relevance linear in the reference's rank: n for the first, 1 for the last."""


def top(k: int) -> pl.Expr:
    """Relevance 1 for the reference's top k, and who is tied with the k-th; 0 for the others.

    >>> str(pl.select(first=pl.Series([1, 2, 2, 4])).select(top(2)).to_series().to_list())
    '[1, 1, 1, 0]'
    """
    return (pl.col("first") <= k).cast(pl.Int64)


@dataclass(frozen=True)
class Overlap:
    """Precision at k with the reference reduced to its top k: whom both top k's hold, over k.

    Where the k-th is tied, the expectation over both rankings' tie orders.
    """

    k: int

    def __str__(self) -> str:
        return f"P@{self.k}"

    @property
    def expression(self) -> pl.Expr:
        """The sum of the chances that a person is in both, over k."""
        both = self._chance("first", "last") * self._chance("reference_first", "reference_last")
        return both.sum() / self.k

    def _chance(self, first: str, last: str) -> pl.Expr:
        within = (self.k - pl.col(first) + 1) / (pl.col(last) - pl.col(first) + 1)
        return within.clip(0.0, 1.0)


# ---------------------------------------------------------------- places
def paired(
    places: pl.DataFrame, comparisons: pl.DataFrame, *, homogenise: bool, complete: bool
) -> pl.DataFrame:
    """Lay out who stands where: a row per comparison and person.

    In: `order, item, place`, and `comparison, own, against`. Out: `comparison, item`, the first and
    last rank that the person may take in each ranking, `first, last, reference_first,
    reference_last: Int64`, null where it does not rank them. With `homogenise`, only people whom
    both rank, and ranks among them; with `complete`, each ranking's ties are broken by the other's
    order, and what both tie, alike.
    """
    own = comparisons.select(KEY, order="own").join(places, on="order").drop("order")
    theirs = comparisons.select(KEY, order="against").join(places, on="order").drop("order")
    people = own.join(
        theirs.rename({"place": "reference"}),
        on=[KEY, ITEM],
        how="inner" if homogenise else "full",
        coalesce=True,
    )
    ranks = _broken if complete else _tied
    return people.select(
        KEY, ITEM, *ranks("place", "reference", ""), *ranks("reference", "place", "reference_")
    )


def _tied(own: str, other: str, prefix: str) -> list[pl.Expr]:
    rank = pl.col(own)
    return [
        rank.rank("min").over(KEY).cast(pl.Int64).alias(f"{prefix}first"),
        rank.rank("max").over(KEY).cast(pl.Int64).alias(f"{prefix}last"),
    ]


def _broken(own: str, other: str, prefix: str) -> list[pl.Expr]:
    """By the own place, then the other's; people whom the other leaves out come last of a tie."""
    place = pl.int_range(1, pl.len() + 1).over(KEY, order_by=[own, other, ITEM], nulls_last=True)
    rank = pl.when(pl.col(own).is_not_null()).then(place)
    return [rank.alias(f"{prefix}first"), rank.alias(f"{prefix}last")]


# ---------------------------------------------------------------- scores
def overlaps(people: pl.DataFrame, asked: Mapping[str, Overlap]) -> pl.DataFrame:
    """`comparison`, and each overlap as a Float64 column of its name."""
    return people.group_by(KEY).agg(one.expression.alias(name) for name, one in asked.items())


def catalogue_scores(
    people: pl.DataFrame, asked: Mapping[str, Measure], relevance: pl.Expr
) -> pl.DataFrame:
    """`comparison`, and each measure's score as a Float64 column of its name, null if undefined.

    `relevance` sees the reference's `rank` (a tie counts as the mean of the ranks that it spans),
    `first` and `last` (the ranks that it spans), and `n`, how many it ranks. Raises `BadUsage`
    where it gives no finite number, or where a gain grows out of all bounds.
    """
    if people.is_empty():
        return people.select(KEY, *(pl.lit(None, pl.Float64).alias(name) for name in asked))
    labelled = _labelled(people, relevance)
    bases = list(dict.fromkeys(measure.base for measure in asked.values()))
    pools = [measure.base for measure in asked.values() if measure.operator is not A]
    values = tally(_spread(labelled, bases), [KEY], [_weighted(base) for base in bases])
    wide = people.select(KEY).unique().join(values, on=KEY, how="left")
    wide = wide.with_columns(pl.exclude(KEY).fill_null(0.0))
    if pools:
        counts = labelled.group_by(KEY, "label").agg(count=pl.len().cast(pl.Int64))
        counts = counts.with_columns(judged=pl.col("count"))
        bounds = bounds_of(counts.lazy(), [KEY], list(dict.fromkeys(pools)))
        wide = wide.join(bounds.collect(), on=KEY)
    _refuse_overflow(wide)
    return wide.select(KEY, *(_score(wide, one).alias(name) for name, one in asked.items()))


def _labelled(people: pl.DataFrame, relevance: pl.Expr) -> pl.DataFrame:
    first, last = pl.col("reference_first"), pl.col("reference_last")
    seen = people.select(
        rank=(first + last) / 2, first=first, last=last, n=first.count().over(KEY)
    ).select(pl.when(pl.col("rank").is_not_null()).then(relevance).otherwise(0).alias("label"))
    label = seen["label"].cast(pl.Float64, strict=False)
    if not label.is_finite().all(ignore_nulls=False):
        raise BadUsage("relevance= must give a finite number for everyone whom the reference ranks")
    return people.with_columns(label)


def _spread(people: pl.DataFrame, bases: Sequence[Measure]) -> pl.DataFrame:
    """A row per rank that a person may take, with its chance as `weight`, and what terms read.

    Of the others in a tie, those that stand above rank i are a share (i - first) / (last - first),
    and so, on average, are the relevant ones among them.
    """
    constants, tied, above, hits = {}, {}, {}, {}
    for base in bases:
        constants[base.column("r")] = base.relevant.sum().over(KEY)
        constants[base.column("nonrel")] = (1 - base.relevant).sum().over(KEY)
        tied[base.column("tied")] = base.relevant.sum()
        through = base.of("tied").cum_sum().over(KEY, order_by="first")
        above[base.column("above")] = through - base.of("tied")
        passed = (RANK - FIRST) / (LAST - FIRST).clip(lower_bound=1)
        others = base.of("tied") - base.relevant
        hits[base.column("hits")] = base.of("above") + base.relevant + passed * others
    rows = people.with_columns(**constants).filter(FIRST.is_not_null())
    ranks = (
        rows.group_by(KEY, "first", "last")
        .agg(**tied)
        .with_columns(**above, rank=pl.int_ranges(FIRST, LAST + 1))
        .explode("rank")
    )
    placed = rows.drop("last").join(ranks, on=[KEY, "first"])
    return placed.with_columns(**hits, weight=1 / (LAST - FIRST + 1))


def _weighted(base: Measure) -> Measure:
    """The same, each term counted with the chance of its row."""
    metric = replace(base.metric, term=base.term * pl.col("weight"))
    return replace(base, metric=metric)


def _score(wide: pl.DataFrame, measure: Measure) -> pl.Series:
    base = str(measure.base)
    names = {"value": base, "upper": f"upper:{base}", "expected": f"expected:{base}"}
    triple = wide.select(pl.col(n).alias(kind) for kind, n in names.items() if n in wide.columns)
    return triple.select(measure.operator.score).to_series()


# ---------------------------------------------------------------- what is refused
def refuse_what_ties_forbid(name: str, measure: Measure) -> None:
    """Raise `BadUsage` unless a measure's expectation over tie orders follows from mean hits.

    It does where a term is affine in `hits`, and all else that it reads is there for people.
    """
    base = measure.base
    if any(map(measure.operator.reads, ON_REQUEST)):
        raise BadUsage(f"{name} is not for rankings of people: they have no worst or random spread")
    if base.view != View():
        raise BadUsage(
            f"{name}: judged_only= and gains= are for judged documents, not for people; give "
            "relevance= another expression"
        )
    known = {"rank", "label", *map(base.column, ("hits", "r", "nonrel"))}
    if not (base.reads <= known and is_affine(base)):
        raise BadUsage(
            f"{name} is not for rankings of people: what it expects of tied people does not follow "
            "from how many relevant ones stand above. DCG, nDCG, CG, AP, SP, P, R, F, Rprec do"
        )


def _refuse_overflow(wide: pl.DataFrame) -> None:
    for column in wide.drop(KEY):
        if not column.is_finite().all():
            raise BadUsage(
                f"{column.name.rpartition(':')[2]} grows out of all bounds: relevance is n + 1 - "
                "rank unless another is given, and 2 to that power is too large for so many "
                "people. Take DCG(gain=linear), or a smaller relevance"
            )
