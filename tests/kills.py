"""Kills commands in the midst of writing: `python -m tests.kills --count 200 --seed 1`.

Each writes over a file that is there. After SIGTERM or SIGKILL at a random moment the file must be
whole, the old one or the new; after SIGTERM nothing else may be left beside it, and after SIGKILL
the next run must take away what is.
"""

import argparse
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from ulframe import sample_qrels, sample_runs
from ulframe.frames.write import convert
from ulframe.systems.bm25 import open_index

QUERIES = 300
SECONDS = 2.0  # in which a command is done, about


def inputs(folder: Path) -> None:
    """Qrels, runs, scores, documents: enough for commands to take a while."""
    many = pl.LazyFrame({"part": [f"{n}-" for n in range(QUERIES // 50)]})
    own = (pl.col("part") + pl.col("query_id")).alias("query_id")
    for name, frame in (("qrels", sample_qrels()), ("runs", sample_runs())):
        convert(
            frame.join(many, how="cross").with_columns(own).drop("part"), folder / f"{name}.txt"
        )
    words = ["wing", "flow", "heat", "plate", "jet"]
    texts = [f"{n}\t{words[n % 5]} {words[n % 3]} {n}\n" for n in range(20_000)]
    (folder / "docs.tsv").write_text("".join(texts))


COMMANDS = {
    "scores.parquet": ["eval", "qrels.txt", "runs.txt", "-m", "all_trec"],
    "scores.csv.gz": ["eval", "qrels.txt", "runs.txt", "-m", "AP"],
    "runs.parquet": ["convert", "runs.txt"],
    "runs.out.txt": ["convert", "runs.txt"],
    "report.html": ["report", "qrels.txt", "runs.txt", "-m", "nDCG@10"],
    "pairs.arrow": ["compare", "qrels.txt", "runs.txt", "-m", "AP"],
    "ranges.parquet": ["holes", "qrels.txt", "runs.txt", "-m", "P@5"],
    "index": ["index", "docs.tsv"],
}
"""What is written, and by which command."""


def command(name: str) -> list[str]:
    """The whole command line."""
    words = COMMANDS[name]
    out = [name] if words[0] == "convert" else ["-o", name]
    return [sys.executable, "-m", "ulframe", *words, *out]


def is_whole(path: Path) -> bool:
    """Whether the file, or the index, can be read to its end."""
    if path.is_dir():
        return open_index(path) is not None
    if path.suffix == ".html":
        return path.read_text("utf-8").rstrip().endswith("</html>")
    if path.suffix == ".arrow":
        return pl.read_ipc(path).height > 0
    if path.suffix == ".parquet":
        return pl.read_parquet(path).height > 0
    lines = pl.scan_lines(path).collect()["line"]
    return lines.len() > 1 and len(lines[-1].replace(",", " ").split()) >= 6


def run(name: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start a command."""
    silent = subprocess.DEVNULL
    return subprocess.Popen(command(name), cwd=folder, stdout=silent, stderr=silent)


def killed(folder: Path, seed: int, count: int) -> Iterator[str]:
    """What went wrong in so many kills."""
    rng = random.Random(seed)
    inputs(folder)
    for name in COMMANDS:
        assert run(name, folder).wait() == 0, name
    there = {path.name for path in folder.iterdir()}
    for _ in range(count):
        name, how = rng.choice([*COMMANDS]), rng.choice([signal.SIGTERM, signal.SIGKILL])
        started = run(name, folder)
        time.sleep(rng.uniform(0, SECONDS))
        started.send_signal(how)
        started.wait()
        if not is_whole(folder / name):
            yield f"{name} is not whole after {how.name}"
        left = {path.name for path in folder.iterdir()} - there
        if left and how is signal.SIGTERM:
            yield f"{name}: SIGTERM leaves {left}"
        if left and run(name, folder).wait() == 0:
            left = {path.name for path in folder.iterdir()} - there
            if left:
                yield f"{name}: the next run leaves {left}"


def main() -> int:
    """Kill, tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        found = list(killed(Path(folder), options.seed, options.count))
    for line in found:
        print(line)
    print(f"{options.count} kills, {len(found)} wrong")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
