"""Times fusion against ranx: `python tests/bench/fusion.py --peers PYTHON [--queries N]`.

Ten runs of so many queries, a thousand documents each of the three thousand that a query has, as
parquet; whole processes that read them, fuse, and write the fused run as parquet. ranx's compiled
code is warmed up on a small set first.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

RUNS, DEPTH, POOL = 10, 1000, 3000
METHODS = {"rrf": ("rrf", "None"), "combsum": ("sum", "min-max"), "combmnz": ("mnz", "min-max")}
OURS = """
import sys
from ulframe.systems.fusion import fuse
fuse(sys.argv[3:], sys.argv[1]).sink_parquet(sys.argv[2])
"""
THEIRS = """
import sys
from ranx import Run, fuse
method, norm = sys.argv[1].split("/")
runs = [Run.from_parquet(path) for path in sys.argv[3:]]
fuse(runs, norm=None if norm == "None" else norm, method=method).save(sys.argv[2])
"""


def make(folder: Path, queries: int) -> list[str]:
    """Runs as both read them: `q_id, doc_id, score`."""
    folder.mkdir()
    paths = []
    for seed in range(RUNS):
        documents = pl.int_range(queries * POOL, eager=True)
        rows = pl.DataFrame({"q": documents // POOL, "d": documents % POOL}).with_columns(
            score=pl.col("d").shuffle(seed=seed) + pl.col("d") / POOL
        )
        best = rows.sort("q", "score", descending=[False, True]).group_by("q", maintain_order=True)
        named = best.head(DEPTH).select(
            q_id="q" + pl.col("q").cast(pl.String), doc_id="d" + pl.col("d").cast(pl.String),
            score="score",
        )  # fmt: skip
        paths.append(str(folder / f"run{seed}.parquet"))
        named.write_parquet(paths[-1])
    return paths


def seconds(python: str, code: str, *words: str) -> float:
    start = time.perf_counter()
    subprocess.run([python, "-c", code, *words], check=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", required=True, help="an interpreter that has ranx")
    parser.add_argument("--queries", type=int, default=698)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        small, paths = make(Path(name, "small"), 2), make(Path(name, "all"), options.queries)
        for method, (theirs, norm) in METHODS.items():
            out = str(Path(name, "out.parquet"))
            seconds(options.peers, THEIRS, f"{theirs}/{norm}", out, *small)
            ranx = seconds(options.peers, THEIRS, f"{theirs}/{norm}", out, *paths)
            ours = seconds(sys.executable, OURS, method, out, *paths)
            print(f"{method}: ulframe {ours:.1f} s, ranx {ranx:.1f} s, {ranx / ours:.1f} times")


if __name__ == "__main__":
    main()
