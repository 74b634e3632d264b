"""Where a score is a sum of what each document adds, over one number of the query.

P, DCG, CG and RBP add up; R divides by how many are relevant, nDCG by the best value. Then of all
fillings with so many relevant documents the least difference of two runs has those that favour the
one most, and nothing need be tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from ulframe.analysis.unjudged.laws import classes_of
from ulframe.analysis.unjudged.rankings import Rankings
from ulframe.evaluation.bounds import bounds_of
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import A, U

KEYS = ["query_id", "measure"]

LABEL, JUDGED, OVER = pl.col("label"), pl.col("judged"), pl.col("over")


def adds_up(measure: Measure) -> bool:
    """Whether each document adds what depends on its rank and label alone."""
    base = measure.base
    plain = base.finish is None and not base.view.gains and base.metric.ideal is None
    fixed = base.depth is None or not base.depth.meta.root_names()
    alone = set(base.term.meta.root_names()) <= {"rank", "label"}
    sized = "retrieved" in base.reads
    return plain and fixed and alone and not sized and measure.operator in (A, U)


@dataclass(frozen=True, eq=False)
class Sums:
    """A measure that adds up, under the name that it was asked for by.

    - `classes`: the labels that it tells apart; `over`: `query_id, k, over`, what sums are divided
      by where k documents more have the highest;
    - `exact`: whether the extremes are, or bounds: with many labels the divisor has no order.
    """

    name: str
    measure: Measure
    classes: tuple[float, ...]
    over: pl.DataFrame
    exact: bool

    @staticmethod
    def of(known: Rankings, name: str, measure: Measure, levels: Sequence[float]) -> Sums:
        """The measure over runs that are known."""
        classes = classes_of(measure, levels)
        there = sorted({*levels, *known.counts.filter(LABEL > 0)["label"]})
        two = len(classes) == len(classes_of(measure, there)) == 2
        if measure.operator is A:
            fixed = not measure.base.divisor.meta.root_names()
            return Sums(
                name, measure, classes, _by_counts(known, measure, classes[-1]), fixed or two
            )
        over = (_by_best if two else _by_ends)(known, measure, classes[-1])
        return Sums(name, measure, classes, over, two)


def by_documents(diffs: pl.DataFrame, union: pl.DataFrame, sums: Sums) -> pl.DataFrame:
    """`query_id, measure, low, high`: what the differences can become.

    In: `query_id, measure, diff` of today; `query_id, doc_id, rank_a, rank_b` of what is unjudged
    of either run.
    """
    queries = union.select("query_id")
    labels = [*enumerate(sums.classes)]
    apart = queries.hstack([_apart(union, sums.measure, one).alias(str(at)) for at, one in labels])
    today = sums.over.filter(k=0).select("query_id", "over")
    totals = diffs.join(today, on="query_id").select("query_id", sum=pl.col("diff") * OVER)
    found = (_exactly if sums.exact and len(sums.classes) == 2 else _from_outside)(
        totals, apart, sums.over
    )
    return diffs.select(KEYS).join(found, on="query_id")


def _apart(union: pl.DataFrame, measure: Measure, label: float) -> pl.Series:
    """What the documents add to the difference with this label."""
    return _worth(union, measure, label, "rank_a") - _worth(union, measure, label, "rank_b")


def _worth(union: pl.DataFrame, measure: Measure, label: float, rank: str) -> pl.Series:
    """What the documents add with this label; 0 where they were not returned."""
    return _terms(union.select(rank=rank, label=pl.lit(label)), measure)


def _terms(rows: pl.DataFrame, measure: Measure) -> pl.Series:
    """What documents of these ranks and labels add; 0 below the cutoff, and where there is none."""
    base = measure.base
    counts = pl.lit(True) if base.depth is None else pl.col("rank") <= base.depth
    adds = counts & base.metric.adds & pl.col("rank").is_not_null()
    return rows.select(pl.when(adds).then(base.term).otherwise(0.0).alias("term")).to_series()


# ---------------------------------------------------------------- what the sums are divided by
def _by_counts(known: Rankings, measure: Measure, label: float) -> pl.DataFrame:
    """`query_id, k, over`: what a sum is divided by when k documents more have this label.

    For k from 0 to all that is unjudged.
    """
    cases = _cases(known)
    totals = {total.name: (total.each * JUDGED).sum() for total in measure.base.totals}
    over = _counts(known, cases, label).group_by("case").agg(**totals)
    found = cases.join(over, on="case").with_columns(over=measure.base.divisor.cast(pl.Float64))
    return found.select("query_id", "k", "over")


def _by_best(known: Rankings, measure: Measure, label: float) -> pl.DataFrame:
    """As `_by_counts`, of the best value, where all that is relevant adds alike.

    The divisor cancels: what is left is the sum of the terms from the first rank down.
    """
    adding = known.counts.group_by("query_id").agg(
        r=pl.when(measure.base.metric.adds).then(JUDGED).otherwise(0).sum()
    )
    cases = _cases(known).join(adding, on="query_id").with_columns(r=pl.col("r") + pl.col("k"))
    last = cases.select(pl.col("r").max()).item()
    ranks = pl.DataFrame({"rank": range(1, last + 1)}, schema={"rank": pl.Int64})
    terms = _terms(ranks.with_columns(label=pl.lit(label)), measure)
    best = ranks.select(r="rank").with_columns(over=terms.cum_sum())
    found = cases.join(best, on="r", how="left").sort("query_id", "k")
    return found.select("query_id", "k", pl.col("over").fill_null(0.0))


def _by_ends(known: Rankings, measure: Measure, label: float) -> pl.DataFrame:
    """As `_by_counts`, of the best value, for k = 0 and all alone."""
    cases = _cases(known).filter((pl.col("k") == 0) | (pl.col("k") == pl.col("many")))
    counts = _counts(known, cases, label)
    base = measure.base
    totals = {total.name: (total.each * JUDGED).sum() for total in base.totals}
    divisor = counts.group_by("case").agg(**totals).select("case", by=base.divisor)
    pools = counts.filter(JUDGED > 0).with_columns(count=JUDGED).lazy()
    upper = bounds_of(pools, ["case"], [base]).select("case", upper=f"upper:{base}").collect()
    found = cases.join(divisor, on="case").join(upper, on="case")
    return found.select("query_id", "k", over=pl.col("by") * pl.col("upper"))


def _cases(known: Rankings) -> pl.DataFrame:
    """`case, query_id, k, many`: each query with each number of its unjudged documents."""
    many = known.holes.group_by("query_id").agg(many=pl.col("doc_id").n_unique().cast(pl.Int64))
    queries = pl.DataFrame({"query_id": known.queries}).join(many, on="query_id", how="left")
    counted = queries.with_columns(pl.col("many").fill_null(0))
    ks = counted.with_columns(k=pl.int_ranges(0, pl.col("many") + 1))
    return ks.explode("k").with_row_index("case")


def _counts(known: Rankings, cases: pl.DataFrame, label: float) -> pl.DataFrame:
    before = cases.join(known.counts, on="query_id").select("case", "label", "judged")
    filled = cases.select("case", label=pl.lit(label), judged="k")
    return pl.concat([before, filled]).group_by("case", "label").agg(JUDGED.sum())


# ---------------------------------------------------------------- the extremes
ONE, NONE = pl.col("1"), pl.col("0")


def _exactly(totals: pl.DataFrame, apart: pl.DataFrame, over: pl.DataFrame) -> pl.DataFrame:
    """`query_id, low, high`: over k, of the sum with the k documents that favour one most."""
    blank = apart.group_by("query_id").agg(blank=NONE.sum())
    start = totals.join(blank, on="query_id", how="left").select(
        "query_id", sum=pl.col("sum") + pl.col("blank").fill_null(0.0)
    )
    moves = apart.select("query_id", moved=ONE - NONE)
    found = []
    for name, descending in (("low", False), ("high", True)):
        steps = moves.sort("query_id", "moved", descending=[False, descending]).with_columns(
            pl.col("moved").cum_sum().over("query_id"),
            k=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query_id"),
        )
        none = start.select("query_id", moved=pl.lit(0.0), k=pl.lit(0, pl.Int64))
        scores = (
            pl.concat([none, steps]).join(start, on="query_id").join(over, on=["query_id", "k"])
        )
        score = _divided(pl.col("sum") + pl.col("moved"), OVER)
        extreme = score.max() if descending else score.min()
        found.append(scores.group_by("query_id").agg(extreme.alias(name)))
    return found[0].join(found[1], on="query_id")


def _from_outside(totals: pl.DataFrame, apart: pl.DataFrame, over: pl.DataFrame) -> pl.DataFrame:
    """`query_id, low, high`: the extreme sums over the divisor that makes most of them."""
    each = pl.exclude("query_id")
    worths = apart.select("query_id", down=pl.min_horizontal(each), up=pl.max_horizontal(each))
    ends = over.group_by("query_id").agg(least=OVER.min(), most=OVER.max())
    moved = worths.group_by("query_id").agg(pl.col("down", "up").sum())
    rows = totals.join(ends, on="query_id").join(moved, on="query_id", how="left")
    low, high = (pl.col("sum") + pl.col(name).fill_null(0.0) for name in ("down", "up"))
    return rows.select(
        "query_id",
        low=_divided(low, pl.when(low < 0).then("least").otherwise("most"), nothing=-1.0),
        high=_divided(high, pl.when(high > 0).then("least").otherwise("most"), nothing=1.0),
    )


def _divided(total: pl.Expr, over: pl.Expr, nothing: float = 0.0) -> pl.Expr:
    return pl.when(over > 0).then(total / over).otherwise(nothing)
