"""Bounds at the edge: near what floats hold, and of the worst ranking with unjudged documents."""

from math import log2

import pytest

import ulframe as ul

# ---------------------------------------------------------------- what floats hold
LIMIT = 1e150  # beyond it a bound is refused: its square is near the largest float


@pytest.mark.parametrize(
    ("measure", "labels", "upper"),
    [
        ("CG@1", [0.99 * LIMIT], 0.99 * LIMIT),
        ("CG@1", [LIMIT], LIMIT),
        ("CG@2", [LIMIT / 4, LIMIT / 2], 0.75 * LIMIT),
        ("DCG@1", [498], 2.0**498 - 1),  # 8.2e149
    ],
)
def test_a_bound_that_is_just_within_is_told(measure, labels, upper):
    qrels = {"q": {f"d{i}": label for i, label in enumerate(labels)}}
    got = ul.evaluate(qrels, {"q": {"d0": 1.0}}, measure).collect()
    assert got["upper"].item() == pytest.approx(upper, rel=1e-12)


@pytest.mark.parametrize(
    ("measure", "labels"),
    [
        ("CG@1", [1.01 * LIMIT]),
        ("CG@2", [0.75 * LIMIT, 0.75 * LIMIT]),  # each alone is within
        ("DCG@1", [499]),  # 1.6e150
    ],
)
def test_a_bound_that_is_just_beyond_is_refused(measure, labels):
    qrels = {"q": {f"d{i}": label for i, label in enumerate(labels)}}
    says = (
        rf"the upper bound of {measure} is above 1e\+150, the most that is taken, with labels up to"
    )
    with pytest.raises(ul.BadData, match=says):
        ul.evaluate(qrels, {"q": {"d0": 1.0}}, measure).collect()


# ---------------------------------------------------------------- the worst, with unjudged ones
QRELS = {"q": {"a": 2, "b": 0, "c": 1, "d": -1}}
OF_SIX = {"q": {"a": 1.0}}  # a collection of 6; from the worst: two unjudged, d, b, c, a
OF_FOUR = {"q": {"a": 3.0, "x": 2.0, "b": 1.0, "d": 0.5}}  # what is retrieved: x, d, b, a
BESIDE = 1e-5  # infAP counts so much of a relevant and of another document in


def inf_ap(rank: int, relevant: int, other: int, unjudged: int) -> float:
    """What the relevant document at a rank adds, by how many stand above it in the qrels."""
    pooled = relevant + other + unjudged
    share = (relevant + BESIDE) / (relevant + other + 2 * BESIDE)
    return 1 / rank + (rank - 1) / rank * pooled / (rank - 1) * share


@pytest.mark.parametrize(
    ("measure", "of_six", "of_four"),
    [
        ("WLB(DCG)", 1 / log2(5 + 1) + 3 / log2(6 + 1), 3 / log2(4 + 1)),
        ("WLB(DCG@5)", 1 / log2(5 + 1), 3 / log2(4 + 1)),
        ("WLB(DCG@4)", 0, 3 / log2(4 + 1)),
        ("WLB(CG@5)", 1, 2),
        ("WLB(RR)", 1 / 5, 1 / 4),
        ("WLB(P@5)", 1 / 5, 1 / 5),
        ("WLB(AP)", (1 / 5 + 2 / 6) / 2, 1 / 4 / 2),
        # the label -1 is of a document in the pool that nobody judged; the others are outside it
        (
            "WLB(infAP)",
            (inf_ap(5, 0, 1, 1) + inf_ap(6, 1, 1, 1)) / 2,
            inf_ap(4, 0, 1, 1) / 2,
        ),
    ],
)
def test_the_worst_ranking_has_unjudged_documents_first(measure, of_six, of_four):
    six = ul.evaluate(QRELS, OF_SIX, measure, pool=6).collect()
    four = ul.evaluate(QRELS, OF_FOUR, measure, pool="retrieved").collect()
    found = six["score"].item(), four["score"].item()
    assert found == pytest.approx((of_six, of_four), abs=1e-12)
