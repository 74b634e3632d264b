"""Rankings of people from PrefLib's files, tables and memory, and the consensus of others."""

import gzip
from itertools import permutations

import pandas as pd
import polars as pl
import pytest

import ulframe as ul
from ulframe.frames import BadUsage
from ulframe.frames.remarks import Remark
from ulframe.studies.experts import (
    compare,
    every_pair,
    scan_rankings,
    to_others,
    to_reference,
    with_order,
    with_others,
)

TOC = """# FILE NAME: x.toc
# NUMBER ALTERNATIVES: 4
# ALTERNATIVE NAME 1: Ada
# ALTERNATIVE NAME 2: Bo
# ALTERNATIVE NAME 3: Cy, Jr
# ALTERNATIVE NAME 4: Di

2: 3,{1, 2},4
1: {4,3}
"""
ROWS = [
    *[(voter, "Cy, Jr", 1.0) for voter in "12"],
    *[(voter, name, 2.0) for voter in "12" for name in ("Ada", "Bo")],
    *[(voter, "Di", 4.0) for voter in "12"],
    *[("3", "Di", 1.0), ("3", "Cy, Jr", 1.0)],
]
NAMES = ["ranking", "item", "position"]


def rows(source, *columns, **options):
    return scan_rankings(source, **options).select(columns or NAMES).collect().rows()


@pytest.mark.parametrize("ending", [".toc", ".soi", ".toi.gz"])
def test_preflib(tmp_path, ending):
    path = tmp_path / f"contest{ending}"
    text = TOC.encode()
    path.write_bytes(gzip.compress(text) if ending.endswith(".gz") else text)
    assert sorted(rows(path)) == sorted(ROWS)
    assert {row[0] for row in rows(path, "contest")} == {"contest"}


OLD = """4
1,Ada
2,Bo
3,Cy, Jr
4,Di
3,3,2
2,3,{1,2},4
1,{4,3}
"""


@pytest.mark.parametrize("text", [OLD, "\ufeff" + OLD.replace("\n", "\r\n")])
def test_preflib_as_it_was_before_2022(tmp_path, text):
    (tmp_path / "x.toc").write_bytes(text.encode())
    assert sorted(rows(tmp_path / "x.toc")) == sorted(ROWS)


def test_a_line_that_was_no_order_before_2022(tmp_path):
    (tmp_path / "x.toc").write_text(OLD.replace("1,{4,3}", "1,{4,3"))
    with pytest.raises(ul.BadData, match=r"x\.toc, line 8: .* is no order"):
        rows(tmp_path / "x.toc")


def test_alternatives_of_one_name_keep_their_numbers(tmp_path):
    path = tmp_path / "x.soc"
    path.write_text("# ALTERNATIVE NAME 1: Smith\n# ALTERNATIVE NAME 2: Smith\n1: 2,1\n")
    assert rows(path, "item") == [("2",), ("1",)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# c\n1: 1,2\n1: 1,,2\n", "x.soc, line 3: '1: 1,,2' is no order"),
        ("3,1,2\n", "x.soc, line 1"),
        ("1: {1,2\n", "is no order"),
        ("# nothing\n", "x.soc: no order in it"),
        ("100000000: 1,2\n", "x.soc: 100000000 voters, of whom a file may have 1000000"),
        (f"{10**30}: 1,2\n", "voters, of whom a file may have"),
        ("# NUMBER ALTERNATIVES: 1\n5: 1,{2,3}\n", "ranks 3 alternatives, but declares 1"),
    ],
)
def test_a_line_that_is_no_order(tmp_path, text, message):
    path = tmp_path / "x.soc"
    path.write_text(text)
    with pytest.raises(ul.BadData, match=message):
        scan_rankings(path)


def test_an_item_twice_in_a_file_names_contest_and_ranking(tmp_path):
    (tmp_path / "gala.soi").write_text("1: 1,2\n1: 2,1,2\n")
    with pytest.raises(ul.BadData, match="ranking '2' of contest 'gala' ranks '2' 2 times"):
        compare(scan_rankings(tmp_path), every_pair(tmp_path), "pairs.P").collect()


def test_a_folder_is_a_contest_a_file_and_other_files_are_passed_over(tmp_path):
    (tmp_path / "info.txt").write_text("Name: Skate Data\n")
    (tmp_path / "a.toc").write_text(TOC)
    (tmp_path / "b.csv").write_text("ranking,item,position\nann,01,1\nann,02,1.5\n")
    found = scan_rankings(tmp_path).collect()
    assert set(found["contest"]) == {"a", "b"}
    assert found.filter(contest="b").rows() == [("b", "ann", "01", 1.0), ("b", "ann", "02", 1.5)]
    (tmp_path / "none").mkdir()
    with pytest.raises(ul.BadData, match="no rankings in this folder"):
        scan_rankings(tmp_path / "none")


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".tsv", ".jsonl", ".arrow"])
def test_tables(tmp_path, ending):
    from ulframe.frames import write_table

    path = tmp_path / f"judges{ending}"
    frame = pl.LazyFrame({"who": ["ann", "ann"], "item": ["x", "y"], "position": [1, 2]})
    write_table(frame, path)
    assert rows(path, columns={"who": "ranking"}) == [("ann", "x", 1.0), ("ann", "y", 2.0)]
    assert rows(path, "contest", columns={"who": "ranking"}) == [("judges",)] * 2


def test_frames_of_other_libraries_and_lists_of_sources():
    frame = pd.DataFrame({"ranking": ["ann"], "item": [7], "position": [1]})
    assert rows([frame, {"ben": [{"7", "8"}]}]) == [
        ("ann", "7", 1.0), ("ben", "7", 1.0), ("ben", "8", 1.0)
    ]  # fmt: skip


def test_pairs(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("ranking,better,worse\nann,x,y\n")
    assert rows(path, "contest", "ranking", "better", "worse") == [("pairs", "ann", "x", "y")]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("ranking,item\na,x\n", ul.BadData, "no column 'position'; there are 'ranking'"),
        ("ranking,item,position\na,x,first\n", ul.BadData, "position must be a number.*'first'"),
        ("ranking,item,position\na,,1\n", ul.BadData, "names must not be null"),
        ("what,ever\na,b\n", ul.BadData, "no column 'ranking'"),
    ],
)
def test_bad_tables(tmp_path, text, error, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(error, match=message):
        scan_rankings(path).collect()


def test_no_table_at_all(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("just some words\n")
    with pytest.raises(ul.BadData, match="no table of rankings"):
        scan_rankings(path)


def test_places_and_pairs_do_not_mix():
    pairs = pl.DataFrame({"ranking": ["a"], "better": ["x"], "worse": ["y"]})
    with pytest.raises(ul.BadUsage, match="some as these"):
        scan_rankings([{"b": ["x"]}, pairs])
    with pytest.raises(ul.BadUsage, match="mean of places"):
        with_others(pairs)


# ---------------------------------------------------------------- the consensus of the others
JUDGES = {"ann": ["x", "y", "z"], "ben": [["x", "y"], "z"], "cid": ["z", "y"]}


def test_the_consensus_is_the_mean_of_the_others_places():
    got = with_others(JUDGES).filter(pl.col("ranking").str.starts_with("others"))
    want = {
        ("others of ann", "x"): 1.5,  # ben only: a tie of ranks 1 and 2
        ("others of ann", "y"): (1.5 + 2) / 2,
        ("others of ann", "z"): (3 + 1) / 2,
        ("others of ben", "x"): 1.0,
        ("others of ben", "y"): (2 + 2) / 2,
        ("others of ben", "z"): (3 + 1) / 2,
        ("others of cid", "x"): (1 + 1.5) / 2,
        ("others of cid", "y"): (2 + 1.5) / 2,
        ("others of cid", "z"): (3 + 3) / 2,
    }
    assert {row[1:3]: row[3] for row in got.collect().iter_rows()} == want


def test_whoever_is_alone_has_no_others():
    rankings = pl.DataFrame(
        {"contest": ["a", "b", "b"], "ranking": ["1", "1", "2"], "item": "x", "position": 1}
    )
    assert to_others(rankings).collect().rows() == [
        ("b", "1", "others of 1"), ("b", "2", "others of 2")
    ]  # fmt: skip
    assert with_others(rankings).filter(contest="a").collect().height == 1


def test_comparisons_stay_within_a_contest():
    rankings = pl.DataFrame(
        {
            "contest": ["a", "a", "b", "b"],
            "ranking": ["1", "2", "1", "3"],
            "item": "x",
            "position": 1,
        }
    )
    assert every_pair(rankings).collect().rows() == [
        ("a", "1", "2"), ("a", "2", "1"), ("b", "1", "3"), ("b", "3", "1")
    ]  # fmt: skip
    assert to_reference(rankings, "1").collect().rows() == [("a", "2", "1"), ("b", "3", "1")]


def test_only_plans_until_collected():
    """Nothing is read to make the plan: what is wrong with a row shows when it runs."""
    bad = pl.LazyFrame({"ranking": ["a", "b"], "item": ["x", None], "position": [1, 2]})
    plan = compare(bad, every_pair(bad), "pairs.P")
    with pytest.raises(ul.BadData, match="must not be null"):
        plan.collect()


# ---------------------------------------------------------------- doors that led to wrong numbers
SOC, SOI, TIED = "2: 1,2,3\n", "2: 1,2,3\n1: 2,1\n", "2: 1,2,3\n1: 2,1,{3}\n"


@pytest.mark.parametrize(
    ("names", "taken", "rankings"),
    [
        ({"x.soc": SOC, "x.soi": SOI}, "x.soi", 3),
        ({"x.soc": SOC, "x.toc": TIED}, "x.toc", 3),
        ({"x.soc": SOC, "x.soi": SOI, "x.toi": SOI}, "x.toi", 3),
    ],
)
def test_files_of_one_name_are_one_contest(tmp_path, names, taken, rankings):
    """PrefLib has all kinds of a contest in one folder; they were merged once."""
    for name, text in names.items():
        (tmp_path / name).write_text(text)
    with pytest.warns(Remark, match=f"one contest by their names; .*{taken} is taken"):
        found = scan_rankings(tmp_path).collect()
    assert found["contest"].unique().to_list() == ["x"]
    assert found["ranking"].n_unique() == rankings


def test_of_two_kinds_neither_holds_the_other(tmp_path):
    (tmp_path / "x.soi").write_text(SOI)
    (tmp_path / "x.toc").write_text(TIED)
    with pytest.raises(BadUsage, match=r"x.soi, .*x.toc: one contest by their names, and neither"):
        scan_rankings(tmp_path)


def test_the_default_measures_hold_for_a_thousand_people():
    """2 to the power of their relevance is beyond what floats hold; the gain is linear."""
    people = [f"{n:04}" for n in range(1200)]
    lists = {"a": people, "b": people}
    found = compare(lists, every_pair(lists)).filter(measure="nDCG(gain=linear)").collect()
    assert found["score"].to_list() == pytest.approx([1.0, 1.0])


def test_identical_ballots_are_compared_once_and_told_each():
    """Twelve voters of six orders: every score as of the two voters alone."""
    ballots = [list(order) for order in permutations("xyz")] * 2
    lists = {f"{at:02}": ballot for at, ballot in enumerate(ballots)}
    measures = ["pairs.P", "tau_b", "P@1", "nDCG(gain=linear)", "rho"]
    found = compare(lists, every_pair(lists), measures).collect()
    assert found.height == 12 * 11 * len(measures)
    rows = {row[:2]: row[2] for row in found.filter(measure="tau_b").select(
        "ranking", "reference", "score").iter_rows()}  # fmt: skip
    for (a, b), score in rows.items():
        alone = {name: lists[name] for name in (a, b)}
        one = compare(alone, every_pair(alone), "tau_b").filter(ranking=a).collect()
        assert one["score"].item() == score


def test_one_order_for_all_contests():
    rankings = pl.LazyFrame(
        [("1", "ann", "x", 1), ("1", "ann", "y", 2), ("2", "bo", "y", 1), ("2", "bo", "x", 2)],
        schema=["contest", "ranking", "item", "position"],
        orient="row",
    )
    given = with_order(rankings, ["x", "y"])
    found = compare(given, to_reference(given, "reference"), "tau_a").collect()
    assert found.select("contest", "score").rows() == [("1", 1.0), ("2", -1.0)]
    with pytest.raises(BadUsage, match="the order has 'x' twice"):
        with_order(rankings, ["x", "x"])
