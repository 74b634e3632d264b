"""The command line: finds the command, runs it, and turns errors into one line and an exit code.

A command is a module of this room named in `COMMANDS`, with `arguments(parser)` and
`run(arguments)`, which may give an exit code of its own; only the one asked for is imported.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from polars.exceptions import PolarsError

from ulframe.cli.lines import fitted, placed
from ulframe.cli.remarks import remarks_on_stderr
from ulframe.frames.errors import BadData, BadUsage

COMMANDS = {
    "demo": "the whole job on the bundled sample",
    "eval": "score runs against qrels, with both bounds",
    "trec_eval": "trec_eval's own command line and output, faster",
    "measures": "list the measures, or explain one",
    "diversity": "novelty and diversity, by qrels with subtopics",
    "users": "what users gain and spend, by the chance that they go on",
    "chance": "which runs are better than a random ranking, query by query",
    "queries": "sort queries into sets: uninformative, ideal, hard, easy, distractive",
    "compare": "which runs differ significantly, per measure and query set",
    "auc": "how often what is relevant is scored above what is not",
    "agree": "how far two judges agree on labels",
    "gate": "is a new version safe to ship: by exit code",
    "holes": "can the judgements carry a comparison, and what to judge next",
    "power": "how many queries a comparison takes",
    "report": "one page to share, or its tables as text",
    "paper": "the paper's tables and figures for your data sets",
    "convert": "any supported format to any other",
    "info": "how a file was made, where ulframe made it",
    "index": "make a collection searchable by keywords",
    "search": "rank an index's documents by BM25",
    "tune": "choose BM25's numbers on training queries, test them once",
    "fuse": "make one run of several",
    "letor": "train eight learning-to-rank methods on folds of feature files",
    "experts": "compare rankings of people: partial, tied, incomplete",
    "pool": "which documents to judge, and what a smaller pool changes",
}

DONE, BAD_DATA, BAD_USAGE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ulframe` with these arguments (the process's own by default); gives the exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    if not given or given[0] not in COMMANDS:
        return _no_command(given)
    command = import_module(f"ulframe.cli.{given[0]}")
    parser = _Parser(
        prog=f"ulframe {given[0]}",
        description=command.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.arguments(parser)
    try:
        options = parser.parse_intermixed_args(placed(given[1:]))
        with remarks_on_stderr():
            code = command.run(options)
        sys.stdout.flush()
    except BadUsage as error:
        return _refuse(parser.prog, error, BAD_USAGE)
    except (BadData, OSError, EOFError, PolarsError) as error:
        if isinstance(error, BrokenPipeError):  # the reader, `head` say, has had enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return DONE
        return _refuse(parser.prog, error, BAD_DATA)
    except KeyboardInterrupt:
        return INTERRUPTED
    return code or DONE


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in two lines, not behind a screen of options."""

    def error(self, message: str) -> NoReturn:
        usage = f"usage: {self.prog} --help tells its options, with examples"
        self.exit(BAD_USAGE, fitted(f"{self.prog}: {message}\n{usage}\n"))


def _refuse(prog: str, error: Exception, code: int) -> int:
    said = str(error).partition("\n\nThis error occurred")[0]  # where in Polars' plan helps no one
    print(fitted(f"{prog}: {said}"), file=sys.stderr)
    return code


def _no_command(given: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="ulframe",
        description="Evaluate rankings against the best possible and against chance.",
        epilog="`ulframe COMMAND --help` tells a command's options, with examples.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version = import_module("ulframe").__version__
    parser.add_argument("--version", action="version", version=f"ulframe {version}")
    listed = parser.add_subparsers(metavar="COMMAND", required=True, title="commands")
    for name, line in COMMANDS.items():
        listed.add_parser(name, help=line)
    if not given:
        parser.print_help()
        return BAD_USAGE
    parser.parse_args(given)
    return DONE
