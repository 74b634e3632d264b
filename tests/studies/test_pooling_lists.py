"""Judging lists: Depth-n, Move-to-Front, a user's own order; and the qrels that a pool leaves."""

from __future__ import annotations

from collections import defaultdict

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ulframe as ul
from ulframe.studies.pooling import as_list, depth_n, move_to_front, next_to_judge, reduced


def run(**queries: str) -> dict[str, dict[str, float]]:
    """A run that returns these one-letter documents, best first."""
    return {
        query: {doc: float(-rank) for rank, doc in enumerate(docs)}
        for query, docs in queries.items()
    }


def docs_of(listing: pl.LazyFrame, query: str = "t") -> str:
    """The documents of a query as a word, whose places must be 1, 2, 3, ..."""
    rows = listing.filter(pl.col("query_id") == query).collect()
    assert rows["place"].to_list() == list(range(1, rows.height + 1))
    assert not rows["training"].any()
    return "".join(rows["doc_id"])


THREE = {"a": run(t="xyz"), "b": run(t="yw"), "c": run(t="vxu")}


# ---------------------------------------------------------------- Depth-n
def test_three_runs_by_hand():
    # rank 1: a x, b y, c v; rank 2: a y again, b w, c x again; rank 3: a z, c u
    rows = depth_n(THREE).collect()
    assert rows.select("doc_id", "place", "depth").rows() == [
        ("x", 1, 1), ("y", 2, 1), ("v", 3, 1), ("w", 4, 2), ("z", 5, 3), ("u", 6, 3),
    ]  # fmt: skip
    assert rows.schema == {
        "query_id": pl.String, "doc_id": pl.String, "place": pl.Int64,
        "training": pl.Boolean, "depth": pl.Int64,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("runs", "want"),
    [
        ({"a": run(t="xy"), "b": run(s="z")}, "xy"),  # b misses the query
        ({"b": run(t="x"), "a": run(t="y")}, "yx"),  # by name, not as they come
        (
            {"a": {"t": {"x": 1.0, "y": 1.0}}},
            "yx",
        ),  # equal scores: as everywhere, doc_id descending
    ],
)
def test_who_has_a_turn(runs, want):
    assert docs_of(depth_n(runs)) == want


WORDS = st.text("abcdefgh", max_size=8).map(lambda text: "".join(dict.fromkeys(text)))
RUNS = st.lists(WORDS, min_size=1, max_size=4).filter(any)


@given(RUNS, st.integers(1, 8))
def test_depth_n_is_the_union_of_the_top_n(words, n):
    runs = {f"run {i}": run(t=word) for i, word in enumerate(words) if word}
    rows = depth_n(runs).collect()
    inside = rows.filter(pl.col("depth") <= n)
    assert set(inside["doc_id"]) == {doc for word in words for doc in word[:n]}
    assert inside["place"].to_list() == list(range(1, inside.height + 1))


def test_a_document_twice_in_a_run_is_refused():
    frame = pl.DataFrame({"run": "a", "query_id": "t", "doc_id": ["x", "x"], "score": [2.0, 1.0]})
    with pytest.raises(ul.BadData, match="a run returns a document twice: 'a', query 't'"):
        depth_n(frame).collect()


# ---------------------------------------------------------------- Move-to-Front
def test_move_to_front_step_by_step():
    """The rule on a case small enough to follow; relevant are y, w and u.

    priorities a b c = 0 0 0: a has the front, x is not relevant
    priorities      -1 0 0: b has the front: y relevant, w relevant, end of b, which retires
    priorities      -1   0: c has the front: v is not relevant
    priorities      -1  -1: a has the front again: y is known, z is not relevant
    priorities      -2  -1: c has the front: x is known, u is relevant, end of c
    """
    qrels = {"t": dict.fromkeys("ywu", 1) | {"v": 0}}
    assert docs_of(move_to_front(qrels, THREE)) == "xywvzu"


def test_known_documents_cost_no_priority():
    # a: x bad. b: x is known and passed over, y bad. a and b at -1: a next with z
    runs = {"a": run(t="xz"), "b": run(t="xyw")}
    assert docs_of(move_to_front({"t": {"w": 1}}, runs)) == "xyzw"


@pytest.mark.parametrize(("rel", "want"), [(1, "xyz"), (2, "xzy")])
def test_what_is_relevant(rel, want):
    # with x and y relevant a stays at the front; with neither b's z comes in between
    runs = {"a": run(t="xy"), "b": run(t="z")}
    assert docs_of(move_to_front({"t": {"x": 1, "y": 1}}, runs, rel=rel)) == want


def test_a_query_without_relevant_documents_is_round_robin():
    assert docs_of(move_to_front({"t": {"x": 0}}, THREE)) == "xyvzwu"


def plain_move_to_front(words: dict[str, str], relevant: set[str]) -> str:
    """One document a step, with everything worked out anew from what was judged before."""
    judged: list[str] = []
    priority: dict[str, int] = defaultdict(int)
    holder = ""
    while True:
        rest = {name: [d for d in word if d not in judged] for name, word in words.items()}
        open_runs = [name for name in sorted(words) if rest[name]]
        if not open_runs:
            return "".join(judged)
        if holder not in open_runs:
            holder = min(open_runs, key=lambda name: -priority[name])
        doc = rest[holder][0]
        judged.append(doc)
        if doc not in relevant:
            priority[holder] -= 1
            holder = ""


@given(RUNS, st.sets(st.sampled_from("abcdefgh")))
def test_move_to_front_against_a_plain_simulation(words, relevant):
    named = {f"run {i}": word for i, word in enumerate(words) if word}
    listing = move_to_front(
        {"t": dict.fromkeys("abcdefgh", 0) | dict.fromkeys(relevant, 1)},
        {name: run(t=word) for name, word in named.items()},
    )
    assert docs_of(listing) == plain_move_to_front(named, relevant)


def test_queries_are_listed_apart():
    runs = {"a": run(s="xy", t="yx"), "b": run(t="z")}
    listing = move_to_front({"s": {"x": 1}, "t": {"y": 1}}, runs)
    assert (docs_of(listing, "s"), docs_of(listing, "t")) == ("xy", "yxz")


# ---------------------------------------------------------------- a user's own order
def test_an_order_by_priority_or_place():
    frame = pl.DataFrame({"qid": "t", "docno": list("xyz"), "priority": [1, 3, 2]})
    assert docs_of(as_list(frame)) == "yzx"
    assert docs_of(as_list({"t": {"x": 1, "y": 3, "z": 2}})) == "yzx"
    placed = frame.rename({"priority": "place"})
    assert docs_of(as_list(placed)) == "xzy"
    listed = depth_n(THREE)
    assert docs_of(as_list(listed)) == docs_of(listed)


def test_an_order_keeps_what_it_was_trained_on():
    frame = pl.DataFrame(
        {
            "query_id": "t",
            "doc_id": list("xyz"),
            "place": [3, 1, 2],
            "training": [True, None, False],
        }
    )
    rows = as_list(frame).collect().select("doc_id", "place", "training").rows()
    assert rows == [("y", 1, False), ("z", 2, False), ("x", 3, True)]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"query_id": ["t"], "doc_id": ["x"]}, "no column 'priority'; there are .* or place"),
        ({"query_id": ["t"], "priority": [1]}, "no column 'doc_id'"),
        (
            {"query_id": ["t"] * 2, "doc_id": ["x"] * 2, "priority": [1, 2]},
            "lists a document twice",
        ),
        ({"query_id": ["t"], "doc_id": ["x"], "priority": [float("nan")]}, "NaN|number"),
    ],
)
def test_orders_that_are_none(frame, message):
    with pytest.raises(ul.BadData, match=message):
        as_list(pl.DataFrame(frame)).collect()


# ---------------------------------------------------------------- reduced qrels
def test_reduced_qrels_keep_what_the_pool_has():
    qrels = {"s": {"x": 1}, "t": {"w": 2, "x": 0, "y": 1}}
    pool = depth_n(THREE).filter(pl.col("depth") <= 1)
    assert reduced(qrels, pool).collect().rows() == [("t", "x", 0), ("t", "y", 1)]


# ---------------------------------------------------------------- real runs
def test_move_to_front_finds_more_on_robust_2003(shared):
    qrels = ul.scan_qrels(shared / "robust03" / "qrels.txt.gz").collect()
    runs = ul.scan_runs(shared / "robust03" / "runs").collect()
    relevant = qrels.filter(pl.col("label") > 0).select("query_id", "doc_id")

    def found(listing: pl.LazyFrame) -> pl.DataFrame:
        """Per size, the mean over queries of the share of relevant documents found."""
        places = relevant.lazy().join(listing, on=["query_id", "doc_id"], how="left")
        sizes = [5, *range(10, 501, 10)]
        shares = places.group_by("query_id").agg(
            (pl.col("place") <= size).fill_null(False).mean().alias(str(size)) for size in sizes
        )
        return shares.drop("query_id").mean().collect()

    front, depth = found(move_to_front(qrels, runs)), found(depth_n(runs))
    assert all(better > worse for better, worse in zip(front.row(0), depth.row(0), strict=True))
    assert front["500"].item() == pytest.approx(0.748, abs=5e-4)
    assert depth["500"].item() == pytest.approx(0.727, abs=5e-4)


# ---------------------------------------------------------------- what to judge next
def test_judging_one_by_one_ends_with_the_whole_list():
    """Each time the first document that is left, its label fed back, until nothing is."""
    runs = {"a": run(t="xyz", s="uv"), "b": run(t="yw", s="vu")}
    truth = {("t", "w"), ("s", "v")}
    qrels = pl.DataFrame({"query_id": "t", "doc_id": "x", "label": 0})
    asked = []
    while True:
        listing = move_to_front(qrels, runs)
        found = next_to_judge(listing, qrels, 1).collect()
        if found.is_empty():
            break
        query, doc, _ = found.row(0)
        asked.append((query, doc))
        label = pl.DataFrame(
            {"query_id": query, "doc_id": doc, "label": int((query, doc) in truth)}
        )
        qrels = pl.concat([qrels, label])
    # a is left at x, so b's y is next in t; s begins with a's u, since both runs are equal there
    assert asked[:3] == [("s", "u"), ("s", "v"), ("t", "y")]
    assert sorted(asked) == [("s", "u"), ("s", "v"), ("t", "w"), ("t", "y"), ("t", "z")]


def test_queries_take_turns():
    runs = {"a": run(t="xyz", s="uv")}
    found = next_to_judge(depth_n(runs), {"t": {"x": 1}}).collect()
    assert found.rows() == [("s", "u", 1), ("t", "y", 2), ("s", "v", 2), ("t", "z", 3)]
    assert next_to_judge(depth_n(runs), {"t": {"x": 1}}, 2).collect().rows() == found.rows()[:2]
