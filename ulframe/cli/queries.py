"""Sort queries by what systems reach on them, and what a random ranking is expected to.

  ulframe queries scores.parquet --uninformative 500 --ideal 500 -o sets.parquet
  ulframe queries scores.parquet -m nDCG@5 nDCG@10 --preset mq2007 -o sets.parquet
  ulframe compare scores.parquet --sets sets.parquet

For each query, real is the mean over runs and measures of the value divided by the best possible,
expected that of the expectation. The sets: uninformative, the N queries where the two are nearest;
ideal, the N where real is furthest above; hard and easy, the uninformative ones where both are low
or both are high; distractive, where real is below; informative, neither uninformative nor
distractive; and all. Queries with nothing relevant are in `all` only.
"""

from __future__ import annotations

import argparse

import polars as pl

from ulframe.analysis.queries import HIGH, LOW, PAPER_SIZES, SETS, query_sets, real_and_expected
from ulframe.cli import output
from ulframe.cli.options import add_chosen, add_columns, add_writing, columns_of
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.cli.scores import read_scores
from ulframe.frames.errors import BadUsage
from ulframe.frames.write import refuse_table


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe queries`."""
    parser.add_argument("scores", metavar="SCORES", help="what `ulframe eval -o` wrote")
    parser.add_argument("--uninformative", type=int, metavar="N", help="size of that set")
    parser.add_argument("--ideal", type=int, metavar="N", help="size of that set")
    parser.add_argument(
        "--preset", choices=PAPER_SIZES, help="the paper's sizes: 1,000 for mslr, else 500"
    )
    add_chosen(parser)
    add_columns(parser)
    parser.add_argument(
        "--low", type=float, default=LOW, help="hard: both at most this (default %(default)s)"
    )
    parser.add_argument(
        "--high", type=float, default=HIGH, help="easy: both at least this (default %(default)s)"
    )
    parser.add_argument(
        "--include-undefined", action="store_true",
        help="take queries with nothing relevant as 0 and 0, which makes them uninformative",
    )  # fmt: skip
    parser.add_argument("-o", dest="out", metavar="FILE", help="write the sets to this table")
    add_writing(parser)


def run(options: argparse.Namespace) -> None:
    """Read, sort, write, print."""
    sizes = [
        PAPER_SIZES.get(options.preset or "") if given is None else given
        for given in (options.uninformative, options.ideal)
    ]
    if None in sizes:
        raise BadUsage("how large are the sets? Give --uninformative N and --ideal N, or --preset")
    uninformative_n, ideal_n = (size or 0 for size in sizes)
    refuse_table(options.out, [options.scores], force=options.force)
    scores = read_scores(options.scores, options.runs, options.measures, columns_of(options))
    with working("sorting queries"):
        queries = real_and_expected(scores, include_undefined=options.include_undefined).collect()
        sets = query_sets(
            queries.lazy(),
            uninformative_n=uninformative_n, ideal_n=ideal_n, low=options.low, high=options.high,
        ).collect()  # fmt: skip
        if options.out:
            made = provenance([options.scores], vars(options))
            output.write(sets, options.out, options, made)
    _remark(queries["gap"], max(uninformative_n, ideal_n))
    if empty := [name for name in SETS if name not in sets["set"]]:
        output.remark(f"no query is in {', '.join(empty)}")
    output.table(
        sets.group_by("set", maintain_order=True).agg(
            pl.len().alias("queries"),
            pl.col("real", "expected").mean(),
            pl.col("gap").min().alias("smallest_gap"),
            pl.col("gap").max().alias("largest_gap"),
        )
    )


def _remark(gap: pl.Series, asked: int) -> None:
    undefined = gap.null_count()
    if undefined:
        queries = output.counted(undefined, "query")
        output.remark(f"in the set 'all' only, for having nothing relevant: {queries}")
    if asked > len(gap) - undefined:
        output.remark(f"a set of {asked} was asked for, but only {len(gap) - undefined} can be in")
