"""Is the new version safe to ship? The exit code says it, for scripts and for CI.

  ulframe gate qrels.txt old.run new.run -m nDCG@10 R@100
  ulframe gate qrels.txt old-scores.parquet new.run -m nDCG@10 --margin 0.02
  ulframe gate qrels.txt old.run new.run -m nDCG@10 --format github

Of each measure: the interval of the mean difference, query by query. Exit code 0 where it lies
above -margin (default 0.01): of all measures. 3 where it lies below 0: of one measure, after Holm
where there are several. Else 4: the queries do not decide, and what would is said. 1 and 2 are bad
data and bad usage, as everywhere. A higher score of every measure is taken to be better.

The baseline may be what `ulframe eval -o` wrote before: it must have been made of the same qrels,
with the same options, by the same version. --format github appends a summary to the file that
GITHUB_STEP_SUMMARY names, and prints annotations.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from ulframe.cli import output
from ulframe.cli.evaluating import evaluate_files, measures_of, remark_on
from ulframe.cli.gate_formats import FORMATS
from ulframe.cli.options import add_columns, add_metrics, add_undefined, columns_of
from ulframe.cli.progress import working
from ulframe.cli.provenance import described
from ulframe.frames.errors import BadData
from ulframe.frames.files import files_at
from ulframe.frames.made import READERS, made

if TYPE_CHECKING:
    from ulframe.analysis.gate import Verdict

PASSED, WORSE, UNDECIDED = 0, 3, 4
CODES: dict[Verdict, int] = {"passes": PASSED, "worse": WORSE, "undecided": UNDECIDED}

DEFAULTS: dict[str, object] = {
    "queries": "qrels",
    "pool": "judged",
    "ties": "score",
    "depth": None,
    "columns": [],
}
"""What `ulframe eval` must have been told for its scores to be those of the gate."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe gate`."""
    add_metrics(parser)
    parser.add_argument("qrels", metavar="QRELS", help="judgements")
    parser.add_argument("baseline", metavar="BASELINE", help="a run, or scores kept from before")
    parser.add_argument("candidate", metavar="CANDIDATE", help="a run")
    parser.add_argument(
        "-m", dest="measures", metavar="MEASURE", nargs="+", action="extend", required=True,
        help="those that may not lose more than the margin",
    )  # fmt: skip
    parser.add_argument(
        "--margin", type=float, default=0.01, help="what may be lost (default %(default)s)"
    )
    parser.add_argument("--test", choices=["t", "bootstrap"], default="t", help="of the interval")
    parser.add_argument("--alpha", type=float, default=0.05, help="default %(default)s")
    parser.add_argument("--format", choices=FORMATS, default="text", help="of what is printed")
    add_undefined(parser)
    add_columns(parser)


def run(options: argparse.Namespace) -> int:
    """Evaluate both, compare, print; gives the exit code."""
    from ulframe.analysis.gate import gate

    names = [*measures_of(options.measures)]
    kept = _kept(options, names)
    with working("evaluating"):
        done = [
            evaluate_files([options.qrels, run], names, columns=columns_of(options))
            for run in ([] if kept is not None else [options.baseline]) + [options.candidate]
        ]
    for one in done[:-1]:
        output.remark_on_coverage(one.coverage)
    remark_on(done[-1], options.measures)
    old, new = kept if kept is not None else done[0].scores, done[-1].scores
    found = gate(
        old,
        new,
        margin=options.margin,
        test=options.test,
        alpha=options.alpha,
        undefined=options.undefined,
    )
    FORMATS[options.format](found)
    return CODES[found.verdict]


# ---------------------------------------------------------------- scores kept from before
def _kept(options: argparse.Namespace, names: list[str]) -> pl.DataFrame | None:
    """The scores of a file that `ulframe eval -o` wrote, None where the baseline is a run."""
    path = Path(options.baseline)
    if path.suffix not in READERS or not path.is_file():
        return None
    table = pl.read_parquet(path, glob=False) if path.suffix == ".parquet" else pl.read_ipc(path)
    if not {"measure", "score"} <= {*table.columns}:
        return None
    told = made(path)
    if told is None:
        raise BadData(f"{path}: scores that do not tell what they were made of; evaluate the run")
    _require_same(path, told, options)
    if lacking := [name for name in names if name not in table["measure"]]:
        there = ", ".join(table["measure"].unique(maintain_order=True))
        raise BadData(f"{path}: no scores of {lacking[0]}; it has {there}")
    output.remark(f"{path}: scores kept from before, of the same qrels, options and version")
    return table.filter(pl.col("measure").is_in(names))


def _require_same(path: Path, told: dict[str, Any], options: argparse.Namespace) -> None:
    """Raise `BadData`, with the difference, where scores were made otherwise than would be now."""
    from ulframe import __version__

    (qrels,) = files_at(Path(options.qrels)).values()
    then, now = told["inputs"][0], described(qrels)
    differences = [
        ("qrels", then["sha256"], now["sha256"]),
        ("ulframe", told["versions"]["ulframe"], __version__),
        *((name, told["options"].get(name, usual), usual) for name, usual in DEFAULTS.items()),
    ]
    for what, before, today in differences:
        if before != today:
            raise BadData(
                f"{path}: made with {what} {_short(before)}, and now it is {_short(today)}; "
                "evaluate the baseline's run again"
            )


def _short(value: object) -> str:
    return str(value)[:12]
