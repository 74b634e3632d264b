r"""What users gain and spend on their way down rankings, by the C/W/L framework.

  ulframe users qrels.txt run.txt
  ulframe users qrels.txt bm25.run dense.run -m 'INST(T=2)' 'BPM(T=2,K=10)' 'RBP(p=0.8)'
  ulframe users qrels.txt run.txt -m 'SDCG(k=10)' --highest 3 --per-query -o users.parquet

A user is the chance of going on to the next rank: P(k) RBP(p) SDCG(k) RR AP INSQ(T) INST(T)
BPM(T,K) NERR8(k) NERR9(k) NERR10(p) NERR11(T). Printed are the expected gain and cost, of a
document seen and in all, the documents seen, and the residual: how much more a document seen would
gain if all that is not judged were the best.
"""

from __future__ import annotations

import argparse

import polars as pl

from ulframe.cli import output
from ulframe.cli.coverage import remark_on_queries
from ulframe.cli.options import add_columns, add_writing, columns_of, count
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.evaluation.walks import MEASURED, highest_label, walk
from ulframe.frames.mapping import scan_both
from ulframe.frames.second_look import explained
from ulframe.frames.write import refuse_table

DEFAULT = ("P(k=10)", "RBP(p=0.8)", "SDCG(k=10)", "RR", "INST(T=1)")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe users`."""
    parser.add_argument("qrels", metavar="QRELS", help="judgements")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="files, globs or folders")
    parser.add_argument(
        "-m", dest="users", metavar="USER", nargs="+", default=DEFAULT,
        help=f"users with their settings (default {' '.join(DEFAULT)})",
    )  # fmt: skip
    parser.add_argument(
        "--highest", type=float, metavar="LABEL", help="what gains 1 (default: the highest there)"
    )
    parser.add_argument("--costs", metavar="FILE", help="a table of doc_id, cost (default 1 each)")
    parser.add_argument("--dearest", type=float, default=1.0, help="cost where it has none")
    parser.add_argument("--cheapest", type=float, default=1.0, help="the least that may be")
    parser.add_argument(
        "--depth", type=count, default=1000, help="ranks that there are (default 1000)"
    )
    parser.add_argument("--per-query", action="store_true", help="print every query, as csv")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write every query to this table")
    add_writing(parser)
    add_columns(parser)


def run(options: argparse.Namespace) -> None:
    """Walk, write, print."""
    sources = [options.qrels, *options.runs, *filter(None, [options.costs])]
    refuse_table(options.out, sources, force=options.force)
    with working("walking"):
        try:
            qrels, runs = scan_both(options.qrels, options.runs, columns_of(options) or None)
            remark_on_queries(qrels, runs)
            found = walk(
                qrels, runs, options.users, highest=options.highest, costs=options.costs,
                dearest=options.dearest, cheapest=options.cheapest, depth=options.depth,
            ).collect()  # fmt: skip
        except pl.exceptions.PolarsError as error:
            raise explained(error, *sources) from error
    if options.highest is None and (most := highest_label(qrels)) > 1:
        output.remark(
            f"label {most:g} gains 1, the highest that there is; --highest says otherwise"
        )
    if options.out:
        output.write(found, options.out, options, provenance(sources, vars(options)))
    if options.per_query:
        output.csv(found, options)
        return
    shown = [*MEASURED, "residual_utility"]
    means = found.group_by("run", "user", maintain_order=True).agg(pl.col(shown).mean())
    output.remark(f"means over {output.counted(found['query_id'].n_unique(), 'query')}")
    output.table(means, names=2)
