"""Real runs: TREC 2003 Robust and LETOR's MQ2007, against published and known values."""

import polars as pl
import pytest

import ulframe as ul

# Mean over MQ2007's 1,692 queries of RLB/IUB, undefined as 0, at k = 5, 10, 15, 20, 30.
MQ2007 = {
    "DCG": [0.2299, 0.2594, 0.2918, 0.3264, 0.4029],
    "SP": [0.1958, 0.1860, 0.1919, 0.2051, 0.2503],
    "SP(expectation=independent)": [0.1306, 0.1347, 0.1434, 0.1569, 0.2011],
}
CUTOFFS = [5, 10, 15, 20, 30]


def test_average_precision_of_robust_2003_is_the_official_one(shared):
    qrels = ul.scan_qrels(shared / "robust03" / "qrels.txt.gz")
    runs = ul.scan_runs(shared / "robust03" / "runs")
    official = pl.read_csv(shared / "ap-matrices" / "robust2003.csv")
    columns = {tuple(official[name].round(4)) for name in official.columns}
    ours = (
        ul.evaluate(qrels, runs, "AP")
        .sort("run", pl.col("query_id").cast(pl.Int64))
        .group_by("run", maintain_order=True)
        .agg(pl.col("score").round(4))
        .collect()
    )
    assert ours.height == 12
    for run, scores in ours.iter_rows():
        near = [column for column in columns if max_gap(column, scores) < 1e-9]
        assert len(near) == 1, run


def max_gap(a, b):
    return max(abs(x - y) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("metric", MQ2007)
def test_expectations_on_mq2007(shared, metric):
    folder = shared / "mq2007-agg"
    asked = [f"RLB({metric}@{k})" for k in CUTOFFS]
    run = ul.scan_runs(folder / "runs.parquet").filter(pl.col("run") == "system01")
    scores = ul.evaluate(ul.scan_qrels(folder / "qrels.parquet"), run, asked)
    share = pl.when(pl.col("upper") > 0).then(pl.col("expected") / pl.col("upper")).otherwise(0.0)
    means = scores.group_by("measure", maintain_order=True).agg(share.mean(), pl.len()).collect()
    assert means["expected"].round(4).to_list() == MQ2007[metric]
    assert set(means["len"]) == {1692}


def test_all_21_systems_of_mq2007(shared):
    folder = shared / "mq2007-agg"
    scores = ul.evaluate(
        ul.scan_qrels(folder / "qrels.parquet"),
        ul.scan_runs(folder / "runs.parquet"),
        ["nDCG@10", "V1(DCG@10)", "V2(DCG@10)", "V2(SP@10)"],
    ).collect()
    assert scores.height == 21 * 1692 * 4
    undefined = scores.filter(measure="nDCG@10", run="system01")["score"].null_count()
    assert undefined == 237
    limits = {"nDCG@10": 0, "V1(DCG@10)": 0, "V2(DCG@10)": -1, "V2(SP@10)": -1}
    for measure, low in limits.items():
        score = scores.filter(measure=measure)["score"].drop_nulls()
        assert score.is_between(low - 1e-9, 1 + 1e-9).all()
    assert not scores.select(pl.col(pl.Float64).is_nan().any()).row(0).count(True)
