"""Times the main job against its peers and floors; `python tests/bench/main_job.py` prints ratios.

Every job is a whole process. Each is run once to warm up, then the rounds go through all of them in
turn, so that a change of the machine's mood meets them alike. Ratios are medians over the rounds;
peaks are resident memory as the kernel counts it. This file imports nothing big, because a child's
peak starts at the size of its parent.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from statistics import median

BENCH = Path(__file__).resolve().parent
CHECKOUT = BENCH.parents[1]
PACKAGES = ["ulframe", "polars", "pytrec_eval-terrier", "ir_measures", "ranx"]

# bytecode is kept, as it is of what pip installed
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

# what the console script does, on the checkout's code
ULFRAME = [sys.executable, "-c", "import sys; from ulframe.cli.main import main; sys.exit(main())"]
MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@1000", "bpref"]
UNDER = ["DCG@10", "AP", "RR", "P@10", "R@1000", "bpref"]  # nDCG's bounds are DCG's
BOUNDED = [*MEASURES, *(f"{variant}({name})" for variant in ("V1", "V2") for name in UNDER)]


@dataclass(frozen=True)
class Cost:
    """What one process took: wall and processor seconds, peak MiB."""

    wall: float
    cpu: float
    peak: float


@dataclass(frozen=True)
class Budget:
    """How one job must compare with another: `part(a) / part(b)` at most or at least a limit."""

    says: str
    a: str
    b: str
    limit: float
    holds: Callable[[float, float], bool]
    part: Callable[[Cost], float] = lambda cost: cost.wall


def at_most(ratio: float, limit: float) -> bool:
    """The ratio stays within the limit."""
    return ratio <= limit


def at_least(ratio: float, limit: float) -> bool:
    """The ratio reaches the limit."""
    return ratio >= limit


BUDGETS = [
    Budget("faster than trec_eval", "trec_eval", "eval text", 3.5, at_least),
    Budget("faster than pytrec_eval", "pytrec_eval", "eval text", 4, at_least),
    Budget("faster than ir_measures", "ir_measures", "eval text", 8, at_least),
    Budget("faster than ranx", "ranx", "eval text", 10, at_least),
    Budget("of Polars reading the text", "eval text", "read text", 1.5, at_most),
    Budget("of pytrec_eval's memory", "eval text", "pytrec_eval", 1, at_most, lambda c: c.peak),
    Budget("of plain Polars, with bounds", "eval parquet", "plain polars", 0.8, at_most),
    Budget("of import polars, 50 queries", "eval 50", "import polars", 1.3, at_most),
]


def jobs(data: Path) -> dict[str, list[str]]:
    """The command of every job that can run here, by the job's name."""
    main = [str(data / "main.qrels.txt"), str(data / "main.run.txt")]
    table = [str(data / "main.qrels.parquet"), str(data / "main.run.parquet")]
    few = [str(data / "few.qrels.txt"), str(data / "few.run.txt")]
    many, one = (
        [str(data / "many.qrels.parquet"), str(data / f"{runs}.run.parquet")]
        for runs in ("many", "one")
    )
    found = {
        "import polars": [sys.executable, "-c", "import polars"],
        "read text": script("read_text", main),
        "plain polars": script("plain_polars", table),
    }
    if find_spec("ulframe") or (CHECKOUT / "ulframe" / "cli" / "main.py").exists():
        output = ["-o", str(data / "scores.parquet")]
        found["import ulframe"] = [sys.executable, "-c", "import polars, ulframe"]
        found["eval text"] = [*ULFRAME, "eval", *main, *asked(MEASURES)]
        found["eval parquet"] = [*ULFRAME, "eval", *table, *asked(BOUNDED), *output]
        found["eval 50"] = [*ULFRAME, "eval", *few, *asked(MEASURES)]
        found["eval 1 run"] = [*ULFRAME, "eval", *one, *asked(BOUNDED), *output]
        found["eval 100 runs"] = [*ULFRAME, "eval", *many, *asked(BOUNDED), *output]
    if trec_eval := shutil.which("trec_eval"):
        names = ["ndcg_cut.10", "map", "recip_rank", "P.10", "recall.1000", "bpref"]
        found["trec_eval"] = [trec_eval, *asked(names), *main]
    for peer in ("pytrec_eval", "ir_measures", "ranx"):
        if find_spec(peer):
            found[peer] = script(f"with_{peer}", main)
    return found


def script(name: str, files: list[str]) -> list[str]:
    """The command that runs one of the scripts in jobs/."""
    return [sys.executable, str(BENCH / "jobs" / f"{name}.py"), *files]


def asked(measures: list[str]) -> list[str]:
    """The measures as options, one -m each."""
    return [part for measure in measures for part in ("-m", measure)]


def run(command: list[str]) -> Cost:
    """Run a process to its end; its output is shown only when it fails."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=CHECKOUT, env=ENVIRONMENT, stdout=output, stderr=subprocess.STDOUT
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise RuntimeError(f"{command} failed:\n{output.read().decode(errors='replace')}")
    kib = used.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return Cost(wall, used.ru_utime + used.ru_stime, kib / 1024)


def measure(commands: dict[str, list[str]], rounds: int) -> dict[str, list[Cost]]:
    """The costs of every job, round by round; a job that fails is reported and left out."""
    costs: dict[str, list[Cost]] = {}
    for name, command in commands.items():
        try:
            run(command)
            costs[name] = []
        except RuntimeError as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
    for number in range(rounds):
        for name, done in costs.items():
            print(f"round {number + 1} of {rounds}: {name}", file=sys.stderr)
            done.append(run(commands[name]))
    return costs


def machine() -> str:
    """What the figures were measured on."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = {line.partition(":")[2].strip() for line in lines if line.startswith("model name")}
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    packages = [f"{name} {release}" for name in PACKAGES if (release := installed(name))]
    return (
        f"{', '.join(models) or platform.processor()}, {cores} cores, {platform.platform()}\n"
        f"Python {platform.python_version()}, {', '.join(packages)}"
    )


def installed(package: str) -> str | None:
    """The version of a package, if it is there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def report(costs: dict[str, list[Cost]]) -> None:
    """Print the costs of each job, then each budget that both of its jobs ran for."""
    print(f"{'job':16}{'wall s':>9}{'fastest':>9}{'cpu s':>9}{'peak MiB':>10}")
    for name, done in costs.items():
        walls, cpus, peaks = zip(*((c.wall, c.cpu, c.peak) for c in done), strict=True)
        print(
            f"{name:16}{median(walls):9.2f}{min(walls):9.2f}{median(cpus):9.2f}{median(peaks):10.0f}"
        )
    print()
    for budget in BUDGETS:
        if budget.a in costs and budget.b in costs:
            both = zip(costs[budget.a], costs[budget.b], strict=True)
            ratio = median(budget.part(a) / budget.part(b) for a, b in both)
            word = budget.holds.__name__.replace("_", " ")
            verdict = "holds" if budget.holds(ratio, budget.limit) else "MISSED"
            print(f"{ratio:8.2f}x {budget.says:32}{word:>9} {budget.limit:g}x  {verdict}")
    start = net(costs, "import ulframe")
    if start is not None:
        print(f"{1000 * start:6.0f} ms added to import polars {'at most':>16} 50 ms")
    one, many = net(costs, "eval 1 run"), net(costs, "eval 100 runs")
    if one and many:
        print(f"{many / one:8.2f}x of 1 run's net time, 100 runs {'at most':>9} 100x (the rows)")


def net(costs: dict[str, list[Cost]], job: str) -> float | None:
    """Seconds that a job takes beyond importing Polars."""
    if job not in costs or "import polars" not in costs:
        return None
    both = zip(costs[job], costs["import polars"], strict=True)
    return median(a.wall - b.wall for a, b in both)


def main() -> None:
    """Make the workload if it is not there, run the jobs, print what they took."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="timed rounds (default 3)")
    parser.add_argument("--only", nargs="+", metavar="JOB", help="these jobs, by name")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    parser.add_argument("--data", type=Path, default=cache / "ulframe" / "bench")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"making the workload in {options.data}", file=sys.stderr)
        make = [sys.executable, str(BENCH / "workload.py"), str(options.data)]
        subprocess.run(make, check=True)
    commands = jobs(options.data)
    wanted = options.only or list(commands)
    if unknown := set(wanted) - set(commands):
        parser.error(f"no job {', '.join(sorted(unknown))} here; there are {', '.join(commands)}")
    costs = measure({name: commands[name] for name in wanted}, options.rounds)
    print(machine(), end="\n\n")
    report(costs)


if __name__ == "__main__":
    main()
