"""How long a report takes and how large it is: `python tests/bench/report.py` prints both.

Times are those of whole processes, beside one that only imports Polars and Altair. Real scores
where `../shared/data/mq2007-agg` is there (21 runs x 1,692 queries x 15 measures), else generated
ones of that size; with `--large` also 100 runs x 7,000 queries x 15 measures, generated, once.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "mq2007-agg"
CUTOFFS = [5, 10, 15, 20, 30]
FORMS = ["nDCG@{}", "V1(DCG@{})", "V2(DCG@{})"]
MEASURES = [form.format(k) for form in FORMS for k in CUTOFFS]
# what the console script does, on the checkout's code
ULFRAME = ["-c", "import sys; from ulframe.cli.main import main; sys.exit(main())"]


def generated(path: Path, runs: int, queries: int) -> None:
    """Scores of systems of differing skill on queries of differing difficulty."""
    rng = np.random.default_rng(0)
    shape = runs, queries, len(CUTOFFS)
    skill, ease = rng.normal(0, 0.05, (runs, 1, 1)), rng.beta(2, 3, (1, queries, 1))
    value = np.clip(ease + skill + rng.normal(0, 0.15, shape), 0, 1)
    chance = np.broadcast_to(np.clip(rng.beta(2, 6, (1, queries, 1)), 0.01, 0.98), shape)
    v1 = value * value / (value + chance)
    above = (value - chance) / (1 - chance)
    v2 = np.where(value >= chance, above, (value - chance) / chance)
    scores = np.concatenate([value, v1, v2], axis=2)
    place = np.arange(scores.size)
    n = len(MEASURES)
    names = {
        "run": pl.Series([f"run{i:03}" for i in range(runs)])[place // (queries * n)],
        "query_id": pl.Series([f"query{i:05}" for i in range(queries)])[place // n % queries],
        "measure": pl.Series(MEASURES)[place % n],
    }
    numbers = {
        "score": scores.ravel(),
        "value": np.concatenate([value] * 3, axis=2).ravel(),
        "upper": np.ones(scores.size),
        "expected": np.concatenate([chance] * 3, axis=2).ravel(),
    }
    pl.DataFrame({**names, **numbers}).write_parquet(path)


def evaluated(path: Path) -> None:
    """The real scores, as the command line writes them."""
    files = [str(REAL / name) for name in ("qrels.parquet", "runs.parquet")]
    command = [sys.executable, *ULFRAME, "eval", *files, "-m", *MEASURES, "-o", str(path)]
    subprocess.run(command, check=True, capture_output=True)


def seconds(*command: str, rounds: int = 3) -> float:
    """The best of several rounds, for a command of Python's."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run([sys.executable, *command], check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print seconds, ratios and sizes."""
    imports = seconds("-c", "import polars, altair")
    print(f"import polars, altair: {imports:.2f} s")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        real = REAL.is_dir()
        small = folder / "small.parquet"
        evaluated(small) if real else generated(small, 21, 1692)
        jobs = [("21 x 1,692 x 15, " + ("real" if real else "generated"), small, 3)]
        if "--large" in sys.argv:
            generated(folder / "large.parquet", 100, 7000)
            jobs.append(("100 x 7,000 x 15, generated", folder / "large.parquet", 1))
        for what, scores, rounds in jobs:
            page = folder / f"{scores.stem}.html"
            took = seconds(*ULFRAME, "report", str(scores), "-o", str(page), rounds=rounds)
            size = page.stat().st_size / 1e6
            print(f"{what}: {took:.1f} s, {took / imports:.1f} x the imports, {size:.1f} MB")


if __name__ == "__main__":
    main()
