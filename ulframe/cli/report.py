"""One report of an evaluation: a page to share, or its tables as text.

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
from typing import TYPE_CHECKING

import polars as pl

from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.cli.scores import read_scores, read_sets, remark_on_sets
from ulframe.evaluation.summarise import UNDEFINED
from ulframe.frames.errors import BadData
from ulframe.frames.sources import spread

if TYPE_CHECKING:
    from ulframe.report.findings import Made


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe report`."""
    parser.add_argument("scores", metavar="SCORES", help="what `ulframe eval -o` wrote, or a glob")
    parser.add_argument("-o", dest="out", metavar="FILE", required=True,
                        help="the report: .html, .md, .tex or .csv")  # fmt: skip
    parser.add_argument("-m", dest="measures", nargs="+", metavar="MEASURE", help="only these")
    parser.add_argument("--runs", nargs="+", metavar="RUN", help="only these")
    parser.add_argument("--sets", metavar="FILE", help="query sets, or attributes of queries")
    parser.add_argument("--pairs", metavar="FILE", help="what `ulframe compare -o` wrote")
    parser.add_argument("--baseline", metavar="RUN", help="mark what differs from this run")
    parser.add_argument(
        "--undefined", choices=UNDEFINED, default="zero",
        help="what a mean makes of a query where the measure is undefined",
    )  # fmt: skip
    parser.add_argument("--title", help="of the page")


def run(options: argparse.Namespace) -> None:
    """Read, work out, write."""
    from ulframe.report.findings import find
    from ulframe.report.page import TITLE
    from ulframe.report.write import refuse_report, write_report  # loads Altair

    sources = [source for source in (options.scores, options.sets, options.pairs) if source]
    refuse_report(options.out, sources)
    scores = read_scores(options.scores, options.runs, options.measures)
    sets = read_sets(options.sets) if options.sets else None
    if len(spread(options.scores)) > 1:
        scores = in_natural_order(scores)
    with working("reporting"):
        findings = find(
            scores,
            sets=sets,
            pairs=read_pairs(options.pairs) if options.pairs else None,
            undefined=options.undefined,
            baseline=options.baseline,
            made=[*footers(options.scores), described(sources, options)],
        )
        write_report(findings, options.out, title=options.title or TITLE)
    if sets is not None:
        remark_on_sets(sets, scores)


def in_natural_order(scores: pl.DataFrame) -> pl.DataFrame:
    """Order the measures of several files by name, operator, then cutoff as a number."""
    from ulframe.report.families import natural_order

    order = natural_order(scores["measure"].unique().to_list())
    place = pl.col("measure").replace_strict({name: at for at, name in enumerate(order)})
    return scores.sort("run", "query_id", place, maintain_order=True)


def read_pairs(path: str) -> pl.DataFrame:
    """What `ulframe compare -o` wrote as parquet."""
    try:
        return pl.read_parquet(path, glob=False)
    except pl.exceptions.PolarsError as error:
        raise BadData(
            f"{path}: not parquet, which `ulframe compare -o pairs.parquet` writes"
        ) from error


# ---------------------------------------------------------------- how it was made
def footers(source: str) -> list[Made]:
    """What the footers of the parquet files among the sources tell."""
    found: list[Made] = []
    for file in spread(source):
        if str(file.where).endswith(".parquet"):
            footer = pl.read_parquet_metadata(file.where).get("ulframe")
            if footer:
                made: Made = json.loads(footer)
                found.append({**made, "title": f"The scores in {file.where}"})
    return found


def described(sources: list[str], options: argparse.Namespace) -> Made:
    """This report itself, in the same form."""
    made: Made = json.loads(provenance(sources, vars(options))["ulframe"])
    return {
        "title": "This report",
        "inputs": made["inputs"],
        "versions": made["versions"],
        "options": made["options"],
    }
