"""The paper's tables and figures: published values come out as published, ours beside them."""

import csv
import math
import re
from pathlib import Path

import polars as pl
import pytest
from scipy import stats

import ulframe as ul
from ulframe.report.paper.layout import means_table
from ulframe.report.paper.plan import CUTOFFS, KINDS, METHODS
from ulframe.studies.paper import compared, make_book, published

PUBLISHED = Path(__file__).resolve().parents[2] / "data" / "published_tables.csv"
ALL = [f"table-{number:02d}" for number in range(2, 22)]
MEASURES = [*(f"nDCG@{k}" for k in CUTOFFS),
            *(f"V2(SP(expectation=independent)@{k})" for k in CUTOFFS)]  # fmt: skip


@pytest.fixture(scope="module")
def scores():
    """The sample's eight systems under the names of the paper's eight methods."""
    found = ul.evaluate(ul.sample_qrels(), ul.sample_runs(), MEASURES).collect()
    names = dict(zip(found["run"].unique().sort(), METHODS, strict=True))
    return found.with_columns(pl.col("run").replace(names))


@pytest.fixture(scope="module")
def other(scores):
    """The same on every second query only."""
    ids = scores["query_id"].unique().sort().gather_every(2)
    return scores.filter(pl.col("query_id").is_in(ids.to_list()))


@pytest.fixture(scope="module")
def book(scores, other):
    return make_book({"MQ2007": other, "MSLR-WEB30K": scores}, uninformative_n=40, ideal_n=40)


def rows(table):
    """By what names a row and by source (`here`, `published`, ...): its numbers by column."""
    found = {}
    index = [name for name in table.frame.columns if name not in table.numbers]
    for row in table.frame.iter_rows(named=True):
        for name in table.numbers:
            source = COLUMN.sub("", name).strip() or "here"
            if row[name] is not None:
                key = (*(row[text] for text in index), source)
                found.setdefault(key, []).append(row[name])
    return found


COLUMN = re.compile(r"^(uninformative vs ideal|\S+)")


# ---------------------------------------------------------------- as published
@pytest.mark.parametrize("number", [2, 3, 4, 5, 12, 13, 14, 15])
def test_published_means_come_out_digit_for_digit(number):
    with PUBLISHED.open() as file:
        texts = {
            (row["method"], row["measure"][:2] if number % 10 > 3 else row["measure"], row["k"]):
            row["value"].ljust(len("0.0000") + row["value"].startswith("-"), "0")
            for row in csv.DictReader(file) if row["table"] == str(number)
        }  # fmt: skip
    ours = published().filter(table=number).drop("table")
    kind = next(kind for kind in KINDS if kind.offset == (number - 2) % 10)
    table = means_table(compared(ours, ours.clear()), "t", kind)
    header = [tuple(name.split("@")) for name in table.frame.columns[1:]]
    shown = {
        (row[0].text, *column): cell.text
        for row in table.cells()
        for column, cell in zip(header, row[1:], strict=True)
    }
    assert shown == texts
    assert [row[0].text for row in table.cells()] == METHODS


def test_published_values_stand_beside_ours_with_the_difference(book):
    columns = book.tables["table-03"].frame.columns
    assert columns[:4] == ["method", "nDCG@5", "nDCG@5 published", "nDCG@5 difference"]
    table = rows(book.tables["table-03"])
    here, theirs, difference = (
        table["LMART", source] for source in ("here", "published", "difference")
    )
    assert theirs == [0.3931, 0.4206, 0.4535, 0.4857, 0.5441]
    assert difference == pytest.approx([a - b for a, b in zip(here, theirs, strict=True)])
    assert len(table) == 8 * 3


def test_counts_of_other_methods_have_no_difference(other):
    renamed = other.with_columns(pl.col("run").replace({"CA": "mine"}))
    book = make_book({"MQ2007": renamed})
    table = rows(book.tables["table-08"])
    assert table["MQ2007", "nDCG", "published"] == [0, 9, 7]
    assert ("MQ2007", "nDCG", "difference") not in table
    assert "others than on MQ2007 here" in book.tables["table-08"].notes[-1]
    means = rows(book.tables["table-03"])
    assert ("LMART", "difference") in means
    assert ("mine", "published") not in means


# ---------------------------------------------------------------- ours
def test_all_tables_and_figures_are_made_of_two_data_sets(book):
    assert list(book.tables) == ALL
    assert book.missing == ()
    assert list(book.figures) == [f"figure-{n}-{name}" for n in (1, 2, 3)
                                  for name in ("MQ2007", "MSLR-WEB30K")]  # fmt: skip
    assert book.values["here"].null_count() == 0
    assert book.values["published"].count() == 630


def test_means_are_those_of_the_scores(book, scores):
    table = rows(book.tables["table-02"])
    for method in METHODS:
        for k, mean in zip(CUTOFFS, table[method, "here"], strict=True):
            own = scores.filter(run=method, measure=f"nDCG@{k}")["score"].fill_null(0.0)
            assert mean == pytest.approx(math.fsum(own) / len(own))


def test_v1_and_v2_follow_from_any_operator(book):
    measures = ["V1(DCG@5)", "V2(DCG@5)", "V1(SP(expectation=independent)@5)"]
    direct = ul.means(ul.evaluate(ul.sample_qrels(), ul.sample_runs(), measures)).collect()
    first = direct["run"].min()
    expected = direct.filter(run=first)["mean"].to_list()
    v1, *_, v2 = rows(book.tables["table-04"])[METHODS[0], "here"][:6]
    sp, *_ = rows(book.tables["table-14"])[METHODS[0], "here"]
    assert [v1, v2, sp] == pytest.approx(expected)


def test_significant_pairs_are_students_over_pairs_and_cutoffs(book, scores):
    told = 0
    for k in CUTOFFS:
        wide = scores.filter(measure=f"nDCG@{k}").pivot("run", index="query_id", values="score")
        values = [wide[method].fill_null(0.0).to_numpy() for method in METHODS]
        told += sum(
            stats.ttest_rel(values[i], values[j]).pvalue < 0.05 for i in range(8) for j in range(i)
        )
    assert rows(book.tables["table-08"])["MSLR-WEB30K", "nDCG", "here"][0] == told
    assert any("of 140" in note for note in book.tables["table-08"].notes)


def test_the_swap_rate_counts_pairs_in_opposite_order(book, scores, other):
    def means(part):
        flat = part.filter(pl.col("measure").str.starts_with("nDCG")).with_columns(
            pl.col("score").fill_null(0.0)
        )
        return {m: flat.filter(run=m)["score"].mean() for m in METHODS}

    one, two = means(scores), means(other)
    pairs = [(a, b) for i, a in enumerate(METHODS) for b in METHODS[:i]]
    swapped = sum((one[a] - one[b]) * (two[a] - two[b]) < 0 for a, b in pairs)
    found = rows(book.tables["table-10"])["MSLR-WEB30K vs MQ2007", "nDCG", "here"]
    assert found[0] == pytest.approx(swapped / 28)


def test_query_sets_are_as_large_as_said(other):
    half = make_book({"MQ2007": other}).tables["table-07"]
    n = other.filter(pl.col("upper") > 0)["query_id"].n_unique() // 2
    assert f"MQ2007: {n} uninformative and {n} ideal of 100 queries." == half.notes[-1]


# ---------------------------------------------------------------- what cannot be made
def said(book):
    return {one.name: one.why for one in book.missing}


def test_one_data_set_leaves_out_the_other_ones_tables(other):
    why = said(make_book({"MQ2007": other}))
    assert set(why) == {f"Table {n}" for n in (2, 4, 10, 12, 14, 20)}
    assert why["Table 2"] == "neither MSLR-WEB30K nor a data set in its place"
    assert why["Table 10"] == "it takes two data sets with the same methods, and there is one"


def test_methods_of_other_names_have_no_swap_rate(scores, other):
    renamed = other.with_columns(run="my " + pl.col("run"))
    why = said(make_book({"MQ2007": scores, "mine": renamed}))
    assert why == dict.fromkeys(
        ["Table 10", "Table 20"], "no two data sets have two methods of the same names"
    )


def test_a_missing_metric_is_named(scores):
    why = said(make_book({"mine": scores.filter(pl.col("measure").str.starts_with("nDCG"))}))
    assert "the scores of mine have none of 'SP(expectation=independent)@5'" in why["Table 12"]
    assert why["Figure 3"] == "no data set has scores of SP(expectation=independent)@k"
    assert "Figure 2" not in why


def test_missing_cutoffs_are_noted(scores):
    book = make_book({"mine": scores.filter(pl.col("measure").str.contains(r"@(5|10)\b"))})
    assert book.tables["table-02"].frame.columns == ["method", "nDCG@5", "nDCG@10"]
    assert book.tables["table-02"].notes[-1] == "No scores at k = 15, 20, 30."


def test_one_method_has_means_only(scores):
    book = make_book({"mine": scores.filter(run="CA")})
    assert list(book.tables) == ["table-02", "table-04", "table-12", "table-14"]
    assert said(book)["Table 6"] == "it takes at least two methods"


def test_a_third_data_set_has_tables_of_its_own(scores, other):
    book = make_book({"a": scores, "b": other, "c": other})
    assert {"table-02", "table-03", "table-03b", "table-05b"} <= set(book.tables)
    assert book.tables["table-03b"].title == "Table 3b. nDCG of the methods on c, all queries"


# ---------------------------------------------------------------- real runs
def test_real_scores_have_all_of_one_data_sets_tables(shared):
    folder = shared / "mq2007-agg"
    scores = ul.evaluate(
        ul.scan_qrels(folder / "qrels.parquet"), ul.scan_runs(folder / "runs.parquet"), MEASURES
    )
    book = make_book({"MQ2007": scores})
    assert len(book.tables) == 14
    assert "500 uninformative and 500 ideal of 1,692 queries" in book.tables["table-06"].notes[-2]
