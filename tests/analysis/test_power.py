"""Discriminative power: significant pairs, conflicts, ASL curves, needed differences, PAD."""

import numpy as np
import polars as pl
import pytest

import ulframe as ul
from tests.matrices import as_scores, made, read
from ulframe import analysis


def pairs(rows):
    """A frame of pairs of `(measure, run_a, run_b, diff, p)`, significant below 0.05."""
    return pl.DataFrame(
        [("all", m, "t", "none", a, b, diff, p, p, None if p is None else p < 0.05)
         for m, a, b, diff, p in rows],
        schema=["set", "measure", "test", "correction", "run_a", "run_b", "diff", "p_value",
                "p_adjusted", "significant"],
        orient="row",
    )  # fmt: skip


PAIRS = pairs(
    [
        ("nDCG@5", "a", "b", 0.1, 0.01),
        ("nDCG@5", "a", "c", 0.2, 0.02),
        ("nDCG@10", "a", "b", 0.1, 0.50),
        ("nDCG@10", "a", "c", 0.1, None),
        ("V2(DCG@5)", "a", "b", -0.1, 0.01),  # opposite
        ("V2(DCG@5)", "a", "c", 0.2, 0.04),
        ("V2(DCG@10)", "a", "b", 0.1, 0.03),  # one decides, the other does not
        ("V2(DCG@10)", "a", "c", 0.1, 0.03),  # not tested by the other
    ]
)


def test_significant_pairs_are_counted_over_cutoffs():
    found = analysis.significant_pairs(PAIRS).collect()
    assert found.select("measure", "n_significant", "n_pairs").rows() == [
        ("nDCG", 2, 3), ("V2(DCG)", 4, 4),
    ]  # fmt: skip


def test_conflicts_compare_decisions_at_the_same_cutoff():
    found = analysis.conflicts(PAIRS).collect()
    assert found.rows() == [("all", "t", "none", "nDCG", "V2(DCG)", 2, 1, 3)]


@pytest.mark.parametrize(
    ("measure", "family"),
    [
        ("nDCG@10", "nDCG"),
        ("V2(SP(expectation=independent)@10)", "V2(SP(expectation=independent))"),
        ("AP(rel=2)@100", "AP(rel=2)"),
        ("ndcg_cut_10", "ndcg_cut"),
        ("P_5", "P"),
        ("AP", "AP"),
        ("gm_map", "gm_map"),
        ("iprec_at_recall_0.10", "iprec_at_recall_0.10"),
        ("IPrec@0.1", "IPrec@0.1"),
        ("IPrec@1", "IPrec@1"),
        ("IPrec(rel=2)@0", "IPrec(rel=2)@0"),
        ("Rprec_mult_0.20", "Rprec_mult_0.20"),
        ("RBP.95", "RBP.95"),
        ("recall_at_100", "recall"),
        ("R@1k", "R"),
        ("V2(SP)@10", "V2(SP)"),
        ("my own@10", "my own"),
    ],
)
def test_the_family_of_a_measure(measure, family):
    means = pl.DataFrame({"run": ["a"], "measure": [measure], "mean": [0.5]})
    assert analysis.over_cutoffs(means).collect()["measure"].to_list() == [family]


def test_asl_curves_rise():
    found = analysis.asl_curve(PAIRS).filter(measure="V2(DCG@5)").collect()
    assert found.select("place", "share", "p_value").rows() == [(1, 0.5, 0.01), (2, 1.0, 0.04)]
    measures = analysis.asl_curve(PAIRS).collect()["measure"].unique(maintain_order=True)
    assert measures.to_list() == ["nDCG@5", "nDCG@10", "V2(DCG@5)", "V2(DCG@10)"]


# ---------------------------------------------------------------- PAD
@pytest.mark.parametrize(
    ("means", "nonpositive", "expected"),
    [
        ([0.4, 0.2, 0.1], "null", ((50 + 75 + 50) / 3, 3, 0)),
        ([0.4, -0.2], "null", (100 * 0.6 / 0.4, 1, 0)),
        ([0.4, -0.1, -0.2], "null", (100 * (0.5 / 0.4 + 0.6 / 0.4) / 2, 2, 1)),
        ([0.4, -0.1, -0.2], "keep", (100 * (0.5 / 0.4 + 0.6 / 0.4 + 0.1 / -0.1) / 3, 3, 1)),
        ([0.0, -0.2], "keep", (None, 0, 1)),
        ([0.0, 0.0], "null", (None, 0, 1)),
        ([0.4, None], "null", None),
    ],
)
def test_pad(means, nonpositive, expected):
    frame = pl.DataFrame(
        {"run": ["a", "b", "c"][: len(means)], "measure": "AP", "mean": means},
        schema_overrides={"mean": pl.Float64},
    )
    found = analysis.pad(frame, nonpositive=nonpositive).collect()
    if expected is None:
        assert found.is_empty()
    else:
        assert found.row(0)[2:] == pytest.approx(expected)


def test_pad_refuses_another_word():
    with pytest.raises(ul.BadUsage, match="'drop' is not one of null, keep"):
        analysis.pad(pl.DataFrame(), nonpositive="drop")


# ---------------------------------------------------------------- the difference needed
def test_the_difference_needed_is_sakais_algorithm():
    values, resamples = made(3, 10), 200
    found = analysis.difference_needed(as_scores(values), resamples=resamples).collect()
    drawn = np.random.default_rng(0).integers(0, 10, (resamples, 10))
    needed = []
    for a, b in ((0, 1), (0, 2), (1, 2)):
        d = values[a] - values[b]
        w = (d - d.mean())[drawn]
        ts = np.abs(w.mean(axis=1)) / (w.std(axis=1, ddof=1) / np.sqrt(10))
        tenth = np.argsort(ts)[resamples - 10]  # 5 % of 200
        needed.append(abs(w.mean(axis=1)[tenth]))
    assert found["difference"].to_list() == pytest.approx([max(needed)])
    assert found["typical"].to_list() == pytest.approx([sorted(needed)[1]])
    assert found["n_pairs"].to_list() == [3]


def test_no_difference_is_needed_where_nothing_varies():
    found = analysis.difference_needed(as_scores([[0.1, 0.2], [0.1, 0.2]])).collect()
    assert found.row(0) == ("all", "AP", None, None, 0)


def test_smaller_query_sets_need_larger_differences(shared):
    scores = read(shared, "adhoc8_ap").filter(
        pl.col("run").is_in([f"run{i}" for i in range(1, 20)])
    )
    sets = pl.DataFrame(
        {"query_id": list(range(50)) + list(range(10)), "set": ["a"] * 50 + ["b"] * 10}
    )
    found = analysis.difference_needed(scores, sets=sets, resamples=200).collect()
    assert found["difference"][1] > found["difference"][0] > found["typical"][0] > 0


# ---------------------------------------------------------------- real data, all together
def test_the_papers_quantities_on_21_real_systems(shared):
    folder = shared / "mq2007-agg"
    families = ["nDCG@{}", "V1(DCG@{})", "V2(DCG@{})", "U(SP@{})", "V1(SP@{})", "V2(SP@{})"]
    measures = [family.format(k) for family in families for k in (5, 10)]
    qrels, runs = ul.scan_qrels(folder / "qrels.parquet"), ul.scan_runs(folder / "runs.parquet")
    scores = ul.evaluate(qrels, runs, measures).collect()
    queries = analysis.real_and_expected(scores.filter(pl.col("measure").str.contains("DCG")))
    sets = analysis.query_sets(queries, uninformative_n=500, ideal_n=500).collect()
    sets = sets.filter(pl.col("set").is_in(["all", "uninformative", "ideal"]))
    found = analysis.compare(scores, sets=sets, correction="none").collect()
    assert found.height == 3 * len(measures) * 21 * 20 / 2

    counts = analysis.significant_pairs(found).collect()
    assert counts["n_pairs"].unique().to_list() == [2 * 210]
    assert counts["measure"].unique(maintain_order=True).to_list() == [
        "nDCG", "V1(DCG)", "V2(DCG)", "U(SP)", "V1(SP)", "V2(SP)",
    ]  # fmt: skip
    conflicts = analysis.conflicts(found).filter(measure_a="nDCG", measure_b="V2(DCG)").collect()
    decided = {
        (row["set"], row["measure"], row["run_a"], row["run_b"]): (row["significant"], row["diff"])
        for row in found.to_dicts()
    }
    for row in conflicts.to_dicts():
        expected = sum(
            mine != other or (mine and other and d * e < 0)
            for (name, measure, a, b), (mine, d) in decided.items()
            if measure in ("nDCG@5", "nDCG@10") and name == row["set"]
            for other, e in [decided[name, measure.replace("nDCG", "V2(DCG") + ")", a, b]]
        )
        assert row["n_conflicts"] == expected

    means = analysis.over_cutoffs(ul.means(scores, sets=sets)).collect()
    by_set = {name: means.filter(set=name) for name in ("all", "uninformative", "ideal")}
    swaps = analysis.swap_rate(by_set["uninformative"], by_set["ideal"]).collect()
    assert swaps["n_pairs"].to_list() == [210] * 6
    pads = analysis.pad(means).collect()
    assert pads.height == 18
    assert (pads["n_pairs"] + pads["n_nonpositive"]).to_list() == [210] * 18
    taus = analysis.agreement(means).filter(measure_a="nDCG", measure_b="V1(DCG)").collect()
    assert taus["tau_b"].is_between(0.5, 1).all()
