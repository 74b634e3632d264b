"""Can the judgements carry this comparison? What scores and winners could be, were all judged.

  ulframe holes qrels.txt run1.txt run2.txt -m nDCG@10 P@10
  ulframe holes qrels.txt runs/*.gz -m AP --depth 100 --judge next.csv
  ulframe holes qrels.txt runs/ -m P@10 --baseline bm25 --labels 0 1 -o ranges.parquet

New systems return what nobody judged. A filling gives each such document a label, by default 0 to
the highest of the qrels; what no run returned stays not relevant. Of each run: the share judged
down to several ranks; today's score, the lowest and the highest over all fillings, and that of the
judged documents alone (condensed). Of each pair: whether the better one stays so over all fillings,
both filled alike (?: not known), and in which share of random fillings. --judge writes which
documents, judged next, tell the runs apart soonest: query_id, doc_id, influence, best first.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

import polars as pl

from ulframe.cli import output
from ulframe.cli.evaluating import measures_of, qrels_and_runs
from ulframe.cli.options import add_columns, add_metrics, add_writing, columns_of, count
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance, read_beside
from ulframe.cli.words import DEFAULT, add_words, asked
from ulframe.frames.mapping import scan_both
from ulframe.frames.second_look import explained
from ulframe.frames.write import refuse_table

if TYPE_CHECKING:
    from ulframe.analysis.unjudged import Holes

SHOWN = 30  # pairs that are printed one by one


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe holes`."""
    add_metrics(parser)
    add_words(parser, "QRELS RUN...")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write each query's range here")
    parser.add_argument("--judge", metavar="FILE", help="write what to judge next to this table")
    add_writing(parser)
    parser.add_argument("--format", choices=SHOW, default="table", help="of what is printed")
    parser.add_argument("--baseline", metavar="RUN", help="compare all others with this run only")
    parser.add_argument(
        "--labels", type=float, nargs="+", metavar="LABEL",
        help="what an unjudged document may have (default: 0 to the highest of the qrels)",
    )  # fmt: skip
    parser.add_argument("--depth", type=count, metavar="N", help="read N documents a query")
    parser.add_argument("--draws", type=count, default=200, help="default %(default)s")
    parser.add_argument("--seed", type=int, default=0, help="default %(default)s")
    add_columns(parser)


def run(options: argparse.Namespace) -> None:
    """Work out, write, print."""
    from ulframe.analysis.unjudged import holes

    given = asked(options)
    measures = measures_of(given.measures)
    qrels_at, runs_at = qrels_and_runs(given.files)
    for path in (options.out, options.judge):
        refuse_table(path, given.files, force=options.force)
    if options.out or options.judge:
        read_beside(given.files)
    how = {
        name: getattr(options, name) for name in ("baseline", "labels", "depth", "draws", "seed")
    }
    with working("trying fillings") as progress:
        try:
            qrels, runs = scan_both(qrels_at, runs_at, columns_of(options))
            found = holes(qrels, runs, measures, progress=progress, **how)
        except pl.exceptions.PolarsError as error:
            raise explained(error, qrels_at, runs_at) from error
        made = provenance(given.files, vars(options)) if options.out or options.judge else {}
        for path, table in ((options.out, found.queries), (options.judge, found.documents)):
            if path:
                output.write(table, path, options, made)
    if not given.measures:
        output.remark(f"no measure is named (-m), so these are taken: {', '.join(DEFAULT)}")
    _remark(found)
    SHOW[options.format](found, options)


def _remark(found: Holes) -> None:
    labels = ", ".join(f"{label:g}" for label in found.labels)
    output.remark(f"unjudged documents may have the labels {labels}; those not returned have 0")
    for name in found.runs.filter(~pl.col("exact"))["measure"].unique(maintain_order=True):
        output.remark(
            f"{name}: of many labels and documents, its lowest and highest are bounds, marked ~; "
            "with two labels they are exact"
        )


def _table(found: Holes) -> None:
    judged = found.judged.with_columns(at=pl.lit("judged@") + pl.col("depth").cast(pl.String))
    wide = judged.pivot("at", index="run", values="judged", maintain_order=True)
    many = found.runs.group_by("run").agg(pl.col("unjudged").first())
    output.table(wide.join(many, on="run", how="left", maintain_order="left"))
    print()
    mark = pl.when("exact").then(pl.lit("")).otherwise(pl.lit("~"))
    shown = found.runs.with_columns(bounds=mark).drop("unjudged", "exact")
    output.table(shown.drop("bounds") if found.runs["exact"].all() else shown, names=2)
    if found.pairs.is_empty():
        return
    print()
    says = pl.when("holds").then(pl.lit("yes")).when(~pl.col("holds")).then(pl.lit("no"))
    pairs = found.pairs.with_columns(holds=says.otherwise(pl.lit("?")))
    if pairs.height <= SHOWN:
        output.table(pairs, names=2)
        return
    ways = [pl.col("holds").eq(word).sum().alias(word) for word in ("yes", "no", "?")]
    names = {"yes": "hold", "no": "do not", "?": "not known"}
    sure = (pl.col("share").is_between(0.05, 0.95)).sum().alias("share of .05 to .95")
    counted = pairs.group_by("measure", maintain_order=True).agg(
        pl.len().alias("pairs"), *ways, sure
    )
    output.table(counted.rename(names))


def _csv(found: Holes, options: argparse.Namespace) -> None:
    output.csv(found.pairs if found.pairs.height else found.runs, options)


SHOW: dict[str, Callable[[Holes, argparse.Namespace], None]] = {
    "table": lambda found, options: _table(found),
    "csv": _csv,
    "json": lambda found, options: output.json(found.runs),
}
