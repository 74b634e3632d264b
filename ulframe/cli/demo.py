"""The whole job on the bundled sample: eight systems, 200 queries, five grades of relevance.

ulframe demo
"""

from __future__ import annotations

import argparse

from ulframe.cli import output
from ulframe.evaluation.evaluate import evaluate
from ulframe.evaluation.summarise import means
from ulframe.frames.sample import sample_qrels, sample_runs

MEASURES = ["nDCG@10", "V1(DCG@10)", "V2(DCG@10)", "U(SP@10)", "V2(SP@10)", "RR", "V2(RR)"]


def arguments(parser: argparse.ArgumentParser) -> None:
    """`ulframe demo` has no options."""


def run(options: argparse.Namespace) -> None:
    """Score the sample and print the means, best first."""
    scores = evaluate(sample_qrels(), sample_runs(), MEASURES)
    table = output.wide(means(scores).collect(), ["run"], "mean")
    output.table(table.sort(MEASURES[0], descending=True))
    output.remark(
        "nDCG is divided by the best possible; V1 and V2 compare also with what a random ranking "
        "is expected to score (V2: 1 perfect, 0 equal to it, -1 nothing relevant found)."
    )
