"""48 contests of figure skating: every judge against the others, with a second opinion."""

import re
from collections import Counter
from statistics import fmean

import polars as pl
import pytest
from scipy.stats import kendalltau

from ulframe.analysis.agreement import tau_b
from ulframe.studies.experts import compare, every_pair, scan_rankings, to_others, with_others


@pytest.fixture(scope="module")
def skate(shared):
    folder = shared / "preflib-skate"
    if not folder.is_dir():
        pytest.skip("real data not present: preflib-skate")
    return folder


def header(text, name):
    return int(re.findall(rf"# {name}: (\d+)", text)[0])


def by_hand(text):
    """`[{item: mean of the ranks that its tie spans}]`, a dict per judge."""
    names = dict(re.findall(r"# ALTERNATIVE NAME (\d+): (.*?) *$", text, flags=re.M))
    judges = []
    for times, order in re.findall(r"^(\d+): (.*)$", text, flags=re.M):
        ranks, above = {}, 0
        for group in re.findall(r"\{[^}]*\}|\d+", order):
            tied = re.findall(r"\d+", group)
            ranks |= {names[number]: above + (len(tied) + 1) / 2 for number in tied}
            above += len(tied)
        judges += [ranks] * int(times)
    return judges


def test_all_is_read(skate):
    frame = scan_rankings(skate).collect()
    assert frame["contest"].n_unique() == 48
    for path in skate.glob("*.?oc"):
        text, own = path.read_text(), frame.filter(contest=path.stem)
        assert own["ranking"].n_unique() == header(text, "NUMBER VOTERS")
        assert own["item"].n_unique() == header(text, "NUMBER ALTERNATIVES")
        assert own.height == header(text, "NUMBER VOTERS") * header(text, "NUMBER ALTERNATIVES")


def test_every_judge_against_the_consensus_of_the_others(skate):
    rankings = with_others(skate)
    measures = ["pairs.R", "pairs.fallout", "pairs.CG", "P@3", "P@5"]
    got = compare(rankings, to_others(skate), measures).collect()
    wide = got.pivot("measure", index=["contest", "ranking"], values="score")
    assert wide.height == sum(
        header(path.read_text(), "NUMBER VOTERS") for path in skate.glob("*.?oc")
    )
    texts = {path.stem: by_hand(path.read_text()) for path in skate.glob("*.?oc")}
    for contest, ranking, *scores in wide.iter_rows():
        judges = texts[contest]
        own = judges.pop(int(ranking) - 1)
        others = {item: fmean(judge[item] for judge in judges) for item in own}
        judges.insert(int(ranking) - 1, own)
        assert scores == pytest.approx(plainly(own, others)), (contest, ranking)


def plainly(own, reference):
    signs = Counter()
    items = sorted(own)
    for i, x in enumerate(items):
        for y in items[i + 1 :]:
            mine, theirs = own[x] - own[y], reference[x] - reference[y]
            kind = "open" if not mine * theirs else "alike" if mine * theirs > 0 else "reversed"
            signs[kind] += 1
            signs["reference"] += theirs != 0
    return [
        signs["alike"] / signs["reference"],
        signs["reversed"] / signs["reference"],
        signs["alike"] + signs["open"] / 2,
        *(sum(within(own, x, k) * within(reference, x, k) for x in own) / k for k in (3, 5)),
    ]


def within(ranking, item, k):
    """The chance that an item is among the first k, over all orders of the tied."""
    above = sum(value < ranking[item] for value in ranking.values())
    tied = sum(value == ranking[item] for value in ranking.values())
    return min(1, max(0, (k - above) / tied))


def test_kendalls_tau_b_as_a_second_opinion(skate):
    """R less fall-out, one way times the other, is tau-b squared."""
    rankings = with_others(skate).collect()
    measures = ["pairs.R", "pairs.fallout"]
    there = to_others(skate).collect()
    back = there.rename({"ranking": "reference", "reference": "ranking"}).select(there.columns)
    both = [
        compare(rankings, wanted, measures)
        .collect()
        .pivot("measure", index=["contest", "ranking", "reference"], values="score")
        .with_columns(balance=pl.col("pairs.R") - pl.col("pairs.fallout"))
        for wanted in (there, back)
    ]
    places = {
        key: dict(own.select("item", "position").iter_rows())
        for key, own in rankings.group_by("contest", "ranking")
    }
    rows = zip(*(frame["balance"] for frame in both), both[0].iter_rows(), strict=True)
    for balance, backwards, (contest, ranking, reference, *_) in rows:
        a, b = places[contest, ranking], places[contest, reference]
        own, other = list(a.values()), [b[item] for item in a]
        tau = tau_b(own, other) or 0
        assert tau == pytest.approx(kendalltau(own, other).statistic)
        assert balance * backwards == pytest.approx(tau**2)
        assert (balance > 0) == (tau > 0)


def test_judges_without_ties_have_one_number(skate):
    """P = R = F = (tau + 1) / 2 for every two judges of the contests without ties."""
    rankings = scan_rankings(str(skate / "*.soc")).collect()
    got = compare(rankings, every_pair(rankings), ["pairs.P", "pairs.R", "pairs.F"]).collect()
    wide = got.pivot("measure", index=["contest", "ranking", "reference"], values="score")
    places = rankings.sort("item").group_by("contest", "ranking").agg("position")
    by_name = {(c, r): p for c, r, p in places.iter_rows()}
    for contest, ranking, reference, *scores in wide.iter_rows():
        tau = kendalltau(by_name[contest, ranking], by_name[contest, reference]).statistic
        assert scores == pytest.approx([(tau + 1) / 2] * 3)


def test_maximal_similarity_leaves_nothing_open(skate):
    rankings = with_others(skate)
    measures = ["pairs.R", "pairs.fallout", "pairs.uncertain", "pairs.P"]
    given, closed = (
        compare(rankings, to_others(skate), measures, complete=complete).collect()
        for complete in (False, True)
    )
    assert set(closed["completion"]) == {"exact"}
    wide = closed.pivot("measure", index=["contest", "ranking"], values="score")
    assert ((wide["pairs.R"] + wide["pairs.fallout"] - 1).abs() < 1e-12).all()
    assert wide["pairs.uncertain"].max() == 0
    before = given.pivot("measure", index=["contest", "ranking"], values="score")
    assert (wide["pairs.P"] >= before["pairs.P"]).all()
