"""What `ulframe compare` prints: pairs of runs, groups of them, a matrix, or runs by a baseline."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from ulframe.analysis.letters import letters
from ulframe.cli import output
from ulframe.cli.progress import working
from ulframe.report.table import BETTER, DECIMALS, NONE, WORSE

SHOWN = 30  # pairs that are printed one by one
FAMILIES, RUNS = 6, 30  # sets and measures, and runs, that a matrix is printed for
FAMILY = ["set", "measure"]


def print_pairs(pairs: pl.DataFrame, named: list[str], more: pl.LazyFrame | None) -> None:
    """The pairs themselves, or where these are too many to read, what comes of them.

    `named` are the columns that tell families apart; `more`, how many more pairs than the first
    measure each tells apart, or None where that is not known.
    """
    families = pairs.select(FAMILY).n_unique()
    many = pairs.height > SHOWN
    if many:
        output.table(_counts(pairs, more), names=2)
        output.remark(f"{pairs.height} pairs; -o writes them all, --format csv prints them")
    else:
        output.table(_one_by_one(pairs, named), names=len(named) + 2)
    if pairs["run_a"].n_unique() > 1 and families <= FAMILIES:
        _print_letters(pairs, named)
    if many and families <= FAMILIES and pairs.height <= families * RUNS * (RUNS - 1) / 2:
        for title, matrix in _matrices(pairs, named):
            print()
            output.table(matrix, title=title)


def print_against(pairs: pl.DataFrame, named: list[str]) -> None:
    """A row for each run that is compared with the baseline, the best first, and one for that."""
    base = pairs.unique(FAMILY, maintain_order=True)
    runs = pl.concat([
        base.select(*FAMILY, run="run_b", mean="mean_b"),
        pairs.select(
            *FAMILY, "diff", "ci_low", "ci_high",
            run="run_a", mean="mean_a", winner=_winner(),
            p_adjusted=output.p_values(pairs["p_adjusted"]),
        ),
    ], how="diagonal")  # fmt: skip
    order = pairs.select(FAMILY).unique(maintain_order=True).with_row_index("place")
    best = runs.join(order, on=FAMILY).sort(
        "place", "mean", "run", descending=[False, True, False], nulls_last=True
    )
    rows = best.select(
        *named, "run", "mean", "diff", "ci_low", "ci_high",
        p_adjusted=pl.col("p_adjusted").fill_null(NONE),
        winner=pl.col("winner").fill_null("(baseline)"),
    )  # fmt: skip
    output.table(rows, names=len(named) + 1)


def _one_by_one(pairs: pl.DataFrame, named: list[str]) -> pl.DataFrame:
    return pairs.select(
        *named, "run_a", "run_b", "mean_a", "mean_b", "diff", "ci_low", "ci_high",
        p_adjusted=output.p_values(pairs["p_adjusted"]), winner=_winner(),
    )  # fmt: skip


def _winner() -> pl.Expr:
    """The run that is significantly better, if one is."""
    better = pl.when(pl.col("diff") > 0).then("run_a").otherwise("run_b")
    return pl.when("significant").then(better).otherwise(pl.lit(""))


def _counts(pairs: pl.DataFrame, more: pl.LazyFrame | None) -> pl.DataFrame:
    """How many pairs of each set and measure are significant, and by how much runs differ there."""
    counts = pairs.group_by(FAMILY, maintain_order=True).agg(
        pl.len().alias("pairs"),
        pl.col("significant").sum(),
        pl.col("diff").abs().filter("significant").min().alias("smallest_significant_diff"),
        pl.col("diff").abs().filter(~pl.col("significant")).max().alias("largest_other_diff"),
    )
    if more is None:
        return counts
    with working("resampling the queries"):
        found = more.collect()
    beside = counts.join(found, on=FAMILY, how="left", maintain_order="left")
    return beside.select(
        *FAMILY, "pairs", "significant", "more_than_first", "low", "high",
        "smallest_significant_diff", "largest_other_diff",
    )  # fmt: skip


# ---------------------------------------------------------------- all runs at once
def _print_letters(pairs: pl.DataFrame, named: list[str]) -> None:
    """Means, the best by the first measure first, with the letters of groups behind them."""
    rows = letters(pairs).collect()
    if rows["letters"].has_nulls():
        output.remark("runs fall into too many groups that do not differ to give each a letter")
        return
    index = [*named[:-1], "run"]
    mean = pl.col("mean").map_elements(lambda x: f"{x:.{DECIMALS}f}", pl.String)
    cells = rows.with_columns(cell=pl.format("{} {}", mean.fill_null(NONE), "letters"))
    print()
    output.table(
        output.wide(cells, index, "cell"),
        names=len(index),
        title="Means; runs with a letter in common do not differ significantly",
    )


def _matrices(pairs: pl.DataFrame, named: list[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    """For each set and measure, its title, and whether each run is better than each, or worse."""
    order = letters(pairs).collect()
    ways = [
        pairs.select(
            *FAMILY, "significant", run=f"run_{one}", other=f"run_{other}",
            better=pl.col("diff") * sign > 0,
        )
        for one, other, sign in (("a", "b", 1), ("b", "a", -1))
    ]  # fmt: skip
    arrow = pl.when("better").then(pl.lit(BETTER)).otherwise(pl.lit(WORSE))
    marks = pl.concat(ways).with_columns(
        mark=pl.when("significant").then(arrow).otherwise(pl.lit("="))
    )
    for (of, measure), runs in order.group_by(FAMILY, maintain_order=True):
        numbers = runs.select("run", number=pl.int_range(1, pl.len() + 1).cast(pl.String))
        wide = (
            marks.filter(set=of, measure=measure)
            .join(numbers.rename({"run": "other"}), on="other")
            .pivot("number", index="run", values="mark")
        )
        rows = numbers.join(wide, on="run", how="left", maintain_order="left").select(
            pl.format("{} {}", "number", "run").alias("run"),
            pl.col(numbers["number"].to_list()).fill_null(""),
        )
        what = ", ".join(str(part) for part in (of, measure)[-len(named) :])
        yield (
            f"{what}: significantly better ({BETTER}) or worse ({WORSE}) than the column's",
            rows,
        )
