"""Letters of groups: runs share one exactly if they do not differ significantly."""

from __future__ import annotations

from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ulframe.analysis.letters import letters


def pairs_of(names, differ):
    """Pairs of runs, the first of which is the best; `differ` holds those that are significant."""
    means = {name: 1 - place / 100 for place, name in enumerate(names)}
    rows = [("all", "AP", a, b, means[a], means[b], 0.5, {a, b} in differ)
            for a, b in combinations(names, 2)]  # fmt: skip
    columns = ["set", "measure", "run_a", "run_b", "mean_a", "mean_b", "p_value", "significant"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def lettered(names, differ):
    found = letters(pairs_of(names, [set(pair) for pair in differ])).collect()
    return dict(found.select("run", "letters").iter_rows())


@pytest.mark.parametrize(
    ("names", "differ", "expected"),
    [
        ("xy", [], {"x": "a", "y": "a"}),
        ("xy", ["xy"], {"x": "a", "y": "b"}),
        ("xyz", ["xz"], {"x": "a", "y": "ab", "z": "b"}),
        ("xyz", ["xz", "yz"], {"x": "a", "y": "a", "z": "b"}),
        ("xyz", ["xy", "yz"], {"x": "a", "y": "b", "z": "a"}),  # a noisy y between
        ("wxyz", ["wy", "wz", "xz"], {"w": "a", "x": "ab", "y": "bc", "z": "c"}),
    ],
)
def test_letters_by_hand(names, differ, expected):
    assert lettered(names, differ) == expected


NAMES = "pqrstuv"


@given(st.sets(st.sampled_from(list(combinations(NAMES, 2)))))
def test_runs_share_a_letter_exactly_if_they_do_not_differ(differ):
    found = lettered(NAMES, differ)
    for a, b in combinations(NAMES, 2):
        assert bool({*found[a]} & {*found[b]}) == ((a, b) not in differ)


def test_more_groups_than_letters_have_none():
    names = [f"r{number:02}" for number in range(12)]
    halves = list(zip(names[::2], names[1::2], strict=True))
    assert {*lettered(names, halves).values()} == {None}  # 2 ** 6 groups
    few = lettered(names[:10], halves[:5])  # 2 ** 5 groups, each run in half of them
    assert {len(word) for word in few.values()} == {16}


def test_families_are_lettered_apart_in_their_order():
    both = [pairs_of("xyz", []).with_columns(measure=pl.lit(name)) for name in ("RR", "AP")]
    found = letters(pl.concat(both)).collect()
    assert found["measure"].to_list() == ["RR"] * 3 + ["AP"] * 3
