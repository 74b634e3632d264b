"""Costs of learning to rank; `python tests/bench/letor.py` prints them beside what is asked.

Three parts, of which arguments choose some:

- `convert`: generated LETOR text of MSLR-WEB30K's size (3,771,125 documents, 136 features, 4.6 GB)
  to parquet; against Polars merely reading the lines, and the size of all features as numbers.
- `memory`: what each method takes at its highest, above what its imports take, over the feature
  matrix of a fold (300,000 documents, 136 features); a few rounds, as memory does not grow in them.
- `mq2008`: all methods on the five folds of ../shared/data/mq2008.

Every job is a process of its own; peaks are resident memory as the kernel counts it.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from main_job import CHECKOUT, ULFRAME, Cost, run  # type: ignore[import-not-found]

FEATURES, PER_QUERY, BLOCK = 136, 120, 20_000
DOCUMENTS, FOLD = 3_771_125, 300_000
MEMORY, SECONDS = 3, 15 * 60  # what is asked: times the matrix, and for all methods and folds

FEW = {
    "RNet": {"most_epochs": 1}, "RBoost": {"most_rounds": 2}, "ARank": {"most_rounds": 2},
    "RF": {"most_trees": 3}, "LMART": {"most_trees": 3}, "CA": {"restarts": 1, "most_passes": 1},
    "LNet": {"most_epochs": 1}, "L2LR": {"most_iterations": 3},
}  # fmt: skip
TRAIN = """
import sys
import polars as pl
import lightgbm, scipy.optimize, threadpoolctl
import ulframe as ul
from pathlib import Path
from ulframe.systems.letor import find_folds, load, method, ranking, survey
name, folder, options = sys.argv[1], Path(sys.argv[2]), eval(sys.argv[3])
if name in ("imports", "load"):
    fit = lambda *_: lambda queries: [0.0] * len(queries.labels)
else:
    fit = method(name)
if name != "imports":
    folds = find_folds(folder)
    split = load(folds[0], survey(folds))
    ranking(name, split.test, fit(split.train, split.valid, ul.nDCG @ 10, 0, **options))
"""
CONVERT = """
import sys
from ulframe.frames.features import scan_letor
scan_letor(sys.argv[1]).sink_parquet(sys.argv[2])
"""
READ = "import sys, polars as pl; pl.scan_lines(sys.argv[1]).select(pl.len()).collect()"


def write_text(path: Path, documents: int) -> None:
    """Numbers as MSLR-WEB30K has them, many of them whole; a block of lines comes again."""
    import numpy as np

    random = np.random.default_rng(0)
    values = random.lognormal(1, 1.5, (BLOCK, FEATURES))
    values[:, : FEATURES // 2] = values[:, : FEATURES // 2].round()
    bodies = [
        " ".join(f"{number}:{value:.8g}" for number, value in enumerate(row, 1))
        for row in values.round(6).tolist()
    ]
    labels = random.integers(0, 5, BLOCK).tolist()
    with path.open("w") as file:
        for at in range(documents):
            line = at % BLOCK
            file.write(f"{labels[line]} qid:{at // PER_QUERY} {bodies[line]} \n")


def convert(folder: Path, documents: int) -> None:
    """Print the costs of converting."""
    text, table = folder / "web.txt", folder / "web.parquet"
    write_text(text, documents)
    size, matrix = text.stat().st_size / 2**20, documents * FEATURES * 4 / 2**20
    read = run([sys.executable, "-c", READ, str(text)])
    cost = run([sys.executable, "-c", CONVERT, str(text), str(table)])
    print(f"convert {documents:,} documents x {FEATURES}: {size:,.0f} MiB of text")
    say("Polars reads the lines", read)
    say("to parquet", cost)
    print(f"  peak / text {cost.peak / size:.2f}, peak / features {cost.peak / matrix:.2f}")


def memory(folder: Path, documents: int) -> None:
    """Print each method's peak over the feature matrix."""
    import numpy as np
    import polars as pl

    random = np.random.default_rng(0)
    for part, share in (("train", 0.6), ("vali", 0.2), ("test", 0.2)):
        rows = int(documents * share)
        values = random.uniform(size=(rows, FEATURES)).astype(np.float32)
        pl.DataFrame(
            {
                "query_id": [f"{part}{at // PER_QUERY}" for at in range(rows)],
                "doc_id": [f"{at % PER_QUERY:06}" for at in range(rows)],
                "label": (values[:, :3].sum(axis=1) * 5 / 3).astype(np.int32),
            }
        ).hstack([pl.Series(f"f{i + 1}", values[:, i]) for i in range(FEATURES)]).write_parquet(
            folder / f"{part}.parquet"
        )
    matrix = documents * FEATURES * 4 / 2**20
    print(f"memory: {documents:,} documents x {FEATURES}, {matrix:,.0f} MiB")
    jobs: dict[str, dict[str, int]] = {"imports": {}, "load": {}, **FEW}
    base = 0.0
    for name, options in jobs.items():
        cost = run([sys.executable, "-c", TRAIN, name, str(folder), repr(options)])
        base = base or cost.peak
        times = (cost.peak - base) / matrix
        print(f"  {name:8} {times:5.2f} (asked: {MEMORY}) {'' if times <= MEMORY else 'NOT MET'}")


def mq2008(folder: Path) -> None:
    """Print the costs of the whole experiment."""
    data = CHECKOUT.parent / "shared" / "data" / "mq2008"
    if not data.is_dir():
        print(f"mq2008: left out, {data} is not there")
        return
    cost = run([*ULFRAME, "letor", str(data), "-o", str(folder / "runs.parquet")])
    print("mq2008: 8 methods x 5 folds")
    say("the command", cost)
    print(f"  {cost.wall:.0f} s (asked: {SECONDS}) {'' if cost.wall <= SECONDS else 'NOT MET'}")


def say(what: str, cost: Cost) -> None:
    """Print one job's costs."""
    print(f"  {what}: {cost.wall:.1f} s, processor {cost.cpu:.1f} s, peak {cost.peak:,.0f} MiB")


def main() -> None:
    """Run the parts asked for."""
    parts = ["convert", "memory", "mq2008"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {parts}; all if none")
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="that are converted")
    parser.add_argument("--fold", type=int, default=FOLD, help="documents of the fold of `memory`")
    options = parser.parse_args()
    for part in options.parts or parts:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            match part:
                case "convert":
                    convert(folder, options.documents)
                case "memory":
                    memory(folder, options.fold)
                case "mq2008":
                    mq2008(folder)
                case _:
                    parser.error(f"no part {part!r}; there are {', '.join(parts)}")


if __name__ == "__main__":
    main()
