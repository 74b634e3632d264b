"""Tests of pairs of runs, their corrections, and group A."""

import itertools

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

import ulframe as ul
from tests.matrices import as_scores, made, read
from ulframe import analysis
from ulframe.analysis.corrections import CORRECTIONS
from ulframe.analysis.procedures import TESTS

CONTRACT = [
    "set", "measure", "test", "correction", "run_a", "run_b", "mean_a", "mean_b", "diff", "effect",
    "statistic", "p_value", "p_adjusted", "significant", "ci_low", "ci_high",
]  # fmt: skip
NUMBERS = ["effect", "statistic", "p_value", "p_adjusted", "ci_low", "ci_high"]
PAIRWISE = ["t", "bootstrap", "randomisation", "wilcoxon", "sign"]


def compared(values, **options):
    return analysis.compare(as_scores(values), **options).collect()


def pairs_of(values):
    return list(itertools.combinations(np.asarray(values, dtype=np.float64), 2))


# ---------------------------------------------------------------- the frame
@pytest.mark.parametrize("test", TESTS)
def test_every_test_gives_the_frame_of_pairs(test):
    scores = pl.concat([as_scores(made(4, 20), name) for name in ("nDCG@10", "AP")])
    found = analysis.compare(scores, test=test, resamples=200).collect()
    assert found.columns == CONTRACT
    assert found["measure"].to_list() == ["nDCG@10"] * 6 + ["AP"] * 6
    assert found.select("run_a", "run_b").rows()[:6] == list(itertools.combinations("abcd", 2))
    means = made(4, 20).mean(axis=1)
    assert found["mean_a"][:3].to_list() == pytest.approx([means[0]] * 3)
    assert found["diff"][0] == pytest.approx(means[0] - means[1])
    assert found["significant"].to_list() == (found["p_adjusted"] < 0.05).to_list()


def test_against_a_baseline():
    found = compared(made(4, 20), baseline="b")
    assert found.select("run_a", "run_b").rows() == [("a", "b"), ("c", "b"), ("d", "b")]
    everything = compared(made(4, 20), correction="none")
    assert found["p_value"].sort().to_list() == pytest.approx(
        everything.filter((pl.col("run_a") == "b") | (pl.col("run_b") == "b"))["p_value"]
        .sort()
        .to_list()
    )


def test_query_sets_are_tested_each_on_its_own():
    values = made(3, 12)
    sets = pl.DataFrame(
        {"set": ["odd"] * 6 + ["all"] * 12, "query_id": [f"q{i:04}" for i in range(1, 12, 2)]
         + [f"q{i:04}" for i in range(12)]}
    )  # fmt: skip
    found = analysis.compare(as_scores(values), sets=sets).collect()
    assert found["set"].to_list() == ["odd"] * 3 + ["all"] * 3
    for name, some in (("odd", values[:, 1::2]), ("all", values)):
        part = found.filter(set=name).drop("set")
        assert_frame_equal(part, compared(some).drop("set"))


def test_the_plan_is_lazy_and_progress_is_told():
    told = []
    plan = analysis.compare(
        as_scores(made(3, 9)), test="randomised-hsd", resamples=10, progress=told.append
    )
    assert told == []
    plan.collect()
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1)


# ---------------------------------------------------------------- against scipy and plain loops
def test_student_is_scipys():
    values = made(5, 30)
    found = compared(values, alpha=0.1)
    for row, (a, b) in zip(found.to_dicts(), pairs_of(values), strict=True):
        expected = stats.ttest_rel(a, b)
        interval = expected.confidence_interval(0.9)
        assert row["statistic"] == pytest.approx(expected.statistic)
        assert row["p_value"] == pytest.approx(expected.pvalue)
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((interval.low, interval.high))
        assert row["effect"] == pytest.approx(np.mean(a - b) / np.std(a - b, ddof=1))


@pytest.mark.parametrize("n", [8, 40, 60])
def test_wilcoxon_is_scipys_where_nothing_is_tied(n):
    values = made(4, n)
    found = compared(values, test="wilcoxon")
    for row, (a, b) in zip(found.to_dicts(), pairs_of(values), strict=True):
        method = "exact" if n <= 50 else "asymptotic"
        expected = stats.wilcoxon(a, b, method=method)
        assert row["statistic"] == pytest.approx(expected.statistic)
        assert row["p_value"] == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("n", [7, 30])
def test_wilcoxon_with_ties_is_counted_out_or_normal(n):
    values = np.round(made(4, n), 1)
    found = compared(values, test="wilcoxon")
    for row, (a, b) in zip(found.to_dicts(), pairs_of(values), strict=True):
        d = np.round(a - b, 9)
        if n == 7:
            ranks = np.sign(d) * stats.rankdata(np.where(d == 0, 0, np.abs(d)))
            ranks = np.where(d == 0, 0, ranks - np.sign(d) * np.sum(d == 0))
            flips = [abs(np.dot(s, ranks)) for s in itertools.product((1, -1), repeat=n)]
            expected = np.mean(np.array(flips) >= abs(ranks.sum()) - 1e-9)
        else:
            expected = stats.wilcoxon(d, method="asymptotic").pvalue
        assert row["p_value"] == pytest.approx(expected)


def test_the_effect_of_wilcoxon_is_the_rank_biserial_correlation():
    # differences 1, 2, 3, -4 have signed ranks 1, 2, 3, -4
    (row,) = compared([[0.1, 0.2, 0.3, 0.0], [0, 0, 0, 0.4]], test="wilcoxon").to_dicts()
    assert row["effect"] == pytest.approx((6 - 4) / 10)
    assert row["statistic"] == 4
    assert row["ci_low"] is None


def test_the_sign_test_is_binomial():
    (row,) = compared([[1, 1, 1, 1, 0, 0.5], [0, 0, 0, 0, 1, 0.5]], test="sign").to_dicts()
    assert row["p_value"] == pytest.approx(2 * (1 + 5) / 2**5)
    assert (row["statistic"], row["effect"]) == (4, (4 - 1) / 5)


def test_the_exact_randomisation_test_tries_every_swap():
    values = made(3, 8)
    found = compared(values, test="randomisation")
    for row, (a, b) in zip(found.to_dicts(), pairs_of(values), strict=True):
        d = a - b
        flips = [abs(np.dot(s, d)) for s in itertools.product((1, -1), repeat=8)]
        assert row["p_value"] == pytest.approx(np.mean(np.array(flips) >= abs(d.sum()) - 1e-9))
        assert row["statistic"] == pytest.approx(d.mean())


def test_random_swaps_come_near_to_all_of_them():
    values = made(3, 13)
    exact = compared(values, test="randomisation", resamples=2**12)
    drawn = compared(values, test="randomisation", resamples=2**12 - 1)
    assert exact["p_value"].to_list() != drawn["p_value"].to_list()
    assert drawn["p_value"].to_list() == pytest.approx(exact["p_value"].to_list(), abs=0.03)


def test_the_bootstrap_is_a_plain_loop():
    values, resamples = made(3, 10), 300
    found = compared(values, test="bootstrap", resamples=resamples)
    drawn = np.random.default_rng(0).integers(0, 10, (resamples, 10))
    for row, (a, b) in zip(found.to_dicts(), pairs_of(values), strict=True):
        d = a - b
        observed = d.mean() / (d.std(ddof=1) / np.sqrt(10))
        centred = (d - d.mean())[drawn]
        ts = centred.mean(axis=1) / (centred.std(axis=1, ddof=1) / np.sqrt(10))
        assert row["statistic"] == pytest.approx(observed)
        assert row["p_value"] == pytest.approx(np.mean(np.abs(ts) >= abs(observed)))
        half = np.quantile(np.abs(ts), 0.95, method="higher") * d.std(ddof=1) / np.sqrt(10)
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((d.mean() - half, d.mean() + half))


@pytest.mark.parametrize("test", ["bootstrap", "randomisation", "randomised-hsd"])
def test_a_seed_fixes_what_is_drawn(test):
    values = made(4, 40)
    once, again, other = (
        compared(values, test=test, resamples=300, seed=seed)["p_value"].to_list()
        for seed in (1, 1, 2)
    )
    assert once == again != other


# ---------------------------------------------------------------- corrections
P = [0.01, 0.04, 0.03, 0.2]


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        ("none", P),
        ("bonferroni", [0.04, 0.16, 0.12, 0.8]),
        ("holm", [0.01 * 4, 0.03 * 3, 0.03 * 3, 0.2]),
        ("bh", [0.01 * 4, 0.04 * 4 / 3, 0.04 * 4 / 3, 0.2]),
    ],
)
def test_corrections(correction, expected):
    assert CORRECTIONS[correction](np.array(P)).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_family_is_a_set_and_measure_and_null_is_in_none(correction):
    family = [*P, None, 0.02]
    frame = pl.DataFrame(
        {
            "set": "all", "measure": ["AP"] * 5 + ["RR"], "test": "t", "run_a": "a", "run_b": "b",
            "p_value": family, **dict.fromkeys(["mean_a", "mean_b", "diff", "effect"], 0.0),
            **dict.fromkeys(["statistic", "ci_low", "ci_high"], 0.0),
        }
    )  # fmt: skip
    found = analysis.corrected(frame.lazy(), correction).collect()
    expected = [*CORRECTIONS[correction](np.array(P)).tolist(), None, 0.02]
    assert found["p_adjusted"].to_list() == pytest.approx(expected)
    assert found["significant"][4] is None


def test_benjamini_hochberg_is_scipys():
    p = np.random.default_rng(0).uniform(0, 0.2, 50)
    assert CORRECTIONS["bh"](p).tolist() == stats.false_discovery_control(p).tolist()


def test_a_p_value_of_exactly_alpha_is_not_below_it():
    # differences of one sign on 3 queries: of the 4 ways to swap labels, one is so extreme
    exact = {"test": "randomisation", "correction": "none"}
    ahead = [[0.5, 0.75, 1.0], [0.25, 0.25, 0.25]]
    for alpha, significant in ((1 / 4, False), (1 / 4 + 1e-9, True)):
        found = compared(ahead, alpha=alpha, **exact)
        assert found.select("p_value", "significant").row(0) == (1 / 4, significant)


@pytest.mark.parametrize(
    ("correction", "p", "adjusted"),
    [("none", 1 / 8, 1 / 8), ("bonferroni", 1 / 16, 1 / 8), ("holm", 1 / 16, 1 / 8),
     ("bh", 1 / 16, 1 / 8)],
)  # fmt: skip
def test_so_is_an_adjusted_one(correction, p, adjusted):
    two = compared(made(3, 20), correction="none").head(2)
    pairs = two.with_columns(p_value=pl.Series([p, 1.0]))
    for alpha, significant in ((adjusted, False), (adjusted * (1 + 1e-9), True)):
        found = analysis.corrected(pairs, correction, alpha).collect()
        assert found.select("p_adjusted", "significant").row(0) == (adjusted, significant)


# ---------------------------------------------------------------- group A, transforms
def test_group_a_are_those_not_worse_than_the_best():
    noise = np.random.default_rng(0).normal(0, 0.05, (3, 40))
    values = np.array([[0.3], [0.6], [0.61]]) + noise
    found = analysis.group_a(analysis.compare(as_scores(values))).collect()
    best, other = sorted(["b", "c"], key=lambda run: values["abc".index(run)].mean())[::-1]
    assert found["run"].to_list() == [best, other, "a"]
    assert found["group_a"].to_list() == [True, True, False]
    assert found["p_adjusted"][0] is None


def test_group_a_needs_the_pairs_with_the_best():
    worst = int(made(4, 20).mean(axis=1).argmin())
    pairs = analysis.compare(as_scores(made(4, 20)), baseline="abcd"[worst])
    with pytest.raises(ul.BadData, match=r"the best run, and .*; test all pairs"):
        analysis.group_a(pairs).collect()


def test_the_arcsine_transform_comes_before_the_test():
    values = made(2, 20)
    (row,) = analysis.compare(analysis.arcsine(as_scores(values))).collect().to_dicts()
    a, b = np.arcsin(np.sqrt(values))
    assert row["p_value"] == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert row["mean_a"] == pytest.approx(a.mean())


def test_the_arcsine_of_less_than_0_is_refused():
    with pytest.raises(ul.BadData, match=r"from 0 to 1, but there is .*'b'.*-0.5"):
        analysis.arcsine(as_scores([[0.5], [-0.5]])).collect()


def test_ranks_are_within_the_query():
    found = analysis.ranks(as_scores([[0.5, 0.3 - 0.2], [0.5, 0.1], [0.1, 0.9]])).collect()
    assert found["score"].to_list() == [2.5, 1.5, 2.5, 1.5, 1, 3]


# ---------------------------------------------------------------- what cannot be known
@pytest.mark.parametrize("test", TESTS)
def test_identical_runs(test):
    values = [made(1, 10)[0]] * 2
    (row,) = compared(values, test=test).to_dicts()
    assert (row["p_value"], row["p_adjusted"], row["significant"]) == (1, 1, False)
    assert row["diff"] == 0


NOISE = {
    "average precision of ranks 5, 10, 15 and of 2, 20": (
        [(1 / 5 + 2 / 10 + 3 / 15) / 3] * 6,
        [(1 / 2 + 2 / 20) / 3] * 6,
    ),
    "the last bit, to either side": (
        [0.3, 0.1 + 0.2, 0.7, 0.5, 0.1 * 3, 0.6],
        [0.1 + 0.2, 0.3, 0.7, 0.5, 0.3, 0.6],
    ),
    "just within 1e-9 of the larger": ([1e6] * 6, [1e6 + 0.0009] * 6),
    "just within 1e-12": ([0.0] * 6, [0.9e-12] * 6),
    "of scores below 0": ([-0.5] * 6, [-0.5 - 4e-10] * 6),
}
"""Scores of two runs on six queries that differ by rounding noise."""


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("scores", NOISE.values(), ids=NOISE)
def test_rounding_noise_is_no_difference(test, scores):
    assert scores[0] != scores[1]
    (row,) = compared(scores, test=test, resamples=200).to_dicts()
    assert (row["p_value"], row["significant"], row["diff"]) == (1, False, 0)


@pytest.mark.parametrize("test", ["t", "bootstrap", "randomisation", "wilcoxon", "sign", "hsd"])
@pytest.mark.parametrize(
    "scores",
    [([0.0] * 6, [1.1e-12] * 6), ([1e6] * 6, [1e6 + 0.0011] * 6)],
    ids=["above 1e-12", "above 1e-9 of the larger"],
)
def test_what_is_above_noise_is_a_difference(test, scores):
    (row,) = compared(scores, test=test).to_dicts()
    assert row["p_value"] <= 2 / 2**6


@pytest.mark.parametrize("test", TESTS)
def test_a_third_run_does_not_make_noise_a_difference(test):
    alike = NOISE["average precision of ranks 5, 10, 15 and of 2, 20"]
    found = compared([*alike, made(1, 6)[0]], test=test, resamples=200)
    assert found["p_value"][0] == pytest.approx(1)


@pytest.mark.parametrize("transform", [analysis.arcsine, analysis.ranks])
def test_a_transform_does_not_make_noise_a_difference(transform):
    perfect = [[1.0] * 6, [1 - 2**-53] * 6]
    (row,) = analysis.compare(transform(as_scores(perfect))).collect().to_dicts()
    assert (row["p_value"], row["diff"]) == (1, 0)


@pytest.mark.parametrize("test", ["t", "bootstrap", "hsd"])
def test_a_constant_difference_has_no_bound(test):
    values = [[0.3, 0.4, 0.7], [0.2, 0.3, 0.6]]  # 0.1, but for the last bits
    (row,) = compared(values, test=test).to_dicts()
    assert row["p_value"] == 0
    assert (row["statistic"], row["effect"]) == (None, None)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((0.1, 0.1))


@pytest.mark.parametrize(
    ("test", "p"),
    [
        ("randomisation", 2 / 2**3),
        ("wilcoxon", 2 / 2**3),
        ("sign", 2 / 2**3),
    ],
)
def test_a_constant_difference_where_only_signs_count(test, p):
    values = [[0.3, 0.4, 0.7], [0.2, 0.3, 0.6]]
    assert compared(values, test=test)["p_value"].to_list() == pytest.approx([p])


@pytest.mark.parametrize("test", TESTS)
def test_no_nan_and_nothing_infinite_ever(test):
    values = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 1], [0, 0, 0], [0.5, 1, 0]], dtype=float)
    found = compared(values, test=test, resamples=50)
    for name in NUMBERS:
        assert found[name].drop_nulls().is_finite().all(), name
    assert found["p_value"].null_count() == 0


@pytest.mark.parametrize("test", TESTS)
def test_a_set_of_one_query_is_not_tested(test):
    sets = pl.DataFrame({"set": ["one", "two", "two"], "query_id": ["q0000", "q0000", "q0001"]})
    found = analysis.compare(as_scores(made(3, 2)), sets=sets, test=test, resamples=20).collect()
    one = found.filter(set="one")
    assert one.height == 3
    assert one.select(*NUMBERS, "significant").null_count().row(0) == (3,) * 7
    assert one["diff"].null_count() == 0
    assert found.filter(set="two")["p_value"].null_count() == 0


def test_queries_that_a_run_lacks_are_left_out_and_counted():
    values = made(3, 10)
    scores = as_scores(values).filter((pl.col("run") != "b") | (pl.col("query_id") < "q0008"))
    assert_frame_equal(analysis.compare(scores).collect(), compared(values[:, :8]))
    assert analysis.compared(scores).collect().row(0) == ("all", "AP", 3, 8, 2)


def test_undefined_scores_are_0_or_left_out():
    values = made(2, 10)
    scores = as_scores(values).with_columns(
        score=pl.when(pl.col("query_id") > "q0000").then("score")
    )
    zeros = values.copy()
    zeros[:, 0] = 0
    assert_frame_equal(analysis.compare(scores).collect(), compared(zeros))
    skipped = analysis.compare(scores, undefined="skip").collect()
    assert_frame_equal(skipped, compared(values[:, 1:]))


# ---------------------------------------------------------------- bad input
SCORES = as_scores(made(2, 3))


@pytest.mark.parametrize(
    ("scores", "options", "error", "message"),
    [
        (SCORES.filter(run="a"), {}, ul.BadData, "takes two runs, but there is only 'a'"),
        (SCORES.filter(query_id="q0000"), {}, ul.BadData, "two queries that all runs have.*are 1"),
        (SCORES.clear(), {}, ul.BadData, "there are no scores"),
        (SCORES.drop("run"), {}, ul.BadData, "no column 'run'"),
        (pl.concat([SCORES, SCORES.head(1)]), {}, ul.BadData, "twice: {'run': 'a'"),
        (SCORES.with_columns(score=float("nan")), {}, ul.BadData, "a finite number or null"),
        (SCORES.with_columns(score=float("inf")), {}, ul.BadData, "a finite number or null"),
        (SCORES, {"baseline": "c"}, ul.BadUsage, "no run 'c' to be the baseline; there is a, b"),
        (SCORES, {"test": "z"}, ul.BadUsage, "test='z' is not one of t, bootstrap"),
        (SCORES, {"correction": "z"}, ul.BadUsage, "correction='z' is not one of none, holm"),
        (SCORES, {"test": "hsd", "correction": "holm"}, ul.BadUsage, "counts all pairs already"),
        (SCORES, {"undefined": "z"}, ul.BadUsage, "undefined='z'"),
        (SCORES, {"alpha": 1.0}, ul.BadUsage, "alpha=1.0"),
        (SCORES, {"resamples": 0}, ul.BadUsage, "resamples=0"),
        (
            SCORES, {"sets": pl.DataFrame({"set": ["a"], "query_id": ["zz"]})},
            ul.BadData, "no query of the query sets",
        ),
    ],
)  # fmt: skip
def test_bad_input(scores, options, error, message):
    with pytest.raises(error, match=message):
        analysis.compare(scores, **options).collect()


# ---------------------------------------------------------------- real data
def test_all_pairs_of_129_systems(shared):
    scores = read(shared, "adhoc8_ap")
    found = analysis.compare(scores, correction="none").collect()
    assert found.height == 129 * 128 / 2 == 8256
    table = scores.pivot("run", index="query_id", values="score")
    for row in found.sample(40, seed=0).to_dicts():
        expected = stats.ttest_rel(table[row["run_a"]], table[row["run_b"]])
        assert row["p_value"] == pytest.approx(expected.pvalue, rel=1e-9)


def test_the_bootstrap_is_within_monte_carlo_error_of_t_where_differences_are_near_normal(shared):
    scores = read(shared, "adhoc8_ap")
    table = scores.pivot("run", index="query_id", values="score").drop("query_id")
    t = analysis.compare(scores, correction="none").collect()
    drawn = analysis.compare(scores, correction="none", test="bootstrap", resamples=2000).collect()
    both = t.with_columns(bootstrap=drawn["p_value"])
    d = np.stack([table[a] - table[b] for a, b in t.select("run_a", "run_b").iter_rows()])
    normal = (np.abs(stats.skew(d, axis=1)) < 0.1) & (np.abs(stats.kurtosis(d, axis=1)) < 0.3)
    near = both.filter(pl.Series(normal))
    p = near["p_value"].to_numpy()
    error = np.sqrt(p * (1 - p) / 2000)
    assert near.height > 50
    assert np.all(np.abs(near["bootstrap"].to_numpy() - p) < 4 * error + 0.01)
