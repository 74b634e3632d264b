"""Times the main job against its peers and floors; `python tests/bench/main_job.py` prints ratios.

Every job is a whole process, run once to warm up. What is compared runs in turn, A B A B, so that a
change of the machine's mood meets both alike, and ratios are taken pair by pair; shown are medians,
and quartiles in brackets. Processor time is user and system together; peaks are resident memory as
the kernel counts it. This file imports nothing big, because a child's peak starts at the size of
its parent.

A peer that is not installed beside Polars may be in an environment of its own, whose interpreter
`--peers` names; trec_eval is measured where it is on the PATH. `--readme` writes the table of the
README.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

BENCH = Path(__file__).resolve().parent
CHECKOUT = BENCH.parents[1]
PEERS = {"pytrec_eval": "pytrec_eval-terrier", "ir_measures": "ir_measures", "ranx": "ranx"}
PACKAGES = ["ulframe", "polars", *PEERS.values()]

# bytecode is kept, as it is of what pip installed
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

# what the console script does, on the checkout's code
ULFRAME = [sys.executable, "-c", "from ulframe.__main__ import command; command()"]
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
    """How one job must compare with another: a ratio of `part` at most or at least a limit."""

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
    Budget("faster than trec_eval", "trec_eval", "eval text", 3.8, at_least),
    Budget("faster than pytrec_eval", "pytrec_eval", "eval text", 4.6, at_least),
    Budget("faster than ir_measures", "ir_measures", "eval text", 8, at_least),
    Budget("faster than ranx", "ranx", "eval text", 11, at_least),
    Budget("of Polars reading the text", "eval text", "read text", 1.4, at_most),
    Budget("of pytrec_eval's memory", "eval text", "pytrec_eval", 1, at_most, lambda c: c.peak),
    Budget("of plain Polars, with bounds", "eval parquet", "plain polars", 0.5, at_most),
    Budget("of import polars, 50 queries", "eval 50", "import polars", 1.25, at_most),
    Budget("of 1 run, 100 runs (the rows)", "eval 100 runs", "eval 1 run", 100, at_most),
]

SHOWN = {
    "eval text": "ulframe, from TREC text",
    "eval parquet": "ulframe, from parquet, with both bounds and V1 and V2 of every measure",
    "trec_eval": "trec_eval",
    "pytrec_eval": "pytrec_eval",
    "ir_measures": "ir_measures",
    "ranx": "ranx, numba's cache warm",
    "read text": "Polars reading that text and nothing else",
    "plain polars": "Polars reading the parquet, sorting, joining, grouping",
}
"""The rows of the README's table."""

MARKS = ("<!-- written by tests/bench/main_job.py -->", "<!-- up to here -->")


def jobs(data: Path, pythons: list[str]) -> dict[str, list[str]]:
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
    output = ["-o", str(data / "scores.parquet")]
    found["eval text"] = [*ULFRAME, "eval", *main, *asked(MEASURES)]
    found["eval parquet"] = [*ULFRAME, "eval", *table, *asked(BOUNDED), *output]
    found["eval 50"] = [*ULFRAME, "eval", *few, *asked(MEASURES)]
    found["eval 1 run"] = [*ULFRAME, "eval", *one, *asked(BOUNDED), *output]
    found["eval 100 runs"] = [*ULFRAME, "eval", *many, *asked(BOUNDED), *output]
    if trec_eval := shutil.which("trec_eval"):
        names = ["ndcg_cut.10", "map", "recip_rank", "P.10", "recall.1000", "bpref"]
        found["trec_eval"] = [trec_eval, *asked(names), *main]
    for peer in PEERS:
        if python := next((one for one in pythons if release(one, PEERS[peer])), None):
            found[peer] = script(f"with_{peer}", main, python)
    return found


def script(name: str, files: list[str], python: str = sys.executable) -> list[str]:
    """The command that runs one of the scripts in jobs/."""
    return [python, str(BENCH / "jobs" / f"{name}.py"), *files]


def release(python: str, package: str) -> str:
    """The version of a package that an interpreter has; empty where it has none."""
    code = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))"
    done = subprocess.run([python, "-c", code, package], capture_output=True, text=True)
    return done.stdout.strip()


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


def warmed(commands: dict[str, list[str]]) -> dict[str, list[str]]:
    """Run every job once; those that fail are reported and left out."""
    able = {}
    for name, command in commands.items():
        try:
            run(command)
            able[name] = command
        except RuntimeError as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
    return able


def measure(commands: dict[str, list[str]], rounds: int) -> dict[str, list[Cost]]:
    """The costs of every job, round by round; a job that fails is reported and left out."""
    able = warmed(commands)
    costs: dict[str, list[Cost]] = {name: [] for name in able}
    for number in range(rounds):
        for name, done in costs.items():
            print(f"round {number + 1} of {rounds}: {name}", file=sys.stderr)
            done.append(run(able[name]))
    return costs


def compare(
    commands: dict[str, list[str]], rounds: int
) -> tuple[dict[str, list[Cost]], dict[Budget, list[tuple[Cost, Cost]]]]:
    """The costs of every job, and those of both jobs of each budget, run in turn."""
    able = warmed(commands)
    costs: dict[str, list[Cost]] = {name: [] for name in able}
    pairs: dict[tuple[str, str], list[tuple[Cost, Cost]]] = {}
    asked_for = [budget for budget in BUDGETS if {budget.a, budget.b} <= set(able)]
    for a, b in dict.fromkeys((budget.a, budget.b) for budget in asked_for):
        print(f"{rounds} rounds of {a} and {b}", file=sys.stderr)
        pairs[a, b] = [(run(able[a]), run(able[b])) for _ in range(rounds)]
        for one, other in pairs[a, b]:
            costs[a].append(one)
            costs[b].append(other)
    return (
        {name: done for name, done in costs.items() if done},
        {budget: pairs[budget.a, budget.b] for budget in asked_for},
    )


def machine(pythons: Sequence[str] = (sys.executable,)) -> str:
    """What the figures were measured on."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = {line.partition(":")[2].strip() for line in lines if line.startswith("model name")}
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found = {name: next(filter(None, (release(p, name) for p in pythons)), "") for name in PACKAGES}
    packages = [f"{name} {version}" for name, version in found.items() if version]
    return (
        f"{', '.join(models) or platform.processor()}, {cores} cores, {platform.system()}\n"
        f"Python {platform.python_version()}, {', '.join(packages)}"
    )


def spread(numbers: Iterable[float]) -> tuple[float, float, float]:
    """The lower quartile, the median and the upper quartile."""
    found = list(numbers)
    low, middle, high = quantiles(found, n=4, method="inclusive") if found[1:] else found * 3
    return low, middle, high


def shown(numbers: Iterable[float], digits: int = 2) -> str:
    """The median, and the quartiles in brackets."""
    low, middle, high = (f"{number:.{digits}f}" for number in spread(numbers))
    return f"{middle} [{low}, {high}]"


def report(
    costs: dict[str, list[Cost]], budgets: dict[Budget, list[tuple[Cost, Cost]]]
) -> Iterator[str]:
    """Lines: the costs of each job, then each budget that both of its jobs ran for."""
    yield f"{'job':16}{'wall s':>22}{'cpu s':>22}{'peak MiB':>10}{'runs':>6}"
    for name, done in costs.items():
        wall, cpu = shown(c.wall for c in done), shown(c.cpu for c in done)
        peak = median(c.peak for c in done)
        yield f"{name:16}{wall:>22}{cpu:>22}{peak:10.0f}{len(done):6}"
    yield ""
    for budget, pairs in budgets.items():
        ratios = [budget.part(a) / budget.part(b) for a, b in pairs]
        cpu = shown(a.cpu / b.cpu for a, b in pairs)
        word = budget.holds.__name__.replace("_", " ")
        verdict = "holds" if budget.holds(median(ratios), budget.limit) else "MISSED"
        asked_for = f"{word} {budget.limit:g}"
        yield f"{shown(ratios):>20} {budget.says:32}{asked_for:>14}  {verdict}; cpu {cpu}"


def table(
    costs: dict[str, list[Cost]], budgets: dict[Budget, list[tuple[Cost, Cost]]], where: str
) -> Iterator[str]:
    """Lines of the README: the jobs that it shows, what they were run on, and some ratios."""
    yield "| | seconds | processor seconds | peak MiB |"
    yield "|---|---:|---:|---:|"
    for name, says in SHOWN.items():
        if done := costs.get(name):
            wall, cpu = median(c.wall for c in done), median(c.cpu for c in done)
            yield f"| {says} | {wall:.2f} | {cpu:.2f} | {median(c.peak for c in done):,.0f} |"
    yield ""
    rounds = min(map(len, budgets.values()), default=0)
    yield f"Medians of whole processes, at least {rounds} runs of each, on {where}."
    yield ""
    yield "What is compared runs in turn; ratios pair by pair, with quartiles:"
    yield ""
    for budget, pairs in budgets.items():
        yield f"- {shown(budget.part(a) / budget.part(b) for a, b in pairs)} {budget.says}"


def write_readme(lines: Iterable[str]) -> None:
    """Put the lines between the marks."""
    readme = CHECKOUT / "README.md"
    text = readme.read_text(encoding="utf-8")
    before, _, rest = text.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    block = "\n".join([MARKS[0], "", *lines, "", MARKS[1]])
    readme.write_text(before + block + after, encoding="utf-8")


def main() -> None:
    """Make the workload if it is not there, run the jobs, print what they took."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="timed rounds (default 5)")
    parser.add_argument("--only", nargs="+", metavar="JOB", help="these jobs, by name")
    parser.add_argument("--peers", metavar="PYTHON", help="another interpreter that has peers")
    parser.add_argument("--readme", action="store_true", help="write the README's table")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    parser.add_argument("--data", type=Path, default=cache / "ulframe" / "bench")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"making the workload in {options.data}", file=sys.stderr)
        make = [sys.executable, str(BENCH / "workload.py"), str(options.data)]
        subprocess.run(make, check=True)
    pythons = [sys.executable, *filter(None, [options.peers])]
    commands = jobs(options.data, pythons)
    wanted = options.only or list(commands)
    if unknown := set(wanted) - set(commands):
        parser.error(f"no job {', '.join(sorted(unknown))} here; there are {', '.join(commands)}")
    costs, budgets = compare({name: commands[name] for name in wanted}, options.rounds)
    print(machine(pythons), end="\n\n")
    print("\n".join(report(costs, budgets)))
    if options.readme:
        write_readme(table(costs, budgets, machine(pythons).replace("\n", "; ")))


if __name__ == "__main__":
    main()
