"""Forms that are worked out fast, against the same sums in fractions, term by term."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import accumulate, product
from math import comb, log2, prod

import polars as pl
import pytest

import ulframe as ul
from ulframe.evaluation.bounds import bounds_of
from ulframe.metrics.chance.judgements import EPSILON, _mean_inverses

Histogram = dict[float, int]


def drawn_histograms(many: int) -> list[Histogram]:
    """Few and many documents; a label that all have, and none that gains anything."""
    rng = random.Random(0)
    found: list[Histogram] = [{0: 5}, {1: 1}, {4: 3}, {1: 30}, {0: 90, 1: 1}, {-1: 3, 2: 2}]
    for _ in range(many):
        sizes = {-1: 4, 0: 40, 0.5: 3, 1: 15, 2: 8, 4: 3}
        counts = {label: rng.randrange(most + 1) for label, most in sizes.items()}
        found.append(counts | {0: counts[0] + 1})
    return found


def expected(measure: ul.Measure, histograms: list[Histogram]) -> list[float]:
    rows = [
        (f"{query:03d}", float(label), count)
        for query, histogram in enumerate(histograms)
        for label, count in histogram.items()
        if count
    ]
    counts = pl.LazyFrame(rows, schema=["query_id", "label", "count"], orient="row")
    found = bounds_of(counts.with_columns(judged="count"), ["query_id"], [measure]).collect()
    return found.sort("query_id")[f"expected:{measure}"].to_list()


def err(histogram: Histogram, k: int | None, top: int) -> float:
    """The sum over ranks of (M_{i-1} - M_i) / i, M_i the mean product of i of (1 - R)."""
    n = sum(histogram.values())
    products = [Fraction(1)]  # elementary symmetric polynomials, a document more at a time
    for label, count in histogram.items():
        passed = 1 - (Fraction(2**label) - 1) / 2**top if label > 0 else Fraction(1)
        for _ in range(count):
            grown = [new + passed * old for new, old in zip(products[1:], products, strict=False)]
            products = [Fraction(1), *grown, passed * products[-1]]
    means = [product / comb(n, i) for i, product in enumerate(products)]
    last = min(n, k or n)
    return float(sum((means[i - 1] - means[i]) / i for i in range(1, last + 1)))


@pytest.mark.parametrize("k", [None, 1, 3, 20, 1000])
@pytest.mark.parametrize("top", [4, 10])
def test_err(k, top):
    histograms = drawn_histograms(12)
    bare = ul.ERR(max=top)
    got = expected(bare if k is None else bare @ k, histograms)
    want = [err(histogram, k, top) for histogram in histograms]
    assert got == pytest.approx(want, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize(
    ("top", "histogram"),
    [(2, {0.0: 60, 1.0: 250, 2.0: 50}), (4, {0.0: 20, 1.0: 100, 4.0: 100})],
)
def test_err_of_more_documents_than_anybody_reads(top, histogram):
    """After 142, and 84, that gain something nobody reads on: the rest adds nothing."""
    got = expected(ul.ERR(max=top), [histogram])
    assert got == pytest.approx([err(histogram, None, top)], rel=1e-10)


@pytest.mark.parametrize(
    ("n", "marked"),
    [(0, 0), (1, 0), (1, 1), (2, 1), (9, 4), (30, 29), (30, 30), (60, 1), (200, 150), (300, 40)],
)
def test_mean_inverses(n, marked):
    """E[1 / (t + 2e)] over the hypergeometric t: as a sum over t, of each number of draws."""
    a = Fraction(2 * EPSILON)
    want = [
        float(
            sum(
                Fraction(comb(marked, t) * comb(n - marked, draws - t), comb(n, draws)) / (t + a)
                for t in range(min(marked, draws) + 1)
            )
        )
        for draws in range(n + 1)
    ]
    assert _mean_inverses(n, marked) == pytest.approx(want, rel=1e-12)


def g(histogram: Histogram) -> float:
    """The sum over ranks, gains there, and numbers of documents of each gain above it."""
    n, total = sum(histogram.values()), sum(max(x, 0) * count for x, count in histogram.items())
    held = {gain: count for gain, count in histogram.items() if gain > 0}
    best = sorted((max(x, 1) for x, count in held.items() for _ in range(count)), reverse=True)
    cost = [0.0, *accumulate(best + [1] * (n - len(best)))]
    found = 0.0
    for gain, count in held.items():
        left = {other: many - (other == gain) for other, many in held.items()}
        for above in product(*(range(many + 1) for many in left.values())):
            gained = gain + sum(other * many for other, many in zip(left, above, strict=True))
            ways = prod(comb(many, taken) for many, taken in zip(left.values(), above, strict=True))
            zeros = n - 1 - sum(left.values())
            for rank in range(sum(above) + 1, sum(above) + zeros + 2):
                chance = ways * comb(zeros, rank - 1 - sum(above)) / comb(n - 1, rank - 1)
                found += count / n * chance * gain / log2(2 + cost[rank] - gained)
    return found / total if total else 0.0


@pytest.mark.parametrize(
    "histogram",
    [
        {1: 1},
        {0: 3, -1: 2},
        {0: 9, 1: 4},
        {0: 6, 2: 3},
        {2: 4},
        {0: 5, 1: 2, 2: 1},
        {0: 8, 1: 5, 2: 3, 3: 2, 4: 1},
        {0: 4, 0.5: 3},
        {0: 7, 0.5: 2, 1: 3, 2.5: 2},
        {-1: 2, 0: 2, 0.25: 2, 0.75: 1, 3: 4},
        {0: 1, 4: 5, 1: 1},
    ],
)
def test_g(histogram):
    others = [{0: 8, 1: 5, 2: 3, 3: 1, 4: 2}, {0: 12, 2: 2, 4: 5}, {0: 30, 1: 6}]  # of like sizes
    got = expected(ul.G, [histogram, *others])
    assert got[0] == pytest.approx(g(histogram), rel=1e-12)
