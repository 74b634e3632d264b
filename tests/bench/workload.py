"""Makes the benchmark's input, once: python workload.py FOLDER.

6,980 queries x 1,000 documents, about 20 judged documents a query (14 of them retrieved), labels
0 to 3, as TREC text and as parquet; the first 50 queries of it; and one run against 100 runs, each
of 1,000 queries x 100 documents, over one qrels.
"""

import os
import sys
from pathlib import Path

import numpy as np
import polars as pl

QUERIES, DEPTH, COLLECTION = 6_980, 1_000, 8_800_000
RETRIEVED, MISSED = 14, 6  # judged documents of a query that the run returned, and did not
FEW = 50
MANY_RUNS, MANY_QUERIES, MANY_DEPTH = 100, 1_000, 100


def make_run(rng: np.random.Generator) -> pl.DataFrame:
    """One run, best document first within its query."""
    docs = [rng.choice(COLLECTION, DEPTH, replace=False) for _ in range(QUERIES)]
    scores = np.sort(rng.gamma(3, 4, (QUERIES, DEPTH)), axis=1)[:, ::-1]
    return pl.DataFrame(
        {
            "query_id": np.repeat(np.arange(QUERIES) + 1_000_000, DEPTH),
            "doc_id": np.concatenate(docs),
            "score": np.round(scores, 4).ravel(),
        }
    ).select(pl.lit("bm25").alias("run"), pl.col("query_id", "doc_id").cast(pl.String), "score")


def make_qrels(rng: np.random.Generator, run: pl.DataFrame) -> pl.DataFrame:
    """Labels for some of what the run returned, and for some documents that it missed."""
    picked = [rng.choice(DEPTH, RETRIEVED, replace=False) + i * DEPTH for i in range(QUERIES)]
    found = run[np.concatenate(picked)].select("query_id", "doc_id")
    missed = pl.DataFrame(
        {
            "query_id": np.repeat(np.arange(QUERIES) + 1_000_000, MISSED),
            "doc_id": rng.integers(COLLECTION, COLLECTION + 200_000, QUERIES * MISSED),
        }
    ).cast(pl.String)
    judged = pl.concat([found, missed.unique(maintain_order=True)])
    labels = rng.choice([0, 1, 2, 3], len(judged), p=[0.6, 0.25, 0.1, 0.05])
    return judged.with_columns(label=pl.Series(labels, dtype=pl.Int32)).sort("query_id", "doc_id")


def make_many(rng: np.random.Generator, run: pl.DataFrame) -> pl.DataFrame:
    """The top of the run again and again, with other scores each time."""
    rank = pl.int_range(pl.len()).over("run", "query_id")
    top = run.head(MANY_QUERIES * DEPTH).filter(rank < MANY_DEPTH)
    return pl.concat(
        top.with_columns(
            run=pl.lit(f"run{number:03d}"),
            score=(pl.col("score") + pl.Series(rng.normal(0, 3, len(top)))).round(4),
        )
        for number in range(MANY_RUNS)
    )


def only(frame: pl.DataFrame, queries: pl.DataFrame) -> pl.DataFrame:
    """The rows of the frame whose query occurs in the other, in their order."""
    return frame.join(queries, on="query_id", how="semi", maintain_order="left")


def write(folder: Path, name: str, qrels: pl.DataFrame, runs: pl.DataFrame) -> None:
    """NAME.qrels and NAME.run, as parquet and as TREC text."""
    qrels.write_parquet(folder / f"{name}.qrels.parquet")
    runs.write_parquet(folder / f"{name}.run.parquet")
    trec_qrels = qrels.select("query_id", pl.lit("0").alias("iteration"), "doc_id", "label")
    rank = pl.int_range(1, pl.len() + 1).over("run", "query_id").alias("rank")
    trec_run = runs.select("query_id", pl.lit("Q0").alias("q0"), "doc_id", rank, "score", "run")
    for frame, suffix in ((trec_qrels, "qrels"), (trec_run, "run")):
        frame.write_csv(folder / f"{name}.{suffix}.txt", separator=" ", include_header=False)


def main(folder: Path) -> None:
    """Write everything into a folder beside, which takes its name when it is complete."""
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}")
    unfinished.mkdir(parents=True)
    rng = np.random.default_rng(0)
    run = make_run(rng)
    qrels = make_qrels(rng, run)
    write(unfinished, "main", qrels, run)
    few = qrels["query_id"].unique(maintain_order=True).head(FEW).to_frame()
    write(
        unfinished, "few", *(frame.join(few, on="query_id", how="semi") for frame in (qrels, run))
    )
    many = make_many(rng, run)
    only(qrels, many).write_parquet(unfinished / "many.qrels.parquet")
    many.write_parquet(unfinished / "many.run.parquet")
    many.filter(run="run000").write_parquet(unfinished / "one.run.parquet")
    unfinished.rename(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
