"""Is a new version safe to ship? By the interval of what it changes, and what may be lost at most.

A candidate passes where the two-sided interval of its mean paired difference from the baseline lies
above -margin: non-inferiority, as drug trials test it. It is worse where the interval lies below 0,
of several measures after Holm's correction. Otherwise the queries do not decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from ulframe.analysis.corrections import CORRECTIONS
from ulframe.analysis.sample_size import POWER, queries_needed
from ulframe.analysis.significance import ALPHA, RESAMPLES, SEED, compare
from ulframe.evaluation.summarise import Undefined
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike, as_lazy, require

MARGIN = 0.01
GateTest = Literal["t", "bootstrap"]
Verdict = Literal["passes", "worse", "undecided"]

KEYS = ["query_id", "measure"]
BASELINE, CANDIDATE = "baseline", "candidate"


@dataclass(frozen=True)
class Gate:
    """What `gate` finds.

    - `verdict`: `passes` where all measures do, `worse` where one is, else `undecided`.
    - `measures`: `measure: String, n_queries: Int64, baseline, candidate, diff, ci_low, ci_high,
      p_value, p_adjusted: Float64, verdict: String, needed: Int64`, a row each. `baseline` and
      `candidate` are means, `diff` is candidate less baseline. `needed` is how many queries would
      show that the candidate passes, with power .8, if the difference is the one observed; null
      where it passes already, and where no number would.
    - `queries`: `measure, query_id: String, baseline, candidate, diff: Float64`, most lost first.
    - `names`: what the two are called; `margin`, `test`, `alpha` as given.
    """

    verdict: Verdict
    measures: pl.DataFrame
    queries: pl.DataFrame
    names: tuple[str, str]
    margin: float
    test: GateTest
    alpha: float

    @property
    def lines(self) -> list[str]:
        """The verdict, the measures and what follows, a line each."""
        return [_headline(self), "; ".join(map(_numbers, self.rows)), "; ".join(_follows(self))]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The measures, a dict each."""
        return self.measures.to_dicts()


def gate(
    baseline: FramesLike,
    candidate: FramesLike,
    *,
    margin: float = MARGIN,
    test: GateTest = "t",
    alpha: float = ALPHA,
    undefined: Undefined = "zero",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Gate:
    """Hold a candidate against a baseline, query by query.

    In: the scores of one run each, `run, query_id, measure, score` as `evaluate` gives them, of the
    same measures, of all of which a higher score is better. `margin` is what a measure may lose, in
    its own unit. The interval is that of Student's paired t or of the studentised bootstrap, two-
    sided at 1 - `alpha`. Queries that one of the two lacks are left out; undefined scores are 0, or
    left out with `undefined="skip"`.

    Raises `BadUsage` for a margin below 0, another test, or other measures in the two; `BadData`
    where one holds several runs or fewer than two queries are common.

    >>> import ulframe as ul
    >>> scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), "nDCG@10").collect()
    >>> found = gate(scores.filter(run="bm25"), scores.filter(run="colbert"))
    >>> found.verdict, round(found.measures["diff"].item(), 4)
    ('passes', 0.0639)
    """
    if test not in get_args(GateTest):
        raise BadUsage(f"test={test!r} is not one of {', '.join(get_args(GateTest))}")
    if not margin >= 0:
        raise BadUsage(f"margin={margin}: it is 0 or more, in the unit of the measures")
    old, new = _of_one_run(baseline, BASELINE), _of_one_run(candidate, CANDIDATE)
    _require_same_measures(old, new)
    both = pl.concat([
        old.with_columns(run=pl.lit(BASELINE)), new.with_columns(run=pl.lit(CANDIDATE))
    ])  # fmt: skip
    how = {"test": test, "alpha": alpha, "resamples": resamples, "seed": seed}
    pairs = compare(both, baseline=BASELINE, undefined=undefined, **how).collect()  # type: ignore[arg-type]
    queries = _by_query(old, new, undefined)
    measures = _judged(pairs, queries, margin, alpha)
    verdicts = set(measures["verdict"])
    verdict: Verdict = (
        "worse" if "worse" in verdicts else "undecided" if "undecided" in verdicts else "passes"
    )
    names = (str(old["run"][0]), str(new["run"][0]))
    return Gate(verdict, measures, queries, names, margin, test, alpha)


# ---------------------------------------------------------------- the work
def _of_one_run(source: FramesLike, which: str) -> pl.DataFrame:
    wanted = ["run", *KEYS, "score"]
    scores = require(as_lazy(source, "score"), wanted, f"the scores of the {which}").select(
        pl.col("run", *KEYS).cast(pl.String), pl.col("score").cast(pl.Float64)
    )
    found = scores.collect()
    runs = found["run"].unique(maintain_order=True).to_list()
    if len(runs) != 1:
        some = f", as {', '.join(map(repr, runs[:3]))}" if runs else ""
        raise BadData(f"the {which} is one run, but there are {len(runs)}{some}")
    return found


def _require_same_measures(old: pl.DataFrame, new: pl.DataFrame) -> None:
    have = [frame["measure"].unique(maintain_order=True).to_list() for frame in (old, new)]
    for one, other, which in ((*have, CANDIDATE), (*have[::-1], BASELINE)):
        if lacking := [name for name in one if name not in other]:
            raise BadUsage(
                f"the {which} has no scores of {lacking[0]!r}; it has {', '.join(other)}"
            )


def _by_query(old: pl.DataFrame, new: pl.DataFrame, undefined: Undefined) -> pl.DataFrame:
    joined = old.select(*KEYS, baseline="score").join(
        new.select(*KEYS, candidate="score"), on=KEYS, maintain_order="left"
    )
    scores = pl.col(BASELINE, CANDIDATE)
    filled = scores.fill_null(0.0) if undefined == "zero" else scores
    place = {name: at for at, name in enumerate(old["measure"].unique(maintain_order=True))}
    return (
        joined.with_columns(filled)
        .drop_nulls()
        .with_columns(diff=pl.col(CANDIDATE) - pl.col(BASELINE))
        .sort(pl.col("measure").replace_strict(place), "diff", "query_id")
        .select("measure", "query_id", BASELINE, CANDIDATE, "diff")
    )


def _judged(
    pairs: pl.DataFrame, queries: pl.DataFrame, margin: float, alpha: float
) -> pl.DataFrame:
    """The row of each measure, with its verdict and what it would take."""
    counts = queries.group_by("measure", maintain_order=True).agg(
        n_queries=pl.len().cast(pl.Int64), sd=pl.col("diff").std()
    )
    rows = pairs.select(
        "measure", "diff", "ci_low", "ci_high", "p_value",
        baseline="mean_b", candidate="mean_a",
    ).join(counts, on="measure", maintain_order="left")  # fmt: skip
    adjusted = CORRECTIONS["holm"](rows["p_value"].to_numpy())
    rows = rows.with_columns(p_adjusted=pl.Series(np.asarray(adjusted)))
    passes = pl.col("ci_low") > -margin
    worse = pl.col("ci_high") < 0
    if rows.height > 1:
        worse &= pl.col("p_adjusted") < alpha
    verdict = (
        pl.when(passes).then(pl.lit("passes"))
        .when(worse).then(pl.lit("worse"))
        .otherwise(pl.lit("undecided"))
    )  # fmt: skip
    rows = rows.with_columns(verdict=verdict)
    needed = [_needed(row, margin, alpha) for row in rows.iter_rows(named=True)]
    return rows.select(
        "measure", "n_queries", BASELINE, CANDIDATE, "diff", "ci_low", "ci_high", "p_value",
        "p_adjusted", "verdict", pl.Series("needed", needed, dtype=pl.Int64),
    )  # fmt: skip


def _needed(row: dict[str, Any], margin: float, alpha: float) -> int | None:
    """The interval's lower end is above -margin where a test of diff = -margin says so."""
    room = row["diff"] + margin
    if row["verdict"] == "passes" or room <= 0 or not row["sd"]:
        return None
    return queries_needed(room / row["sd"], alpha=alpha, power=POWER)


# ---------------------------------------------------------------- in words
WORDS: dict[Verdict, str] = {"passes": "PASS", "worse": "WORSE", "undecided": "UNDECIDED"}


def _headline(found: Gate) -> str:
    old, new = found.names
    n = max(row["n_queries"] for row in found.rows)
    how = {"t": "paired t", "bootstrap": "paired bootstrap"}[found.test]
    return (
        f"{WORDS[found.verdict]}: {new} against {old}, {n} queries, margin {found.margin:g} "
        f"({how}, {1 - found.alpha:.0%} intervals)"
    )


def _numbers(row: dict[str, Any]) -> str:
    return (
        f"{row['measure']} {row['baseline']:.4f} to {row['candidate']:.4f}: {row['diff']:+.4f} "
        f"[{row['ci_low']:+.4f}, {row['ci_high']:+.4f}]"
    )


def _follows(found: Gate) -> Iterator[str]:
    """What the verdict rests on, and what is to be known beside it."""
    rows = found.rows
    if worse := _named(rows, "worse"):
        corrected = f" (after Holm, of {len(rows)})" if len(rows) > 1 else ""
        yield f"worse: {', '.join(worse)}{corrected}"
    for row in rows:
        if row["verdict"] == "undecided":
            yield _what_it_takes(row, found)
    lost = [row["measure"] for row in rows if row["verdict"] == "passes" and row["ci_high"] < 0]
    if lost:
        yield f"a significant loss, but within the margin: {', '.join(lost)}"
    if found.verdict == "passes" and not lost:
        yield "no measure loses more than the margin"


def _named(rows: Sequence[dict[str, Any]], verdict: Verdict) -> list[str]:
    return [row["measure"] for row in rows if row["verdict"] == verdict]


def _what_it_takes(row: dict[str, Any], found: Gate) -> str:
    if row["needed"] is None:
        return f"{row['measure']}: at this loss no number of queries would pass it"
    return (
        f"{row['measure']}: at this difference {row['needed']:,} queries would pass it with power "
        f"{POWER:g}"
    )
