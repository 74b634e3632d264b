"""One report of an evaluation: a page to share, or its tables as text.

  ulframe report qrels.txt run1.txt run2.txt -o report.html
  ulframe report scores.parquet -o report.html
  ulframe report 'scores/*.parquet' --sets sets.parquet --title "Spring runs" -o report.html
  ulframe report scores.parquet --pairs pairs.parquet --baseline bm25 -o report.tex

The page is one file that needs no network: a leaderboard that sorts, the map of query types, which
filters the leaderboard by the queries selected in it, pairs of runs, query sets, missing and
undefined queries, and how the numbers were made. .md and .tex hold the tables, .csv the summary.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import polars as pl

from ulframe.cli.elsewhere import add_flags_of_trec_eval
from ulframe.cli.options import (
    add_columns,
    add_force,
    add_metrics,
    add_runs,
    add_sets,
    add_undefined,
    columns_of,
)
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.cli.scores import read_sets, remark_on_sets, scores_of
from ulframe.cli.words import add_words, asked
from ulframe.frames.errors import BadData
from ulframe.frames.files import files_at
from ulframe.frames.made import KEY, READERS, made

if TYPE_CHECKING:
    from ulframe.report.findings import Made


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe report`."""
    add_metrics(parser)
    add_words(parser, "SCORES... | QRELS RUN...")
    parser.add_argument("-o", dest="out", metavar="FILE", required=True,
                        help="the report: .html, .md, .tex or .csv")  # fmt: skip
    add_runs(parser)
    add_sets(parser)
    add_columns(parser)
    parser.add_argument("--pairs", metavar="FILE", help="what `ulframe compare -o` wrote")
    parser.add_argument("--baseline", metavar="RUN", help="mark what differs from this run")
    add_undefined(parser)
    add_force(parser)
    parser.add_argument("--title", help="of the page")
    add_flags_of_trec_eval(parser)


def run(options: argparse.Namespace) -> None:
    """Read, work out, write."""
    from ulframe.report.findings import find
    from ulframe.report.page import TITLE
    from ulframe.report.write import refuse_report, write_report  # loads Altair

    given = asked(options)
    sources = [*given.files, *filter(None, [options.sets, options.pairs])]
    refuse_report(options.out, sources, force=options.force)
    scores = scores_of(given, options.runs, columns_of(options))
    sets = read_sets(options.sets) if options.sets else None
    with working("reporting"):
        findings = find(
            scores,
            sets=sets,
            pairs=read_pairs(options.pairs) if options.pairs else None,
            undefined=options.undefined,
            baseline=options.baseline,
            made=[*footers(given.files), described(sources, options)],
        )
        write_report(
            findings,
            options.out,
            title=options.title or TITLE,
            metadata=provenance(sources, vars(options)),
        )
    if sets is not None:
        remark_on_sets(sets, scores)


def read_pairs(path: str) -> pl.DataFrame:
    """What `ulframe compare -o` wrote as parquet."""
    try:
        return pl.read_parquet(path, glob=False)
    except pl.exceptions.PolarsError as error:
        raise BadData(
            f"{path}: not parquet, which `ulframe compare -o pairs.parquet` writes"
        ) from error


# ---------------------------------------------------------------- how it was made
def footers(sources: Sequence[str]) -> list[Made]:
    """What the files among the sources tell that can."""
    paths = [Path(source) for source in sources if source != "-"]
    files = [Path(file.where) for path in paths for file in files_at(path).values()]
    return [
        {**cast("Made", told), "title": f"The scores in {file}"}
        for file in files
        if file.suffix in READERS and (told := made(file))
    ]


def described(sources: list[str], options: argparse.Namespace) -> Made:
    """This report itself, in the same form."""
    own: Made = json.loads(provenance(sources, vars(options))[KEY])
    return {
        "title": "This report",
        "inputs": own["inputs"],
        "versions": own["versions"],
        "options": own["options"],
    }
