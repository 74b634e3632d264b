"""What qrels and runs together must keep to, and what is null: one case for each rule."""

import polars as pl
import pytest

import ulframe as ul

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 0}, "3": {"d": 2}}
RUNS = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}, "9": {"z": 1.0}}


def rows(number: str, *given) -> pl.DataFrame:
    return pl.DataFrame(given, schema=["query_id", "doc_id", number], orient="row")


# ------------------------------------------------ duplicates
@pytest.mark.parametrize("scores", [(1.0, 1.0), (1.0, 2.0)])
@pytest.mark.parametrize("doc", ["a", "x"])  # judged or not
def test_a_document_twice_in_a_run(doc, scores):
    runs = rows("score", *[("1", doc, score) for score in scores], ("1", "b", 0.5))
    with pytest.raises(
        ul.BadData,
        match=rf"a run returns a document twice, in 1 cases: run 'run', query_id '1', "
        rf"doc_id '{doc}', times 2. .*duplicates=\"max\"",
    ):
        ul.evaluate(QRELS, runs, "AP").collect()


def test_a_document_judged_twice():
    qrels = rows("label", ("1", "a", 1), ("1", "a", 0), ("1", "b", 0))
    with pytest.raises(ul.BadData, match=r"the qrels judge a document twice, .* doc_id 'a'"):
        ul.evaluate(qrels, RUNS, "AP").collect()


@pytest.mark.parametrize(("duplicates", "value"), [("max", 1.0), ("first", 0.5)])
def test_duplicates_on_request(duplicates, value):
    runs = ul.scan_runs(
        rows("score", ("1", "a", 0.0), ("1", "b", 1.0), ("1", "a", 2.0)), duplicates=duplicates
    )
    assert ul.evaluate(QRELS, runs, "RR").collect()["value"][0] == value


def test_the_same_document_in_two_queries_or_runs_is_none():
    runs = {"s": {"1": {"a": 1.0}, "2": {"a": 1.0}}, "t": {"1": {"a": 1.0}}}
    assert ul.evaluate(QRELS, runs, "AP").collect().height == 2 * 3


# ------------------------------------------------ queries
def test_no_query_in_common():
    with pytest.raises(
        ul.BadData,
        match=r"no query in common: of the qrels there are 3 in all \('1', '2', '3'\), of the "
        r"runs 1 in all \('q1'\)",
    ):
        ul.evaluate(QRELS, {"q1": {"a": 1.0}}, "AP").collect()


@pytest.mark.parametrize("runs", [rows("score").cast({"score": pl.Float64})])
def test_an_empty_run_has_no_query_in_common(runs):
    with pytest.raises(ul.BadData, match="no query in common"):
        ul.evaluate(QRELS, runs, "AP").collect()


def test_ids_that_look_like_numbers_are_text():
    with pytest.raises(ul.BadData, match="no query in common"):
        ul.evaluate({"01": {"a": 1}}, {"1": {"a": 1.0}}, "AP").collect()


def test_a_missing_query_has_value_0_and_what_follows():
    scores = ul.evaluate(QRELS, RUNS, ["nDCG", "V1(DCG)", "V2(DCG@1)"]).collect()
    missing = scores.filter(query_id="3").select("measure", "score", "value").rows()
    # d alone is judged: any ranking of what is judged is perfect, but nothing was returned
    assert missing == [("nDCG", 0.0, 0.0), ("V1(DCG)", 0.0, 0.0), ("V2(DCG@1)", -1.0, 0.0)]


def test_queries_without_qrels_are_dropped_and_told():
    plan = ul.examine(QRELS, RUNS, "AP")
    assert set(plan.scores.collect()["query_id"]) == {"1", "2", "3"}
    dropped = plan.coverage.filter(~pl.col("in_qrels")).collect()
    assert dropped.select("run", "query_id").rows() == [("run", "9")]


def test_only_queries_of_both():
    scores = ul.evaluate(QRELS, RUNS, "AP", queries="both").collect()
    assert scores["query_id"].to_list() == ["1", "2"]


def test_an_unknown_choice_of_queries():
    with pytest.raises(ul.BadUsage, match="queries='all' is not one of qrels, both"):
        ul.evaluate(QRELS, RUNS, "AP", queries="all")


# ------------------------------------------------ undefined
@pytest.mark.parametrize(
    ("measure", "query", "score"),
    [
        ("U(SP@5)", "2", None),  # nothing relevant
        ("V1(SP@5)", "2", None),
        ("V2(SP@5)", "2", None),
        ("AP", "2", None),
        ("SP", "2", 0.0),
        ("IUB(SP@5)", "2", 0.0),
        ("V2(R@2)", "1", None),  # both documents within 2: every ranking is as good
        ("V1(R@2)", "1", 0.5),
    ],
)
def test_undefined_is_null(measure, query, score):
    scores = ul.evaluate(QRELS, RUNS, measure).collect()
    assert scores.filter(query_id=query)["score"].item() == score


def test_nothing_is_nan():
    measures = ["AP", "RR", "bpref", "Rprec", "RBP", "nDCG", "P@2", "F@2", "R@2"]
    measures += [f"{v}({m})" for v in ("V1", "V2") for m in measures]
    qrels = QRELS | {"4": {"x": -1}, "5": {"y": -1, "z": 1}}
    scores = ul.evaluate(qrels, RUNS | {"5": {"z": 0.0}}, measures).collect()
    assert not any(scores.select(pl.col(pl.Float64).is_nan().any()).row(0))


# ------------------------------------------------ labels
def test_float_labels_are_kept():
    qrels = {"1": {"a": 0.5, "b": 1.5}}
    runs = {"1": {"a": 2.0, "b": 1.0}}
    got = ul.evaluate(qrels, runs, ["CG@1", "CG@2", "P@1", "P(rel=0.5)@1"]).collect()
    assert got["value"].to_list() == [0.5, 2.0, 0.0, 1.0]


def test_negative_labels_gain_nothing_and_stay_in_the_pool():
    qrels = {"1": {"a": 1, "b": -2}}
    got = ul.evaluate(qrels, {"1": {"b": 2.0, "a": 1.0}}, ["DCG@1", "P@1"]).collect()
    assert got.select("value", "upper", "expected").rows() == [(0, 1, 0.5), (0, 1, 0.5)]


@pytest.mark.parametrize("label", [1023, 1024, 2000])
def test_a_label_too_large_for_its_gain(label):
    qrels = {"1": {"a": label, "b": label}}
    says = f"bound of DCG is above 1e\\+150, the most that is taken, with labels up to {label}"
    with pytest.raises(ul.BadData, match=says):
        ul.evaluate(qrels, {"1": {"a": 1.0}}, "nDCG").collect()
    got = ul.evaluate(qrels, {"1": {"a": 1.0}}, "CG").collect()
    assert got["value"].item() == label


@pytest.mark.parametrize("make", [ul.means, ul.summarise])
def test_scores_without_a_column(make):
    with pytest.raises(ul.BadData, match="no column 'score'"):
        make(pl.DataFrame({"run": ["a"], "query_id": ["1"], "measure": ["AP"]}))


def test_nothing_found_where_nothing_could_be():
    """V1 of a value and an expectation of 0: nothing relevant is in the pool."""
    qrels, runs = {"q": {"a": 1, "b": 0}}, {"q": {"b": 1.0}}
    got = ul.evaluate(qrels, runs, ["V1(AP)", "V2(AP)"], pool="retrieved").collect()
    assert got["score"].to_list() == [0.0, 0.0]
