"""Charts by their specs: what is encoded, which rows, which words; not pixels."""

import importlib
import json
import re

import altair as alt
import polars as pl
import pytest

import ulframe as ul
from ulframe.analysis import compare, real_and_expected, sample_size
from ulframe.report import charts
from ulframe.report.charts.queries import tenths
from ulframe.report.charts.theme import ABOVE, BELOW, MAX_ROWS, PALETTE
from ulframe.report.pictures import save_chart

MEASURES = ["nDCG@5", "nDCG@10", "nDCG@20", "V2(DCG@10)"]


@pytest.fixture(scope="module")
def scores():
    return ul.evaluate(ul.sample_qrels(), ul.sample_runs(), MEASURES).collect()


@pytest.fixture(scope="module")
def summary(scores):
    return ul.summarise(scores).collect()


@pytest.fixture(scope="module")
def pairs(scores):
    return compare(scores).collect()


@pytest.fixture(scope="module")
def queries(scores):
    return real_and_expected(scores.filter(measure="nDCG@10")).collect()


@pytest.fixture(scope="module")
def every(scores, summary, pairs, queries):
    return {
        "expected_histogram": charts.expected_histogram(queries, "nDCG@10"),
        "query_map": charts.query_map(queries, "nDCG@10"),
        "score_bars": charts.score_bars(summary, "nDCG@10"),
        "cutoff_curves": charts.cutoff_curves(summary, "nDCG"),
        "difference_plot": charts.difference_plot(scores, "nDCG@10", "bm25", "dense"),
        "rank_bumps": charts.rank_bumps(summary, "nDCG@10", "V2(DCG@10)"),
        "asl_curves": charts.asl_curves(pairs),
        "needs_curves": charts.needs_curves(sample_size(scores)),
        "significance_map": charts.significance_map(pairs, "nDCG@10"),
    }


def rows_of(chart):
    return [row for rows in chart.to_dict().get("datasets", {}).values() for row in rows]


def rows_with(chart, *columns):
    return [row for row in rows_of(chart) if set(columns) <= set(row)]


def layers(spec):
    return [spec, *spec.get("layer", [])]


def axis_titles(spec):
    channels = [layer.get("encoding", {}).get(name, {}) for layer in layers(spec) for name in "xy"]
    return {channel["title"] for channel in channels if channel.get("title")}


# ---------------------------------------------------------------- all of them
def test_every_chart_of_the_room_is_here(every):
    assert sorted(every) == charts.__all__


@pytest.mark.parametrize("name", charts.__all__)
def test_a_chart_goes_on_and_says_what_it_shows(every, name):
    chart = every[name]
    assert isinstance(chart, alt.Chart | alt.LayerChart)
    assert "config" not in chart.to_dict() or "title" not in chart.to_dict()["config"]
    assert (chart | chart).to_dict()  # a configured chart cannot be concatenated
    assert chart.to_dict()["title"]["text"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("expected_histogram", {"Expected nDCG@10 of a random ranking, 0 to 1", "Queries"}),
        ("query_map", {"Actual nDCG@10, mean over systems, 0 to 1",
                       "Expected nDCG@10 by chance, 0 to 1"}),
        ("score_bars", {"Mean nDCG@10, 0 to 1"}),
        ("cutoff_curves", {"Cutoff k, ranks", "Mean nDCG@k, 0 to 1"}),
        ("difference_plot", {"Queries, ordered by the difference", "nDCG@10: bm25 minus dense"}),
        ("rank_bumps", {"Rank, 1 is best"}),
        ("asl_curves", {"Share of pairs of runs, most significant first",
                        "Significance level reached (p, 0 to 1)"}),
        ("significance_map", set()),
        ("needs_curves", {"Queries (logarithmic)",
                          "Difference of means, in the measure's unit (logarithmic)"}),
    ],
)  # fmt: skip
def test_axes_have_titles_with_units_or_range(every, name, words):
    assert axis_titles(every[name].to_dict()) == words


def test_v2_says_its_own_range(summary):
    assert axis_titles(charts.score_bars(summary, "V2(DCG@10)").to_dict()) == {
        "Mean V2(DCG@10), -1 to 1"
    }


def test_names_of_any_kind_are_data_only():
    name = 'a.b["c"]<script>\\'
    means = pl.DataFrame(
        {"run": [name, "b"], "set": "all", "measure": "AP", "mean": [0.5, 0.25], "n_queries": 3,
         "ci_low": [0.4, 0.2], "ci_high": [0.6, 0.3]}
    )  # fmt: skip
    chart = charts.score_bars(means, "AP")
    assert [row["run"] for row in rows_with(chart, "ci_low")] == [name, "b"]
    assert chart.to_json()


# ---------------------------------------------------------------- large ones
def test_no_chart_is_larger_than_altair_allows():
    n, runs = 7_000, [f"r{i:02}" for i in range(70)]
    queries = pl.DataFrame({"query_id": [str(i) for i in range(n)]}).with_columns(
        real=pl.int_range(n) / n, expected=pl.lit(0.25), gap=pl.int_range(n) / n - 0.25
    )
    scores = pl.concat(
        queries.select("query_id", run=pl.lit(run), measure=pl.lit("AP"),
                       score=pl.int_range(n) * (i + 1) % 97 / 97)
        for i, run in enumerate(runs[:2])
    )  # fmt: skip
    a, b = zip(*[(x, y) for i, x in enumerate(runs) for y in runs[i + 1 :]], strict=True)
    pairs = pl.DataFrame({"run_a": a, "run_b": b}).with_columns(
        set=pl.lit("all"), measure=pl.lit("AP"), test=pl.lit("t"), correction=pl.lit("holm"),
        mean_a=pl.col("run_a").str.slice(1).cast(pl.Float64),
        mean_b=pl.col("run_b").str.slice(1).cast(pl.Float64),
        diff=pl.lit(0.1), p_value=pl.int_range(pl.len()) / pl.len(), p_adjusted=pl.lit(0.01),
        significant=pl.lit(True),
    )  # fmt: skip
    drawn = {
        "A sample of 2,000 of 7,000 queries.": charts.query_map(queries, "AP"),
        "A bar averages 14 neighbouring queries.": charts.difference_plot(scores, "AP", *runs[:2]),
        "The best 60 of 70 runs.": charts.significance_map(pairs, "AP"),
        "2,415 pairs of runs; dashed: 5 %.": charts.asl_curves(pairs),
    }
    for said, chart in drawn.items():
        assert said in chart.to_dict()["title"]["subtitle"]
        assert len(rows_of(chart)) <= MAX_ROWS


# ---------------------------------------------------------------- one by one
@pytest.mark.parametrize(
    ("expected", "tenth"),
    [(0.0, "0.0-0.1"), (0.09, "0.0-0.1"), (0.1, "0.1-0.2"), (0.95, "0.9-1.0"), (1.0, "0.9-1.0")],
)
def test_a_bar_per_tenth(expected, tenth):
    counts = tenths(pl.DataFrame({"expected": [expected, None]}))
    assert counts.height == 10
    assert counts.filter(pl.col("queries") > 0).rows() == [(tenth, 1)]


def test_the_map_has_every_defined_query_and_says_what_it_leaves_out(every, queries):
    points = rows_with(every["query_map"], "query_id")
    assert len(points) == queries["real"].count() == 195
    assert (
        "5 queries with nothing relevant are left out."
        in (every["query_map"].to_dict()["title"]["subtitle"])
    )
    regions = {row["region"]: (row["real"], row["expected"])
               for row in rows_with(every["query_map"], "region")}  # fmt: skip
    real, expected = regions["ideal"]
    assert real > 0.5 > expected, "informative queries lie in the lower right"


def test_bars_come_best_first_with_their_intervals(every, summary):
    rows = rows_with(every["score_bars"], "ci_low")
    best = summary.filter(measure="nDCG@10").sort("mean", descending=True)
    assert [row["run"] for row in rows] == best["run"].to_list()
    assert [row["ci_high"] for row in rows] == best["ci_high"].to_list()


def test_curves_colour_as_many_runs_as_can_be_told_apart(summary):
    more = pl.concat(
        summary.with_columns(run=pl.format("{}-{}", "run", pl.lit(i)), mean=pl.col("mean") - i / 10)
        for i in range(2)
    )
    chart = charts.cutoff_curves(more, "nDCG").to_dict()
    domain = chart["layer"][1]["encoding"]["color"]["scale"]["domain"]
    assert len(domain) == len(PALETTE) == 8
    assert all(run.endswith("-0") for run in domain)
    assert "8 other runs in grey." in chart["title"]["subtitle"]


def test_differences_by_hand():
    scores = pl.DataFrame(
        [
            ("a", "1", "AP", 0.5), ("b", "1", "AP", 0.25),
            ("a", "2", "AP", None), ("b", "2", "AP", 0.5),
            ("a", "3", "AP", 0.75), ("b", "3", "AP", 0.75),
        ],
        schema=["run", "query_id", "measure", "score"], orient="row",
    )  # fmt: skip
    chart = charts.difference_plot(scores, "AP", "a", "b")
    found = [(row["query_id"], row["diff"], row["start"], row["stop"]) for row in rows_of(chart)]
    assert found == [("1", 0.25, 0, 1), ("3", 0.0, 1, 2), ("2", -0.5, 2, 3)]
    subtitle = chart.to_dict()["title"]["subtitle"]
    assert subtitle == ["a better on 1 queries, b on 1; mean difference -0.0833."]
    left_out = charts.difference_plot(scores, "AP", "a", "b", undefined="skip")
    assert [row["query_id"] for row in rows_of(left_out)] == ["1", "3"]


def test_rounding_noise_is_no_win():
    scores = pl.DataFrame(
        [("a", "1", 0.3), ("a", "2", 0.5), ("b", "1", 0.1 + 0.2), ("b", "2", 0.25)],
        schema=["run", "query_id", "score"], orient="row",
    ).with_columns(measure=pl.lit("AP"))  # fmt: skip
    chart = charts.difference_plot(scores, "AP", "a", "b")
    subtitle = chart.to_dict()["title"]["subtitle"]
    assert subtitle == ["a better on 1 queries, b on 0; mean difference +0.1250."]


def test_bumps_say_who_rises():
    means = pl.DataFrame(
        [("a", "P@5", 0.5), ("b", "P@5", 0.25), ("c", "P@5", 0.125),
         ("a", "AP", 0.25), ("b", "AP", 0.5), ("c", "AP", 0.125)],
        schema=["run", "measure", "mean"], orient="row",
    ).with_columns(set=pl.lit("all"))  # fmt: skip
    rows = rows_of(charts.rank_bumps(means, "P@5", "AP"))
    places = {(row["run"], row["measure"]): (row["rank"], row["moved"]) for row in rows}
    assert places["a", "P@5"] == (1, -1)
    assert places["b", "AP"] == (1, 1)
    assert places["c", "AP"] == (3, 0)
    text = json.dumps(charts.rank_bumps(means, "P@5", "AP").to_dict())
    assert ABOVE in text
    assert BELOW in text


def test_the_heat_map_has_each_pair_both_ways(every, pairs):
    rows = rows_with(every["significance_map"], "row")
    found = {(row["row"], row["column"]): (row["diff"], row["significant"]) for row in rows}
    assert len(found) == 8 * 7
    for a, b, diff, told in (
        pairs.filter(measure="nDCG@10").select("run_a", "run_b", "diff", "significant").rows()
    ):
        assert found[a, b] == (diff, told)
        assert found[b, a] == (-diff, told)
    assert [row["row_place"] for row in rows] == sorted(row["row_place"] for row in rows)


SOME = pl.DataFrame(
    [("a", "b", 0.25, 0.01, True), ("a", "c", 0.125, None, None), ("b", "d", 0.0, 0.5, False)],
    schema=["run_a", "run_b", "diff", "p_adjusted", "significant"],
    orient="row",
).with_columns(
    set=pl.lit("all"), measure=pl.lit("AP"), test=pl.lit("t"), correction=pl.lit("holm"),
    mean_a=pl.lit(0.5), mean_b=pl.lit(0.25), p_value="p_adjusted",
)  # fmt: skip
"""Of the pairs of four runs, two that were tested, and one that could not be."""


def test_what_was_not_tested_does_not_look_like_what_is_not_significant():
    chart = charts.significance_map(SOME, "AP")
    found = {(row["row"], row["column"]): row["significant"] for row in rows_with(chart, "row")}
    assert len(found) == 4 * 3
    tested = {("a", "b"): True, ("b", "d"): False}
    both_ways = tested | {(b, a): told for (a, b), told in tested.items()}
    assert found == dict.fromkeys(found) | both_ways
    colour = chart.to_dict()["encoding"]["color"]
    fills = {rule["test"]: rule["value"] for rule in colour["condition"]}
    assert fills["datum.significant === null"] != fills["!datum.significant"] == "transparent"
    assert chart.to_dict()["title"]["subtitle"] == [
        "1 of 2 pairs differ significantly (t, holm); blank: not.", "Grey: not tested."
    ]  # fmt: skip


def test_curves_of_unequally_many_pairs_say_so():
    more = SOME.with_columns(p_value=pl.lit(0.5))
    some = pl.concat([more, more.head(1).with_columns(measure=pl.lit("RR"))])
    subtitle = charts.asl_curves(some).to_dict()["title"]["subtitle"]
    assert subtitle == ["1 to 3 pairs of runs; dashed: 5 %."]


@pytest.mark.parametrize(
    ("measure", "share"),
    [("V2(AP)", "U(AP)"), ("V2(DCG@10)", "nDCG@10"), ("nDCG@10", "nDCG@10"), ("own", "own")],
)
def test_a_map_of_queries_is_called_what_it_shows(queries, measure, share):
    assert axis_titles(charts.query_map(queries, measure).to_dict()) == {
        f"Actual {share}, mean over systems, 0 to 1",
        f"Expected {share} by chance, 0 to 1",
    }
    titles = axis_titles(charts.expected_histogram(queries, measure).to_dict())
    assert f"Expected {share} of a random ranking, 0 to 1" in titles


def rounded(chart):
    """A chart's rows and axes; sums of floats differ in their last bits from run to run."""
    drawn = chart.to_dict()
    rows = [
        {name: round(v, 9) if isinstance(v, float) else v for name, v in row.items()}
        for data in drawn["datasets"].values()
        for row in data
    ]
    return rows, axis_titles(drawn)


@pytest.mark.parametrize("draw", [charts.query_map, charts.expected_histogram])
def test_of_scores_the_map_takes_the_measure_that_it_names(scores, queries, draw):
    assert rounded(draw(scores, "nDCG@10")) == rounded(draw(queries, "nDCG@10"))
    with pytest.raises(ul.BadUsage, match="no measure 'AP' in the scores; there is nDCG@5"):
        draw(scores, "AP")


def test_significance_levels_rise(every):
    rows = rows_with(every["asl_curves"], "share")
    curve = [row["p_value"] for row in rows if row["measure"] == "nDCG@10"]
    assert len(curve) == 28
    assert curve == sorted(curve)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            lambda s, m, p: charts.score_bars(m, "AP"),
            "no measure 'AP' in the summary; there is",
        ),
        (lambda s, m, p: charts.cutoff_curves(m, "AP"), "no measure 'AP' with cutoffs"),
        (lambda s, m, p: charts.difference_plot(s, "nDCG@5", "bm25", "z"), "no scores of run 'z'"),
        (lambda s, m, p: charts.significance_map(p, "AP"), "no pairs of the measure 'AP'"),
        (lambda s, m, p: charts.rank_bumps(m, "nDCG@5", "AP"), "no measure 'AP'"),
    ],
)
def test_what_is_not_there_is_named(scores, summary, pairs, draw, message):
    with pytest.raises(ul.BadUsage, match=message):
        draw(scores, summary, pairs)


# ---------------------------------------------------------------- pictures
@pytest.mark.parametrize(
    ("ending", "begins"),
    [
        (".svg", b"<svg"),
        (".png", b"\x89PNG"),
        (".pdf", b"%PDF"),
        (".html", b"<!DOCTYPE html>"),
        (".json", b"{"),
    ],
)
def test_pictures(every, tmp_path, ending, begins):
    save_chart(every["expected_histogram"], tmp_path / f"chart{ending}")
    assert (tmp_path / f"chart{ending}").read_bytes().startswith(begins)
    assert [path.name for path in tmp_path.iterdir()] == [f"chart{ending}"]


def test_a_picture_of_another_format_is_refused(every, tmp_path):
    with pytest.raises(ul.BadUsage, match=r"ends in one of \.html, \.svg, \.png, \.pdf, \.json"):
        save_chart(every["query_map"], tmp_path / "chart.bmp")


def test_a_page_fetches_nothing_and_a_chart_may_have_any_number_of_rows(tmp_path):
    points = pl.DataFrame({"x": range(MAX_ROWS + 1)})
    save_chart(alt.Chart(points).mark_point().encode(x="x:Q"), tmp_path / "chart.html")
    text = (tmp_path / "chart.html").read_text("utf-8")
    assert re.findall(r"<(?:script|link)[^>]* (?:src|href)=", text) == []
    assert f'{{"x": {MAX_ROWS}}}' in text


def test_without_the_drawing_package_it_says_what_to_install(every, tmp_path, monkeypatch):
    def gone(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", gone)
    with pytest.raises(ul.BadUsage, match=r"pip install 'ulframe\[pictures\]'"):
        save_chart(every["query_map"], tmp_path / "chart.svg")
    save_chart(every["query_map"], tmp_path / "chart.json")  # is not drawn
