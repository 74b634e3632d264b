"""Two runs side by side: every query's difference, and the score of one against the other."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from ulframe.report.charts.theme import ABOVE, BELOW, GREY, HEIGHT, WIDTH, axis, layered

TOOLTIP = [
    alt.Tooltip("query_id:N", title="query"),
    *(alt.Tooltip(f"{name}:Q", title=name.upper(), format=".4f") for name in "ab"),
    alt.Tooltip("diff:Q", title="A minus B", format="+.4f"),
]


HELPED, HURT = alt.datum.diff > 0, alt.datum.diff < 0
COLOUR: Any = (alt.when(HELPED).then(alt.value(ABOVE)).when(HURT).then(alt.value(BELOW))).otherwise(
    alt.value(GREY)
)


def differences_of(rows: pl.DataFrame | alt.NamedData, measure: str) -> alt.Chart:
    """A bar per query, of `query_id, a, b, diff, place, after`, or of data to come."""
    chart: alt.Chart = (
        alt.Chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("place:Q").title("Queries, ordered by the difference")
            .scale(nice=False).axis(axis(grid=False)),
            x2="after:Q",
            y=alt.Y("diff:Q").title(f"{measure}: A minus B").axis(axis()),
            y2=alt.datum(0),
            color=COLOUR,
            tooltip=TOOLTIP,
        )
        .properties(width=WIDTH, height=HEIGHT)
    )  # fmt: skip
    return chart


def against_of(rows: pl.DataFrame | alt.NamedData, measure: str) -> alt.LayerChart:
    """A dot per query: B's score across, A's up; the dashed line is where they are the same."""
    x = alt.X("b:Q").title(f"{measure} of B").axis(axis(tickCount=5))
    y = alt.Y("a:Q").title(f"{measure} of A").axis(axis(tickCount=5))
    dots = alt.Chart(rows).mark_circle(size=34, opacity=0.55)
    most = alt.Chart(rows).transform_aggregate(a="max(a)", b="max(b)")
    ends = most.transform_calculate(zero="0", end="max(datum.a, datum.b)")
    same = ends.mark_rule(color=GREY, strokeDash=[4, 3]).encode(
        x="zero:Q", y="zero:Q", x2="end:Q", y2="end:Q"
    )
    return layered(
        same,
        dots.encode(x=x, y=y, color=COLOUR, tooltip=TOOLTIP),
        width=WIDTH,
        height=HEIGHT,
    )
