r"""Tune the numbers of BM25 on training queries, then measure the best once on test queries.

  ulframe tune cran.index queries.tsv qrels.txt --train train.txt --test test.txt
  ulframe tune movies.index 'bench.*.tsv' 'bench.*.tsv' --train bench.train.tsv \
      --test bench.test.tsv -m AP P@3 Rprec --chart curve.html
  ulframe tune corpus.index queries.tsv qrels.txt --train train.txt --test test.txt \
      --k 1.2 --b 0.4 0.75 --log-prior 0 0.5 1 2

Every combination of the numbers given is tried; the first measure chooses, all are measured on the
test queries. A set of queries is a file with an id a line, a table with query_id, or a benchmark.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import asdict

import polars as pl

from ulframe.cli import output
from ulframe.cli.options import add_metrics, add_writing, columns_of
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.cli.reading import NUMBERS, add_reading, option
from ulframe.evaluation.summarise import summarise
from ulframe.frames.second_look import explained
from ulframe.frames.write import refuse_table
from ulframe.metrics.grammar import named
from ulframe.report.pictures import ENDINGS, refuse_picture, save_chart
from ulframe.systems.bm25.heatmap import heatmap
from ulframe.systems.bm25.scoring import BM25
from ulframe.systems.bm25.store import damage, open_index
from ulframe.systems.bm25.texts import numbered, scan_queries
from ulframe.systems.bm25.tuning import B, K, Tuned, at_edge, grid, tune


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe tune`."""
    add_metrics(parser)
    parser.add_argument("index", metavar="INDEX", help="what `ulframe index` wrote")
    parser.add_argument("queries", metavar="QUERIES", help="training and test queries")
    parser.add_argument("qrels", metavar="QRELS", help="judgements of both, or a benchmark")
    parser.add_argument("--train", required=True, metavar="SET", help="the queries to tune on")
    parser.add_argument("--test", required=True, metavar="SET", help="the queries to measure once")
    parser.add_argument(
        "-m", dest="measures", metavar="MEASURE", nargs="+", action="extend",
        help="the first one chooses (default AP)",
    )  # fmt: skip
    given = {"k": K, "b": B}
    for number, says in NUMBERS.items():
        tried = given.get(number, (0.0,))
        says = f"{says} (default {' '.join(f'{value:g}' for value in tried)})"
        parser.add_argument(option(number), type=float, nargs="+", default=tried, help=says)
    parser.add_argument("--depth", type=int, default=1000, help="documents a query (default 1000)")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write the test queries' scores")
    add_writing(parser)
    parser.add_argument("--curve", metavar="FILE", help="write the training curve to this table")
    parser.add_argument("--chart", metavar="FILE", help=f"draw it over k and b ({ENDINGS})")
    parser.add_argument("--numbered", action="store_true", help="as in `ulframe search`")
    add_reading(
        parser, fields="of the SMART format, by default W; of TREC topics T, D and N, by default T"
    )


def run(options: argparse.Namespace) -> None:
    """Tune, write, print."""
    sources = [options.index, options.queries, options.qrels, options.train, options.test]
    refuse_table(options.out, sources, force=options.force)
    refuse_table(options.curve, sources, force=options.force)
    refuse_picture(options.chart, sources)
    with working("tuning"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            tuned = _tuned(options)
            scores, coverage = pl.collect_all([tuned.test.scores, tuned.test.coverage])
        except pl.exceptions.PolarsError as error:
            raise damage(options.index) or explained(error, *sources[1:]) from error
    for warning in caught:
        output.remark("warning: " + str(warning.message))
    made = provenance(sources, vars(options) | {"best": asdict(tuned.best)}, coverage)
    if options.curve:
        output.write(tuned.curve, options.curve, options, made)
    if options.chart:
        save_chart(heatmap(tuned.curve), options.chart)
    if options.out:
        output.write(scores, options.out, options, made)
    best = " ".join(f"{option(name)} {value:g}" for name, value in asdict(tuned.best).items())
    tried, measure = tuned.curve["mean"].to_list(), tuned.curve["measure"][0]
    output.remark(f"best of {len(tried)} on the training queries: {measure} {max(tried):.4f}")
    output.remark(best)
    for number, edge in at_edge(tuned.best, _scorings(options)).items():
        output.remark(f"{option(number)} is the {edge} that was tried: beyond it may be better")
    summary = summarise(scores, coverage=coverage.lazy()).collect()
    output.table(summary.select("measure", "mean", "ci_low", "ci_high", "n_queries", "n_missing"))


def _scorings(options: argparse.Namespace) -> list[BM25]:
    return grid(**{number: getattr(options, number) for number in NUMBERS})


def _tuned(options: argparse.Namespace) -> Tuned:
    queries = scan_queries(
        options.queries, columns=columns_of(options), fields=options.fields, kind=options.kind
    )
    measures = named(options.measures or ["AP"])
    output.remark_on_names(measures)
    return tune(
        open_index(options.index),
        numbered(queries) if options.numbered else queries,
        options.qrels,
        train=options.train,
        test=options.test,
        scorings=_scorings(options),
        measures=measures,
        depth=options.depth,
    )
