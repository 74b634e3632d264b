"""What is said of names that others use for something else, and which gain a heading names."""

import pytest

from ulframe.metrics.grammar import named
from ulframe.metrics.traps import remarks, with_gain


@pytest.mark.parametrize(
    ("asked", "highest", "said"),
    [
        (["map@10"], 1, ["map@10 is AP@10", "U(SP@10)"]),
        (["MAP_at_5"], 1, ["MAP_at_5 is AP@5", "U(SP@5)"]),
        (["mean_average_precision@5"], 1, ["is AP@5", "U(SP@5)"]),
        (["map@1k"], 1, ["map@1k is AP@1000", "U(SP@1000)"]),
        (["Accuracy@10"], 1, ["Accuracy@10 is the share of pairs", "Success@10"]),
        (["accuracy_at_1"], 1, ["accuracy_at_1 is the share of pairs", "Success@1"]),
        (["hits@3"], 1, ["hits@3 is Success@3", "P@3 times k"]),
        (["rbp.95"], 1, ["rbp.95 is rbp(p=0.95)"]),
        (["nDCG@10"], 2, ["exponential gain", "nDCG(gain=linear)"]),
        (["V2(DCG@10)"], 2, ["exponential gain"]),
    ],
)
def test_a_trap_is_told(asked, highest, said):
    (remark,) = remarks(named(asked), highest)
    assert all(words in remark for words in said)


@pytest.mark.parametrize(
    ("asked", "highest"),
    [
        (["AP@10"], 1),
        (["map"], 1),
        (["map_cut_10"], 1),
        (["Accuracy"], 1),
        (["hit_rate@10"], 1),
        (["RBP.95"], 1),
        (["rbp"], 1),
        (["nDCG@10"], 1),
        (["ndcg"], 4),
        (["nDCG(gains={1:3})@10"], 4),
    ],
)
def test_what_means_the_same_everywhere_is_not_remarked_on(asked, highest):
    assert remarks(named(asked), highest) == []


def test_each_trap_is_told_once():
    assert len(remarks(named(["map@5,10,20", "map_at_100"]))) == 1


@pytest.mark.parametrize(
    ("asked", "highest", "labels"),
    [
        (["nDCG@10", "nDCG@5"], 2, {"nDCG@10": "nDCG@10 (gain=exp)"}),
        (["AP", "ndcg_cut_5"], 2, {"ndcg_cut_5": "ndcg_cut_5 (gain=linear)"}),
        (["V2(DCG@5)"], 3, {"V2(DCG@5)": "V2(DCG@5) (gain=exp)"}),
        (["nDCG@10"], 1, {}),
        (["nDCG@10", "ndcg_cut_10"], 2, {}),
        (["AP", "RR"], 2, {}),
        (["nDCG(gains={1:3})@5"], 2, {}),
    ],
)
def test_the_gain_is_named_once_where_it_counts_and_only_one_was_asked_for(asked, highest, labels):
    assert with_gain(named(asked), highest) == labels
