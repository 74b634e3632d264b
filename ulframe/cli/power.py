"""Tell how many queries a comparison takes, and how small a difference today's queries can find.

  ulframe power scores.parquet
  ulframe power scores.parquet --baseline bm25 -m nDCG@10 "V2(DCG@10)"
  ulframe power qrels.txt run1.txt run2.txt -m nDCG@10 --chart power.svg -o needs.parquet

By the two-sided paired t-test, from the differences query by query. For each pair, or each run and
the baseline: the difference, the queries that find one of its size with the power asked for, the
smallest difference that today's queries find, and the chance that they find this one. Of many
pairs, medians by measure, and how many times the queries of the first measure each takes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import polars as pl

from ulframe.analysis.sample_size import ALPHA, POWER, needs_compared, sample_size
from ulframe.cli import output
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
from ulframe.cli.scores import read_sets, remark_on_sets, scores_of
from ulframe.cli.words import add_words, asked
from ulframe.frames.write import refuse_table
from ulframe.report.pictures import ENDINGS, refuse_picture, save_chart

SHOWN = 30  # pairs that are printed one by one
FAMILY = ["set", "measure"]


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe power`."""
    add_metrics(parser)
    add_words(parser, "SCORES... | QRELS RUN...")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write all pairs to this table")
    add_writing(parser)
    parser.add_argument("--format", choices=SHOW, default="table", help="of what is printed")
    parser.add_argument("--baseline", metavar="RUN", help="compare all others with this run only")
    parser.add_argument("--power", type=float, default=POWER, help="default %(default)s")
    parser.add_argument("--alpha", type=float, default=ALPHA, help="default %(default)s")
    parser.add_argument("--chart", metavar="FILE", help=f"a curve by measure: {ENDINGS}")
    add_runs(parser)
    add_sets(parser)
    add_columns(parser)
    add_undefined(parser)


def run(options: argparse.Namespace) -> None:
    """Read, work out, write, print."""
    given = asked(options)
    sources = [*given.files, *filter(None, [options.sets])]
    refuse_table(options.out, sources, force=options.force)
    refuse_picture(options.chart, sources)
    scores = scores_of(given, options.runs, columns_of(options))
    sets = read_sets(options.sets) if options.sets else None
    levels = {"alpha": options.alpha, "power": options.power}
    with working("working out power"):
        needs = sample_size(
            scores, baseline=options.baseline, sets=sets, undefined=options.undefined, **levels
        ).collect()
    if options.out:
        output.write(needs, options.out, options, provenance(sources, vars(options)))
    if options.chart:
        from ulframe.report.charts.needs import needs_curves  # loads Altair

        save_chart(needs_curves(needs, **levels), options.chart)
    if sets is not None:
        remark_on_sets(sets, scores)
    _remark(needs, options)
    SHOW[options.format](needs, options)


def _remark(needs: pl.DataFrame, options: argparse.Namespace) -> None:
    n = needs["n_queries"].unique().sort().to_list()
    queries = output.counted(n[0], "query") if len(n) == 1 else f"{n[0]} to {n[-1]} queries"
    output.remark(f"{queries}; two-sided paired t at {options.alpha:g}, power {options.power:g}")
    if alike := needs["needed"].null_count():
        output.remark(f"no number of queries tells {output.counted(alike, 'pair')} apart")


def _table(needs: pl.DataFrame, options: argparse.Namespace) -> None:
    named = [name for name in FAMILY if needs[name].n_unique() > 1 or name == "measure"]
    if needs.height <= SHOWN:
        shown = needs.select(
            *named, "run_a", "run_b", "diff", "sd", "needed", "detectable", "power"
        )
        output.table(shown, names=len(named) + 2)
    if needs["measure"].n_unique() > 1 or needs.height > SHOWN:
        reference = needs["measure"][0]
        medians = needs_compared(needs, reference).collect()
        output.table(medians.drop([name for name in FAMILY if name not in named]), names=len(named))
        output.remark(f"medians over pairs; times: the queries of {reference} that a measure takes")


SHOW: dict[str, Callable[[pl.DataFrame, argparse.Namespace], None]] = {
    "table": _table,
    "csv": output.csv,
    "json": lambda needs, options: output.json(needs),
}
