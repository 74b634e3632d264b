"""The chart of how many queries a comparison takes."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from ulframe.analysis.sample_size import ALPHA, POWER, effect_detectable
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.report.charts.theme import (
    GREY,
    HEIGHT,
    PALETTE,
    WIDTH,
    axis,
    heading,
    layered,
    legend,
)
from ulframe.report.tables import of_set

POINTS = 60  # of a curve
FEWEST, MOST = 5, 100_000  # queries that are drawn
MORE = 10  # times today's queries to which curves go at least


def needs_curves(
    needs: FramesLike, *, set: str | None = None, alpha: float = ALPHA, power: float = POWER
) -> alt.LayerChart:
    """By number of queries, the smallest difference that they find; and each pair where it stands.

    In: what `sample_size` gives, with the levels it was given. A curve is a measure's: of a pair
    whose differences spread as those of its pairs do in the median. A dot is a pair of runs: how
    many queries its difference takes. Left of the dashed line are pairs that today's queries find.
    """
    rows = of_set(needs, set)
    measures = rows["measure"].unique(maintain_order=True).to_list()
    if len(measures) > len(PALETTE):
        raise BadUsage(f"{len(measures)} curves cannot be told apart; choose {len(PALETTE)}")
    today = int(rows["n_queries"].max() or 0)  # type: ignore[arg-type]
    dots = _dots(rows)
    last = min(MOST, max(MORE * today, int(dots["needed"].max() or 0)))  # type: ignore[arg-type]
    x = alt.X("needed:Q").title("Queries (logarithmic)").axis(axis(tickCount=6, format="~s"))
    x = x.scale(type="log", domain=[FEWEST, last], nice=False, clamp=True)
    y = alt.Y("difference:Q").title("Difference of means, in the measure's unit (logarithmic)")
    y = y.axis(axis(format="~g", tickCount=5)).scale(type="log")
    color = alt.Color("measure:N", legend=legend()).scale(domain=measures, range=PALETTE)
    line = alt.Chart(_curves(rows, last, alpha, power)).mark_line(strokeWidth=2)
    pairs = alt.Chart(dots).mark_circle(size=22, opacity=0.5)
    now = alt.Chart(pl.DataFrame({"needed": [today]})).mark_rule(color=GREY, strokeDash=[4, 3])
    return layered(
        line.encode(x=x, y=y, color=color),
        pairs.encode(x=x, y=y, color=color, tooltip=_tooltip()),
        now.encode(x="needed:Q"),
        title=heading(
            "How many queries a difference takes",
            f"Lines: the smallest difference found with power {power:g} at {alpha:.0%}, two-sided.",
            f"Dots: pairs of runs; dashed: the {today:,} queries of today.",
        ),
        width=WIDTH,
        height=HEIGHT,
    )


def _dots(rows: pl.DataFrame) -> pl.DataFrame:
    difference = pl.col("diff").abs().alias("difference")
    drawn = rows.filter(pl.col("diff") != 0, pl.col("needed") <= MOST)
    return drawn.select("measure", "run_a", "run_b", "needed", difference)


def _tooltip() -> list[alt.Tooltip]:
    numbers = [
        alt.Tooltip("difference:Q", format=".4f"),
        alt.Tooltip("needed:Q", title="queries needed", format=","),
    ]
    return [alt.Tooltip("measure:N"), alt.Tooltip("run_a:N"), alt.Tooltip("run_b:N"), *numbers]


def _curves(rows: pl.DataFrame, last: int, alpha: float, power: float) -> pl.DataFrame:
    queries = np.unique(np.geomspace(FEWEST, last, POINTS).astype(int)).tolist()
    effects = [effect_detectable(n, alpha=alpha, power=power) for n in queries]
    curve = pl.DataFrame({"needed": queries, "effect": effects})
    spread = rows.group_by("measure", maintain_order=True).agg(pl.col("sd").median())
    both = spread.join(curve, how="cross")
    return both.select("measure", "needed", difference=pl.col("effect") * pl.col("sd"))
