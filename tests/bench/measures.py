"""All measures against five, and expectations for many histograms: python measures.py FOLDER.

FOLDER is what workload.py makes. Each job runs in this process, on the parquet input, with the
bounds of every measure; the fastest of three counts.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import ulframe as ul
from ulframe.evaluation.bounds import bounds_of
from ulframe.metrics.catalog import CATALOG
from ulframe.metrics.grammar import named
from ulframe.metrics.laws import is_compared

FIVE = ["nDCG@10", "AP", "RR", "P@10", "R@1000"]
HISTOGRAMS, DOCUMENTS = 10_000, 120


def seconds(job: Callable[[], object], times: int = 3) -> float:
    """The fastest of some runs."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        job()
        taken.append(time.perf_counter() - start)
    return min(taken)


def evaluation(folder: Path, measures: list[str]) -> Callable[[], object]:
    """Score the main workload."""
    qrels = pl.scan_parquet(folder / "main.qrels.parquet")
    runs = pl.scan_parquet(folder / "main.run.parquet")
    return lambda: ul.evaluate(qrels, runs, measures).collect()


def histograms() -> pl.LazyFrame:
    """Distinct ones of labels 0 to 4, most of them 0, as bounds are computed from."""
    rng = np.random.default_rng(0)
    shares = rng.dirichlet([7, 1.5, 0.8, 0.5, 0.2], HISTOGRAMS * 2)
    counts = np.unique(rng.multinomial(DOCUMENTS, shares), axis=0)[:HISTOGRAMS]
    assert len(counts) == HISTOGRAMS, "the draw has enough distinct ones"
    frame = pl.DataFrame(
        {
            "query_id": np.repeat(np.arange(HISTOGRAMS), 5).astype(str),
            "label": np.tile(np.arange(5.0), HISTOGRAMS),
            "count": counts.ravel(),
        }
    )
    return frame.with_columns(judged="count", retrieved=pl.lit(DOCUMENTS)).filter(
        pl.col("count") > 0
    ).lazy()  # fmt: skip


def expectations(counts: pl.LazyFrame, measures: list[str]) -> Callable[[], object]:
    """Bounds and expectations of each histogram."""
    bases = [measure.base for measure in named(measures).values()]
    return lambda: bounds_of(counts, ["query_id", "retrieved"], bases).collect()


def main(folder: Path) -> None:
    """Print seconds and ratios."""
    five, all_trec = (seconds(evaluation(folder, m)) for m in (FIVE, ["all_trec"]))
    names = named("all_trec")
    print(f"{'five measures':<44}{five:8.2f} s")
    print(f"{f'all {len(names)} of all_trec':<44}{all_trec:8.2f} s  {all_trec / five:.2f} times")
    counts = histograms()
    examples = [m.example for m in CATALOG.values()]
    compared = [str(m) for m in examples if is_compared(m) and m == m.base]
    print(f"{HISTOGRAMS:,} histograms of {DOCUMENTS} documents:")
    asked = {"all of them": compared} | {name: [name] for name in compared}
    for name, those in asked.items():
        print(f"  {name:<42}{seconds(expectations(counts, those), 1):8.2f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
