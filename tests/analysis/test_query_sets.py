"""Query sets: what systems reach on a query against what chance does."""

import polars as pl
import pytest

import ulframe as ul
from ulframe import analysis

NAMES = ["all", "uninformative", "ideal", "hard", "easy", "distractive", "informative"]


def scores(rows):
    """Of `query: [(value, upper, expected), ...]`, a triple per run."""
    return pl.DataFrame(
        [
            (f"run{i}", query, "DCG@5", value, value, upper, expected)
            for query, triples in rows.items()
            for i, (value, upper, expected) in enumerate(triples)
        ],
        schema=["run", "query_id", "measure", "score", "value", "upper", "expected"],
        orient="row",
    )


def names(frame):
    return frame.collect()["query_id"].to_list()


QUERIES = analysis.real_and_expected(
    scores(
        {
            "far": [(4.0, 4.0, 1.0), (3.0, 4.0, 1.0)],  # real 7/8, expected 1/4
            "near": [(2.0, 4.0, 2.0), (1.0, 4.0, 1.0)],  # 3/8, 3/8
            "below": [(0.0, 4.0, 1.0), (1.0, 4.0, 3.0)],  # 1/8, 1/2
            "b-hard": [(0.0, 4.0, 0.0), (1.0, 4.0, 0.0)],  # 1/8, 0
            "a-hard": [(0.5, 4.0, 0.0), (0.5, 4.0, 0.0)],  # 1/8, 0
            "easy": [(3.5, 4.0, 3.25), (3.5, 4.0, 3.25)],  # 7/8, 13/16
            "empty": [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)],  # undefined
        }
    )
)


def test_real_and_expected_are_means_of_shares_of_the_best():
    assert QUERIES.collect().rows() == [
        ("a-hard", 1 / 8, 0.0, 1 / 8),
        ("b-hard", 1 / 8, 0.0, 1 / 8),
        ("below", 1 / 8, 1 / 2, 1 / 8 - 1 / 2),
        ("easy", 7 / 8, 13 / 16, 1 / 16),
        ("empty", None, None, None),
        ("far", 7 / 8, 1 / 4, 5 / 8),
        ("near", 3 / 8, 3 / 8, 0.0),
    ]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (analysis.uninformative(QUERIES, 1), ["near"]),
        (analysis.uninformative(QUERIES, 3), ["near", "easy", "a-hard"]),  # ties by query_id
        (
            analysis.uninformative(QUERIES, 100),
            ["near", "easy", "a-hard", "b-hard", "below", "far"],
        ),
        (analysis.ideal(QUERIES, 2), ["far", "a-hard"]),
        (analysis.hard(QUERIES, 4), ["a-hard", "b-hard"]),
        (analysis.hard(QUERIES, 4, low=0.375), ["near", "a-hard", "b-hard"]),
        (analysis.hard(QUERIES, 1), []),
        (analysis.easy(QUERIES, 4), ["easy"]),
        (analysis.easy(QUERIES, 4, high=0.85), []),
        (analysis.distractive(QUERIES), ["below"]),
        (analysis.informative(QUERIES, 2), ["a-hard", "b-hard", "far"]),
    ],
)
def test_each_set(found, expected):
    assert names(found) == expected


def test_gaps_that_differ_in_the_last_bits_only_are_ties():
    frame = pl.LazyFrame(
        {"query_id": ["b", "a"], "real": [0.3, 0.2], "expected": [0.2, 0.1], "gap": [0.1, 0.1]}
    ).with_columns(gap=pl.col("real") - pl.col("expected"))
    assert frame.collect()["gap"].n_unique() == 2
    assert names(analysis.uninformative(frame, 1)) == ["a"]


def test_undefined_queries_can_be_kept_and_then_come_first():
    kept = analysis.real_and_expected(
        scores({"empty": [(0.0, 0.0, 0.0)], "near": [(2.0, 4.0, 1.9)]}), include_undefined=True
    )
    assert names(analysis.uninformative(kept, 1)) == ["empty"]


def test_all_sets_come_in_one_frame():
    sets = analysis.query_sets(QUERIES, uninformative_n=4, ideal_n=2).collect()
    assert sets["set"].unique(maintain_order=True).to_list() == NAMES
    assert sets.schema == {
        "set": pl.String, "query_id": pl.String,
        "real": pl.Float64, "expected": pl.Float64, "gap": pl.Float64,
    }  # fmt: skip
    assert sets.filter(set="all").height == 7


def test_the_sets_of_the_sample_are_those_of_plain_python():
    frame = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), ["nDCG@5", "nDCG@10"]).collect()
    cells = {}
    for query, value, upper, expected in frame.select(
        "query_id", "value", "upper", "expected"
    ).iter_rows():
        if upper:
            cells.setdefault(query, []).append((value / upper, expected / upper))
    gaps = {q: sum(r - e for r, e in pairs) / len(pairs) for q, pairs in cells.items()}
    nearest = sorted(gaps, key=lambda q: (round(abs(gaps[q]), 12), q))
    furthest = sorted(gaps, key=lambda q: (-round(gaps[q], 12), q))
    queries = analysis.real_and_expected(frame)
    assert names(analysis.uninformative(queries, 50)) == nearest[:50]
    assert names(analysis.ideal(queries, 50)) == furthest[:50]
    below = sorted(q for q, gap in gaps.items() if gap < 0)
    assert sorted(names(analysis.distractive(queries))) == below
    rest = sorted(set(gaps) - set(below) - set(nearest[:50]))
    assert names(analysis.informative(queries, 50)) == rest


# ---------------------------------------------------------------- any frame of queries
def test_attributes_become_sets():
    frame = pl.DataFrame(
        {"qid": ["1", "2", "3"], "language": ["de", None, "en"], "words": [1, 2, 2]}
    )
    assert analysis.as_sets(frame).collect().rows() == [
        ("language=de", "1"), ("language=en", "3"),
        ("words=1", "1"), ("words=2", "2"), ("words=2", "3"),
    ]  # fmt: skip


def test_attributes_slice_a_summary():
    frame = pl.DataFrame(
        {"run": "a", "query_id": ["1", "2", "3"], "measure": "AP", "score": [0.5, 1.0, 0.0]}
    )
    sets = analysis.as_sets(
        pl.DataFrame({"query_id": ["1", "2", "3"], "long": [True, False, True]})
    )
    found = ul.summarise(frame, sets=sets).sort("set").select("set", "mean", "n_queries")
    assert found.collect().rows() == [("long=false", 1.0, 1), ("long=true", (0.5 + 0.0) / 2, 2)]


def test_pandas_frames_are_taken():
    pandas = pytest.importorskip("pandas")
    sets = analysis.as_sets(pandas.DataFrame({"query_id": [7], "set": ["short"]}))
    assert sets.collect().rows() == [("short", "7")]


# ---------------------------------------------------------------- bad input
def test_scores_without_the_triple_are_refused():
    with pytest.raises(ul.BadData, match="no column 'upper', 'expected'"):
        analysis.real_and_expected(pl.DataFrame({"query_id": ["1"], "value": [1.0]}))


@pytest.mark.parametrize("n", [0, -1])
def test_an_empty_set_is_refused(n):
    with pytest.raises(ul.BadUsage, match="at least 1"):
        analysis.ideal(QUERIES, n)


def test_a_frame_without_query_ids_is_no_query_set():
    with pytest.raises(ul.BadData, match="no column 'query_id'; there are 'topic', 'set'"):
        analysis.as_sets(pl.DataFrame({"topic": ["1"], "set": ["a"]}))


# ---------------------------------------------------------------- real data
def test_mq2007_has_237_queries_with_nothing_relevant(shared):
    folder = shared / "mq2007-agg"
    frame = ul.evaluate(
        ul.scan_qrels(folder / "qrels.parquet"), ul.scan_runs(folder / "runs.parquet"), "nDCG@10"
    )
    queries = analysis.real_and_expected(frame).collect()
    assert (queries.height, queries["gap"].null_count()) == (1692, 237)
    sets = analysis.query_sets(queries.lazy(), uninformative_n=500, ideal_n=500).collect()
    sizes = dict(sets.group_by("set").len().iter_rows())
    assert (sizes["all"], sizes["uninformative"], sizes["ideal"]) == (1692, 500, 500)
    undefined = queries.filter(pl.col("gap").is_null())["query_id"]
    assert not sets.filter(pl.col("set") != "all")["query_id"].is_in(undefined.implode()).any()
    uninformative = sets.filter(set="uninformative")["gap"].abs()
    others = (
        queries.filter(
            ~pl.col("query_id").is_in(sets.filter(set="uninformative")["query_id"].implode())
        )["gap"]
        .drop_nulls()
        .abs()
    )
    assert uninformative.max() <= others.min()


# ---------------------------------------------------------------- at chance
TOLERANCE = 1e-9  # relative: what two sums of the same numbers may differ by


@pytest.mark.parametrize(
    ("expected", "short", "below"),
    [
        (0.5, 0.0, False),
        (0.5, 0.5 * TOLERANCE, False),
        (0.5, 2.0 * TOLERANCE, True),
        (1e-6, 0.5 * TOLERANCE, False),
        (1e-6, 2.0 * TOLERANCE, True),  # a gap of 2e-15, but of so little it is much
        (0.0, 0.0, False),
    ],
)
def test_a_query_is_distractive_from_the_tolerance_on(expected, short, below):
    real = expected * (1 - short)
    query = pl.LazyFrame(
        {"query_id": "q", "real": real, "expected": expected, "gap": real - expected}
    )
    other = query.with_columns(query_id=pl.lit("nearest"), real="expected", gap=pl.lit(0.0))
    both = pl.concat([query, other])
    assert names(analysis.distractive(query)) == ["q"] * below
    assert names(analysis.informative(both, 1)) == ["q"] * (not below)
