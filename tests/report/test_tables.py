"""The tables that papers print: what stands in which cell."""

import polars as pl
import pytest

import ulframe as ul
from ulframe.analysis import compare
from ulframe.report.tables import (
    best_in_columns,
    marked,
    measures_by_sets,
    runs_by_cutoffs,
    runs_by_measures,
    significant_by_sets,
)


def summary(*rows):
    return pl.DataFrame(rows, schema=["run", "set", "measure", "mean"], orient="row")


MEANS = summary(
    ("b", "all", "nDCG@10", 0.5),
    ("b", "all", "nDCG@5", 0.25),
    ("a", "all", "nDCG@10", 0.75),
    ("a", "all", "nDCG@5", 0.125),
    ("b", "all", "AP", 1.0),
)
PAIRS = pl.DataFrame(
    [
        ("all", "P@5", "t", "holm", "a", "b", 0.2, True),
        ("all", "P@5", "t", "holm", "c", "a", 0.1, True),
        ("all", "P@5", "t", "holm", "b", "c", 0.0, False),
        ("few", "P@5", "t", "holm", "a", "b", 0.2, False),
    ],
    schema=["set", "measure", "test", "correction", "run_a", "run_b", "diff", "significant"],
    orient="row",
)


# ---------------------------------------------------------------- what stands where
def test_runs_by_measures_keep_the_order_in_which_they_come():
    table = runs_by_measures(MEANS)
    assert table.frame.columns == ["run", "nDCG@10", "nDCG@5", "AP"]
    assert table.frame.rows() == [("b", 0.5, 0.25, 1.0), ("a", 0.75, 0.125, None)]


def test_counts_are_whole():
    rows = summary(("a", "all", "num_rel_ret", 12.0), ("b", "all", "num_rel_ret", None))
    assert runs_by_measures(rows).frame.rows() == [("a", 12), ("b", None)]


def test_cutoffs_are_ordered_as_numbers():
    assert runs_by_cutoffs(MEANS, "nDCG").frame.rows() == [("b", 0.25, 0.5), ("a", 0.125, 0.75)]
    assert runs_by_cutoffs(MEANS, "nDCG").frame.columns == ["run", "5", "10"]


def test_measures_by_sets():
    rows = summary(("a", "all", "AP", 0.5), ("a", "hard", "AP", 0.25), ("b", "all", "AP", 1.0))
    assert measures_by_sets(rows, "a").frame.rows() == [("AP", 0.5, 0.25)]


def test_significant_pairs_are_counted_by_measure_and_set():
    table = significant_by_sets(PAIRS)
    assert table.frame.rows() == [("P@5", 2, 0)]
    assert table.notes == ("Of 3 pairs; t test, correction holm.",)


def marks_of(table, column):
    assert table.marks is not None
    return table.marks[column].to_list()


def test_marks_against_a_baseline_whichever_side_it_stands_on():
    rows = summary(
        *((run, "all", "P@5", mean) for run, mean in zip("abc", (0.4, 0.2, 0.5), strict=True))
    )
    table = marked(runs_by_measures(rows), PAIRS, "a", set="all")
    assert marks_of(table, "P@5") == ["", "↓", "↑"]
    assert "than a" in table.notes[-1]


def test_marks_on_real_pairs_point_the_way_of_the_means():
    scores = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), ["nDCG@10", "RR"]).collect()
    table = marked(runs_by_measures(ul.means(scores)), compare(scores, baseline="bm25"), "bm25")
    base = table.frame.filter(run="bm25")["nDCG@10"].item()
    for run, mark, mean in zip(
        table.frame["run"], marks_of(table, "nDCG@10"), table.frame["nDCG@10"], strict=True
    ):
        assert {"↑": mean > base, "↓": mean < base, "": True}[mark], run
    assert "↑" in marks_of(table, "nDCG@10")


@pytest.mark.parametrize(
    ("values", "best"),
    [
        ([0.5, 0.25], [True, False]),
        ([0.50004, 0.50001, 0.25], [True, True, False]),  # printed alike
        ([0.5, 0.5], [False, False]),  # none stands out
        ([None, 0.25, 0.5], [False, False, True]),
        ([-0.5, -0.25], [False, True]),
        ([None, None], [False, False]),
        ([3, 7], [False, True]),
    ],
)
def test_the_best_is_the_largest_as_printed(values, best):
    kind = pl.Int64 if values == [3, 7] else pl.Float64
    numbers = pl.DataFrame({"x": pl.Series(values, dtype=kind)})
    assert best_in_columns(numbers, 4)["x"].to_list() == best


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: runs_by_measures(MEANS.drop("mean")), "no column 'mean'; there are 'run', 'set'"),
        (lambda: runs_by_measures(pl.concat([MEANS, MEANS])), "two rows meet in one cell"),
        (lambda: runs_by_cutoffs(MEANS, "P"), "no 'P' with cutoffs; there is nDCG"),
        (
            lambda: runs_by_measures(MEANS, set="hard"),
            "set='hard' is not one of the query",
        ),
        (lambda: measures_by_sets(MEANS, "z"), "no run 'z'"),
        (lambda: marked(runs_by_measures(MEANS), PAIRS, "z", set="all"), "baseline 'z'"),
        (lambda: marked(runs_by_measures(MEANS), PAIRS, "a"), "set=None is not one of"),
    ],
)
def test_what_cannot_be_laid_out_is_said(make, message):
    with pytest.raises(ValueError, match=message):
        make()
