"""The exact spread of random rankings: worked by hand, and against closed forms of long lists."""

from __future__ import annotations

from itertools import accumulate
from math import isclose, log2, prod, sqrt

import polars as pl
import pytest

import ulframe as ul


def scores(labels, *measures, **options):
    """What a run that returns nothing of use scores, by measure."""
    qrels = {"q": {f"d{i}": label for i, label in enumerate(labels)}}
    frame = ul.evaluate(qrels, {"q": {"d0": 1.0}}, measures, **options).collect()
    return dict(frame.select("measure", "score").iter_rows())


@pytest.mark.parametrize(
    ("labels", "measure", "mean", "variance"),
    [
        # gains 3, 1, 0 at weights 1, 1/log2(3): s^2 (n W2 - W1^2) / (n - 1)
        ([2, 1, 0], "DCG@2", 4 / 3 * (1 + 1 / log2(3)),
         (10 / 3 - 16 / 9) * (3 * (1 + 1 / log2(3) ** 2) - (1 + 1 / log2(3)) ** 2) / 2),
        # 1, 1/2, 1/3, each with chance 1/3
        ([1, 0, 0], "SP@3", 11 / 18, (1 + 1 / 4 + 1 / 9) / 3 - (11 / 18) ** 2),
        # 2 if both, 1 or 1/2 if one, 0: chances 1/6, 1/3, 1/3, 1/6
        ([1, 1, 0, 0], "SP@2", 5 / 6, 4 / 6 + 1 / 3 + 1 / 12 - (5 / 6) ** 2),
        ([1, 0, 0], "RR", 11 / 18, (1 + 1 / 4 + 1 / 9) / 3 - (11 / 18) ** 2),
        ([1, 1, 0, 0], "Success@1", 1 / 2, 1 / 4),
        ([1, 1, 0, 0], "P@2", 1 / 2, (1 / 6) / 2),
    ],
)  # fmt: skip
def test_by_hand(labels, measure, mean, variance):
    found = scores(labels, f"RLB({measure})", f"SD({measure})")
    assert found[f"RLB({measure})"] == pytest.approx(mean)
    assert found[f"SD({measure})"] == pytest.approx(sqrt(variance))


def sum_of_precisions(n: int, r: int, m: int) -> float:
    """The variance in closed form, with falling factorials."""
    f = [prod((r - i) / (n - i) if i < n else 0 for i in range(t)) for t in range(5)]
    harmonic = [0, *accumulate(1 / i for i in range(1, m + 1))]
    h, p = harmonic[m], m - harmonic[m]
    c = sum((j - 1) / j**2 for j in range(1, m + 1))
    d = sum((harmonic[j - 1] + (j - 1) / j) / j for j in range(1, m + 1))
    k = sum(((a - 1) / a + h - harmonic[a]) ** 2 for a in range(1, m + 1))
    q1 = sum(1 / i**2 for i in range(1, m + 1))
    q = [0, q1, h**2 - q1 + 2 * d + c, 2 * (p * h - d) + k - 2 * c, p**2 - k + c]
    return sum(map(prod, zip(f, q, strict=True))) - (f[1] * h + f[2] * p) ** 2


@pytest.mark.parametrize(
    ("n", "r", "k"), [(30, 7, 10), (30, 30, 10), (200, 3, 200), (3, 2, 9), (1, 1, 1)]
)
def test_sums_of_precisions_in_closed_form(n, r, k):
    labels = [1] * r + [0] * (n - r)
    # what floats leave of 0 is sqrt(1e-16), and is taken as 0
    want = sqrt(max(sum_of_precisions(n, r, min(n, k)), 0))
    found = scores(labels, f"SD(SP@{k})")[f"SD(SP@{k})"]
    assert isclose(found, want, rel_tol=1e-9, abs_tol=1e-6)


@pytest.mark.parametrize("k", [1, 10, 77, 300])
def test_gains_in_closed_form(k):
    labels = [i % 5 - 1 for i in range(77)]
    gains = [2 ** max(label, 0) - 1 for label in labels]
    n, weights = 77, [1 / log2(i + 1) for i in range(1, min(k, 77) + 1)]
    s2 = sum(g**2 for g in gains) / n - (sum(gains) / n) ** 2
    w1, w2 = sum(weights), sum(w**2 for w in weights)
    want = sqrt(s2 * (n * w2 - w1**2) / (n - 1))
    assert scores(labels, f"SD(DCG@{k})")[f"SD(DCG@{k})"] == pytest.approx(want, rel=1e-10)


ALIKE = {"one document": [1], "nothing relevant": [0, 0, 0], "all relevant": [1, 1, 1, 1]}
ORDERED = ["DCG", "AP", "SP@2", "RR", "P@2", "bpref", "Accuracy", "SetAP", "binG", "Rndcg", "rbp"]


@pytest.mark.parametrize("labels", ALIKE.values(), ids=ALIKE)
@pytest.mark.parametrize("metric", ORDERED)
def test_where_all_rankings_score_the_same(labels, metric):
    found = scores(labels, *(f"{operator}({metric})" for operator in ("SD", "Z", "Adjusted")))
    assert [*found.values()] == [0, None, None]


def test_a_utility_may_be_negative():
    """Of 4 documents 1 is relevant; 1 is returned, worth 1 if relevant, else -1."""
    qrels = {"q": {"a": 1, "b": 0, "c": 0, "d": 0}}
    measures = ["Adjusted(Utility)", "Z(Utility)", "SD(Utility)", "RLB(Utility)"]
    mean, sd = 1 / 4 - 3 / 4, sqrt(4 * (1 / 4) * (3 / 4))
    for doc, value in (("a", 1), ("b", -1)):
        frame = ul.evaluate(qrels, {"q": {doc: 1.0}}, measures).collect()
        want = [(value - mean) / (1 - mean), (value - mean) / sd, sd, mean]
        assert frame["score"].to_list() == pytest.approx(want)


def test_scale_free_operators_are_the_same_of_u():
    for operator in (ul.Adjusted, ul.Z):
        assert operator(ul.nDCG @ 10) == operator(ul.DCG @ 10)
    with pytest.raises(ul.BadUsage, match="nests two operators"):
        ul.SD(ul.nDCG @ 10)


def test_the_frame_keeps_its_columns():
    qrels = {"q": {"a": 1, "b": 0}}
    frame = ul.evaluate(qrels, {"q": {"a": 1.0}}, ["Z(AP)", "V2(AP)", "WLB(AP)"]).collect()
    assert frame.columns == ["run", "query_id", "measure", "score", "value", "upper", "expected"]


def test_unjudged_documents_belong_to_the_pool():
    """1 relevant of 10 documents of which 8 are in no qrels: P@1 is 1 with chance 1/10."""
    found = scores([1, 0], "SD(P@1)", "SD(AP@1)", "SD(RR@1)", pool=10)
    assert [*found.values()] == pytest.approx([sqrt(1 / 10 * 9 / 10)] * 3)


def test_a_large_collection():
    """Of a million documents one is relevant: RR and AP are 1/rank, with chance 1e-6 each."""
    n = 1_000_000
    square = pl.select(1 / pl.int_range(1, n + 1).cast(pl.Float64) ** 2).to_series().sum() / n
    mean = pl.select(1 / pl.int_range(1, n + 1)).to_series().sum() / n
    found = scores([1], "SD(RR)", "SD(AP)", "SD(SP@1000)", pool=n)
    want = sqrt(square - mean**2)
    assert found["SD(RR)"] == pytest.approx(want)
    assert found["SD(AP)"] == pytest.approx(want)
    assert 0 < found["SD(SP@1000)"] < found["SD(AP)"]
