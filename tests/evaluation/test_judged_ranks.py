"""Ranks of judged documents, from runs that stand in any order, against sorting each query."""

import random

import polars as pl
import pytest

import ulframe as ul
from ulframe.evaluation import ranking
from ulframe.evaluation.ranking import coded, judged_ranks, rank

Row = tuple[str, str, str, float]  # run, query_id, doc_id, score
SCHEMA = {"run": pl.String, "query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}


def drawn(scores: int, queries: int = 6, documents: int = 12) -> list[Row]:
    """Two runs over a few queries, in rank order; the fewer scores, the more ties."""
    rng = random.Random(scores)
    rows = [
        (run, str(query), f"d{doc}", float(rng.randrange(scores)))
        for run in "ab"
        for query in range(queries)
        for doc in rng.sample(range(30), documents)
    ]
    return sorted(rows, key=lambda row: (row[0], row[1], -row[3]))


def interleaved(rows: list[Row]) -> list[Row]:
    """Best score first in every query, but the queries' rows stand between each other's."""
    return sorted(rows, key=lambda row: -row[3])


def shuffled(rows: list[Row]) -> list[Row]:
    return random.Random(7).sample(rows, len(rows))


def in_two_pieces(rows: list[Row]) -> list[Row]:
    """A query that comes back after another one."""
    return [*rows[:3], *rows[12:20], *rows[3:12], *rows[20:]]


def one_step_up(rows: list[Row]) -> list[Row]:
    """All in order but the last two rows."""
    return [*rows[:-2], rows[-1], rows[-2]]


ORDERS = [list, interleaved, shuffled, in_two_pieces, one_step_up]


def by_sorting(rows: list[Row], ties: str) -> dict[tuple[str, str, str], tuple[int, ...]]:
    """`rank, first, last, retrieved` of each document."""
    found: dict[tuple[str, str, str], tuple[int, ...]] = {}
    for key in {row[:2] for row in rows}:
        listed = [row for row in rows if row[:2] == key]
        if ties == "score":
            listed.sort(key=lambda row: row[2].encode(), reverse=True)
        listed.sort(key=lambda row: -row[3])
        scores = [row[3] for row in listed]
        for place, row in enumerate(listed, start=1):
            first = scores.index(row[3]) + 1
            last = first + scores.count(row[3]) - 1
            found[row[:3]] = (place, first, last, len(listed))
    return found


def frame(rows: list[Row]) -> pl.LazyFrame:
    return pl.LazyFrame(rows, schema=SCHEMA, orient="row")


def judged(*documents: int) -> pl.LazyFrame:
    pairs = [(str(query), f"d{doc}") for query in range(5) for doc in documents]
    return pl.LazyFrame(pairs, schema={"query_id": pl.String, "doc_id": pl.String}, orient="row")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("ties", ["score", "input"])
@pytest.mark.parametrize("scores", [1, 3, 8, 1000])
@pytest.mark.parametrize("documents", [(), (3,), range(0, 30, 4), range(30)])
def test_ranks_are_those_of_sorting(order, ties, scores, documents):
    rows = order(drawn(scores))
    want, wanted = by_sorting(rows, ties), judged(*documents).collect().rows()
    ranked = judged_ranks(coded(frame(rows)), coded(judged(*documents)), ties).collect()
    numbers = ranked.select("rank", "first", "last", "retrieved").rows()
    got = dict(zip(ranked.select("run", "query_id", "doc_id").rows(), numbers, strict=True))
    of_judged = {key: place for key, place in got.items() if key[1:] in wanted}
    assert of_judged == {key: place for key, place in want.items() if key[1:] in wanted}
    # each run and query once at rank 1, by which it is counted
    heads = ranked.filter(rank=1)
    assert sorted(heads.select("run", "query_id").rows()) == sorted({row[:2] for row in rows})
    assert set(heads["retrieved"]) == {12}
    assert not ranked["repeated"].any()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("ties", ["score", "input"])
@pytest.mark.parametrize("scores", [1, 3, 1000])
def test_all_ranks_are_those_of_sorting(order, ties, scores):
    rows = order(drawn(scores))
    ranked = rank(frame(rows), ties).collect()
    got = {row[:3]: row[3:5] for row in ranked.iter_rows()}
    assert got == {key: (p[0], p[3]) for key, p in by_sorting(rows, ties).items()}
    assert ranked.schema["query_id"] == pl.String


@pytest.mark.parametrize("order", ORDERS)
def test_a_document_that_stands_twice_is_found_in_its_query_alone(order):
    rows = drawn(1000)
    rows = order([*rows, ("b", "5", rows[-3][2], -1.0)])
    ranked = rank(frame(rows)).collect()
    twice = ranked.filter("repeated").select("run", "query_id").unique().rows()
    assert twice == [("b", "5")]
    qrels = {"5": {"d3": 1}}
    with pytest.raises(ul.BadData, match=r"a run returns a document twice, in 1 cases: run 'b'"):
        ul.evaluate(qrels, frame(rows), "AP").collect()


@pytest.mark.parametrize("order", ORDERS)
def test_hashes_that_collide_change_nothing(order, monkeypatch):
    qrels = judged(3, 5, 8).with_columns(label=1)
    rows = frame(order(drawn(3)))
    want = ul.evaluate(qrels, rows, ["AP", "nDCG", "RR"]).collect()
    monkeypatch.setattr(ranking, "PAIR", pl.col("doc_id").hash() % 2)
    assert rank(rows).collect()["repeated"].all()  # looked at, and not taken for repetitions
    assert ul.evaluate(qrels, rows, ["AP", "nDCG", "RR"]).collect().equals(want)


def test_a_run_without_rows():
    ranked = judged_ranks(coded(frame([])), coded(judged(1)))
    assert ranked.collect().is_empty()
    assert ranked.collect_schema() == ranking.RANKED
    assert rank(frame([])).collect().is_empty()


def test_queries_of_one_document():
    rows = [("a", str(query), f"d{query}", 1.0) for query in range(5)]
    ranked = judged_ranks(coded(frame(rows)), coded(judged(2))).collect()
    assert ranked["rank"].to_list() == ranked["retrieved"].to_list() == [1] * 5


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_nothing_is_read_before_it_is_asked_for(engine):
    read = []

    def noted(batch: pl.DataFrame) -> pl.DataFrame:
        read.append(batch.height)
        return batch

    qrels = judged(3).with_columns(label=1).map_batches(noted)
    rows = frame(drawn(3)).map_batches(noted)
    plan = ul.evaluate(qrels, rows, "AP", pool="retrieved")
    assert not read
    plan.collect(engine=engine)
    assert sorted(read) == [5, 144]
