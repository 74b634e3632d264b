"""Score matrices as the tests of significance need them: made, read, and turned into frames."""

from pathlib import Path

import numpy as np
import polars as pl


def as_scores(values, measure="AP"):
    """A scores frame of runs x queries; runs are named a, b, ... or r000, r001, ..."""
    m, n = np.shape(values)
    names = "abcdefghijklmnopqrstuvwxyz" if m <= 26 else [f"r{i:03}" for i in range(m)]
    return pl.DataFrame(
        {
            "run": [names[i] for i in range(m) for _ in range(n)],
            "query_id": [f"q{j:04}" for _ in range(m) for j in range(n)],
            "measure": [measure] * (m * n),
            "score": np.asarray(values, dtype=np.float64).ravel().tolist(),
        }
    )


def made(m, n, seed=0):
    """Scores in [0, 1] of m runs, some better than others, on n queries, some harder."""
    rng = np.random.default_rng(seed)
    raw = rng.normal(0.5, 0.1, (m, n)) + np.linspace(0, 0.1, m)[:, None] + rng.normal(0, 0.1, n)
    return np.clip(raw, 0, 1)


def read(folder: Path, name: str, measure="AP"):
    """One of the matrices of topics x systems."""
    table = pl.read_csv(folder / "ap-matrices" / f"{name}.csv").with_row_index("query_id")
    return table.unpivot(index="query_id", variable_name="run", value_name="score").with_columns(
        measure=pl.lit(measure)
    )
