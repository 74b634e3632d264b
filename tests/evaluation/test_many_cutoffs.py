"""Many cutoffs of a metric, read off one pass, against each asked for alone."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ulframe as ul

CUTOFFS = [1, 2, 3, 5, 7, 10, 25, 1000]
QRELS = {
    "few": {"a": 2, "b": 0, "c": 1, "missed": 3},
    "many": {f"d{i}": i % 4 - 1 for i in range(20)},
    "none": {"a": 0},
}
RUNS = {
    "one": {"few": {"x": 4.0, "a": 3.0, "c": 2.0}, "many": {f"d{i}": i % 7 for i in range(30)}},
    "two": {"few": {"b": 1.0}, "none": {"a": 1.0, "b": 2.0}},
}


def scored(measures: list[str], **options: str) -> pl.DataFrame:
    return ul.evaluate(QRELS, RUNS, measures, **options).collect()


@pytest.mark.parametrize(
    "metric",
    ["P", "R", "AP", "SP", "nDCG", "RR", "ERR", "Success", "F", "RBP", "AP(rel=2)", "AP(norm=k)",
     "nDCG(gain=linear)", "P(judged_only=True)", "SetP"],
)  # fmt: skip
@pytest.mark.parametrize("pool", ["judged", "retrieved"])
def test_each_is_as_alone(metric, pool):
    measures = [metric] if metric == "SetP" else [f"{metric}@{k}" for k in CUTOFFS]
    together = scored(measures, pool=pool)
    for measure in measures:
        alone = scored([measure], pool=pool)
        assert_frame_equal(together.filter(measure=measure), alone, abs_tol=1e-13)


def test_mixed_metrics_and_operators():
    mixed = [
        f"{op}({metric}@{k})"
        for k in CUTOFFS
        for metric in ("AP", "DCG")
        for op in ("U", "V1", "V2")
    ]
    mixed += ["AP", "Rprec", "WLB(P@5)", "P@3", "bpref"]
    together = scored(mixed)
    assert together["measure"].n_unique() == len(mixed)
    for measure in mixed:
        alone = scored([measure])
        same = together.filter(pl.col("measure") == alone["measure"][0])
        assert_frame_equal(same, alone, abs_tol=1e-13)


def test_averages_over_ties():
    measures = [f"{metric}@{k}" for metric in ("P", "AP", "DCG") for k in CUTOFFS]
    together = scored(measures, ties="average")
    for measure in measures:
        alone = scored([measure], ties="average")
        assert_frame_equal(together.filter(measure=measure), alone, abs_tol=1e-13)
