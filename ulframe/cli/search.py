"""Search an index by BM25: the run of a file of queries, and, for a benchmark, what it scores.

  ulframe search movies.index queries.tsv -o run.parquet
  ulframe search cranfield.index cran.qry --numbered --k 1.2 --depth 100 -o run.txt
  ulframe search movies.index movies-benchmark.test.tsv -m P@3 Rprec AP
  echo 'films by kubrick' | ulframe search movies.index -

Queries may be TREC topics (<top>; --fields T, D and N choose title, description and narrative),
`id TAB text`, a benchmark (`query TAB relevant ids`; the query is its id), the SMART format (.I
.W), a table with query_id and text, or one a line (its number is the id). Without -o and -m the
run is printed as csv.
"""

from __future__ import annotations

import argparse

import polars as pl

from ulframe.cli import output
from ulframe.cli.options import add_force, add_metrics, add_safe_csv, columns_of
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.cli.reading import NUMBERS, add_reading, add_scoring
from ulframe.evaluation.evaluate import evaluate
from ulframe.evaluation.summarise import means
from ulframe.frames.errors import BadUsage
from ulframe.frames.files import File
from ulframe.frames.formats import BENCHMARK
from ulframe.frames.intake import spread
from ulframe.frames.second_look import explained
from ulframe.frames.sniff import sniff
from ulframe.frames.sources import scan_qrels
from ulframe.frames.write import convert, refuse_run
from ulframe.metrics.grammar import named
from ulframe.systems.bm25.scoring import BM25
from ulframe.systems.bm25.search import search, unanswered
from ulframe.systems.bm25.store import damage, open_index
from ulframe.systems.bm25.texts import numbered, scan_queries


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe search`."""
    add_metrics(parser)
    parser.add_argument("index", metavar="INDEX", help="what `ulframe index` wrote")
    parser.add_argument("queries", metavar="QUERIES", help="a file, glob or folder, or - for stdin")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write the run, in any format")
    add_force(parser)
    add_safe_csv(parser)
    parser.add_argument(
        "-m", dest="measures", metavar="MEASURE", nargs="+", action="extend",
        help="what is measured of the run against the benchmark that the queries came in",
    )  # fmt: skip
    parser.add_argument("--depth", type=int, default=1000, help="documents a query (default 1000)")
    parser.add_argument("--run", default="bm25", metavar="NAME", help="what the run is called")
    parser.add_argument(
        "--numbered", action="store_true",
        help="a query's id is its place in the file, as Cranfield's judgements count",
    )  # fmt: skip
    add_scoring(parser)
    add_reading(
        parser, fields="of the SMART format, by default W; of TREC topics T, D and N, by default T"
    )


def run(options: argparse.Namespace) -> None:
    """Search, write, measure or print."""
    scoring = BM25(**{number: getattr(options, number) for number in NUMBERS})
    measures = named(options.measures) if options.measures else None
    output.remark_on_names(measures or {})
    index = open_index(options.index)
    refuse_run(options.out, [options.index, options.queries], force=options.force)
    items = spread(options.queries)  # once: standard input cannot be read again
    qrels = _qrels(items, options) if measures else None
    with working("searching"):
        try:
            queries = scan_queries(
                items, columns=columns_of(options), fields=options.fields, kind=options.kind
            )
            queries = numbered(queries) if options.numbered else queries
            plan = search(index, queries, scoring, depth=options.depth, run=options.run)
            found, without = pl.collect_all([plan, unanswered(index, queries)])
        except pl.exceptions.PolarsError as error:
            raise damage(options.index) or explained(error, *items) from error
    if without.height:
        output.remark(f"queries without a word that the index knows: {without.height}")
    if options.out:
        made = provenance([options.queries], vars(options))
        convert(found, options.out, metadata=made)
    if measures and qrels is not None:
        summary = means(evaluate(qrels, found, measures)).collect()
        output.table(summary.select("run", "measure", "mean", "n_queries"))
    if not (options.out or measures):
        output.csv(found, options)


def _qrels(items: list, options: argparse.Namespace) -> pl.LazyFrame:  # type: ignore[type-arg]
    benchmarks = [item for item in items if isinstance(item, File) and sniff(item) is BENCHMARK]
    if options.numbered or len(benchmarks) < len(items):
        raise BadUsage(
            f"-m: {options.queries} is no benchmark (`query TAB relevant ids`); write the run with "
            "-o and measure it with `ulframe eval QRELS RUN`"
        )
    return scan_qrels(items)
