"""What of the paper's tables can be chosen, and what stands beside their values."""

from itertools import product
from math import sqrt

import polars as pl
import pytest

import ulframe as ul
from tests.studies.test_paper import MEASURES, other, rows, scores  # noqa: F401 - fixtures
from ulframe import analysis
from ulframe.studies.paper import make_book, published
from ulframe.studies.paper.contradictions import CONTRADICTIONS

NDCG = ["nDCG@5", "nDCG@10"]


@pytest.fixture(scope="module")
def ndcg(scores):  # noqa: F811
    return scores.filter(pl.col("measure").is_in(NDCG))


def found(ndcg, table, **options):
    return make_book({"MQ2007": ndcg}, **options).tables[table]


# ---------------------------------------------------------------- choices
@pytest.mark.parametrize(
    "options",
    [{"test": "wilcoxon"}, {"alpha": 0.01}, {"undefined": "skip"}, {"test": "hsd"}],
    ids=str,
)
def test_pairs_are_tested_as_chosen(ndcg, options):
    told = rows(found(ndcg, "table-08", **options))["MQ2007", "nDCG", "here"][0]
    pairs = analysis.compare(ndcg, correction="none", **options)
    assert told == pairs.select(pl.col("significant").sum()).collect().item()


def test_undefined_scores_may_be_left_out_of_means(ndcg):
    table = found(ndcg, "table-03", undefined="skip")
    own = ndcg.filter(run="CA", measure="nDCG@5")["score"]
    assert own.null_count() == 5
    assert rows(table)["CA", "here"][0] == pytest.approx(own.mean())
    assert "undefined scores left out" in table.notes[0]


def test_the_gap_may_be_read_with_its_sign(ndcg):
    queries = analysis.real_and_expected(ndcg)
    for gap, by in (("absolute", pl.col("gap").abs()), ("signed", pl.col("gap"))):
        lowest = queries.drop_nulls().sort(by.round(12), "query_id").head(30)
        taken = analysis.uninformative(queries, 30, gap=gap).collect()
        assert taken["query_id"].to_list() == lowest.collect()["query_id"].to_list()
    signed = analysis.uninformative(queries, 40, gap="signed")
    pairs = analysis.compare(ndcg, sets=signed, correction="none")
    table = found(ndcg, "table-08", gap="signed", uninformative_n=40)
    told = pairs.select(pl.col("significant").sum()).collect().item()
    assert rows(table)["MQ2007", "nDCG", "here"][1] == told
    assert "furthest below chance" in " ".join(table.notes)


def test_queries_may_be_sampled(ndcg):
    one, again, another = (found(ndcg, "table-03", sample_queries=50, seed=s) for s in (1, 1, 2))
    assert one.frame.equals(again.frame)
    assert not one.frame.equals(another.frame)
    assert one.notes[0].startswith("Means over 50 queries drawn at random")
    every = found(ndcg, "table-03", sample_queries=1000)
    assert every.frame.equals(found(ndcg, "table-03").frame)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "u"}, "test='u' is not one of t, bootstrap"),
        ({"alpha": 5}, "alpha=5"),
        ({"sample_queries": 0}, "sample_queries=0"),
        ({"gap": "squared"}, "gap='squared' is not one of absolute, signed"),
    ],
)
def test_refusals(ndcg, options, message):
    with pytest.raises(ul.BadUsage, match=message):
        make_book({"MQ2007": ndcg}, **options)


# ---------------------------------------------------------------- beside the values
def test_shares_stand_beside_counts(ndcg):
    for name, measure in (("table-07", "nDCG vs V2(DCG)"), ("table-08", "V2(DCG)")):
        table = rows(found(ndcg, name))
        counts, shares = (table["MQ2007", measure, source] for source in ("here", "share"))
        assert shares == pytest.approx([count / (28 * 2) for count in counts])
        theirs = table["MQ2007", measure, "published"]
        assert table["MQ2007", measure, "published share"] == [n / 140 for n in theirs]


def test_how_many_maxima_are_not_positive_stands_beside_pad(ndcg):
    table = rows(found(ndcg, "table-09", uninformative_n=40, ideal_n=40))
    queries = analysis.real_and_expected(ndcg)
    signed = analysis.uninformative(queries, 40).collect()["query_id"].to_list()
    base = pl.col("value") - pl.col("expected")
    v2 = (
        ndcg.filter(pl.col("query_id").is_in(signed))
        .with_columns(v2=base / pl.when(base < 0).then("expected").otherwise(
            pl.col("upper") - pl.col("expected")))
        .group_by("run", "measure").agg(pl.col("v2").mean())
        .group_by("run").agg(pl.col("v2").mean())["v2"].to_list()
    )  # fmt: skip
    pairs = [max(a, b) for i, a in enumerate(v2) for b in v2[:i]]
    told = table["MQ2007", "V2(DCG)", "maxima not positive"]
    assert told[1] == sum(larger <= 0 for larger in pairs)


def test_the_interval_of_the_difference_stands_below_the_powers(ndcg):
    notes = " ".join(found(ndcg, "table-08").notes)
    assert "MQ2007, nDCG vs V2(DCG): all " in notes
    values = make_book({"MQ2007": ndcg}).values
    row = {"query_set": "all", "measure": "nDCG vs V2(DCG)"}
    more, low, high = (
        values.filter(quantity=f"power_difference{which}", **row)["here"].item()
        for which in ("", "_low", "_high")
    )
    assert f"nDCG vs V2(DCG): all {more:+.0f} ({low:.0f} to {high:.0f})" in notes
    table = rows(found(ndcg, "table-08"))
    counts = (table["MQ2007", name, "here"][0] for name in ("V2(DCG)", "nDCG"))
    assert more == next(counts) - next(counts)


def test_a_test_that_cannot_be_resampled_has_no_interval(ndcg):
    notes = found(ndcg, "table-08", test="sign").notes[0], found(ndcg, "table-08", test="wilcoxon")
    assert notes[0].startswith("More pairs")
    assert notes[1].notes[0].startswith("No intervals of the differences: wilcoxon")


# ---------------------------------------------------------------- contradictions
def told(table, quantity, dataset, query_set):
    values = published().filter(
        table=table, quantity=quantity, dataset=dataset, query_set=query_set
    )
    return dict(values.select("measure", "value").rows())


def least(table, plain, one, *where):
    power = told(table, "significant_pairs", *where)
    return abs(power[one] - power[plain])


def test_conflicts_are_at_least_the_difference_of_powers():
    where = "MQ2007", "all"
    conflicts = told(17, "conflicts", *where)
    assert conflicts == {"MAP vs V1(SP)": 1, "MAP vs V2(SP)": 8}
    assert [least(18, "MAP", name, *where) for name in ("V1(SP)", "V2(SP)")] == [5, 14]


def test_conflicts_have_the_parity_of_the_powers_sum():
    where = "MSLR-WEB30K", "uninformative"
    power = told(8, "significant_pairs", *where)
    assert (power["nDCG"] + power["V2(DCG)"]) % 2 == 1
    assert told(7, "conflicts", *where)["nDCG vs V2(DCG)"] == 46


def test_these_are_the_only_counts_that_contradict_each_other():
    wrong = []
    for first, plain in ((7, "nDCG"), (17, "MAP")):
        for where in product(("MSLR-WEB30K", "MQ2007"), ("all", "uninformative", "ideal")):
            power = told(first + 1, "significant_pairs", *where)
            for name, n in told(first, "conflicts", *where).items():
                one = name.split(" vs ")[1]
                if n < least(first + 1, plain, one, *where) or (n - power[plain] - power[one]) % 2:
                    wrong.append((*where, name))
    assert wrong == [
        ("MSLR-WEB30K", "uninformative", "nDCG vs V2(DCG)"),
        ("MQ2007", "all", "MAP vs V1(SP)"),
        ("MQ2007", "all", "MAP vs V2(SP)"),
    ]


def test_a_tau_of_624_takes_ten_ties():
    assert told(16, "kendall_tau", "MQ2007", "uninformative")["MAP vs V2(SP)"] == 0.624
    without_ties = {round((28 - 2 * against) / 28, 3) for against in range(29)}
    assert 0.624 not in without_ties
    assert {round(9 / 14, 3), round(8 / 14, 3)} <= without_ties
    assert round(14 / sqrt(28 * 18), 3) == 0.624


def test_published_map_is_over_its_best_possible_value():
    means = published().filter(table=12, method="ARank")
    by_cutoff = dict(means.select("k", "value").rows())
    assert (by_cutoff[5], by_cutoff[30]) == (0.5414, 0.4493)
    assert published().filter(table=13, k=30)["value"].max() == 0.414
    lmart = published().filter(method="LMART", k=30).filter(pl.col("table").is_in([3, 5]))
    assert lmart["value"].to_list() == [0.5441, 0.361, 0.3801]


def test_what_is_said_of_mq2007s_labels(shared):
    folder = shared / "mq2007-agg"
    qrels, runs = ul.scan_qrels(folder / "qrels.parquet"), ul.scan_runs(folder / "runs.parquet")
    relevant = qrels.group_by("query_id").agg(r=(pl.col("label") > 0).sum())
    most = relevant.select((pl.min_horizontal("r", 30) / 30).mean()).collect().item()
    assert most == pytest.approx(0.347, abs=5e-4)
    for metric, run, expected in (
        ("DCG", "system07", (0.5419, 0.321, 0.247)),
        ("DCG(gains={1:1,2:1})", "system12", (0.5455, 0.317, 0.222)),
    ):
        measures = [f"{operator}({metric}@30)" for operator in ("U", "V1", "V2")]
        means = ul.means(ul.evaluate(qrels, runs.filter(pl.col("run") == run), measures)).collect()
        assert means["mean"].to_list() == pytest.approx(expected, abs=5e-4)


def test_the_index_tells_contradictions_where_published_values_stand(ndcg):
    assert make_book({"MQ2007": ndcg}).contradictions == CONTRADICTIONS
    assert make_book({"mine": ndcg}).contradictions == ()
