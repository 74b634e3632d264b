"""Times comparisons of 1,000 rankings of 300 people; `python -m tests.bench.experts` prints ratios.

Every job is a whole process. Beside ours: scipy's Kendall tau of every ranking, one number each,
and the same pairs as rows of a Polars self-join. A tenth of the people is missing from each
ranking, and about a third stands in ties.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from tests.bench.main_job import ULFRAME, Cost, machine, measure

RANKINGS, PEOPLE, PLACES, KEPT = 1000, 300, 600, 0.9

MAKE = f"""
import numpy, polars as pl
random = numpy.random.default_rng(0)
cells = {RANKINGS} * {PEOPLE}
ranking = numpy.repeat(numpy.arange({RANKINGS}), {PEOPLE})
item = numpy.tile(numpy.arange({PEOPLE}), {RANKINGS})
near = item * 2 + random.integers(0, {PLACES} // 2, cells)
frame = pl.DataFrame({{"ranking": ranking, "item": item, "position": near}})
kept = pl.Series(random.random(cells) < {KEPT}) | (frame["ranking"] == 0)
position = pl.when(ranking=0).then("item").otherwise("position").alias("position")
frame.filter(kept).with_columns(position).write_parquet(PATH)
"""
TAU = """
import polars as pl
from scipy.stats import kendalltau
frame = pl.read_parquet(PATH)
reference = frame.filter(ranking=0).select("item", reference="position")
for _, own in frame.join(reference, on="item").group_by("ranking"):
    kendalltau(own["position"], own["reference"])
"""
JOIN = """
import polars as pl
frame = pl.scan_parquet(PATH)
reference = frame.filter(ranking=0).select("item", reference="position")
both = frame.join(reference, on="item")
pairs = both.join(both, on="ranking", suffix="_2").filter(pl.col("item") < pl.col("item_2"))
own = (pl.col("position") - pl.col("position_2")).sign()
theirs = (pl.col("reference") - pl.col("reference_2")).sign()
both = {"agree": (own * theirs > 0).sum(), "open": (own * theirs == 0).sum()}
pairs.group_by("ranking").agg(**both).collect()
"""
PAIRS = ["pairs.P", "pairs.R", "pairs.F", "mean(pairs.nCG)", "pairs.uncertain"]
OF_PEOPLE = ["P@10", "AP", "DCG@10", "nDCG", "V2(nDCG@10)"]


def jobs(path: str) -> dict[str, list[str]]:
    """The command of every job, by the job's name."""

    def python(code: str) -> list[str]:
        return [sys.executable, "-c", code.replace("PATH", repr(path))]

    ours = [*ULFRAME, "experts", path]
    return {
        "import polars": python("import polars"),
        "pairs": [*ours, "--reference", "0", "-m", *PAIRS],
        "pairs and people": [*ours, "--reference", "0", "-m", *PAIRS, *OF_PEOPLE],
        "completed": [*ours, "--reference", "0", "--complete", "-m", *PAIRS, *OF_PEOPLE],
        "the others": [*ours, "--others", "-m", *PAIRS],
        "every pair": [*ours, "-m", "pairs.P"],
        "scipy tau": python(TAU),
        "self-join": python(JOIN),
    }


def report(costs: dict[str, list[Cost]]) -> None:
    """Print the costs of each job, and each in ratio to scipy's tau and to the self-join."""
    print(f"{'job':18}{'wall s':>9}{'cpu s':>9}{'peak MiB':>10}", end="")
    print(f"{'of scipy tau':>14}{'of self-join':>14}")
    peers = ["scipy tau", "self-join"]
    for name, done in costs.items():
        wall, cpu, peak = (
            median(part) for part in zip(*((c.wall, c.cpu, c.peak) for c in done), strict=True)
        )
        ratios = [
            median(a.wall / b.wall for a, b in zip(done, costs[peer], strict=True))
            for peer in peers
            if peer in costs
        ]
        print(
            f"{name:18}{wall:9.2f}{cpu:9.2f}{peak:10.0f}" + "".join(f"{x:13.2f}x" for x in ratios)
        )


def main() -> None:
    """Make the rankings, run the jobs, print what they took."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="timed rounds (default 3)")
    parser.add_argument("--only", nargs="+", metavar="JOB", help="these jobs, by name")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rankings.parquet")
        # in a process of its own: a child's peak starts at the size of its parent
        subprocess.run([sys.executable, "-c", MAKE.replace("PATH", repr(path))], check=True)
        commands = jobs(path)
        wanted = options.only or list(commands)
        costs = measure({name: commands[name] for name in wanted}, options.rounds)
    print(machine(), end="\n\n")
    report(costs)


if __name__ == "__main__":
    main()
