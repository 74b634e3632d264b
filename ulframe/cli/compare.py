"""Which runs differ significantly: every pair, or all against a baseline, query by query.

  ulframe compare qrels.txt run1.txt run2.txt -m nDCG@10
  ulframe compare scores.parquet -o pairs.parquet
  ulframe compare scores.parquet --test hsd --sets sets.parquet
  ulframe compare scores.parquet --test bootstrap --correction bh --baseline bm25

Tests: t (Student's, paired), bootstrap (studentised), randomisation, wilcoxon, sign; of all runs at
once hsd (Tukey's, for paired data) and randomised-hsd. `--sets` takes what `ulframe queries` wrote,
or any table of queries with attributes (language, length): each value is a set then.

The correction is for p only: the interval of a difference, ci_low to ci_high, is that of one pair
alone. Those of hsd and randomised-hsd hold for all pairs at once.

Printed are the means of each pair, their difference with its interval, p and the winner, if one is
significantly better; of three runs and more, means with letters: runs with one in common do not
differ. Many pairs are shown as a matrix. With --baseline there is a row per run.

Where there are too many pairs to print, how many each measure tells apart is printed: of t, sign
and hsd with `more_than_first`, how many more than the first measure, and the interval of that, low
to high at 95 %, by bootstrap over queries. Where it holds 0, neither measure has shown more power.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import polars as pl

from ulframe.analysis.corrections import CORRECTIONS
from ulframe.analysis.power_difference import power_difference, resampled_power
from ulframe.analysis.procedures import TESTS
from ulframe.analysis.retests import RETESTS
from ulframe.analysis.significance import ALPHA, RESAMPLES, SEED, compare, compared
from ulframe.analysis.transforms import TRANSFORMS
from ulframe.cli import output
from ulframe.cli.comparison import print_against, print_pairs
from ulframe.cli.elsewhere import add_flags_of_trec_eval
from ulframe.cli.options import (
    add_columns,
    add_metrics,
    add_runs,
    add_sets,
    add_undefined,
    add_writing,
    columns_of,
)
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.cli.scores import read_sets, remark_on_sets, scores_of, with_all
from ulframe.cli.words import add_words, asked
from ulframe.frames.write import refuse_table


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe compare`."""
    add_metrics(parser)
    add_words(parser, "SCORES... | QRELS RUN...")
    parser.add_argument("--test", choices=TESTS, default="t")
    parser.add_argument(
        "--correction", choices=CORRECTIONS, help="for testing many pairs (default: holm)"
    )
    parser.add_argument("--baseline", metavar="RUN", help="compare all others with this run only")
    add_runs(parser)
    add_sets(parser)
    add_columns(parser)
    parser.add_argument("--transform", choices=TRANSFORMS, default="none", help="of the scores")
    add_undefined(parser)
    parser.add_argument("--alpha", type=float, default=ALPHA, help="default %(default)s")
    parser.add_argument("--resamples", type=int, default=RESAMPLES, help="default %(default)s")
    parser.add_argument("--seed", type=int, default=SEED, help="default %(default)s")
    parser.add_argument("--format", choices=SHOW, default="table", help="of what is printed")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write all pairs to this table")
    add_writing(parser)
    add_flags_of_trec_eval(parser)


def run(options: argparse.Namespace) -> None:
    """Test, write, print."""
    given = asked(options)
    sources = [*given.files, *filter(None, [options.sets])]
    refuse_table(options.out, sources, force=options.force)
    read = scores_of(given, options.runs, columns_of(options))
    scores = TRANSFORMS[options.transform](read)
    sets = _read_sets(options.sets, read) if options.sets else None
    with working("comparing") as progress:
        pairs = compare(
            scores,
            sets=sets,
            test=options.test,
            correction=options.correction,
            baseline=options.baseline,
            undefined=options.undefined,
            alpha=options.alpha,
            resamples=options.resamples,
            seed=options.seed,
            progress=progress,
        ).collect()
        if options.out:
            made = provenance(sources, vars(options))
            output.write(pairs, options.out, options, made)
    _remark_on_queries(compared(scores, sets=sets, undefined=options.undefined).collect())
    _remark_on_resolution(pairs, options)
    named = ["set", "measure"] if options.sets else ["measure"]
    more = _more_than_first(scores, sets, pairs, options)
    SHOW[options.format](Shown(pairs, named, more, options))


def _read_sets(path: str, scores: pl.DataFrame) -> pl.LazyFrame:
    sets = read_sets(path)
    remark_on_sets(sets, scores)
    return with_all(sets, scores)


@dataclass(frozen=True)
class Shown:
    """What is printed; `named` are the columns that tell sets and measures apart."""

    pairs: pl.DataFrame
    named: list[str]
    more: pl.LazyFrame | None
    options: argparse.Namespace


def _remark_on_queries(sizes: pl.DataFrame) -> None:
    left_out = sizes.filter(pl.col("n_left_out") > 0)
    for name, measure, _, n, left in left_out.head(3).iter_rows():
        lacked = output.counted(left, "query")
        output.remark(f"{name}, {measure}: some run lacks {lacked}; compared: {n}")
    if left_out.height > 3:
        output.remark(f"... and so in other sets and measures: {left_out.height - 3}")
    for name, measure in sizes.filter(pl.col("n_queries") < 2).select("set", "measure").iter_rows():
        output.remark(f"{name}, {measure}: fewer than two queries that all runs have; not tested")


def _remark_on_resolution(pairs: pl.DataFrame, options: argparse.Namespace) -> None:
    """A p-value counted out of B resamples is 1 / (B + 1) at least: too coarse for many pairs."""
    family = max(pairs.group_by("set", "measure").len()["len"].to_list())
    finest = 1 / (options.resamples + 1)
    tests = pairs.filter(pl.col("p_value").is_between(finest * 0.99, finest * 1.01))
    if tests.height and not tests["significant"].any():
        output.remark(
            f"p-values of {options.resamples} resamples are too coarse for {family} pairs: take "
            f"--resamples {ceil(family / options.alpha)}, or a test of all runs at once"
        )


def _more_than_first(
    scores: pl.LazyFrame,
    sets: pl.LazyFrame | None,
    pairs: pl.DataFrame,
    options: argparse.Namespace,
) -> pl.LazyFrame | None:
    """How many more pairs than the first measure each of the others tells apart, if it is asked."""
    measures = pairs["measure"].unique(maintain_order=True)
    if options.test not in RETESTS or len(measures) < 2:
        return None
    powers = resampled_power(
        scores,
        test=options.test,
        correction=options.correction,
        baseline=options.baseline,
        sets=sets,
        undefined=options.undefined,
        alpha=options.alpha,
        seed=options.seed,
    )
    return (
        power_difference(powers)
        .filter(measure_a=measures[0])
        .select("set", "low", "high", measure="measure_b", more_than_first="difference")
    )


def _table(shown: Shown) -> None:
    if shown.options.baseline:
        print_against(shown.pairs, shown.named)
    else:
        print_pairs(shown.pairs, shown.named, shown.more)


SHOW: dict[str, Callable[[Shown], None]] = {
    "table": _table,
    "csv": lambda shown: output.csv(shown.pairs, shown.options),
    "json": lambda shown: output.json(shown.pairs),
}
