"""How all charts look: colours that colour-blind readers tell apart, titles, axes.

Nothing here is a `configure_...`, so that every chart can still be layered and concatenated.
"""

from __future__ import annotations

from typing import TypedDict, Unpack

import altair as alt
from altair.theme import AxisConfigKwds

BLUE, ORANGE, GREEN, VERMILLION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, BROWN, GREY, INK = "#CC79A7", "#56B4E9", "#8C6D31", "#8A8F98", "#33373D"
PALETTE = [BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BROWN, "#5E4FA2"]
"""After Okabe and Ito, whose black and yellow vanish on a dark or a light page."""

ABOVE, BELOW = BLUE, VERMILLION
"""Above and below something: chance, another run."""

ROW = 18  # pixels that a run takes up on a discrete axis
WIDTH, HEIGHT = 420, 320
NAME_LIMIT = 240  # pixels of a name before it is cut short; the tooltip has it whole
MAX_ROWS = 5_000
"""Altair's limit for the rows of a chart."""


class Properties(TypedDict, total=False):
    """What a chart is told beside what it encodes."""

    title: alt.TitleParams
    width: int | alt.Step
    height: int | alt.Step


def layered(
    *layers: alt.Chart | alt.LayerChart, **properties: Unpack[Properties]
) -> alt.LayerChart:
    """Layers as one chart, with the properties given."""
    chart: alt.LayerChart = alt.layer(*layers)  # type: ignore[assignment]
    return chart.properties(**properties)


def heading(text: str, *lines: str) -> alt.TitleParams:
    """A title at the left, with lines in grey below."""
    return alt.TitleParams(
        text,
        subtitle=list(lines),
        anchor="start",
        frame="group",
        fontSize=14,
        offset=10,
        subtitleFontSize=11.5,
        subtitleColor=GREY,
        subtitlePadding=4,
    )


def legend() -> alt.Legend:
    """A legend of lines, without a title, with whole names."""
    return alt.Legend(title=None, labelLimit=NAME_LIMIT, symbolStrokeWidth=2)


def axis(**more: Unpack[AxisConfigKwds]) -> alt.Axis:
    """An axis with a faint grid and whole names."""
    look: AxisConfigKwds = {
        "labelLimit": NAME_LIMIT,
        "labelOverlap": "greedy",
        "labelFlush": False,
        "titleFontWeight": "normal",
        "gridOpacity": 0.5,
        "domain": False,
        "tickColor": "#ccc",
    }
    return alt.Axis(**(look | more))


def names(**more: Unpack[AxisConfigKwds]) -> alt.Axis:
    """An axis of names: all of them, no title, no grid."""
    look: AxisConfigKwds = {
        "title": None, "ticks": False, "grid": False, "labelPadding": 6, "labelOverlap": False,
    }  # fmt: skip
    return axis(**(look | more))
