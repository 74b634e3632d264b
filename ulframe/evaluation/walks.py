"""What users gain and spend on their way down rankings, and what it could be at most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from ulframe.evaluation.ranking import rank
from ulframe.evaluation.users import FOUND, GAIN, RANK, SPENT, USERS, User
from ulframe.frames.columns import DOC, LABEL, QUERY, RUN
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike, as_lazy, require
from ulframe.frames.mapping import scan_both
from ulframe.frames.repeats import refuse_repeats
from ulframe.metrics.called import called

COST = "cost"
CASE = ["case", RUN, QUERY]
"""What is one walk: the worst and the best case, by what is not judged, of a run's ranking."""

SEEN, STOPS = pl.col("seen"), pl.col("stops")

MEASURED = {
    "utility": (SEEN * GAIN).sum() / SEEN.sum(),
    "total_utility": (STOPS * FOUND).sum(),
    "cost": (SEEN * pl.col(COST)).sum() / SEEN.sum(),
    "total_cost": (STOPS * SPENT).sum(),
    "documents": SEEN.sum(),
}
"""What is expected of a user: gain and cost a document seen, and in all; documents seen."""

Users = str | Iterable[str] | Mapping[str, User]


def walk(
    qrels: FramesLike,
    runs: FramesLike,
    users: Users,
    *,
    highest: float | None = None,
    costs: FramesLike | None = None,
    dearest: float = 1.0,
    cheapest: float = 1.0,
    depth: int = 1000,
) -> pl.LazyFrame:
    """What users gain and spend, by the C/W/L framework, as cwl_eval computes it.

    In: `users`, names of `USERS` with their settings (`INST(T=2)`, `BPM(T=1,K=10)`), or `User`
    objects by names of one's own; `highest`, the label that gains 1, by default the highest of the
    qrels, others gaining their share of it, and those below 0 nothing; `costs`, a table of `doc_id,
    cost`, and `cheapest` and `dearest` for those that it lacks; `depth`, how many ranks there are,
    to which rankings are filled with what nobody judged.

    Out, ordered by run, query, and user as asked: `run, query_id, user: String`, and Float64
    `utility`, the expected gain a document seen, which is the metric; `total_utility`, in all;
    `cost, total_cost`; `documents`, how many are seen; and `residual_...` of each: how much it
    changes if all that is not judged gains 1 and costs least, where else it gains 0 and costs most.
    Every query of the qrels is there; what a run misses is not judged.

    Raises `BadUsage` for a user or setting that there is not; `BadData` for a label above
    `highest`, and, when collected, a document twice.

    >>> found = walk({"q": {"a": 1, "b": 0}}, {"q": ["b", "a"]}, ["P(k=2)", "RR"]).collect()
    >>> found.select("user", "utility", "total_utility", "documents").rows()
    [('P(k=2)', 0.5, 1.0, 2.0), ('RR', 0.5, 1.0, 2.0)]
    """
    if depth < 1:
        raise BadUsage(f"depth={depth} is below 1")
    if not 0 < cheapest <= dearest:
        raise BadUsage(f"cheapest={cheapest:g}, dearest={dearest:g}: above 0, and not the reverse")
    judged, given = scan_both(qrels, runs)
    asked = _asked(users)
    rows = _ranks(judged.select(QUERY).unique(), given, depth)
    gains = judged.select(QUERY, DOC, gain=_share(judged, highest))
    valued = rows.join(gains, on=[QUERY, DOC], how="left").join(_costs(costs), on=DOC, how="left")
    cases = {
        "worst": [GAIN.fill_null(0.0), pl.col(COST).fill_null(dearest)],
        "best": [GAIN.fill_null(1.0), pl.col(COST).fill_null(cheapest)],
    }
    both = pl.concat(
        valued.with_columns(*filled, case=pl.lit(case)) for case, filled in cases.items()
    )
    steps = both.with_columns(
        found=_down(GAIN), spent=_down(pl.col(COST)),
        ahead=(GAIN / RANK).cum_sum(reverse=True).over(CASE, order_by="rank"),
    )  # fmt: skip
    parts = [_of_user(steps, user, name, at) for at, (name, user) in enumerate(asked.items())]
    order = [RUN, QUERY, "at"]
    return pl.concat(parts).sort(order).drop("at")


def _of_user(steps: pl.LazyFrame, user: User, name: str, at: int) -> pl.LazyFrame:
    """What one user has of every walk, and the residuals beside it."""
    goes_on = user.goes_on.cast(pl.Float64)
    before = pl.col("goes_on").shift(1, fill_value=1.0).cum_prod().over(CASE, order_by="rank")
    measured = (
        steps.with_columns(goes_on=goes_on)
        .with_columns(seen=before)
        .with_columns(stops=SEEN * (1 - pl.col("goes_on")))
        .group_by(CASE)
        .agg(**MEASURED)
    )
    worst, best = (
        measured.filter(pl.col("case") == case).drop("case") for case in ("worst", "best")
    )
    residuals = {f"residual_{one}": pl.col(f"{one}_best") - pl.col(one) for one in MEASURED}
    return worst.join(best, on=[RUN, QUERY], suffix="_best").select(
        RUN, QUERY, pl.lit(name).alias("user"), *MEASURED, **residuals, at=pl.lit(at)
    )


def _ranks(queries: pl.LazyFrame, runs: pl.LazyFrame, depth: int) -> pl.LazyFrame:
    """Every rank from 1 to the depth of every run and query: `run, query_id, doc_id, rank`."""
    found = rank(runs, depth=depth).map_batches(lambda batch: _unrepeated(runs, batch))
    everywhere = runs.select(RUN).unique().join(queries, how="cross")
    ranks = pl.DataFrame({"rank": range(1, depth + 1)}, schema={"rank": pl.Int64}).lazy()
    documents = found.select(RUN, QUERY, "rank", DOC)
    return everywhere.join(ranks, how="cross").join(documents, on=[RUN, QUERY, "rank"], how="left")


def _unrepeated(runs: pl.LazyFrame, batch: pl.DataFrame) -> pl.DataFrame:
    if batch["repeated"].any():
        refuse_repeats(runs)
    return batch


def highest_label(qrels: pl.LazyFrame) -> float:
    """The highest label of qrels, 0 if there is none; they are read at once.

    >>> highest_label(pl.LazyFrame({"label": [0, 2]}))
    2.0
    """
    return float(qrels.select(pl.col(LABEL).max()).collect().item() or 0)


def _share(judged: pl.LazyFrame, highest: float | None) -> pl.Expr:
    """A label's share of the highest, from 0 to 1."""
    there = highest_label(judged)
    most = there if highest is None else highest
    if there > most:
        raise BadData(f"there is a label {there:g}, above highest={most:g}, which gains 1")
    return pl.col(LABEL).cast(pl.Float64).clip(lower_bound=0) / (most if most > 0 else 1.0)


def _costs(costs: FramesLike | None) -> pl.LazyFrame:
    if costs is None:
        return pl.LazyFrame(schema={DOC: pl.String, COST: pl.Float64})
    table = require(as_lazy(costs, COST), [DOC, COST], "the costs")
    found = table.select(pl.col(DOC).cast(pl.String), pl.col(COST).cast(pl.Float64)).collect()
    wrong = found.filter(pl.col(DOC).is_duplicated() | ~(pl.col(COST) > 0).fill_null(False))
    if wrong.height:
        document, cost = wrong.row(0)
        raise BadData(f"the costs: of {document!r} {cost}; each document has one, above 0")
    return found.lazy()


def _asked(users: Users) -> dict[str, User]:
    if isinstance(users, Mapping):
        return dict(users)
    names = [users] if isinstance(users, str) else list(users)
    return {name: called(name, USERS) for name in names}


def _down(column: pl.Expr) -> pl.Expr:
    return column.cum_sum().over(CASE, order_by="rank")
