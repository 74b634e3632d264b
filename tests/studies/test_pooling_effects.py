"""What a pool does: recall, tau, significance, group A, savings; queries that lack something."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import ulframe as ul
from ulframe.frames.intake import FrameLike
from ulframe.studies.pooling import (
    charts,
    depth_n,
    effects,
    move_to_front,
    rboost,
    reduced,
    rsvm,
    savings,
)

MEASURES = ["P@5", "AP", "V2(AP)"]


@pytest.fixture(scope="module")
def sample() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Sixty queries of the bundled sample."""
    some = pl.col("query_id") <= "q060"
    qrels, runs = ul.sample_qrels().filter(some), ul.sample_runs().filter(some)
    return qrels.collect(), runs.collect()


def graded(**queries: str) -> dict[str, dict[str, int]]:
    """Qrels in which capital letters are relevant; documents are the small letters."""
    return {
        query: {doc.lower(): int(doc.isupper()) for doc in docs} for query, docs in queries.items()
    }


def run(**queries: str) -> dict[str, dict[str, float]]:
    return {
        query: {doc: float(-rank) for rank, doc in enumerate(docs)}
        for query, docs in queries.items()
    }


def pooled(qrels: FrameLike, runs: FrameLike, order: FrameLike, measure: str) -> dict[str, object]:
    """What the first document of each query's order does."""
    found = effects(qrels, runs, {"mine": order}, sizes=[1], measures=[measure])
    return found.filter(method="mine").collect().row(0, named=True)


# ---------------------------------------------------------------- the right answers
def test_the_pool_of_everything_changes_nothing(sample):
    qrels, runs = sample
    everything = qrels.select("query_id", "doc_id", priority=1)
    rows = effects(qrels, runs, {"all": everything}, sizes=[10**6], measures=MEASURES).collect()
    full, pooled = rows.filter(method="full"), rows.filter(method="all")
    numbers = ["recall", "tau", "agrees", "detected", "false_alarms"]
    assert pooled.select(numbers).unique().rows() == [(1.0, 1.0, True, 1.0, 0.0)]
    assert full.drop("method", "size").equals(pooled.drop("method", "size"))
    assert pooled["judged"].to_list() == [qrels.height] * 3
    assert rows["measure"].to_list() == MEASURES * 2


def test_effects_by_hand():
    """Three systems on three queries, of which one has nothing relevant.

    By all judgements the values of P@2 are
        topic   one  two  three
        s       1    1/2  0
        t       1    1/2  0
        n       0    0    0
    so one > two > three.
    """
    qrels = graded(s="ABcd", t="ABcd", n="ab")
    runs = {
        "one": run(s="ab", t="ab", n="ab"),
        "three": run(s="cd", t="cd", n="ab"),
        "two": run(s="ac", t="bc", n="ab"),
    }
    order = {"s": {"a": 2, "c": 1}, "t": {"c": 3, "d": 2, "b": 1}, "n": {"b": 1}}
    found = effects(qrels, runs, {"mine": order}, sizes=[1, 2, 3], measures=["P@2"]).collect()
    rows = found.filter(method="mine")
    # queries s, t, n have 1, 1, 1 then 2, 2, 1 then 2, 3, 1 documents in the pool
    assert rows["judged"].to_list() == [1 + 1 + 1, 2 + 2 + 1, 2 + 3 + 1]
    # a of s's A, B; nothing of t's until b comes third; n has none to find
    assert rows["recall"].to_list() == [(1 / 2 + 0) / 2, (1 / 2 + 0) / 2, (1 / 2 + 1 / 2) / 2]
    # sums of P@2: with a of s alone one 1/2, two 1/2, three 0: two of three pairs in order, one
    # tied; with b of t as well one 1, two 1, three 0: the same
    tie = 2 / np.sqrt(3 * 2)
    assert rows["tau"].to_list() == pytest.approx([tie] * 3)
    assert rows["agrees"].to_list() == [False] * 3
    full = found.filter(method="full").row(0, named=True)
    assert (full["judged"], full["recall"], full["size"]) == (10, 1.0, None)


def plain_p5(qrels: pl.DataFrame, runs: pl.DataFrame) -> dict[str, list[float]]:
    """P@5 of every run, query by query in order, counted in plain Python."""
    relevant = {(q, d) for q, d, label in qrels.iter_rows() if label >= 1}
    queries = sorted(runs["query_id"].unique())
    scores: dict[str, list[float]] = {}
    for (name,), rows in runs.sort("run").group_by("run", maintain_order=True):
        scores[str(name)] = []
        for query in queries:
            own = rows.filter(query_id=query).sort("score", "doc_id", descending=True)
            top = own["doc_id"].head(5).to_list()
            scores[str(name)].append(sum((query, doc) in relevant for doc in top) / 5)
    return scores


def plain_signs(scores: dict[str, list[float]]) -> list[int]:
    """For each pair of runs, who is better by a paired t-test at 95 %, or 0."""
    signs = []
    for one, two in combinations(sorted(scores), 2):
        test = stats.ttest_rel(scores[one], scores[two])
        signs.append(int(np.sign(test.statistic)) if test.pvalue < 0.05 else 0)
    return signs


@pytest.mark.parametrize("size", [3, 10])
def test_tau_and_detection_against_scipy(sample, size):
    qrels, runs = sample
    order = depth_n(runs).collect()
    got = effects(qrels, runs, {"d": order}, sizes=[size], measures=["P@5"]).collect().row(1)
    inside = set(order.filter(pl.col("place") <= size).select("query_id", "doc_id").iter_rows())
    kept = pl.DataFrame([row for row in qrels.iter_rows() if row[:2] in inside], qrels.schema,
                        orient="row")  # fmt: skip
    before, after = plain_p5(qrels, runs), plain_p5(kept, runs)
    tau = stats.kendalltau([np.mean(s).round(12) for s in before.values()],
                           [np.mean(s).round(12) for s in after.values()])  # fmt: skip
    pairs = list(zip(plain_signs(before), plain_signs(after), strict=True))
    detected = [said == true for true, said in pairs if true]
    alarms = [said != 0 for true, said in pairs if not true]
    named = dict(zip(effects(qrels, runs, {"d": order}).collect_schema(), got, strict=True))
    assert named["tau"] == pytest.approx(tau.statistic)
    assert named["detected"] == pytest.approx(np.mean(detected))
    assert named["false_alarms"] == pytest.approx(np.mean(alarms))
    assert named["judged"] == size * 60


def test_a_significant_difference_the_wrong_way_round_is_not_detected():
    qrels = {f"t{i}": {"x": 1, "y": 1, "z": 1} for i in range(9)}
    runs = {  # by all judgements a is better, by z alone b
        "a": {f"t{i}": {"x": 2, "y": 1} for i in range(9)},
        "b": {f"t{i}": {"z": 2, "v": 1} for i in range(9)},
    }
    runs["a"]["t0"] = {"v": 1}  # so that the differences vary
    runs["b"]["t1"] = {"v": 1}
    order = {f"t{i}": {"z": 1} for i in range(9)}
    row = (
        effects(qrels, runs, {"m": order}, sizes=[1], measures=["P@2"]).collect().row(1, named=True)
    )
    assert (row["tau"], row["detected"], row["false_alarms"]) == (-1.0, 0.0, None)
    assert row["reversed"] == 1.0


def test_rank_transform_makes_group_a_the_same_for_all_normalisations(sample):
    qrels, runs = sample
    names = ["nDCG@10", "V1(DCG@10)", "V2(DCG@10)"]
    lists = {"d": depth_n(runs)}
    rows = effects(qrels, runs, lists, sizes=[10], measures=names).collect()
    assert rows.group_by("method").agg(pl.col("group_a").n_unique())["group_a"].to_list() == [1, 1]


def test_arcsine_transform(sample):
    qrels, runs = sample
    lists = {"d": depth_n(runs)}
    rows = effects(qrels, runs, lists, sizes=[10], measures=["nDCG@10"], transform="arcsine")
    assert rows.collect()["group_a"].is_between(1, 8).all()
    with pytest.raises(ul.BadData, match="scores from 0 to 1"):
        effects(qrels, runs, lists, measures=["V2(AP)"], transform="arcsine").collect()


# ---------------------------------------------------------------- what may be missing
def test_a_run_that_misses_queries_scores_zero_there():
    qrels = graded(s="Ab", t="Ab")
    runs = {"one": run(s="a", t="a"), "two": run(s="a")}
    rows = effects(qrels, runs, {"d": depth_n(runs)}, sizes=[5], measures=["P@1"]).collect()
    assert rows["judged"].to_list() == [4, 2]
    assert rows["tau"].to_list() == [1.0, 1.0]


def test_a_query_of_which_the_pool_knows_nothing_scores_zero():
    qrels = graded(s="AB", t="AB")
    runs = {"one": run(s="ab", t="xb"), "two": run(s="ba", t="yz")}
    order = {"s": {"a": 1}, "t": {"x": 1}}  # x is not in the qrels
    row = (
        effects(qrels, runs, {"m": order}, sizes=[1], measures=["P@1"]).collect().row(1, named=True)
    )
    assert (row["judged"], row["recall"]) == (2, (1 / 2 + 0) / 2)
    row = pooled(qrels, runs, {"s": {"q": 1}}, "P@1")
    assert (row["judged"], row["recall"], row["tau"], row["agrees"]) == (1, 0.0, None, False)


def test_queries_without_qrels_are_left_out():
    qrels = graded(s="Ab", t="Ab")
    runs = {"one": run(s="a", t="a", u="a"), "two": run(s="b", t="b", u="b")}
    rows = effects(qrels, runs, {"d": depth_n(runs)}, sizes=[9], measures=["P@1"]).collect()
    assert rows["judged"].to_list() == [4, 4]


def test_nothing_relevant_at_all():
    qrels = graded(s="ab", t="ab")
    runs = {"one": run(s="a", t="ab"), "two": run(s="b", t="b")}
    rows = effects(qrels, runs, {"d": depth_n(runs)}, sizes=[1], measures=["AP", "P@1"]).collect()
    assert rows.select("recall", "tau", "detected", "false_alarms").unique().rows() == [
        (None, None, None, 0.0)
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lists": {}}, "there must be a judging list"),
        ({"lists": {"full": {"s": {"a": 1}}}}, "none called 'full'"),
        ({"sizes": []}, r"sizes=\[\]"),
        ({"sizes": [5, 0]}, "none below 1"),
        ({"transform": "log"}, "transform='log' is not one of none, arcsine, ranks"),
    ],
)
def test_calls_that_are_wrong(options, message):
    with pytest.raises(ul.BadUsage, match=message):
        effects(
            graded(s="Ab"), {"one": run(s="a")}, **({"lists": {"m": {"s": {"a": 1}}}} | options)
        )


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({"one": run(s="a", t="b")}, "comparing takes two runs"),
        ({"one": run(s="a"), "two": run(s="b")}, "comparing takes two queries"),
    ],
)
def test_too_little_to_compare(runs, message):
    queries = {"s": "Ab", "t": "Ab"} if len(runs) == 1 else {"s": "Ab"}
    with pytest.raises(ul.BadData, match=message):
        effects(graded(**queries), runs, {"mine": {"s": {"a": 1}}}).collect()


# ---------------------------------------------------------------- all methods together
def test_all_methods_on_the_sample(sample):
    qrels, runs = sample
    lists = {
        "depth": depth_n(runs),
        "mtf": move_to_front(qrels, runs),
        "rboost": rboost(qrels, runs, queries=5, depth=5),
        "rsvm": rsvm(qrels, runs, queries=5, depth=5),
    }
    shares: list[float] = []
    found = effects(
        qrels, runs, lists, sizes=[20, 5], measures=["AP"], progress=shares.append
    ).collect()
    assert shares == pytest.approx([i / 8 for i in range(1, 9)])
    assert found["method"].to_list() == ["full", *(name for name in lists for _ in range(2))]
    assert found["size"].to_list() == [None, *[5, 20] * 4]
    trained = pl.col("method").is_in(["rboost", "rsvm"])
    assert (
        (found.select(trained == (pl.col("judged") < pl.col("judged_with_training"))))
        .to_series()
        .all()
    )
    for name in ("recall", "detected", "false_alarms"):
        assert found[name].is_between(0, 1).all()
    few, many = (found.filter(pl.col("size") == size)["recall"] for size in (5, 20))
    assert (many > few).all()


# ---------------------------------------------------------------- savings
def curve(agrees: list[bool]) -> pl.DataFrame:
    sizes = range(1, len(agrees) + 1)
    return pl.DataFrame(
        {
            "method": ["full", *["m"] * len(agrees)],
            "size": [None, *sizes],
            "measure": "AP",
            "judged": [600, *(100 * size for size in sizes)],
            "judged_with_training": [600, *(100 * size + 20 for size in sizes)],
            "agrees": [True, *agrees],
        }
    )


@pytest.mark.parametrize(
    ("agrees", "want"),
    [
        ([True, True], (1, 100, 600 / 100, 120, 600 / 120)),
        ([True, False, True], (3, 300, 600 / 300, 320, 600 / 320)),  # not for good before
        ([True, False], (None, None, None, None, None)),
    ],
)
def test_savings_are_from_where_it_agrees_for_good(agrees, want):
    shuffled = curve(agrees).sample(fraction=1, shuffle=True, seed=1)
    assert savings(shuffled).collect().rows() == [("m", "AP", *want)]


# ---------------------------------------------------------------- charts
def test_charts_draw_every_row(sample):
    qrels, runs = sample
    names = ["AP", "P@5"]
    lists = {"depth": depth_n(runs), "mtf": move_to_front(qrels, runs)}
    found = effects(qrels, runs, lists, sizes=[5, 10], measures=names).collect()
    page = charts.page(found).to_dict()
    titles = [chart["title"]["text"] for chart in page["vconcat"]]
    assert titles == [
        "What a pool finds",
        "Whether the systems' order holds",
        "Whether significant differences are found",
        "Who is as good as the best",
    ]
    rows = [len(page["datasets"][chart["data"]["name"]]) for chart in page["vconcat"]]
    assert rows == [2 * 2, 2 * 2 * 2, 2 * 2 * 2 * 2, 2 * 2 * 2]


# ---------------------------------------------------------------- real runs
def test_robust_2003(shared):
    """The order of twelve systems holds with a hundred documents a query, and not with five."""
    qrels = ul.scan_qrels(shared / "robust03" / "qrels.txt.gz").collect()
    runs = ul.scan_runs(shared / "robust03" / "runs").collect()
    lists = {"depth": depth_n(runs), "mtf": move_to_front(qrels, runs)}
    found = effects(qrels, runs, lists, sizes=[5, 100, 500], measures=["AP"]).collect()
    assert found.filter(method="full")["judged"].item() == 128_796
    assert (found.filter(pl.col("size") == 5)["tau"] < 0.5).all()
    assert (found.filter(pl.col("size") >= 100)["tau"] > 0.9).all()
    kept = reduced(qrels, lists["depth"].filter(pl.col("place") <= 100)).collect()
    assert kept.height < found.filter(method="depth", size=100)["judged"].item() == 100 * 100


def test_recall_by_query_and_of_all():
    """One of one and one of three: 2/3 in the mean over queries, 2 of 4 in all."""
    qrels = {"1": {"a": 1}, "2": {"b": 1, "c": 1, "d": 1}}
    runs = {"x": {"1": {"a": 1}, "2": {"b": 1}}, "y": {"1": {"a": 1}, "2": {"c": 1}}}
    order = {"1": {"a": 1}, "2": {"b": 1}}
    rows = effects(qrels, runs, {"m": order}, sizes=[1], measures=["P@1"]).collect()
    assert rows["recall"].to_list() == [1.0, pytest.approx((1 + 1 / 3) / 2)]
    assert rows["recall_all"].to_list() == [1.0, pytest.approx(2 / 4)]
