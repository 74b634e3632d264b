"""Correlations, distances and overlaps of lists: by scipy, by hand, by going through all pairs."""

from itertools import combinations
from math import isnan
from random import Random

import pytest
from scipy.stats import kendalltau, spearmanr

from ulframe.frames import BadUsage
from ulframe.studies.experts import compare, every_pair

PEOPLE = "pqrstu"


def drawn(seed, count, *, all_rank):
    """Pairs of rankings `{item: position}` with ties; of some of the people unless `all_rank`."""
    random = Random(seed)
    for _ in range(count):
        sizes = [len(PEOPLE) if all_rank else random.randint(1, len(PEOPLE)) for _ in "ab"]
        yield [
            {item: random.randint(1, size) for item in random.sample(PEOPLE, size)}
            for size in sizes
        ]


def scored(a, b, measures, **procedure):
    """The scores of a by b."""
    lists = {name: groups(ranking) for name, ranking in (("a", a), ("b", b))}
    rows = compare(lists, every_pair(lists), measures, **procedure).filter(ranking="a").collect()
    return dict(rows.select("measure", "score").iter_rows())


def groups(ranking):
    places = sorted({*ranking.values()})
    return [sorted(item for item in ranking if ranking[item] == place) for place in places]


def number(value):
    return None if isnan(value) else pytest.approx(value)


def test_correlations_as_scipy_has_them():
    for a, b in drawn(1, 60, all_rank=True):
        x, y = ([ranking[item] for item in PEOPLE] for ranking in (a, b))
        found = scored(a, b, ["tau_b", "tau_c", "rho"])
        assert found["tau_b"] == number(kendalltau(x, y, variant="b").statistic)
        assert found["tau_c"] == number(kendalltau(x, y, variant="c").statistic)
        if len({*x}) > 1 and len({*y}) > 1:  # scipy warns of constant input
            assert found["rho"] == number(spearmanr(x, y).statistic)
        else:
            assert found["rho"] is None


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # pqr by qpr: one of three pairs is reversed, two people are 1 away
        ({"p": 1, "q": 2, "r": 3}, {"q": 1, "p": 2, "r": 3},
         {"tau_a": (2 - 1) / 3, "footrule": 2, "footrule(normalised=True)": 2 / 4,
          "kendall": 1, "kendall(normalised=True)": 1 / 3, "rho": 1 - 6 * 2 / (3 * 8)}),
        # top 2 lists pq and qr, so r is behind in a, p in b: qp qr alike in b; pq reversed,
        # pr reversed, qr as it is
        ({"p": 1, "q": 2}, {"q": 1, "r": 2},
         {"kendall": 2, "kendall(p=0)": 2, "footrule": 2 + 1 + 1}),
        # p alone and q alone: p above q, and q above p
        ({"p": 1}, {"q": 1}, {"kendall": 1, "footrule": 2}),
        # pqr by p: q and r are tied behind, which costs p
        ({"p": 1, "q": 2, "r": 3}, {"p": 1},
         {"kendall": 0.5, "kendall(p=0)": 0, "kendall(p=1)": 1, "footrule": 0.5 + 0.5}),
    ],
)  # fmt: skip
def test_lists_by_hand(a, b, expected):
    assert scored(a, b, [*expected], homogenise=False) == pytest.approx(expected)


def behind(ranking):
    return {item: ranking.get(item, 100) for item in PEOPLE}


def test_kendalls_distance_pair_by_pair():
    for a, b in drawn(2, 60, all_rank=False):
        people = sorted({*a, *b})
        x, y = behind(a), behind(b)
        distance = 0.0
        for i, j in combinations(people, 2):
            mine, theirs = (x[i] > x[j]) - (x[i] < x[j]), (y[i] > y[j]) - (y[i] < y[j])
            distance += 1 if mine * theirs < 0 else 0.3 * ((mine == 0) != (theirs == 0))
        found = scored(a, b, "kendall(p=0.3)", homogenise=False)
        assert found["kendall(p=0.3)"] == pytest.approx(distance)


def test_overlap_by_hand():
    """Webber, Moffat and Zobel's extrapolation: the agreement at the end goes on."""
    a, b = {"p": 1, "q": 2, "r": 3}, {"p": 1, "r": 2, "q": 3}
    p = 0.9  # agreements 1, 1/2, 1
    expected = (1 - p) * (1 + p / 2 + p**2) + p**3
    assert scored(a, b, ["rbo"]) == {"rbo": pytest.approx(expected)}
    assert scored(a, b, ["rbo(p=0.5)"]) == {
        "rbo(p=0.5)": pytest.approx(0.5 * (1 + 1 / 4 + 1 / 4) + 1 / 8)
    }


def test_nobody_in_common():
    measures = ["rho", "tau_a", "tau_b", "tau_c", "rbo", "footrule", "kendall(normalised=True)"]
    found = scored({"p": 1}, {"q": 1}, measures)
    assert found == dict.fromkeys(measures) | {"footrule": None}


@pytest.mark.parametrize(
    "name", ["kendall(p=2)", "rbo(p=1)", "rho(p=0.5)", "footrule(normalised=2)"]
)
def test_settings_that_there_are_not(name):
    with pytest.raises(BadUsage):
        compare({"a": ["p"]}, every_pair({"a": ["p"]}), name)


def test_names_that_are_near():
    with pytest.raises(BadUsage, match="no measure 'tau'; did you mean tau_"):
        compare({"a": ["p"]}, every_pair({"a": ["p"]}), "tau")
