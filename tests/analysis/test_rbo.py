"""Rank-biased overlap, with ties and without."""

import gzip
import re

import polars as pl
import pytest

import ulframe as ul
from ulframe.analysis import rbo


def parsed(text):
    """`a (b c) d` as a list of items and sets of tied items."""
    groups = re.findall(r"\(([^)]*)\)|(\S+)", text)
    return [set(tied.split()) if tied else item for tied, item in groups]


def test_a_hand_worked_example():
    # overlaps at depths 1, 2, 3: 1, 1, 3; p = 1/2; all that lies below agrees
    found = rbo("abc", "acb", 0.5)
    below = sum(0.5**d for d in range(4, 60))
    assert found.extrapolated == pytest.approx(1 / 2 + 1 / 2 / 4 + 1 / 8 + below)
    least = sum(3 / d * 0.5**d for d in range(4, 200))
    assert found.least == pytest.approx(1 / 2 + 1 / 2 / 4 + 1 / 8 + least)
    assert found.most == pytest.approx(found.extrapolated)
    assert found.residual == found.most - found.least


@pytest.mark.parametrize("ties", ["w", "a", "b"])
def test_alike_and_disjoint(ties):
    assert rbo("abcd", "abcd", 0.9, ties=ties).extrapolated == pytest.approx(1)
    nothing = rbo("abcd", "efgh", 0.9, ties=ties)
    assert (nothing.extrapolated, nothing.least) == pytest.approx((0, 0))


def test_only_the_variant_a_takes_ties_for_disagreement():
    tied = [["a", "b"], "c"]
    assert rbo(tied, tied, 0.9, ties="a").extrapolated < 1
    assert rbo(tied, tied, 0.9, ties="w").extrapolated == pytest.approx(1)
    assert rbo(tied, tied, 0.9, ties="b").extrapolated == pytest.approx(1)


def test_the_variant_a_is_the_mean_over_all_orders():
    orders = [
        rbo("abcd", list("a" + rest), 0.8) for rest in ("bcd", "bdc", "cbd", "cdb", "dbc", "dcb")
    ]
    found = rbo("abcd", ["a", {"b", "c", "d"}], 0.8, ties="a")
    assert found.extrapolated == pytest.approx(sum(one.extrapolated for one in orders) / 6)


def test_on_3000_pairs_with_published_values(shared):
    with gzip.open(shared / "rbo-ties" / "test.csv.gz") as file:
        rows = pl.read_csv(file.read())
    assert rows.height == 3000
    for row in rows.iter_rows(named=True):
        x, y = parsed(row["x"]), parsed(row["y"])
        for ties in "wab":
            found = rbo(x, y, row["p"], ties=ties)
            values = (found.extrapolated, found.least, found.most, found.residual)
            expected = tuple(row[f"{ties}.{kind}"] for kind in ("ext", "min", "max", "res"))
            assert values == pytest.approx(expected, abs=1e-9, rel=0)


@pytest.mark.parametrize(
    ("x", "p", "ties", "error", "message"),
    [
        ("ab", 1.0, "a", ul.BadUsage, "p=1.0"),
        ("ab", 0.9, "c", ul.BadUsage, "ties='c' is not one of w, a, b"),
        ("", 0.9, "a", ul.BadData, "at least one item"),
        ("aba", 0.9, "a", ul.BadData, "3 items has 1 of them twice"),
    ],
)
def test_bad_input(x, p, ties, error, message):
    with pytest.raises(error, match=message):
        rbo(x, "ab", p, ties=ties)
