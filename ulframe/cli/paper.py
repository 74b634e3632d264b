r"""The paper's Tables 2-21 and Figures 1-3 for any data sets, published values beside ours.

The paper: Shubhra Kanti Karmaker Santu and Dongji Feng, Joint Upper & Lower Bound Normalization for
IR Evaluation, 2022 (arXiv 2209.05007).

  ulframe eval qrels runs -m nDCG@{5,10,15,20,30} \
      'V2(SP(expectation=independent)@'{5,10,15,20,30}')' -o mq2007.parquet
  ulframe paper MQ2007=mq2007.parquet MQ2008=mq2008.parquet -o tables

Scores of DCG@k and SP(expectation=independent)@k are used, under any operator, at k = 5, 10, 15, 20
and 30. Each table is written as Markdown, LaTeX, CSV and HTML, each figure as HTML, SVG and PNG;
index.html shows them all, and says which could not be made, and why. MSLR-WEB30K and MQ2007 are the
paper's own data sets; others take the free places in order.

Pairs are tested by Student's t at 5 % without correction, on all queries, undefined scores as 0;
--test, --alpha, --undefined, --gap and --sample-queries do it otherwise. How many more pairs a
measure tells apart than the plain one stands below Tables 8 and 18, with a 95 % interval. Where the
publication contradicts itself is told at the end of index.html.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ulframe.analysis.procedures import TESTS
from ulframe.analysis.queries import GAPS
from ulframe.analysis.significance import ALPHA
from ulframe.cli import output
from ulframe.cli.options import add_columns, add_metrics, columns_of
from ulframe.cli.progress import working
from ulframe.cli.scores import read_scores
from ulframe.evaluation.summarise import UNDEFINED
from ulframe.frames.errors import BadUsage
from ulframe.frames.write import refuse_file


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe paper`."""
    add_metrics(parser)
    add_columns(parser)
    parser.add_argument("datasets", metavar="NAME=SCORES", nargs="+", help="a data set's scores")
    parser.add_argument("-o", dest="out", metavar="DIR", required=True, help="the folder to fill")
    parser.add_argument("--uninformative", type=int, metavar="N", help="size of that query set")
    parser.add_argument("--ideal", type=int, metavar="N", help="size of that query set")
    parser.add_argument("--test", choices=TESTS, default="t", help="of pairs (default: t)")
    parser.add_argument("--alpha", type=float, default=ALPHA, help="default %(default)s")
    parser.add_argument(
        "--undefined", choices=UNDEFINED, default="zero", help="take as 0, or leave the query out"
    )
    parser.add_argument(
        "--gap", choices=GAPS, default="absolute",
        help="uninformative queries: nearest to chance, or (signed) furthest below it",
    )  # fmt: skip
    parser.add_argument("--sample-queries", type=int, metavar="N", help="so many of each data set")
    parser.add_argument("--seed", type=int, default=0, help="of the sample; default %(default)s")


def run(options: argparse.Namespace) -> None:
    """Read, work out, write, say what is missing."""
    from ulframe.report.paper import write_book
    from ulframe.studies.paper import make_book  # loads Altair

    paths = named(options.datasets)
    for table in Path(options.out).glob("*.csv"):  # the one format that is both written and read
        refuse_file(table, paths.values())
    with working("making tables and figures"):
        book = make_book(
            {name: read_scores(path, columns=columns_of(options)) for name, path in paths.items()},
            uninformative_n=options.uninformative,
            ideal_n=options.ideal,
            test=options.test,
            alpha=options.alpha,
            undefined=options.undefined,
            gap=options.gap,
            sample_queries=options.sample_queries,
            seed=options.seed,
        )
        written = write_book(book, options.out)
    for one in book.missing:
        output.remark(f"{one.name} cannot be made: {one.why}")
    output.remark(
        f"{len(book.tables)} tables and {len(book.figures)} figures in {options.out} "
        f"({len(written)} files; see index.html)"
    )


def named(given: list[str]) -> dict[str, str]:
    """Paths by the names of data sets."""
    pairs = [text.partition("=") for text in given]
    for text, (name, equals, path) in zip(given, pairs, strict=True):
        if not (name and equals and path):
            raise BadUsage(f"{text}: write NAME=SCORES, as in MQ2007=scores.parquet")
    names = [name for name, _, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise BadUsage(f"the data set {twice[0]} is given twice")
    return {name: path for name, _, path in pairs}
