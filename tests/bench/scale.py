"""Times an evaluation larger than its memory: generated runs of 10,000 queries x 1,000 documents.

    python -m tests.bench.scale FOLDER [--runs 30] [--memory 4G]

The runs are kept in FOLDER, 10 million rows each, and evaluated by way of FOLDER/scratch; printed
are wall seconds and the peak of the process. A control group around it holds it to the memory.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl

from tests.bench.main_job import ULFRAME, run

QUERIES, DOCUMENTS, JUDGED, OTHERS = 10_000, 1_000, 50, 4_001
MEASURES = ["nDCG@10", "AP", "P@10"]
QUERY, PLACE = pl.col("i") // DOCUMENTS, pl.col("i") % DOCUMENTS


def make(folder: Path, runs: int) -> list[str]:
    """Write what is not there yet; the paths of the runs."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = pl.LazyFrame({"i": pl.int_range(QUERIES * DOCUMENTS, eager=True)})
    paths = [folder / f"run{number:02}.parquet" for number in range(runs)]
    for number, path in enumerate(paths):
        if not path.exists():
            # each run walks the documents of a query by another step
            document = (PLACE * (37 * number + 11) + QUERY) % OTHERS
            rows.select(
                query_id=pl.format("q{}", QUERY),
                doc_id=pl.format("D{}", document),
                score=(DOCUMENTS - PLACE).cast(pl.Float64) + number / 100,
            ).sink_parquet(path)
    judged = pl.LazyFrame({"i": pl.int_range(QUERIES * JUDGED, eager=True)})
    judged.select(
        query_id=pl.format("q{}", pl.col("i") // JUDGED),
        doc_id=pl.format("D{}", pl.col("i") % JUDGED),
        label=(pl.col("i") % 3).cast(pl.Int32),
    ).sink_parquet(folder / "qrels.parquet")
    return [str(path) for path in paths]


def main() -> None:
    """Make, evaluate, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--memory", default="4G")
    options = parser.parse_args()
    paths = make(options.folder, options.runs)
    scratch = options.folder / "scratch"
    scratch.mkdir(exist_ok=True)
    asked = [part for name in MEASURES for part in ("-m", name)]
    how = ["--memory", options.memory, "--scratch", str(scratch)]
    out = ["-o", str(options.folder / "scores.parquet")]
    cost = run(
        [*ULFRAME, "eval", str(options.folder / "qrels.parquet"), *paths, *asked, *how, *out]
    )
    rows = options.runs * QUERIES * DOCUMENTS
    print(f"{rows / 1e6:.0f} million rows: {cost.wall:.1f} s, {cost.peak:.0f} MiB")


if __name__ == "__main__":
    main()
