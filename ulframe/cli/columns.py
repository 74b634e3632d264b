"""The option by which tables with columns of other names are read."""

from __future__ import annotations

import argparse

from ulframe.frames.errors import BadUsage


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add `--columns`."""
    parser.add_argument(
        "--columns", metavar="THEIRS=OURS", nargs="+", default=[], help="columns of other names"
    )


def columns_of(options: argparse.Namespace) -> dict[str, str]:
    """The mapping that `--columns` gives, theirs to ours."""
    pairs = [pair.partition("=") for pair in options.columns]
    if wrong := [theirs for theirs, equals, ours in pairs if not (equals and ours)]:
        raise BadUsage(f"--columns {wrong[0]}: write THEIRS=OURS, as in user_id=query_id")
    return {theirs: ours for theirs, _, ours in pairs}
