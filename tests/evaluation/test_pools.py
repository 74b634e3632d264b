"""What a random ranking shuffles: the judged documents, the retrieved ones, or a collection."""

from itertools import permutations
from math import log2
from statistics import fmean

import polars as pl
import pytest

import ulframe as ul
from tests.oracle import CASES
from ulframe.evaluation.parts import examine_in_parts
from ulframe.evaluation.pools import histogram
from ulframe.metrics.catalog import CATALOG

QRELS = {"q": {"a": 2, "b": 0, "c": 1, "d": -1}}


def expected(measure: str, qrels, runs, **options) -> float:
    return ul.evaluate(qrels, runs, measure, **options).collect()["expected"].item()


@pytest.mark.parametrize("measure", CASES)
@pytest.mark.parametrize("size", [4, 6])
def test_a_collection(measure, size):
    """Its unjudged documents are shuffled too."""
    labels = [2, 0, 1, -1, *[None] * (size - 4)]
    value = fmean(CASES[measure](order, labels[:4]) for order in set(permutations(labels)))
    got = expected(measure, QRELS, {"q": {"a": 1.0}}, pool=size)
    # equal orders of the unjudged are one, and all are equally likely
    assert got == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("measure", CASES)
def test_what_was_retrieved(measure):
    """Judged and unjudged documents of the run are shuffled, what it misses is not found."""
    runs = {"q": {"a": 3.0, "x": 2.0, "b": 1.0, "d": 0.5}}
    labels = [2, None, 0, -1]
    judged = [2, 0, 1, -1]
    value = fmean(CASES[measure](order, judged) for order in permutations(labels))
    assert expected(measure, QRELS, runs, pool="retrieved") == pytest.approx(value, abs=1e-12)


def test_the_pool_changes_the_expectation_only():
    runs = {"q": {"a": 1.0, "x": 2.0}}
    pools = ["judged", "retrieved", 50]
    frames = [ul.evaluate(QRELS, runs, ["DCG@3", "AP"], pool=pool).collect() for pool in pools]
    for frame in frames[1:]:
        same = ["value", "upper", "measure"]
        assert frame.select(same).equals(frames[0].select(same))
        assert frame["expected"].to_list() != frames[0]["expected"].to_list()


MISSED = {"AP": 0, "nDCG@5": 0, "V1(AP)": 0, "V2(AP)": 0, "Adjusted(AP)": 0, "Z(AP)": None}


@pytest.mark.parametrize("measure", MISSED)
def test_of_a_query_that_a_run_misses_nothing_is_shuffled(measure):
    """Value 0 of a possible 1, which is as much as a ranking of nothing is expected to have."""
    qrels, runs = {"q": {"a": 1}, "p": {"a": 1}}, {"q": {"a": 1.0}}
    row = ul.evaluate(qrels, runs, measure, pool="retrieved").collect().row(0, named=True)
    assert (row["query_id"], row["score"]) == ("p", MISSED[measure])
    assert (row["value"], row["upper"], row["expected"]) == (0, 1, 0)


def test_a_missed_query_counts_in_means_of_the_retrieved_pool():
    qrels, runs = {"q": {"a": 1}, "p": {"a": 1}}, {"q": {"a": 1.0}}
    scores = ul.evaluate(qrels, runs, "nDCG@5", pool="retrieved")
    mean = ul.means(scores, undefined="skip").collect().row(0, named=True)
    assert (mean["mean"], mean["n_queries"]) == ((1 + 0) / 2, 2)


def test_of_a_missed_query_the_bounds_are_those_of_any_pool():
    """Of every metric of the catalogue; the query has labels of all kinds."""
    qrels = {"q": {"a": 1, "b": 0}, "p": {"a": 1, "c": 2, "d": 0, "e": -1}}
    measures = [measure.example for measure in CATALOG.values()]
    usual, own = (
        ul.evaluate(qrels, {"q": {"a": 1.0}}, measures, pool=pool).collect()
        for pool in ("judged", "retrieved")
    )
    missed = pl.col("query_id") == "p"
    same = ["measure", "value", "upper"]
    assert own.filter(missed).select(same).equals(usual.filter(missed).select(same))
    assert set(own.filter(missed)["expected"]) <= {0.0, None}


@pytest.mark.parametrize("parts", [2, 7])
def test_a_run_that_misses_all_queries_of_a_part_has_their_bounds_too(parts):
    qrels = {str(query): {"a": 1, "b": 0} for query in range(9)}
    runs = {"whole": {str(query): {"a": 1.0} for query in range(9)}, "few": {"3": {"a": 1.0}}}
    whole = ul.evaluate(qrels, runs, "V2(AP)", pool="retrieved").collect()
    done = examine_in_parts(qrels, runs, "V2(AP)", parts, pool="retrieved").scores.collect()
    assert done.equals(whole)


def test_a_column_gives_each_query_its_size():
    qrels = pl.DataFrame(
        {"query_id": ["1", "1", "2"], "doc_id": ["a", "b", "a"], "label": [1, 0, 1]}
    ).with_columns(size=pl.Series([10, 10, 4]))
    runs = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    got = ul.evaluate(qrels, runs, "P@1", pool="size").collect()["expected"].to_list()
    assert got == pytest.approx([1 / 10, 1 / 4])


def test_a_large_collection_is_exact():
    n, r = 2_500_000, 3  # more ranks than are laid out at once
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    runs = {"q": {"a": 1.0}}
    harmonic = sum(1 / i for i in range(1, n + 1))
    p, rho = r / n, (r - 1) / (n - 1)
    gain = sum(1 / log2(i + 1) for i in range(1, n + 1))
    want = {
        "DCG": p * gain,
        "SP": p * (harmonic + rho * (n - harmonic)),
        "SP@10": p * (sum(1 / i for i in range(1, 11)) * (1 - rho) + rho * 10),
        "P@10": p,
        "RR": r / (n - r + 1) * (harmonic - 1.5),
        "Success@5": 1 - (n - 3) * (n - 4) * (n - 5) * (n - 6) * (n - 7)
        / (n * (n - 1) * (n - 2) * (n - 3) * (n - 4)),
    }  # fmt: skip
    got = ul.evaluate(qrels, runs, [*want], pool=n).collect()
    for measure, value in got.select("measure", "expected").iter_rows():
        assert value == pytest.approx(want[measure], rel=1e-9), measure


@pytest.mark.parametrize(
    ("pool", "rows"),
    [
        ("judged", [("q", label, 1, 4, 2) for label in (-1.0, 0.0, 1.0, 2.0)]),
        (9, [("q", -1.0, 6, 9, 2), ("q", 0.0, 1, 9, 2), ("q", 1.0, 1, 9, 2), ("q", 2.0, 1, 9, 2)]),
    ],
)  # fmt: skip
def test_histogram(pool, rows):
    got = histogram(QRELS, pool=pool).sort("label").collect()
    assert got.rows() == rows
    assert got.columns == ["query_id", "label", "count", "n", "r"]
    assert got.dtypes[2:] == [pl.Int64] * 3


def test_histogram_of_what_a_run_retrieved():
    runs = {"s": {"q": {"a": 1.0, "x": 2.0, "y": 3.0}}}
    got = histogram(QRELS, pool="retrieved", runs=runs, rel=2).sort("label").collect()
    assert got.rows() == [("s", "q", -1.0, 2, 3, 1), ("s", "q", 2.0, 1, 3, 1)]


@pytest.mark.parametrize(
    ("pool", "error", "message"),
    [
        (3, ul.BadData, r"pool=3: 1 queries have more judged .* query 'q' first: 4 judged, 3 in"),
        ("all", ul.BadUsage, r"pool='all' is not \"judged\", \"retrieved\", .* columns"),
    ],
)
def test_a_pool_that_there_cannot_be(pool, error, message):
    with pytest.raises(error, match=message):
        ul.evaluate(QRELS, {"q": {"a": 1.0}}, "AP", pool=pool).collect()


def test_the_retrieved_pool_needs_runs():
    with pytest.raises(ul.BadUsage, match="needs the runs"):
        histogram(QRELS, pool="retrieved")


def test_a_collection_beyond_reach_is_refused():
    with pytest.raises(ul.BadUsage, match=r"a pool of 2000000000 documents .* as in AP@1000"):
        ul.evaluate(QRELS, {"q": {"a": 1.0}}, "AP", pool=2_000_000_000).collect()
    assert ul.evaluate(QRELS, {"q": {"a": 1.0}}, "AP@5", pool=2_000_000_000).collect().height == 1


def test_a_negative_label_that_the_run_did_not_return_is_not_in_its_pool():
    # The pool is x, which nobody judged, and a: in the order a, x infAP is 1, else 1/2.
    qrels, run = {"q": {"a": 1, "d": -1}}, {"q": {"x": 2.0, "a": 1.0}}
    row = ul.evaluate(qrels, run, ["infAP", "WLB(infAP)"], pool="retrieved").collect()
    assert row["score"].to_list() == pytest.approx([1 / 2, 1 / 2])
    assert row["expected"][0] == pytest.approx((1 + 1 / 2) / 2, abs=1e-4)  # e = 0.00001


@pytest.mark.parametrize("sizes", [[4.9, 4.9], [4, 50], [4, None]])
def test_a_size_is_one_whole_number_a_query(sizes):
    qrels = pl.DataFrame({"qid": "q", "docno": ["a", "b"], "label": [1, 0], "size": sizes})
    with pytest.raises(ul.BadData, match="must be one whole number on all of its rows"):
        ul.evaluate(qrels, {"q": {"a": 1.0}}, "P@1", pool="size").collect()


def test_no_run_returns_more_than_the_collection_has():
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": ["x", "y", "z", "a", "b"]}
    with pytest.raises(ul.BadData, match=r"more returned documents than .*: 5 returned, 3 in all"):
        ul.evaluate(qrels, run, "RLB(RR)", pool=3).collect()
