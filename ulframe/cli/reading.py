"""The options by which documents and queries are read, which several commands have."""

from __future__ import annotations

import argparse

from ulframe.cli.options import add_columns
from ulframe.systems.bm25.kinds import READERS
from ulframe.systems.bm25.scoring import BM25


def add_reading(parser: argparse.ArgumentParser, fields: str) -> None:
    """How a file is read; `fields` tells which may be asked for."""
    parser.add_argument("--kind", choices=READERS, help="what a file is, where its name misleads")
    parser.add_argument("--fields", help=fields)
    add_columns(parser)


NUMBERS = {
    "k": "how much repeated occurrence counts, from 0 to inf",
    "b": "how much length counts, from 0 to 1",
    "every": "added where a document holds every word of the query",
    "prior": "weight of the document's prior",
    "log_prior": "weight of log2(1 + prior)",
}
"""The numbers of a scoring, and what they are."""


def option(number: str) -> str:
    """The option that gives a number of the scoring."""
    return f"--{number.replace('_', '-')}"


def add_scoring(parser: argparse.ArgumentParser) -> None:
    """One value for each number of the scoring."""
    for number, says in NUMBERS.items():
        default = getattr(BM25, number)
        parser.add_argument(
            option(number), type=float, default=default, help=f"{says} (default {default:g})"
        )
