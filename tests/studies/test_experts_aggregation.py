"""One ranking of many: by hand, and Kemeny's against every order."""

from itertools import combinations, permutations
from random import Random

import pytest

from ulframe.cli.main import main
from ulframe.frames import BadUsage, scan_runs
from ulframe.frames.remarks import Remark
from ulframe.studies.experts import METHODS, aggregate, to_runs
from ulframe.studies.experts.aggregation import SOLVED

# a above b above c twice, b above c above a three times
VOTES = {"1": ["a", "b", "c"], "2": ["a", "b", "c"], **{n: ["b", "c", "a"] for n in "345"}}

BY_HAND = {
    "borda": "bac",  # sums of places: a 2 + 9, b 4 + 3, c 6 + 6
    "copeland": "bca",  # b beats a (3 of 5) and c, c beats a
    "kemeny": "bca",  # 4 pairs reversed: a behind, in two rankings; others more
    "dowdall": "bac",  # a 2 + 3/3, b 2/2 + 3, c 2/3 + 3/2
    "mc4": "bca",  # from a to b and c, from c to b, from b nowhere
    "mean_rank": "bac",
}


def order(rankings, method):
    """The people in the order made, ties together."""
    rows = aggregate(rankings, method).collect()
    return rows["item"].to_list(), rows["position"].to_list()


@pytest.mark.parametrize("method", METHODS)
def test_by_hand(method):
    assert order(VOTES, method) == ([*BY_HAND[method]], [1, 2, 3])


@pytest.mark.parametrize("method", [name for name in METHODS if name != "kemeny"])
def test_what_is_equal_is_tied(method):
    assert order({"1": ["a", "b"], "2": ["b", "a"]}, method) == (["a", "b"], [1, 1])


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("borda", (["a", "b", "c"], [1, 2, 2])),  # 1 + 1, 2.5 + 2.5 and 2 + 3: b and c left out
        ("mean_rank", (["a", "b", "c"], [1, 2, 3])),  # b 2 of one, c 3 of one
    ],
)
def test_who_is_left_out_is_behind(method, expected):
    assert order({"1": ["a"], "2": ["a", "b", "c"], "3": ["a", "c", "b"]}, "borda") == (
        ["a", "b", "c"], [1, 2, 2],
    )  # fmt: skip
    rankings = {"1": ["a"], "2": ["a", "b", "c"]}
    found = order(rankings, method)
    assert found[0] == expected[0]


def reversed_pairs(made, votes):
    return sum(vote[y] < vote[x] for vote in votes for x, y in combinations(made, 2))


def test_kemeny_against_every_order():
    random = Random(3)
    for _ in range(40):
        n = random.randint(1, 5)
        votes = [{item: random.randint(1, n) for item in "abcde"[:n]} for _ in range(4)]
        lists = {
            str(at): [[i for i in vote if vote[i] == place] for place in sorted({*vote.values()})]
            for at, vote in enumerate(votes)
        }
        made = aggregate(lists, "kemeny").collect()["item"].to_list()
        fewest = min(reversed_pairs(one, votes) for one in permutations("abcde"[:n]))
        assert reversed_pairs(made, votes) == fewest


def test_kemeny_of_many_is_searched_and_said():
    people = [f"{n:03}" for n in range(SOLVED + 1)]
    with pytest.warns(Remark, match=rf"Kemeny's order of {SOLVED + 1} people by local search"):
        found = aggregate({"1": people, "2": people, "3": people[::-1]}, "kemeny").collect()
    assert found["item"].to_list() == people


def test_a_ranking_is_a_run():
    made = aggregate(VOTES, "copeland")
    assert to_runs(made).collect().rows() == [
        ("copeland", "contest", "b", -1.0), ("copeland", "contest", "c", -2.0),
        ("copeland", "contest", "a", -3.0),
    ]  # fmt: skip


def test_another_method():
    with pytest.raises(BadUsage, match="method='median' is not one of borda, "):
        aggregate(VOTES, "median")


def test_the_command(tmp_path, monkeypatch, capsys):
    """Votes without a header; what is made is compared with each, and written as runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text(
        "".join(f"7,{n},{item},{place}\n" for n, items in VOTES.items()
                for place, item in enumerate(items, start=1))
    )  # fmt: skip
    words = ["experts", "votes.csv", "-m", "tau_a", "--aggregate", "borda", "copeland"]
    assert main([*words, "--runs", "made.txt"]) == 0
    printed = capsys.readouterr()
    assert "votes.csv: without a header, taken as query, voter, item, rank" in printed.err
    # bac has 1/3 with abc twice and 1/3 with bca thrice; bca -1/3 twice and 1 thrice
    assert "| 7       | borda    | 0.3333 |" in printed.out
    assert f"| 7       | copeland | {(-2 / 3 + 3) / 5:.4f} |" in printed.out
    assert scan_runs("made.txt").collect().height == 6
    assert main(["experts", "votes.csv", "--runs", "made.txt"]) == 2
    assert "--runs writes what --aggregate makes" in capsys.readouterr().err
