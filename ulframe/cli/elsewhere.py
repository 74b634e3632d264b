"""trec_eval's flags, met where they are not taken: how the same is said here."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ulframe.frames.errors import BadUsage

FLAGS = {
    "-q": "--per-query prints each query's scores",
    "-c": "all queries of the qrels count already; --queries both counts those of the run alone",
    "-n": "--per-query prints no means, but in --format trec",
    "-J": "say it of each measure, as in P(judged_only=true)@10",
}
NUMBERS = {
    "-l": "of each measure, say from which label on a document is relevant, as in AP(rel={})",
    "-M": "--depth {} reads so many documents of each query",
    "-N": "--pool {} says how many documents a random ranking shuffles; utility takes docs={}",
}
"""With what to do; {} stands for the number that is given."""


class _Elsewhere(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[str] | None,
        option_string: str | None = None,
    ) -> None:
        number = values if values and isinstance(values, str) and values != self.const else None
        given = f"{option_string} {number}" if number else option_string
        advice = str(self.const).replace("{}", number or "N")
        raise BadUsage(
            f"{given}, which `ulframe trec_eval` takes, is said otherwise here:\n{advice}"
        )


def add_flags_of_trec_eval(parser: argparse.ArgumentParser) -> None:
    """Add trec_eval's flags, which are refused with the way to say it here."""
    for nargs, flags in ((0, FLAGS), ("?", NUMBERS)):
        for flag, says in flags.items():
            parser.add_argument(
                flag, action=_Elsewhere, nargs=nargs, const=says, help=argparse.SUPPRESS
            )
