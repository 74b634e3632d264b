"""What the paper's own means give for its other tables, beside what these print."""

from pathlib import Path

import polars as pl
import pytest

from ulframe import analysis

DATA = Path(__file__).resolve().parents[2] / "data"
MSLR, MQ2007 = "MSLR-WEB30K", "MQ2007"


@pytest.fixture(scope="module")
def means():
    """The published means, averaged over the cutoffs."""
    published = pl.read_csv(DATA / "published_tables.csv").filter(quantity="mean")
    named = published.select(
        run="method", set="dataset", mean="value", measure=pl.format("{}@{}", "measure", "k")
    )
    return analysis.over_cutoffs(named).collect()


@pytest.fixture(scope="module")
def facts():
    return pl.read_csv(DATA / "recomputed_tables.csv")


def told(facts, quantity):
    rows = facts.filter(quantity=quantity).select("dataset", "measure", "recomputed").rows()
    return {(dataset, measure): value for dataset, measure, value in rows}


def test_every_published_value_is_kept_as_published(facts):
    published = pl.read_csv(DATA / "published_tables.csv").filter(query_set="all")
    both = facts.join(published, on=["table", "dataset", "quantity", "measure"], how="left")
    assert both["published"].equals(both["value"].alias("published"))
    assert facts.height == 8 + 12 + 6


def test_kendall_tau(means, facts):
    found = analysis.agreement(means).collect()
    taus = {
        (row["set"], f"{row['measure_a']} vs {row['measure_b']}"): row["tau_a"]
        for row in found.to_dicts()
    }
    expected = told(facts, "kendall_tau")
    assert len(expected) == 8
    assert {key: taus[key] for key in expected} == pytest.approx(expected, abs=0.0005)


def test_percentage_absolute_difference(means, facts):
    found = analysis.pad(means, nonpositive="keep").collect()
    pads = {(row["set"], row["measure"]): row["pad"] for row in found.to_dicts()}
    assert pads == pytest.approx(told(facts, "pad_percent"), abs=0.005)
    assert found["n_pairs"].to_list() == [8 * 7 / 2] * 12


def test_a_pair_without_a_positive_maximum_is_left_out_and_counted(means):
    v2 = analysis.pad(means).filter(set=MSLR, measure="V2(SP)").collect().row(0, named=True)
    assert (v2["n_pairs"], v2["n_nonpositive"]) == (27, 1)
    assert v2["pad"] == pytest.approx(101.06, abs=0.005)


def test_swap_rate_across_data_sets(means, facts):
    found = analysis.swap_rate(means.filter(set=MSLR), means.filter(set=MQ2007)).collect()
    swapped = dict(found.select("measure", "n_swapped").rows())
    assert swapped == {
        "nDCG": 2, "V1(DCG)": 2, "V2(DCG)": 3, "MAP": 7, "V1(SP)": 7, "V2(SP)": 5,
    }  # fmt: skip
    assert found["n_pairs"].to_list() == [28] * 6
    rates = {measure: rate for (_, measure), rate in told(facts, "swap_rate").items()}
    assert dict(found.select("measure", "swap_rate").rows()) == pytest.approx(rates, abs=0.0001)


@pytest.mark.parametrize(
    ("quantity", "measure", "dataset", "published"),
    [
        ("pad_percent", "nDCG", MSLR, 31.0),
        ("pad_percent", "V1(DCG)", MQ2007, 3.6),
        ("pad_percent", "V2(SP)", MQ2007, 20.01),
        ("swap_rate", "nDCG", f"{MSLR} vs {MQ2007}", 0.107),
    ],
)
def test_where_the_publication_differs_it_is_said(facts, quantity, measure, dataset, published):
    row = facts.filter(quantity=quantity, measure=measure, dataset=dataset).row(0, named=True)
    assert row["published"] == published
    assert row["note"].startswith("differs")
