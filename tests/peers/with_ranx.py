"""Fuses by ranx, in an interpreter that has it: jobs as JSON on stdin, fused runs on stdout.

In: `runs` and `qrels` as dicts, `train`, the queries to learn on, and `jobs` of `method, norm,
params`; a trained method is fused on the other queries. Out: a run a job, `{query: {doc: score}}`.
"""

import json
import sys
from importlib import import_module
from typing import Any

from ranx import Qrels, Run, fuse

TRAINED = {
    "posfuse": ("posfuse", "probs"),
    "probfuse": ("probfuse", "probs"),
    "segfuse": ("segfuse", "probs"),
    "mapfuse": ("mapfuse", "map_scores"),
    "bayesfuse": ("bayesfuse", "log_odds"),
}

Nested = dict[str, dict[str, float]]


def some(nested: Nested, queries: list[str]) -> Nested:
    return {query: nested[query] for query in queries}


def fused(given: dict[str, Any], job: dict[str, Any]) -> Any:
    every, train = list(given["qrels"]), given["train"]
    rest = [query for query in every if query not in train]
    method, params = job["method"], dict(job["params"])
    if method in TRAINED:
        module, learned = TRAINED[method]
        learn = getattr(import_module(f"ranx.fusion.{module}"), f"{module}_train")
        qrels = Qrels(some(given["qrels"], train))
        runs = normed([Run(some(run, train)) for run in given["runs"].values()], job["norm"])
        settings = {"n_segments": params.pop("n_segments")} if params else {}
        params = {learned: learn(qrels, runs, **settings)}
    queries = rest if method in TRAINED else every
    runs = [Run(some(run, queries)) for run in given["runs"].values()]
    found = fuse(runs, norm=job["norm"], method=method, params=params)
    return {query: dict(documents) for query, documents in found.run.items()}


def normed(runs: list[Any], norm: str | None) -> list[Any]:
    if norm is None:
        return runs
    from ranx.normalization import norm_switch

    return [norm_switch(norm)(run) for run in runs]


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    print(json.dumps([fused(asked, job) for job in asked["jobs"]]))
