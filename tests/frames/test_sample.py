"""The bundled sample: its script still makes it, and every kind of query and system is in it."""

import math
import runpy
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

DATA = Path(__file__).resolve().parents[2] / "data"
K = 10


@pytest.fixture(scope="module")
def qrels():
    return pl.read_parquet(DATA / "sample" / "qrels.parquet")


@pytest.fixture(scope="module")
def runs():
    return pl.read_parquet(DATA / "sample" / "runs.parquet")


def dcg(gains):
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:K], start=1))


@pytest.fixture(scope="module")
def real_and_expected(qrels, runs):
    """(mean nDCG@10 over the systems, nDCG@10 expected of a random ranking), query by query."""
    gains = {}
    for query, doc, label in qrels.iter_rows():
        gains.setdefault(query, {})[doc] = 2**label - 1
    found = {}
    order = ["run", "query_id", "score", "doc_id"]
    for run, query, doc, _ in runs.sort(order, descending=[False, False, True, True]).iter_rows():
        found.setdefault((query, run), []).append(gains[query].get(doc, 0))
    systems = runs["run"].unique().to_list()
    kinds = []
    for query, judged in gains.items():
        best = dcg(sorted(judged.values(), reverse=True))
        random = sum(judged.values()) / len(judged) * dcg([1] * len(judged))
        mean = sum(dcg(found.get((query, run), [])) for run in systems) / len(systems)
        kinds.append((mean / best, random / best) if best else (0, 0))
    return kinds


def test_the_script_makes_the_committed_files(qrels, runs):
    made_qrels, made_runs = runpy.run_path(str(DATA / "make_sample.py"))["make_sample"]()
    assert_frame_equal(made_qrels, qrels)
    assert_frame_equal(made_runs, runs)


def test_its_shape(qrels, runs):
    judged = qrels.group_by("query_id").len()["len"]
    assert (len(judged), judged.min(), judged.max()) == (200, 20, 138)
    assert sorted(qrels["label"].unique()) == [0, 1, 2, 3, 4]
    assert runs["run"].n_unique() == 8
    assert not runs.select("run", "query_id", "doc_id").is_duplicated().any()


def test_it_has_what_real_runs_have(qrels, runs):
    assert len(runs.unique(["run", "query_id", "score"])) < len(runs), "ties"
    assert len(runs.join(qrels, on=["query_id", "doc_id"], how="anti")) > 0, "unjudged documents"
    answered = runs.group_by("run").agg(pl.col("query_id").n_unique()).rows()
    assert sorted(queries for _, queries in answered) == [198] + 7 * [200]


@pytest.mark.parametrize(
    ("kind", "at_least", "holds"),
    [
        ("ideal", 20, lambda real, expected: real > 0.9 and expected < 0.3),
        ("easy", 15, lambda real, expected: real > 0.8 and expected > 0.5),
        ("hard", 10, lambda real, expected: 0 < real < 0.2 and 0 < expected < 0.2),
        ("uninformative", 15, lambda real, expected: abs(real - expected) < 0.1 and expected > 0.2),
        ("distractive", 10, lambda real, expected: real < expected - 0.1),
        ("nothing relevant", 5, lambda real, expected: real == expected == 0),
    ],
)
def test_every_kind_of_query_occurs(real_and_expected, kind, at_least, holds):
    assert sum(holds(*pair) for pair in real_and_expected) >= at_least, kind
