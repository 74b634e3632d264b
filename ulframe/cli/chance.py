"""Compare runs with random rankings: which are better than chance, and on how many queries.

  ulframe chance qrels.txt run.txt -m DCG@10 AP
  ulframe chance qrels.parquet runs/*.gz -m nDCG@10 -o queries.parquet
  ulframe chance qrels.txt run.txt -m ERR@20 --draws 100000 --seed 1

For each run and measure: z, the sum over queries of the value less what a random ranking is
expected to score, in standard deviations of that sum; its one-sided p-value; and n_beyond, the
queries on which the run is beyond chance after Benjamini and Hochberg's correction. -o writes, for
every run, query and measure, P(random >= value) and what it comes from. P is exact where the value
follows from a count or from the first relevant document, or where rankings are few; otherwise it is
counted out of --draws seeded random rankings.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

import polars as pl

from ulframe.analysis.against_chance import (
    ALPHA,
    DRAWS,
    FINER,
    SEED,
    against_chance,
    compared_with_chance,
)
from ulframe.cli import output
from ulframe.cli.options import add_metrics, add_pool, add_writing, count
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.evaluation.evaluate import QUERIES
from ulframe.evaluation.ranking import TIES
from ulframe.frames.second_look import explained
from ulframe.frames.sources import scan_qrels, scan_runs
from ulframe.frames.write import refuse_table
from ulframe.metrics.grammar import named
from ulframe.metrics.measure import Measure

FEW = 10  # runs that are named for being no better than chance


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe chance`."""
    add_metrics(parser)
    parser.add_argument("qrels", metavar="QRELS", help="judgements")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="files, globs or folders of runs")
    parser.add_argument(
        "-m", dest="measures", metavar="MEASURE", nargs="+", action="extend", required=True,
        help="such as DCG@10 or AP; an operator that grows with the metric changes nothing",
    )  # fmt: skip
    parser.add_argument("-o", dest="out", metavar="FILE", help="write all queries to this table")
    add_writing(parser)
    parser.add_argument("--format", choices=SHOW, default="table", help="of what is printed")
    parser.add_argument(
        "--queries", choices=QUERIES, default="qrels",
        help="all of the qrels (a missing one scores 0), or those that the run has too",
    )  # fmt: skip
    add_pool(parser)
    parser.add_argument("--depth", type=count, metavar="N", help="read N documents a query")
    parser.add_argument("--ties", choices=TIES, default="score", help="by doc_id, or as they stand")
    parser.add_argument("--alpha", type=float, default=ALPHA, help="default %(default)s")
    parser.add_argument("--draws", type=int, default=DRAWS, help="default %(default)s")
    parser.add_argument("--seed", type=int, default=SEED, help="default %(default)s")


def run(options: argparse.Namespace) -> None:
    """Compare, write, print."""
    measures = named(options.measures)
    compared = compared_with_chance(measures)
    sources = [options.qrels, *options.runs]
    refuse_table(options.out, sources, force=options.force)
    how = {name: getattr(options, name) for name in ("queries", "pool", "ties", "depth")}
    how |= {name: getattr(options, name) for name in ("draws", "seed", "alpha")}
    with working("drawing random rankings") as progress:
        try:
            qrels, runs = scan_qrels(options.qrels), scan_runs(options.runs)
            found = against_chance(qrels, runs, options.measures, progress=progress, **how)
            queries, by_run, coverage = pl.collect_all([found.queries, found.runs, found.coverage])
        except pl.exceptions.PolarsError as error:
            raise explained(error, options.qrels, options.runs) from error
        if options.out:
            made = provenance(sources, vars(options), coverage)
            output.write(queries, options.out, options, made)
    output.remark_on_coverage(coverage)
    _remark_on_operators(measures, compared)
    _remark_on_resolution(queries, options.draws)
    SHOW[options.format](by_run, options)
    _remark_on_runs(by_run, options.alpha)


def _remark_on_operators(asked: Mapping[str, Measure], compared: Mapping[str, Measure]) -> None:
    """Which metric is compared where an operator was asked for."""
    for name, measure in asked.items():
        if name not in compared:
            output.remark(f"{name} orders rankings as {measure.base} does, which is compared")


def _remark_on_resolution(queries: pl.DataFrame, draws: int) -> None:
    """How p-values were had, and how small they can be."""
    tested = queries.drop_nulls("p_value")
    exact, finer = tested["draws"].null_count(), tested.filter(pl.col("draws") > draws).height
    simulated = tested.height - exact - finer
    alike = queries.height - tested.height
    if alike:
        output.remark(f"every ranking scores the same, so not tested: {alike}")
    if exact:
        output.remark(f"exact: {output.counted(exact, 'p-value')}")
    for number, many in ((simulated, draws), (finer, FINER * draws)):
        if number:
            counted = output.counted(number, "p-value")
            output.remark(f"of {many} draws, so {1 / (1 + many):.2g} at least: {counted}")


def _remark_on_runs(by_run: pl.DataFrame, alpha: float) -> None:
    """Which runs are not better than chance."""
    for (measure,), rows in by_run.group_by("measure", maintain_order=True):
        names = rows.filter(~pl.col("better").fill_null(False))["run"].to_list()
        if names:
            shown = ", ".join(names[:FEW]) + (", ..." if len(names) > FEW else "")
            output.remark(f"{measure}: not better than chance at {alpha:g}: {shown}")


# ---------------------------------------------------------------- printing
def _table(by_run: pl.DataFrame) -> None:
    yes = pl.when("better").then(pl.lit("yes")).otherwise(pl.lit(""))
    output.table(by_run.with_columns(output.p_values(by_run["p_value"]), better=yes))


SHOW: dict[str, Callable[[pl.DataFrame, argparse.Namespace], None]] = {
    "table": lambda rows, options: _table(rows),
    "csv": output.csv,
    "json": lambda rows, options: output.json(rows),
}
