"""BM25's scores: by hand, at its limits, and against bm25s on two real collections."""

import math

import polars as pl
import pytest
from scipy.sparse import csr_array

import ulframe as ul
from ulframe.systems import bm25
from ulframe.systems.bm25.retrieval import best
from ulframe.systems.bm25.tokens import tokenised

TF_IDF = bm25.BM25(k=math.inf, b=0)


def scored(documents, query, scoring=TF_IDF, **options):
    """`{doc: score}` of one query."""
    index = bm25.build_index(documents)
    run = bm25.search(index, {"q": query}, scoring, **options).collect()
    return dict(run.select("doc_id", "score").iter_rows())


def test_the_lectures_worked_example():
    # idf 6, 1 and 10: in 1/64, 1/2 and 1/1024 of 2,048 documents, two of which are asked about.
    held = {"a": 2048 // 64, "b": 2048 // 2, "c": 2048 // 1024}
    others = {
        f"other {i}": " ".join(word for word, df in held.items() if i < df - 2) for i in range(2046)
    }
    asked = {"one": "a " * 5 + "b " * 14 + "c " * 3, "two": "a " * 2 + "b " * 23 + "c " * 1}
    found = scored(asked | others, "a b c", depth=2)
    assert found == {
        "one": pytest.approx(5 * 6 + 14 * 1 + 3 * 10),
        "two": pytest.approx(2 * 6 + 23 * 1 + 1 * 10),
    }
    assert list(found.values()) == pytest.approx([74, 45])


def test_the_lectures_merge_of_two_lists():
    first, second = {17: 0.5, 53: 0.2, 97: 0.3, 127: 0.9}, {23: 0.1, 34: 0.8, 53: 0.1, 127: 0.6}
    lists = csr_array(([*first.values(), *second.values()], ([0] * 4 + [1] * 4, [*first, *second])))
    sums = (csr_array([[1.0, 1.0]]) @ lists).sorted_indices()
    docs, scores = sums.indices, sums.data
    assert docs.tolist() == [17, 23, 34, 53, 97, 127]
    assert scores.tolist() == pytest.approx([0.5, 0.1, 0.8, 0.3, 0.3, 1.5])
    docs, scores = best(docs, scores, depth=3)
    assert (docs.tolist(), scores.tolist()) == ([127, 34, 17], pytest.approx([1.5, 0.8, 0.5]))


def test_documents_whose_score_is_0_are_not_found():
    # every document holds "the": its idf is log2(2 / 2) = 0; "wing" is in one of two
    documents = {"1": "the wing", "2": "the"}
    assert scored(documents, "the wing") == {"1": 1.0}
    assert scored(documents, "the") == {}
    every = bm25.BM25(k=math.inf, b=0, every=5.0)
    assert scored(documents, "the wing", every) == {"1": 6.0}
    assert scored(documents, "the", every) == {"2": 5.0, "1": 5.0}


def test_blocks_of_queries_do_not_show(monkeypatch):
    index = bm25.build_index({str(i): f"w{i % 7} w{i % 5} w{i % 3}" for i in range(50)})
    queries = {f"q{i}": f"w{i % 7} w{i % 4}" for i in range(40)}
    whole = bm25.search(index, queries, depth=3).collect()
    monkeypatch.setattr("ulframe.systems.bm25.retrieval.BLOCK", 7)
    assert bm25.search(index, queries, depth=3).collect().equals(whole)


DOCUMENTS = {"1": "wing wing wing flutter", "2": "wing", "3": "heat flow", "4": "heat"}


@pytest.mark.parametrize(
    ("scoring", "expected"),
    [
        # idf of wing: log2(4 / 2) = 1; of flutter: log2(4 / 1) = 2
        (bm25.BM25(k=0, b=0), {"1": 1 + 2, "2": 1}),
        (bm25.BM25(k=math.inf, b=0), {"1": 3 * 1 + 1 * 2, "2": 1}),
        (bm25.BM25(k=1, b=0), {"1": 3 * 2 / (1 + 3) + 2 * 2 / (1 + 1), "2": 2 / (1 + 1)}),
        # DL / AVDL: 4 / 2 and 1 / 2
        (bm25.BM25(k=1, b=1), {"1": 3 * 2 / (2 + 3) + 2 * 2 / (2 + 1), "2": 2 / (0.5 + 1)}),
        (
            bm25.BM25(),
            {
                "1": 3 * 2.75 / (1.75 * (0.25 + 0.75 * 2) + 3)
                + 2 * 2.75 / (1.75 * (0.25 + 0.75 * 2) + 1),
                "2": 2.75 / (1.75 * (0.25 + 0.75 / 2) + 1),
            },
        ),
        (bm25.BM25(k=0, b=0, every=10), {"1": 1 + 2 + 10, "2": 1}),
    ],
)
def test_a_score_by_hand(scoring, expected):
    assert scored(DOCUMENTS, "wing flutter", scoring) == pytest.approx(expected)


def test_idf_is_the_binary_logarithm():
    # in a fourth, a half and all of the documents
    documents = {"1": "a b c", "2": "b c", "3": "c", "4": "c"}
    found = {word: scored(documents, word, bm25.BM25(k=0, b=0)).get("1", 0) for word in "abc"}
    assert found == {"a": 2, "b": 1, "c": 0}


def test_the_limit_of_k_is_where_large_k_leads():
    far, limit = scored(DOCUMENTS, "wing", bm25.BM25(k=1e12, b=0.5)), bm25.BM25(k=math.inf, b=0.5)
    assert scored(DOCUMENTS, "wing", limit) == pytest.approx(far)


def test_a_query_term_that_stands_twice_counts_twice():
    once, twice = scored(DOCUMENTS, "heat"), scored(DOCUMENTS, "heat Heat")
    assert twice == {doc: 2 * score for doc, score in once.items()}


def test_the_bonus_asks_for_every_word_also_for_unknown_ones():
    bonus = bm25.BM25(k=0, b=0, every=10)
    assert scored(DOCUMENTS, "wing flutter wing", bonus)["1"] == 2 * 1 + 2 + 10
    assert scored(DOCUMENTS, "wing flutter unheard", bonus)["1"] == 1 + 2


def test_a_prior_is_added_raw_and_as_logarithm():
    documents = pl.DataFrame({"id": ["1", "2"], "text": ["a", "a b"], "popularity": [7, 0]})
    scoring = bm25.BM25(k=0, b=0, prior=0.5, log_prior=2)
    assert scored(documents, "b a", scoring) == {"1": 0.5 * 7 + 2 * math.log2(1 + 7), "2": 1.0}


def test_equal_scores_stand_in_the_order_of_an_evaluation():
    documents = dict.fromkeys(("b", "10", "9", "ä", "B"), "wing") | {"other": "heat"}
    index = bm25.build_index(documents)
    run = bm25.search(index, {"q": "wing"}).collect()
    ranked = ul.rank(run.lazy()).collect().sort("rank")["doc_id"].to_list()
    assert run["doc_id"].to_list() == ranked
    assert bm25.search(index, {"q": "wing"}, depth=3).collect()["doc_id"].to_list() == ranked[:3]


def test_a_run_fits_the_contract_and_keeps_the_queries_order():
    index = bm25.build_index(DOCUMENTS)
    run = bm25.search(index, {"z": "heat", "a": "wing"}, run="mine").collect()
    assert run.columns == ["run", "query_id", "doc_id", "score"]
    assert run.dtypes == [pl.String, pl.String, pl.String, pl.Float64]
    assert run["query_id"].unique(maintain_order=True).to_list() == ["z", "a"]
    assert run["run"].unique().to_list() == ["mine"]


def test_a_query_without_known_terms_has_an_empty_result_and_is_counted():
    index = bm25.build_index(DOCUMENTS)
    queries = {"q1": "unheard", "q2": "wing", "q3": "?!", "q4": None}
    assert bm25.search(index, queries).collect()["query_id"].unique().to_list() == ["q2"]
    assert bm25.unanswered(index, queries).collect()["query_id"].to_list() == ["q1", "q3", "q4"]
    assert bm25.search(index, {"q": "unheard"}).collect().shape == (0, 4)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"k": -1}, "k=-1 must be 0 or above"),
        ({"k": math.nan}, "k=nan must be 0 or above"),
        ({"b": 1.5}, "b=1.5 must be between 0 and 1"),
        ({"every": math.inf}, "every=inf must be a finite number"),
    ],
)
def test_numbers_out_of_range_are_refused(numbers, message):
    with pytest.raises(ul.BadUsage, match=message):
        bm25.BM25(**numbers)


def test_bad_queries_are_refused():
    index = bm25.build_index(DOCUMENTS)
    with pytest.raises(ul.BadUsage, match="depth=0 must be at least 1"):
        bm25.search(index, {"q": "wing"}, depth=0)
    twice = pl.DataFrame({"query_id": ["q", "q"], "text": ["wing", "heat"]})
    with pytest.raises(ul.BadData, match="query id 'q' occurs more than once"):
        bm25.search(index, twice).collect()


# ---------------------------------------------------------------- against bm25s
def token_lists(texts):
    """`{id: tokens}` by our tokeniser, in the frame's order."""
    name = texts.columns[0]
    rows = tokenised(texts, bm25.Tokens()).group_by(name, maintain_order=True).agg("term")
    return {one: [] for one in texts[name]} | dict(rows.iter_rows())


@pytest.mark.parametrize(
    ("documents", "queries"),
    [("cranfield/cran.all.1400.gz", "cranfield/cran.qry"), ("cacm/cacm.all.gz", "cacm/query.text")],
)
@pytest.mark.parametrize(("k", "b"), [(1.75, 0.75), (1.2, 0.3)])
def test_scores_equal_those_of_bm25s(shared, documents, queries, k, b):
    peer = pytest.importorskip("bm25s")
    texts = bm25.scan_documents(shared / documents).collect()
    asked = bm25.numbered(bm25.scan_queries(shared / queries)).collect()
    run = bm25.search(bm25.build_index(texts), asked, bm25.BM25(k=k, b=b), depth=10_000).collect()
    retriever = peer.BM25(method="atire", k1=k, b=b, dtype="float64")
    tokens = token_lists(texts)
    retriever.index(list(tokens.values()), show_progress=False)
    ours = {query: rows for (query,), rows in run.group_by("query_id")}
    for query, terms in token_lists(asked).items():
        known = [term for term in terms if term in retriever.vocab_dict]
        if not known:
            assert query not in ours
            continue
        theirs = pl.DataFrame(
            {"doc_id": [*tokens], "theirs": retriever.get_scores(known) / math.log(2)}
        )
        both = theirs.join(ours[query], on="doc_id", how="left").fill_null(0.0)
        assert ((both["theirs"] - both["score"]).abs() < 1e-9).all()
