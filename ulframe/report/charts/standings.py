"""Where runs stand: a dot and its interval each, on an axis that fits them, with its value."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from ulframe.report.charts.theme import BLUE, INK, WIDTH, axis, layered, names

BOUNDS = ["mean", "ci_low", "ci_high"]
STRONG_ZERO: Any = {"condition": {"test": "datum.value === 0", "value": 3}, "value": 1}
"""The grid's line at zero, where the axis reaches it."""


def standings_of(rows: pl.DataFrame | alt.NamedData, mean: str) -> alt.LayerChart:
    """Dots of `run, mean, ci_low, ci_high, said, edge` in order, or of data to come.

    `said` is what stands at the right of a run, `edge` the highest `ci_high` of all; `mean` is what
    the axis says. Unlike bars, dots may leave out the zero: what tells runs apart fills the width.
    """
    y = alt.Y("run:N", sort=None).axis(names())
    tooltip = [alt.Tooltip("run:N"), *(alt.Tooltip(f"{one}:Q", format=".4f") for one in BOUNDS)]
    base = alt.Chart(rows).encode(y=y, tooltip=tooltip)
    fitted = alt.Scale(zero=False, padding=8)
    x = alt.X("mean:Q", scale=fitted).title(mean).axis(axis(tickCount=6, gridWidth=STRONG_ZERO))
    whiskers = base.properties(name="whiskers").mark_rule(strokeWidth=1.5, color=INK)
    dots = base.mark_circle(size=70, color=BLUE, opacity=1)
    values = base.mark_text(align="left", dx=8, color=INK)
    return layered(
        whiskers.encode(x=alt.X("ci_low:Q", scale=fitted), x2="ci_high:Q"),
        dots.encode(x=x),
        values.encode(x="edge:Q", text="said:N"),
        width=WIDTH,
    )
