"""Means as a plain dict, which MLflow, Weights & Biases and others log."""

from __future__ import annotations

import re

import polars as pl

from ulframe.evaluation.summarise import means
from ulframe.frames.intake import FramesLike

OTHER = re.compile(r"[^\w\-./ ]+")  # than what MLflow takes in the name of a metric


def as_metrics(scores: FramesLike) -> dict[str, float]:
    """The mean of each measure, by a name that trackers take.

    In: scores as `evaluate` gives them, of one run or several. Out: `{name: mean}`, the name being
    the measure's with `_at_` for `@` and `_` for other signs (`nDCG_at_10`, `V2_DCG_at_10`), and
    where there are several runs the run before it, as in `bm25/nDCG_at_10`. So `mlflow.log_metrics
    (as_metrics(scores))`, `wandb.log(as_metrics(scores))`.

    >>> import ulframe as ul
    >>> scores = ul.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["nDCG@10", "V2(DCG@10)"])
    >>> sorted(as_metrics(scores))
    ['V2_DCG_at_10', 'nDCG_at_10']
    """
    found = means(scores).select("run", "measure", "mean").collect()
    several = found["run"].n_unique() > 1
    return {
        f"{run}/{_plain(measure)}" if several else _plain(measure): mean
        for run, measure, mean in found.filter(pl.col("mean").is_not_null()).iter_rows()
    }


def _plain(measure: str) -> str:
    return OTHER.sub("_", measure.replace("@", "_at_")).strip("_")
