"""How long the study of pools takes: 12 runs x 100 topics x 1,000 deep, four methods, twenty sizes.

  python -m tests.bench.pooling [--robust FOLDER]

The runs are generated, or those of a folder with `runs` and `qrels.txt.gz`. Beside the study: one
plain evaluation of the same measures, of which the study holds one per method and size, and one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import ulframe as ul
from ulframe.studies.pooling import depth_n, effects, move_to_front, rboost, rsvm
from ulframe.studies.pooling.effects import MEASURES, SIZES

RUNS, TOPICS, DEPTH, COLLECTION, JUDGED = 12, 100, 1_000, 5_000, 100


def made() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Qrels, judged down to rank 100, and runs that see relevance through more or less noise."""
    rng = np.random.default_rng(0)
    parts, truths = [], []
    for topic in range(TOPICS):
        relevant = rng.random(COLLECTION) < 0.012
        truths.append(relevant)
        common = rng.normal(size=COLLECTION)
        for run in range(RUNS):
            score = relevant * (1.6 + 0.1 * run) + 0.7 * common + rng.normal(size=COLLECTION)
            top = np.argsort(-score)[:DEPTH]
            parts.append(
                pl.DataFrame({"doc": top, "score": score[top]}).select(
                    run=pl.lit(f"run{run:02}"),
                    query_id=pl.lit(f"{topic:03}"),
                    doc_id=pl.format("d{}", "doc"),
                    score="score",
                    label=pl.Series(relevant[top].astype(np.int32)),
                )
            )
    runs = pl.concat(parts)
    pool = depth_n(runs.drop("label")).filter(pl.col("depth") <= JUDGED)
    labels = runs.lazy().select("query_id", "doc_id", "label").unique()
    qrels = labels.join(pool, on=["query_id", "doc_id"], how="semi").collect()
    return qrels, runs.drop("label")


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What the work gives, its seconds, and those of the processors."""
    start, busy = time.perf_counter(), time.process_time()
    found = work()
    return found, time.perf_counter() - start, time.process_time() - busy


def main() -> None:
    """Time the lists, the study and one evaluation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robust", type=Path, metavar="FOLDER", help="real runs instead")
    folder = parser.parse_args().robust
    if folder is None:
        qrels, runs = made()
    else:
        qrels = ul.scan_qrels(folder / "qrels.txt.gz").collect()
        runs = ul.scan_runs(folder / "runs").collect()
    methods = {
        "depth": lambda: depth_n(runs).collect(),
        "mtf": lambda: move_to_front(qrels, runs).collect(),
        "rboost": lambda: rboost(qrels, runs).collect(),
        "rsvm": lambda: rsvm(qrels, runs).collect(),
    }
    print(f"{runs.height:,} rows, {qrels.height:,} judgements\n{'':<12}{'wall s':>8}{'cpu s':>8}")

    def line(name: str, work: Callable[[], Any]) -> tuple[Any, float]:
        found, wall, busy = timed(work)
        print(f"{name:<12}{wall:>8.1f}{busy:>8.1f}", flush=True)
        return found, wall

    lists, total = {}, 0.0
    for name, method in methods.items():
        lists[name], wall = line(name, method)
        total += wall
    _, study = line("study", effects(qrels, runs, lists).collect)
    _, once = line("evaluation", ul.evaluate(qrels, runs, MEASURES).collect)
    pools = len(methods) * len(SIZES) + 1
    share = (total + study) / (pools * once)
    print(f"in all {total + study:.1f} s, {share:.2f} of {pools} evaluations")


if __name__ == "__main__":
    main()
