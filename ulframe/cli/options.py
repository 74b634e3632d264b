"""The options that several commands have, each said once."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ulframe.evaluation.summarise import UNDEFINED
from ulframe.frames.errors import BadUsage
from ulframe.metrics.own import declare_from


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add `--columns`."""
    parser.add_argument(
        "--columns", metavar="THEIRS=OURS", nargs="+", default=[], action="extend",
        help="columns of other names, or fields by their places (1=query_id)",
    )  # fmt: skip


def columns_of(options: argparse.Namespace) -> dict[str, str]:
    """The mapping that `--columns` gives, theirs to ours."""
    pairs = [pair.partition("=") for pair in options.columns]
    if wrong := [theirs for theirs, equals, ours in pairs if not (equals and ours)]:
        raise BadUsage(f"--columns {wrong[0]}: write THEIRS=OURS, as in user_id=query_id")
    return {theirs: ours for theirs, _, ours in pairs}


class _Declare(argparse.Action):
    """Run a file of declarations as soon as it is named, so that what follows can name them."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[str] | None,
        option_string: str | None = None,
    ) -> None:
        for path in [values] if isinstance(values, str) else values or []:
            declare_from(path)


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """Add `--metrics`."""
    parser.add_argument(
        "--metrics", metavar="FILE.py", action=_Declare,
        help="Python of your own that declares metrics (ulframe.declare); it is run",
    )  # fmt: skip


def add_chosen(parser: argparse.ArgumentParser) -> None:
    """Add `-m` and `--runs`, which choose among the scores of a file, and `--metrics`."""
    add_metrics(parser)
    parser.add_argument("-m", dest="measures", nargs="+", metavar="MEASURE", help="only these")
    add_runs(parser)


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Add `--runs`."""
    parser.add_argument("--runs", nargs="+", metavar="RUN", help="only these")


def add_sets(parser: argparse.ArgumentParser) -> None:
    """Add `--sets`."""
    parser.add_argument(
        "--sets", metavar="FILE", help="a table of query sets, or of attributes: a set per value"
    )


def add_undefined(parser: argparse.ArgumentParser) -> None:
    """Add `--undefined`."""
    parser.add_argument(
        "--undefined", choices=UNDEFINED, default="zero",
        help="take a score as 0 where a measure is undefined, or leave the query out",
    )  # fmt: skip


def add_force(parser: argparse.ArgumentParser) -> None:
    """Add `--force`."""
    parser.add_argument(
        "--force", action="store_true",
        help="replace a .parquet, .arrow or .html file that ulframe did not make",
    )  # fmt: skip


def add_writing(parser: argparse.ArgumentParser) -> None:
    """Add what is said of the table that `-o` names: `--force`, `--comment`, `--safe-csv`."""
    add_force(parser)
    add_safe_csv(parser)
    parser.add_argument(
        "--comment", action="store_true",
        help="begin a .csv or .tsv with a line of how it was made, `# ulframe: ...`",
    )  # fmt: skip


def add_safe_csv(parser: argparse.ArgumentParser) -> None:
    """Add `--safe-csv`."""
    parser.add_argument(
        "--safe-csv", action="store_true",
        help="put ' before csv cells that a spreadsheet would run (they begin with = + - @)",
    )  # fmt: skip


def add_pool(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add `--pool`."""
    parser.add_argument(
        "--pool", type=_pool, default="judged", metavar="judged|retrieved|N",
        help="what a random ranking shuffles",
    )  # fmt: skip


def _pool(text: str) -> str | int:
    return int(text) if text.isdigit() else text


SIZES = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def size(text: str) -> int:
    """Bytes, as a number with K, M, G or T behind it.

    >>> size("4G"), size("512M")
    (4294967296, 536870912)
    """
    number, unit = text[:-1], text[-1:].upper()
    try:
        return max(1, int(float(number) * SIZES[unit]))
    except (ValueError, KeyError):
        raise argparse.ArgumentTypeError(f"{text!r} is no size, as 4G or 512M is") from None


def count(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)
