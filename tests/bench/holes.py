"""What is saved by judging first what `holes` names: on judgements that are hidden and uncovered.

    python -m tests.bench.holes QRELS RUNS_FOLDER [--measure AP] [--pairs 66]

Two runs at a time are new: only what the others returned in their first ranks is judged. Then the
runs' unjudged documents are judged, as the true qrels have them, in two orders: as `holes` lists
them, and by depth (the best rank first). After so many judgements: how far the difference of the
two is from that with all judged, and in how many pairs the better run is the right one.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from random import Random

import polars as pl

import ulframe as ul
from ulframe.analysis.unjudged.next_documents import next_documents
from ulframe.analysis.unjudged.rankings import rankings
from ulframe.frames import scan_qrels, scan_runs
from ulframe.metrics.grammar import named

POOL = 5  # ranks of the other runs that are judged before
STEPS = (0, 50, 100, 200, 400, 800, 1600, 3200)
KEYS = ["query_id", "doc_id"]


def difference(qrels: pl.DataFrame, runs: pl.DataFrame, name: str, a: str, b: str) -> float:
    """The mean of a less that of b; undefined is 0."""
    scores = ul.evaluate(qrels, runs, name).collect().with_columns(pl.col("score").fill_null(0))
    means = dict(scores.group_by("run").agg(pl.col("score").mean()).iter_rows())
    return float(means[a] - means[b])


def main() -> None:
    """Hide, judge, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("qrels")
    parser.add_argument("runs")
    parser.add_argument("--measure", default="AP")
    parser.add_argument("--pairs", type=int, default=66)
    parser.add_argument("--depth", type=int, default=100)
    options = parser.parse_args()
    pl.Config.set_tbl_cols(-1)
    truth = scan_qrels(options.qrels).select(*KEYS, pl.col("label").cast(pl.Float64)).collect()
    ranked = ul.rank(scan_runs(options.runs), depth=options.depth).collect()
    runs = ranked.select("run", *KEYS, score=-pl.col("rank"))
    pairs = [*combinations(runs["run"].unique().sort(), 2)]
    rows = []
    for a, b in Random(0).sample(pairs, min(options.pairs, len(pairs))):
        two = runs.filter(pl.col("run").is_in([a, b]))
        others = ranked.filter(~pl.col("run").is_in([a, b]), pl.col("rank") <= POOL)
        before = truth.join(others.select(KEYS).unique(), on=KEYS, how="semi")
        known = rankings(before, two)
        listed = next_documents(known, named(options.measure), known.highest)
        orders = {"listed": listed, "by depth": listed.sort("best_rank", *KEYS)}
        all_judged = pl.concat([before, listed.join(truth, on=KEYS).select(before.columns)])
        last = difference(all_judged, two, options.measure, a, b)
        for name, order in orders.items():
            for step in STEPS:
                judged = (
                    order.head(step)
                    .join(truth, on=KEYS, how="left")
                    .select(*KEYS, pl.col("label").fill_null(0.0))
                )
                now = difference(pl.concat([before, judged]), two, options.measure, a, b)
                rows.append((name, step, abs(now - last), now * last > 0))
    found = pl.DataFrame(rows, schema=["order", "judged", "error", "right"], orient="row")
    means = found.group_by("judged", "order").agg(pl.col("error", "right").mean())
    print(f"{options.measure}, {len(rows) // len(STEPS) // 2} pairs")
    print(means.pivot("order", index="judged", values=["error", "right"]).sort("judged"))


if __name__ == "__main__":
    main()
