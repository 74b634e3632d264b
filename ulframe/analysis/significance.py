"""Significance: every pair of runs, or all against a baseline, compared query by query.

Here are the frame of pairs and what is made of it; the tests themselves are in `paired`,
`resampling` and `tukey`, the corrections for making many of them in `corrections`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TypeVar

import numpy as np
import polars as pl

from ulframe.analysis.blocks import Block, Floats, blocks, rows_of
from ulframe.analysis.corrections import CORRECTIONS, Correction
from ulframe.analysis.paired import FamilyTest, Pairs, Settings, refuse_numbers
from ulframe.analysis.procedures import TESTS, Test
from ulframe.evaluation.summarise import Undefined
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import FramesLike, as_lazy

FAMILY = ["set", "measure", "test"]
NAMES = ["set", "measure", "test", "correction", "run_a", "run_b"]
NUMBERS = ["mean_a", "mean_b", "diff", "effect", "statistic", "p_value"]
PAIRS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(NAMES, pl.String),
    **dict.fromkeys([*NUMBERS, "p_adjusted"], pl.Float64),
    "significant": pl.Boolean,
    "ci_low": pl.Float64,
    "ci_high": pl.Float64,
}
"""The frame of pairs: its columns and their types."""

COMPARED: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(["set", "measure"], pl.String),
    **dict.fromkeys(["n_runs", "n_queries", "n_left_out"], pl.Int64),
}

GROUPS: dict[str, type[pl.DataType]] = {
    **dict.fromkeys([*FAMILY, "correction", "run"], pl.String),
    **dict.fromkeys(["mean", "p_adjusted"], pl.Float64),
    "group_a": pl.Boolean,
}

ALPHA, RESAMPLES, SEED = 0.05, 10_000, 0

Word = TypeVar("Word", bound=str)
T = TypeVar("T")

_LATER = ("correction", "p_adjusted", "significant")
_EMPTY = pl.DataFrame(schema={name: kind for name, kind in PAIRS.items() if name not in _LATER})


def compare(
    scores: FramesLike,
    *,
    test: Test = "t",
    correction: Correction | None = None,
    baseline: str | None = None,
    sets: FramesLike | None = None,
    undefined: Undefined = "zero",
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Callable[[float], None] = lambda share: None,
) -> pl.LazyFrame:
    """Test all pairs of runs, or all runs against a baseline, per query set and measure.

    In: `scores`, with at least `run, query_id, measure, score`; `sets`, any frame that `as_sets`
    takes, without which all queries are one set `all`. Of each set, the queries that all runs have
    are compared (`compared` counts them); undefined scores are 0, or left out with
    `undefined="skip"`.

    Out, by set and measure as they come, then by run: `set, measure, test, correction, run_a,
    run_b: String, mean_a, mean_b, diff, effect, statistic, p_value, p_adjusted: Float64,
    significant: Boolean, ci_low, ci_high: Float64`. `diff` is `mean_a - mean_b`; against a baseline
    `run_b` is the baseline. `p_value` is two-sided; `p_adjusted` counts that all pairs of a set and
    measure are tested at once; `significant` says that it is below `alpha`. The interval is that of
    `diff`, at level 1 - `alpha`.

    - `test`: `t` (Student's, paired; the default), `bootstrap` (studentised), `randomisation`,
      `wilcoxon` (signed rank), `sign`; or of all runs at once: `hsd` (Tukey's, paired),
      `randomised-hsd`. `resamples` and `seed` are those of the tests that draw at random.
    - `correction`: `holm` (the default), `bonferroni`, `bh` (Benjamini and Hochberg), `none`.
    - `progress` is called with the share done.

    Runs that score alike on every query have p = 1; scores within 1e-9 of the larger one's size, or
    1e-12 as such, are alike. In a set of fewer than two queries the numbers
    after `diff` are null.

    Raises `BadUsage` for a name or number that is none; when collected, `BadData` where there is
    only one run, or no set with two queries that all runs have, and `BadUsage` where there is no
    such baseline.

    >>> scores = pl.DataFrame(
    ...     {
    ...         "run": ["a", "a", "a", "b", "b", "b"],
    ...         "query_id": ["1", "2", "3"] * 2,
    ...         "measure": "AP",
    ...         "score": [0.5, 0.75, 0.5, 0.25, 0.25, 0.25],
    ...     }
    ... )
    >>> compare(scores).select("run_a", "run_b", "diff", "statistic").collect().rows()
    [('a', 'b', 0.333..., 4.0)]
    """
    chosen, named = one_of("test", test, TESTS), correction_for(test, correction)
    refuse_numbers(alpha, resamples, seed)

    def pairs(rows: pl.DataFrame) -> pl.DataFrame:
        tables = [(block, pairs_of(block.runs, baseline)) for block in blocks(rows)]
        if max(block.values.shape[1] for block, _ in tables) < 2:
            raise BadData(_too_few(rows, tables[0][0]))
        total, done = sum(len(pair.a) for _, pair in tables), 0.0

        def tick(n: float) -> None:
            nonlocal done
            done += n
            progress(done / total)

        settings = Settings(alpha, resamples, seed, tick)
        found = [_frame(block, pair, test, chosen.run, settings) for block, pair in tables]
        return pl.concat([_EMPTY, *found])

    rows = rows_of(scores, sets=sets, undefined=undefined)
    return corrected(rows.map_batches(pairs, schema=_EMPTY.schema), named, alpha)


def compared(
    scores: FramesLike, *, sets: FramesLike | None = None, undefined: Undefined = "zero"
) -> pl.LazyFrame:
    """Which queries `compare` compares, given the same: those of a set that all runs have.

    Out, by set and measure as they come: `set, measure: String, n_runs, n_queries, n_left_out:
    Int64`, the last counting the queries that some run has and another lacks.

    >>> scores = pl.DataFrame(
    ...     {"run": ["a", "a", "b"], "query_id": [1, 2, 1], "measure": "AP", "score": 0.5}
    ... )
    >>> compared(scores).collect().rows()
    [('all', 'AP', 2, 1, 1)]
    """

    def counted(rows: pl.DataFrame) -> pl.DataFrame:
        found = [
            (block.set, block.measure, len(block.runs), block.values.shape[1], block.left_out)
            for block in blocks(rows)
        ]
        return pl.DataFrame(found, schema=COMPARED, orient="row")

    return rows_of(scores, sets=sets, undefined=undefined).map_batches(counted, schema=COMPARED)


def corrected(pairs: FramesLike, correction: Correction, alpha: float = ALPHA) -> pl.LazyFrame:
    """Adjust the p-values of a frame of pairs, each set, measure and test being one family.

    Out: the same with other `correction`, `p_adjusted`, and `significant`, which says that this is
    below `alpha`. Null p-values are in no family. Raises `BadUsage` for a correction that there is
    not.
    """
    adjust = one_of("correction", correction, CORRECTIONS)

    def adjusted(p: pl.Series) -> pl.Series:
        known = p.is_not_null().to_numpy()
        values = np.full(len(p), np.nan)
        if known.any():
            values[known] = adjust(p.drop_nulls().to_numpy())
        return pl.Series(values, nan_to_null=True)

    p = pl.col("p_value").map_batches(adjusted, return_dtype=pl.Float64).over(FAMILY)
    return (
        as_lazy(pairs, "p_value")
        .with_columns(correction=pl.lit(correction), p_adjusted=p)
        .with_columns(significant=pl.col("p_adjusted") < alpha)
        .select(*PAIRS)
    )


def group_a(pairs: FramesLike) -> pl.LazyFrame:
    """The systems that are not significantly worse than the best.

    In: a frame of pairs that has each run's pair with the best run. Out, best first: `set, measure,
    test, correction, run: String, mean, p_adjusted: Float64, group_a: Boolean`, where `p_adjusted`
    is that of the pair with the best, null for the best itself, which is in the group; so is a run
    whose pair with it could not be tested.

    >>> import ulframe as ul
    >>> scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), "nDCG@10")
    >>> group_a(compare(scores)).filter("group_a").collect()["run"].to_list()
    ['cross-encoder', ...]
    """

    def groups(frame: pl.DataFrame) -> pl.DataFrame:
        families = frame.group_by(*FAMILY, "correction", maintain_order=True)
        return pl.concat([pl.DataFrame(schema=GROUPS), *(_group(pairs) for _, pairs in families)])

    return as_lazy(pairs, "p_value").map_batches(groups, schema=GROUPS)


def _group(pairs: pl.DataFrame) -> pl.DataFrame:
    """Group A of one family."""
    mine = pl.concat(
        pairs.select(
            *FAMILY, "correction", "p_adjusted", "significant",
            run=f"run_{one}", mean=f"mean_{one}", other=f"run_{other}",
        )
        for one, other in ("ab", "ba")
    )  # fmt: skip
    runs = mine.unique("run").sort("mean", "run", descending=[True, False], nulls_last=True)
    best = runs["run"][0]
    with_best = mine.filter(pl.col("other") == best)
    if lost := sorted(set(runs["run"]) - set(with_best["run"]) - {best}):
        raise BadData(f"no pair of {best!r}, the best run, and {lost[0]!r}; test all pairs")
    inside = ~pl.col("significant").fill_null(False)
    return (
        runs.drop("p_adjusted", "significant")
        .join(
            with_best.select("run", "p_adjusted", "significant"),
            on="run",
            how="left",
            maintain_order="left",
        )
        .with_columns(group_a=inside)
        .select(*GROUPS)
    )


def correction_for(test: Test, asked: Correction | None) -> Correction:
    """The correction of a test: as asked; by default Holm's, or none where it counts all pairs.

    Raises `BadUsage` for one that there is not, or any of a test that counts all pairs.
    """
    adjusted = TESTS[test].adjusted
    if asked is None:
        return "none" if adjusted else "holm"
    if adjusted and asked != "none":
        raise BadUsage(f"test={test!r} counts all pairs already; it takes no correction")
    one_of("correction", asked, CORRECTIONS)
    return asked


def one_of(what: str, name: Word, table: Mapping[Word, T]) -> T:
    """What stands in the table under that name; `BadUsage`, with the names, where nothing does."""
    if name not in table:
        raise BadUsage(f"{what}={name!r} is not one of {', '.join(table)}")
    return table[name]


def pairs_of(runs: list[str], baseline: str | None) -> Pairs:
    """All pairs of runs, or each with the baseline; raises what `compare` does."""
    if len(runs) < 2:
        raise BadData(f"comparing takes two runs, but there is only {runs[0]!r}")
    if baseline is None:
        return Pairs(*np.triu_indices(len(runs), 1))
    if baseline not in runs:
        near = get_close_matches(baseline, runs, n=3, cutoff=0.3) or runs[:3]
        raise BadUsage(f"no run {baseline!r} to be the baseline; there is {', '.join(near)}")
    place = runs.index(baseline)
    others = np.delete(np.arange(len(runs)), place)
    return Pairs(others, np.full(len(others), place))


def _too_few(rows: pl.DataFrame, block: Block) -> str:
    here = rows.filter((pl.col("set") == block.set) & (pl.col("measure") == block.measure))
    run, queries = here.group_by("run").len().sort("len", "run").row(0)
    return (
        f"comparing takes two queries that all runs have, but there are {block.values.shape[1]} "
        f"with {block.measure} in the set {block.set!r}; {run!r} has the fewest, {queries}"
    )


def _frame(
    block: Block, pairs: Pairs, test: Test, run: FamilyTest, settings: Settings
) -> pl.DataFrame:
    found = run(block.values, pairs, settings)
    runs = pl.Series(block.runs)
    means = block.values.mean(axis=1) if block.values.shape[1] else np.full(len(runs), np.nan)
    a, b = means[pairs.a], means[pairs.b]
    numbers: dict[str, Floats] = {
        "mean_a": a, "mean_b": b, "diff": a - b, "effect": found.effect,
        "statistic": found.statistic, "p_value": found.p_value,
        "ci_low": found.low, "ci_high": found.high,
    }  # fmt: skip
    names = {"set": block.set, "measure": block.measure, "test": test}
    return pl.DataFrame(
        {
            **{name: pl.Series([value]).new_from_index(0, len(a)) for name, value in names.items()},
            "run_a": runs[pairs.a],
            "run_b": runs[pairs.b],
            **{name: pl.Series(values, nan_to_null=True) for name, values in numbers.items()},
        }
    )
