"""Convert qrels or runs from any supported format to any other; the names tell the formats.

  ulframe convert run.txt.gz run.parquet
  ulframe convert qrels.parquet qrels.txt
  ulframe convert run.csv run.parquet --columns user=query_id thing=doc_id
  ulframe convert u.data qrels.txt --columns 1=query_id 2=doc_id 3=label
  ulframe convert rank.pred run.txt --documents rank.test

Read: TREC text, LETOR text (its labels, and predictions of it), `query TAB relevant ids`, parquet,
csv, tsv, jsonl, json, arrow, also as .gz, .zst, .bz2, .xz or .zip.
Written: .parquet .csv .tsv .jsonl .arrow, and TREC text for any other name.
"""

from __future__ import annotations

import argparse

import polars as pl

from ulframe.cli.options import add_columns, add_force, columns_of
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.frames.made import refuse_foreign
from ulframe.frames.second_look import explained
from ulframe.frames.write import convert


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe convert`."""
    parser.add_argument("source", metavar="IN", help="a file, glob or folder, or - for stdin")
    parser.add_argument("target", metavar="OUT", help="the file to write")
    add_columns(parser)
    parser.add_argument(
        "--documents", metavar="LETOR", help="the text that predictions, one number a line, are of"
    )
    parser.add_argument("--duplicates", choices=["error", "max", "first"], default="error")
    add_force(parser)


def run(options: argparse.Namespace) -> None:
    """Read, check, write."""
    columns = columns_of(options)
    refuse_foreign(options.target, force=options.force)
    with working("converting"):
        try:
            convert(
                options.source,
                options.target,
                columns=columns or None,
                duplicates=options.duplicates,
                documents=options.documents,
                metadata=provenance([options.source], vars(options)),
            )
        except pl.exceptions.PolarsError as error:
            raise explained(error, options.source) from error
