"""From scores to ranks: the order, its ties, and how deep a run is read."""

import polars as pl
import pytest

import ulframe as ul
from ulframe.evaluation.parts import examine_in_parts
from ulframe.evaluation.ranking import rank


def run(*rows: tuple[str, float]) -> pl.LazyFrame:
    return pl.LazyFrame(rows, schema=["doc_id", "score"], orient="row").select(
        pl.lit("a").alias("run"), pl.lit("1").alias("query_id"), "doc_id", "score"
    )


def order(ranked: pl.LazyFrame) -> str:
    return "".join(ranked.sort("rank").collect()["doc_id"])


@pytest.mark.parametrize(
    ("rows", "by_id", "as_listed"),
    [
        ([("a", 1.0), ("b", 3.0), ("c", 2.0)], "bca", "bca"),
        ([("a", 1.0), ("b", 1.0), ("c", 1.0)], "cba", "abc"),
        ([("b", 2.0), ("a", 2.0), ("d", 1.0), ("c", 1.0), ("e", 3.0)], "ebadc", "ebadc"),
        ([("c", 1.0), ("d", 1.0), ("b", 2.0)], "bdc", "bcd"),
        ([("Z", 1.0), ("a", 1.0), ("é", 1.0)], "éaZ", "Zaé"),  # as bytes
        ([("9", 1.0), ("10", 1.0)], ["9", "10"], ["9", "10"]),
        ([("a", float("inf")), ("b", 1.0), ("c", -float("inf"))], "abc", "abc"),
        ([("a", 0.1 + 0.2), ("b", 0.3)], "ab", "ab"),  # as Float64 these differ
    ],
)
def test_order(rows, by_id, as_listed):
    assert order(rank(run(*rows))) == "".join(by_id)
    assert order(rank(run(*rows), ties="input")) == "".join(as_listed)


def test_runs_and_queries_are_ranked_apart():
    rows = pl.LazyFrame(
        {
            "run": ["a", "b", "a", "b", "a"],
            "query_id": ["1", "1", "2", "1", "1"],
            "doc_id": ["x", "x", "x", "y", "y"],
            "score": [1.0, 2.0, 3.0, 4.0, 5.0],
        }
    )
    got = rank(rows).sort("run", "query_id", "rank").collect()
    assert got.select("run", "query_id", "doc_id", "rank", "retrieved").rows() == [
        ("a", "1", "y", 1, 2),
        ("a", "1", "x", 2, 2),
        ("a", "2", "x", 1, 1),
        ("b", "1", "y", 1, 2),
        ("b", "1", "x", 2, 2),
    ]


def test_depth_cuts_the_run():
    rows = run(("a", 1.0), ("b", 3.0), ("c", 2.0))
    cut = rank(rows, depth=2)
    assert order(cut) == "bc"
    assert set(cut.collect()["retrieved"]) == {2}
    scores = ul.evaluate({"1": {"a": 1, "b": 0}}, rows, "AP", depth=2).collect()
    assert scores["value"].to_list() == [0.0]  # a, third, is cut off


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_below_one_is_refused(depth):
    with pytest.raises(ul.BadUsage, match=f"depth={depth} is below 1"):
        rank(run(("a", 1.0)), depth=depth)


def test_an_unknown_way_with_ties_is_refused():
    with pytest.raises(ul.BadUsage, match="ties='luck' is not one of score, input"):
        rank(run(("a", 1.0)), ties="luck")


MEASURES = ["nDCG@10", "V1(AP)", "V2(RR)", "bpref", "V2(R@20)", "Rprec"]


@pytest.fixture(scope="module")
def sample() -> pl.DataFrame:
    return ul.evaluate(ul.sample_qrels(), ul.sample_runs(), MEASURES).collect(engine="in-memory")


def close(left: pl.DataFrame, right: pl.DataFrame) -> bool:
    keys = ["run", "query_id", "measure"]
    gap = left.select(pl.col(pl.Float64)) - right.select(pl.col(pl.Float64))
    worst = gap.select(pl.max_horizontal(pl.all().abs().max())).item()
    return left.select(keys).equals(right.select(keys)) and worst < 1e-12


def test_the_streaming_engine_gives_the_same(sample):
    plan = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), MEASURES)
    assert close(plan.collect(engine="streaming"), sample)


@pytest.mark.parametrize("parts", [1, 2, 40])
def test_parts_of_the_queries_give_the_same(sample, parts):
    done = examine_in_parts(ul.sample_qrels(), ul.sample_runs(), MEASURES, parts)
    assert close(done.scores.collect(), sample)
    whole = ul.examine(ul.sample_qrels(), ul.sample_runs(), MEASURES).coverage.collect()
    keys = ["run", "query_id"]
    assert done.coverage.collect().sort(keys).equals(whole.sort(keys))


def test_the_order_of_the_input_does_not_matter(sample):
    shuffled = ul.sample_runs().collect().sample(fraction=1, shuffle=True, seed=1)
    assert close(ul.evaluate(ul.sample_qrels(), shuffled, MEASURES).collect(), sample)


def test_rows_come_by_run_and_query_and_measure_as_asked(sample):
    keys = sample.select("run", "query_id").unique(maintain_order=True)
    assert keys.equals(keys.sort("run", "query_id"))
    assert sample["measure"].head(len(MEASURES)).to_list() == MEASURES
    assert sample.height == 8 * 200 * len(MEASURES)
