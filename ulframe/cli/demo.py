"""The whole job on the bundled sample: eight systems, 200 queries, five grades of relevance.

ulframe demo
ulframe demo --files sample          the sample as files, to try other commands on
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ulframe.cli import output
from ulframe.evaluation.evaluate import evaluate
from ulframe.evaluation.summarise import means
from ulframe.frames.sample import sample_qrels, sample_runs
from ulframe.frames.write import convert

MEASURES = ["nDCG@10", "V1(DCG@10)", "V2(DCG@10)", "U(SP@10)", "V2(SP@10)", "RR", "V2(RR)"]


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe demo`."""
    parser.add_argument(
        "--files", metavar="DIR", type=Path,
        help="write qrels.txt and a run a system there, NAME.run, and print nothing else",
    )  # fmt: skip


def run(options: argparse.Namespace) -> None:
    """Score the sample and print the means, best first; or write it."""
    if options.files:
        _write(options.files)
        return
    scores = evaluate(sample_qrels(), sample_runs(), MEASURES)
    table = output.wide(means(scores).collect(), ["run"], "mean")
    output.table(table.sort(MEASURES[0], descending=True))
    output.remark(
        "nDCG is divided by the best possible; V1 and V2 compare also with what a random ranking "
        "is expected to score (V2: 1 perfect, 0 equal to it, -1 nothing relevant found)."
    )


def _write(folder: Path) -> None:
    """The sample as TREC text."""
    folder.mkdir(parents=True, exist_ok=True)
    convert(sample_qrels(), folder / "qrels.txt")
    runs = sample_runs().collect().partition_by("run", as_dict=True, maintain_order=True)
    for (name,), run in runs.items():
        convert(run, folder / f"{name}.run")
    output.remark(f"{folder}: qrels.txt and {len(runs)} runs")
