"""What holds of every qrels and every run, looked for in many drawn ones."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ulframe as ul
from ulframe.frames.write import convert

settings.register_profile("steady", deadline=None, max_examples=20, derandomize=True)
settings.load_profile("steady")

MEASURES = [
    *("AP", "nDCG@3", "P@2", "R@2", "RR", "Rprec", "RBP", "ERR@3", "bpref", "infAP"),
    *("V1(AP)", "V2(DCG@3)", "Adjusted(AP)", "Z(P@2)", "MinMax(DCG@3)"),
]
CUT = ["P@2", "R@2", "nDCG@3", "ERR@3", "V2(DCG@3)", "V1(P@2)", "RBP@2", "Success@1"]

QUERIES = st.sampled_from(["q1", "q10", "q2"])
DOCS = st.sampled_from([f"d{n}" for n in range(8)])
JUDGED = st.dictionaries(DOCS, st.sampled_from([-1, 0, 0, 1, 2, 3, 0.5]), min_size=1)
RANKED = st.dictionaries(DOCS, st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=1)  # with ties
QRELS = st.dictionaries(QUERIES, JUDGED, min_size=1)
RUNS = st.dictionaries(QUERIES, RANKED, min_size=1)


@st.composite
def evaluations(draw: st.DrawFn) -> tuple[dict, dict]:
    """Qrels and a run that have a query in common."""
    qrels, run = draw(QRELS), draw(RUNS)
    common = draw(st.sampled_from([*qrels]))
    return qrels, run | {common: run.get(common) or draw(RANKED)}


Scores = dict[tuple[str, str], float | None]


def scores(qrels, runs, measures=MEASURES, **options) -> Scores:
    """By query and measure."""
    rows = ul.evaluate(qrels, runs, measures, **options).collect()
    return {(q, m): s for q, m, s in rows.select("query_id", "measure", "score").iter_rows()}


def near(some: Scores):
    """Equal but for the last bits; null where it is null."""
    return {key: None if s is None else pytest.approx(s, abs=1e-12) for key, s in some.items()}


def rows_of(qrels, run) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The same as frames, a row a document."""
    return ul.scan_qrels(qrels).collect(), ul.scan_runs(run).collect()


@given(evaluations(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(given_, random):
    judged, ranked = rows_of(*given_)
    mixed = [
        frame.sample(fraction=1, shuffle=True, seed=random.randrange(99))
        for frame in (judged, ranked)
    ]
    assert scores(*mixed) == near(scores(judged, ranked))


@given(evaluations(), st.permutations(["x", "y", "z"]))
def test_names_do_not_matter_where_documents_keep_their_order(given_, names):
    """That order breaks ties."""
    qrels, run = given_
    queries = dict(zip(["q1", "q10", "q2"], names, strict=True))

    def renamed(held):
        return {queries[q]: {f"né {doc}": n for doc, n in docs.items()} for q, docs in held.items()}

    got = scores(renamed(qrels), renamed(run))
    assert got == near({(queries[q], m): s for (q, m), s in scores(qrels, run).items()})


@given(evaluations(), st.randoms(use_true_random=False))
@settings(max_examples=15)
def test_files_that_a_run_is_split_into_do_not_matter(given_, random):
    judged, ranked = rows_of(*given_)
    place = pl.Series("file", [random.randrange(2) for _ in range(ranked.height)])
    with TemporaryDirectory() as folder:
        for (n,), part in ranked.with_columns(place).group_by("file"):
            convert(part.drop("file"), Path(folder) / f"{n}.parquet")  # whose runs have names
        assert scores(judged, folder) == near(scores(judged, ranked))


@given(evaluations(), st.integers(1, 3))
def test_unjudged_documents_below_the_cutoff_do_not_matter(given_, many):
    qrels, run = given_
    low = {f"u{n}": -1.0 - n for n in range(many)}
    full = {q: docs | {f"t{n}": 3.0 + n for n in range(3)} for q, docs in run.items()}
    more = {q: docs | low for q, docs in full.items()}
    assert scores(qrels, more, CUT) == near(scores(qrels, full, CUT))


@given(evaluations())
def test_a_query_scores_the_same_without_the_others(given_):
    qrels, run = given_
    whole = scores(qrels, run)
    for query in qrels.keys() & run.keys():
        alone = scores({query: qrels[query]}, {query: run[query]})
        assert alone == near({key: s for key, s in whole.items() if key[0] == query})


@given(QRELS)
def test_the_ideal_ranking_is_at_the_upper_bound(qrels):
    measures = ["U(DCG)", "U(DCG@2)", "U(AP)", "U(P@2)", "U(RBP)", "U(ERR@3)", "V2(AP)"]
    for (_, measure), score in scores(qrels, qrels, measures).items():
        assert score is None or score == pytest.approx(1) or measure.startswith("V2")
        assert measure != "V2(AP)" or score is None or score == pytest.approx(1)


@given(evaluations(), st.sampled_from(["judged", "retrieved", 20]))
def test_v1_is_from_0_to_1_and_v2_from_minus_1(given_, pool):
    lowest = {"V1": 0, "V2": -1}
    measures = [f"{v}({m})" for v in lowest for m in ("AP", "DCG@3", "RR", "P@2", "bpref", "ERR")]
    qrels, run = given_
    found = scores(qrels, run, measures, pool=pool)
    for (_, measure), score in found.items():
        assert score is None or lowest[measure[:2]] - 1e-12 <= score <= 1 + 1e-12


@given(st.dictionaries(st.sampled_from("abcd"), st.sampled_from([-1, 0, 1, 2]), min_size=1))
@settings(max_examples=15)
def test_adjusted_is_0_over_all_orders(judged):
    orders = [*permutations(judged)]
    runs = {
        str(n): {"q": {doc: -at for at, doc in enumerate(order)}} for n, order in enumerate(orders)
    }
    rows = ul.evaluate({"q": judged}, runs, ["Adjusted(AP)", "Adjusted(DCG@2)", "Adjusted(RR)"])
    means = rows.group_by("measure").agg(
        pl.col("score").mean(), pl.col("score").null_count().alias("none")
    )
    for _, mean, none in means.collect().iter_rows():
        assert none in (0, len(orders))
        assert mean is None or mean == pytest.approx(0, abs=1e-12)
