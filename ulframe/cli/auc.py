r"""AUC of recommenders and classifiers: how often what is relevant is scored above what is not.

  ulframe auc qrels.txt run.txt
  ulframe auc ratings.csv predictions.csv --rel 4 --per-query

Printed are the mean over queries weighted by their documents (GAUC), the plain mean, and the AUC of
all documents together; z is how many standard deviations GAUC is above chance, 1/2. Equal scores
count half. Judged documents that a run did not score are tied below all others.
"""

from __future__ import annotations

import argparse

import polars as pl

from ulframe.cli import output
from ulframe.cli.coverage import remark_on_queries
from ulframe.cli.options import add_columns, add_writing, columns_of
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.evaluation.auc import auc, summarise_auc
from ulframe.frames.mapping import scan_both
from ulframe.frames.second_look import explained
from ulframe.frames.write import refuse_table


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe auc`."""
    parser.add_argument("qrels", metavar="QRELS", help="judgements, or what was clicked or rated")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="files, globs or folders")
    parser.add_argument(
        "--rel", type=float, default=1, help="the least label that is relevant (default 1)"
    )
    parser.add_argument("--per-query", action="store_true", help="print every query, as csv")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write every query to this table")
    add_writing(parser)
    add_columns(parser)


def run(options: argparse.Namespace) -> None:
    """Compute, write, print."""
    sources = [options.qrels, *options.runs]
    refuse_table(options.out, sources, force=options.force)
    with working("counting pairs"):
        try:
            qrels, runs = scan_both(options.qrels, options.runs, columns_of(options) or None)
            remark_on_queries(qrels, runs)
            plans = [one(qrels, runs, rel=options.rel) for one in (auc, summarise_auc)]
            found, summary = pl.collect_all(plans)
        except pl.exceptions.PolarsError as error:
            raise explained(error, *sources) from error
    _remark_on_missing(found)
    if options.out:
        output.write(found, options.out, options, provenance(sources, vars(options)))
    if options.per_query:
        output.csv(found, options)
    else:
        output.table(summary)


def _remark_on_missing(found: pl.DataFrame) -> None:
    """Say of which runs judged documents have no score."""
    missing = found.group_by("run", maintain_order=True).agg(
        missing=(pl.col("documents") - pl.col("returned")).sum(), of=pl.col("documents").sum()
    )
    for name, count, of in missing.filter(pl.col("missing") > 0).head(output.FEW).iter_rows():
        output.remark(f"run {name!r} has no score for {count} of {of} judged: they are below all")
