"""List the measures, or explain one: its formula, range, parameters, source and other names.

ulframe measures
ulframe measures nDCG
ulframe measures recip_rank V2
"""

from __future__ import annotations

import argparse
from textwrap import fill

from ulframe.cli import output
from ulframe.cli.options import add_metrics
from ulframe.metrics.explain import WIDTH, explain, listing


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `ulframe measures` takes."""
    add_metrics(parser)
    parser.add_argument("names", metavar="NAME", nargs="*", help="what to explain; all are listed")


def run(options: argparse.Namespace) -> None:
    """Print the list, or a page for each name."""
    if options.names:
        print("\n\n".join([explain(name) for name in options.names]))
        return
    for measure, what in listing().select("measure", "what").iter_rows():
        print(fill(f"{measure:<14}{what}", WIDTH, subsequent_indent=" " * 14))
    output.remark("`ulframe measures NAME` explains one; trec_eval's and ir_measures' names do too")
