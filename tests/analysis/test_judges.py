"""Agreement of judges: Krippendorff's own examples, by hand, and as scikit-learn has kappa."""

import random

import pytest

import ulframe as ul
from ulframe.analysis.judges import confusion, label_agreement
from ulframe.cli.main import main

# Krippendorff 2011, Computing Krippendorff's alpha-reliability: A and B; letters as numbers
BINARY = "0100000010", "1110010000", "alpha_nominal", 0.095
NOMINAL = "001132224330", "101112224333", "alpha_nominal", 0.692


def qrels(labels):
    return {"q": {f"d{at:02}": int(label) for at, label in enumerate(labels)}}


def agreement(a, b):
    return label_agreement(confusion(qrels(a), qrels(b))).row(0, named=True)


@pytest.mark.parametrize(("a", "b", "name", "published"), [BINARY, NOMINAL])
def test_krippendorffs_examples(a, b, name, published):
    assert agreement(a, b)[name] == pytest.approx(published, abs=0.0005)


def test_by_hand():
    # (0, 0) twice, (0, 1), (1, 1), (2, 0): A 3 1 1, B 3 2 0
    found = agreement("00012", "00110")
    chance = (3 * 3 + 1 * 2 + 1 * 0) / 25
    assert found["agreement"] == 3 / 5
    assert found["kappa"] == pytest.approx((3 / 5 - chance) / (1 - chance))
    # apart by 1 once and by 2 once; by chance 0-1: 3*2 + 1*3, 2-0: 3, 2-1: 2
    assert found["kappa_linear"] == pytest.approx(1 - (1 + 2) / ((6 + 3 + 2 * 3 + 2) / 5))
    assert found["kappa_quadratic"] == pytest.approx(1 - (1 + 4) / ((6 + 3 + 4 * 3 + 2) / 5))
    # of ten values 6 are 0, 3 are 1, 1 is 2; pairs that differ: 18, 6, 3 of them each way
    assert found["alpha_nominal"] == pytest.approx(1 - 9 * (2 * 2) / (2 * (18 + 6 + 3)))
    assert found["alpha_interval"] == pytest.approx(1 - 9 * 2 * (1 + 4) / (2 * (18 + 4 * 6 + 3)))
    # of ranks 0 and 1 are 3 + 1.5 apart, 1 and 2 are 1.5 + .5, 0 and 2 are 3 + 3 + .5
    apart = {"01": 4.5**2, "12": 2**2, "02": 6.5**2}
    by_chance = 2 * (18 * apart["01"] + 3 * apart["12"] + 6 * apart["02"])
    assert found["alpha_ordinal"] == pytest.approx(
        1 - 9 * 2 * (apart["01"] + apart["02"]) / by_chance
    )


def test_full_agreement_is_1_and_a_single_label_is_undefined():
    assert {v for k, v in agreement("0012", "0012").items() if k != "documents"} == {1}
    alike = agreement("000", "000")
    assert (alike["agreement"], alike["kappa"], alike["alpha_nominal"]) == (1, None, None)


def test_as_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = random.Random(0)
    a, b = ([rng.choice([0, 0, 1, 2, 4]) for _ in range(200)] for _ in range(2))
    found = agreement(a, b)
    for name, weights in (("kappa", None), ("kappa_quadratic", "quadratic")):
        # scikit-learn's weights are of places among labels: of 0, 1, 2, 3 then
        places = [[0, 1, 2, 2, 3][label] for label in a], [[0, 1, 2, 2, 3][label] for label in b]
        of_places = agreement(*places)
        assert of_places[name] == pytest.approx(metrics.cohen_kappa_score(*places, weights=weights))
    assert found["kappa"] == pytest.approx(metrics.cohen_kappa_score(a, b))


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        ({"q": {"x": 1}}, {"q": {"y": 1}}, "no document is judged in both: 1 in the one, 1 in"),
        ({"q": {"x": 1}}, {"Q": {"x": 1}}, "are their ids written alike"),
    ],
)
def test_what_is_refused(a, b, says):
    with pytest.raises(ul.BadData, match=says):
        confusion(a, b)


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text("q 0 x 1\nq 0 y 0\nq 0 z 1\n")
    (tmp_path / "b").write_text("q 0 x 1\nq 0 y 1\n")
    assert main(["agree", "a", "b"]) == 0
    out, err = capsys.readouterr()
    assert "judged only in a, and so left out: 1 row\n" in err
    assert "| agreement       | 0.5000 |" in out
    assert "judged in both: 2 rows\n" in err
    assert [line.split() for line in out.splitlines()[:4:2]] == [
        ["|", "A", "|", "B", "1", "|"], ["|", "0", "|", "1", "|"],
    ]  # fmt: skip
