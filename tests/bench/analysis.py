"""How fast all pairs of 129 systems are tested on 50 topics, five measures, beside plain loops.

  python tests/bench/analysis.py [--loop PAIRS]

The scores are generated. Rates are in pairs a second; a plain loop calls scipy (or for the
bootstrap, numpy) once a pair, and is timed on some pairs only.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from scipy import stats

from ulframe import analysis
from ulframe.analysis.procedures import TESTS

RUNS, QUERIES, MEASURES, RESAMPLES = 129, 50, 5, 1000


def made() -> tuple[pl.DataFrame, Any]:
    """Scores as a frame, and the first measure's as a matrix of runs x queries."""
    rng = np.random.default_rng(0)
    ability, difficulty = rng.normal(0, 0.1, RUNS), rng.normal(0, 0.15, QUERIES)
    parts, first = [], None
    for k in range(MEASURES):
        noise = rng.normal(0.35, 0.12, (RUNS, QUERIES))
        values = np.clip(noise + ability[:, None] + difficulty, 0, 1)
        first = values if first is None else first
        parts.append(
            pl.DataFrame(
                {
                    "run": np.repeat([f"r{i:03}" for i in range(RUNS)], QUERIES),
                    "query_id": np.tile([f"q{j:02}" for j in range(QUERIES)], RUNS),
                    "measure": [f"AP@{k + 1}"] * (RUNS * QUERIES),
                    "score": values.ravel(),
                }
            )
        )
    return pl.concat(parts), first


def bootstrap(a: Any, b: Any) -> float:
    """Sakai's algorithm for one pair."""
    d = a - b
    t = d.mean() / (d.std(ddof=1) / np.sqrt(len(d)))
    w = (d - d.mean())[np.random.default_rng(0).integers(0, len(d), (RESAMPLES, len(d)))]
    ts = w.mean(axis=1) / (w.std(axis=1, ddof=1) / np.sqrt(len(d)))
    return float(np.mean(np.abs(ts) >= abs(t)))


def randomisation(a: Any, b: Any) -> float:
    """The permutation test of scipy for one pair."""
    return float(
        stats.permutation_test(
            (a, b),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=RESAMPLES,
        ).pvalue
    )


LOOPS: dict[str, Callable[[Any, Any], Any]] = {
    "t": stats.ttest_rel,
    "wilcoxon": stats.wilcoxon,
    "sign": lambda a, b: stats.binomtest(int(np.sum(a > b)), int(np.sum(a != b))),
    "bootstrap": bootstrap,
    "randomisation": randomisation,
}


def seconds(work: Callable[[], Any], repeat: int) -> float:
    """The least time of several."""
    taken = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def main() -> None:
    """Time every test and print rates and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loop", type=int, default=200, help="pairs that the plain loops do")
    options = parser.parse_args()
    scores, matrix = made()
    some = list(itertools.islice(itertools.combinations(matrix, 2), options.loop))
    pairs = RUNS * (RUNS - 1) // 2 * MEASURES
    print(f"{pairs} pairs ({RUNS} runs x {QUERIES} queries, {MEASURES} measures)")
    print(f"{'test':<16}{'seconds':>9}{'pairs/s':>11}{'loop/s':>9}{'ratio':>8}")
    for test in TESTS:
        plan = analysis.compare(scores, test=test, resamples=RESAMPLES)
        taken = seconds(plan.collect, 3)
        line = f"{test:<16}{taken:>9.2f}{pairs / taken:>11.0f}"
        if test in LOOPS:
            alone = seconds(lambda: [LOOPS[test](a, b) for a, b in some], 1)  # noqa: B023
            line += f"{len(some) / alone:>9.0f}{pairs / taken * alone / len(some):>8.1f}"
        print(line)


if __name__ == "__main__":
    main()
