"""Charts of pairs of runs: which differ significantly, and how well a measure tells them apart."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from ulframe.analysis.power import asl_curve
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.report.charts.theme import (
    GREY,
    HEIGHT,
    PALETTE,
    ROW,
    WIDTH,
    axis,
    heading,
    layered,
    legend,
    names,
)
from ulframe.report.tables import of_set, span

CURVE_POINTS = 300  # of one curve; a screen shows no more
ALPHA = 0.05
MAP_RUNS = 60
"""The heat map holds this many runs' pairs, both ways, within the limit of rows."""

UNTESTED = "#DADCE0"

BLANK: Any = [
    {"test": "datum.significant === null", "value": UNTESTED},
    {"test": "!datum.significant", "value": "transparent"},
]
"""What a square is where no difference colours it."""

SQUARES = ["row", "column", "row_place", "column_place", "diff", "p_adjusted", "significant"]


def asl_curves(pairs: FramesLike, *, set: str | None = None) -> alt.LayerChart:
    """Each measure's p-values in rising order: the lower a curve, the better it tells runs apart.

    In: a frame of pairs. The significance levels reached are unadjusted p-values, over all pairs
    of runs (Sakai 2006). The dashed line is the level of 5 %.
    """
    rows = of_set(pairs, set)
    curves = curve_points(rows)
    measures = curves["measure"].unique(maintain_order=True).to_list()
    if len(measures) > len(PALETTE):
        raise BadUsage(f"{len(measures)} curves cannot be told apart; choose {len(PALETTE)}")
    scale = alt.Scale(domain=measures)
    lines = (
        alt.Chart(curves)
        .mark_line(strokeWidth=2, interpolate="step-before")
        .encode(
            x=alt.X("share:Q")
            .title("Share of pairs of runs, most significant first")
            .axis(axis(format="%", tickCount=5)),
            y=alt.Y("p_value:Q").title("Significance level reached (p, 0 to 1)").axis(axis()),
            color=alt.Color("measure:N", legend=legend()).scale(domain=measures, range=PALETTE),
            strokeDash=alt.StrokeDash("measure:N", legend=legend(), scale=scale),
            tooltip=[
                alt.Tooltip("measure:N"),
                alt.Tooltip("share:Q", format=".1%"),
                alt.Tooltip("p_value:Q", title="p", format=".4f"),
            ],
        )
    )
    level = alt.Chart(pl.DataFrame({"p_value": [ALPHA]})).mark_rule(color=GREY, strokeDash=[4, 3])
    n = span(rows.group_by("measure").len()["len"])
    return layered(
        lines,
        level.encode(y="p_value:Q"),
        title=heading("How well measures tell runs apart", f"{n} pairs of runs; dashed: 5 %."),
        width=WIDTH,
        height=HEIGHT,
    )


def curve_points(pairs: pl.DataFrame) -> pl.DataFrame:
    """`measure, share, p_value`: the curve of each measure, thinned evenly."""
    n = pl.len().over("measure")
    kept = (pl.col("place") % (n // CURVE_POINTS + 1) == 0) | (pl.col("place") == n)
    curve = asl_curve(pairs).filter(kept | (pl.col("place") == 1))
    return curve.select("measure", "share", "p_value").collect()


def significance_map(pairs: FramesLike, measure: str, *, set: str | None = None) -> alt.Chart:
    """All pairs of runs, best first: who is significantly better, and by how much.

    In: a frame of pairs. A square says what the run of its row has more than that of its column;
    blank ones are not significant, grey ones were not tested. More than 60 runs: the best 60, and
    it says so.
    """
    rows = of_set(pairs, set).filter(measure=measure)
    if rows.is_empty():
        raise BadUsage(f"no pairs of the measure {measure!r}")
    squares = squares_of(rows)
    shown, total = squares["row"].n_unique(), len({*rows["run_a"], *rows["run_b"]})
    tested = rows["significant"].drop_nulls()
    how = ", ".join(rows.select("test", "correction").row(0))
    lines = [
        f"{int(tested.sum()):,} of {len(tested):,} pairs differ significantly ({how}); blank: not."
    ]
    if squares["significant"].null_count():
        lines.append("Grey: not tested.")
    if total > shown:
        lines.append(f"The best {shown} of {total} runs.")
    title = heading(f"Pairs of runs by {measure}", *lines)
    side = ROW * shown
    return map_of_pairs(squares, measure).properties(title=title, width=side, height=side)


def squares_of(pairs: pl.DataFrame, runs: int = MAP_RUNS) -> pl.DataFrame:
    """`row, column, row_place, column_place, diff, p_adjusted, significant`: each pair both ways.

    Places count from 0, best first, and only so many `runs` are kept. Of pairs that were not tested
    the last three are null.
    """
    both = pl.concat(
        pairs.select(
            "p_adjusted",
            "significant",
            row=f"run_{one}",
            column=f"run_{other}",
            mean=f"mean_{one}",
            diff=pl.col("diff") * sign,
        )
        for one, other, sign in (("a", "b", 1), ("b", "a", -1))
    )
    best = (
        both.group_by("row")
        .agg(pl.col("mean").first())
        .sort("mean", "row", descending=[True, False], nulls_last=True)
        .head(runs)
        .select("row", row_place=pl.int_range(pl.len()))
    )
    return (
        best.join(best.select(column="row", column_place="row_place"), how="cross")
        .filter(pl.col("row_place") != pl.col("column_place"))
        .join(both, on=["row", "column"], how="left")
        .sort("row_place", "column_place")
        .select(SQUARES)
    )


def map_of_pairs(squares: pl.DataFrame | alt.NamedData, measure: str) -> alt.Chart:
    """The heat map without a title, of what `squares_of` gives or of data that comes later."""
    colour = (
        alt.Color("diff:Q")
        .title(f"{measure}, row minus column")
        .scale(alt.Scale(scheme="blueorange", reverse=True, domainMid=0))
        .legend(orient="bottom", gradientLength=200, titleLimit=400, titleFontWeight="normal")
    )
    chart: alt.Chart = (
        alt.Chart(squares)
        .mark_rect(stroke=GREY, strokeOpacity=0.35, strokeWidth=0.5)
        .encode(
            x=alt.X("column:N", sort=alt.EncodingSortField("column_place", op="min")).axis(
                names(orient="top", labelAngle=-60)
            ),
            y=alt.Y("row:N", sort=alt.EncodingSortField("row_place", op="min")).axis(names()),
            color=colour.condition(BLANK),
            tooltip=[
                alt.Tooltip("row:N", title="run"),
                alt.Tooltip("column:N", title="against"),
                alt.Tooltip("diff:Q", title="difference", format="+.4f"),
                alt.Tooltip("p_adjusted:Q", title="adjusted p", format=".2g"),
            ],
        )
    )
    return chart
