"""Convert qrels or runs from any supported format to any other; the names tell the formats.

  ulframe convert run.txt.gz run.parquet
  ulframe convert qrels.parquet qrels.txt
  ulframe convert run.csv run.parquet --columns user_id=query_id item=doc_id

Read: TREC text, LETOR text (its labels), parquet, csv, tsv, jsonl, arrow, also as .gz or .zst.
Written: .parquet .csv .tsv .jsonl .arrow, and TREC text for any other name.
"""

from __future__ import annotations

import argparse

import polars as pl

from ulframe.cli.progress import working
from ulframe.frames.errors import BadUsage
from ulframe.frames.second_look import explained
from ulframe.frames.write import convert


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe convert`."""
    parser.add_argument("source", metavar="IN", help="a file, glob or folder, or - for stdin")
    parser.add_argument("target", metavar="OUT", help="the file to write")
    parser.add_argument(
        "--columns", metavar="THEIRS=OURS", nargs="+", default=[], help="columns of other names"
    )
    parser.add_argument("--duplicates", choices=["error", "max", "first"], default="error")


def run(options: argparse.Namespace) -> None:
    """Read, check, write."""
    pairs = [pair.partition("=") for pair in options.columns]
    if wrong := [theirs for theirs, equals, ours in pairs if not (equals and ours)]:
        raise BadUsage(f"--columns {wrong[0]}: write THEIRS=OURS, as in user_id=query_id")
    columns = {theirs: ours for theirs, _, ours in pairs}
    with working("converting"):
        try:
            convert(options.source, options.target, columns=columns, duplicates=options.duplicates)
        except pl.exceptions.PolarsError as error:
            raise explained(error, options.source) from error
