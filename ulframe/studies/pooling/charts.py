"""Four charts against the pool's size: recall, tau, significance, group A.

Each takes a frame of effects and gives an Altair chart, small multiples by measure where the
measures differ.
"""

from __future__ import annotations

import altair as alt
import polars as pl

from ulframe.frames.intake import FramesLike, as_lazy
from ulframe.report.charts.theme import GREY, PALETTE, axis, heading, layered, legend
from ulframe.studies.pooling.effects import FULL, LEVEL

WIDTH, HEIGHT = 260, 200
KINDS = {"detected": "detected", "false_alarms": "false alarms"}


def recall(effects: FramesLike) -> alt.Chart:
    """The share of relevant documents in the pool, a line per method."""
    rows = _pools(effects).unique(["method", "size"], maintain_order=True)
    chart: alt.Chart = (
        _lines(rows, "recall", "Relevant documents found, 0 to 1")
        .properties(data=rows, width=WIDTH, height=HEIGHT)
        .properties(title=heading("What a pool finds", "Mean share over queries."))
    )
    return chart


def tau(effects: FramesLike, level: float = LEVEL) -> alt.FacetChart:
    """Kendall's tau with the systems' order by all judgements; the dashed line is `level`."""
    mark = alt.Chart().mark_rule(color=GREY, strokeDash=[4, 3]).encode(y=alt.datum(level))
    return _by_measure(
        _pools(effects),
        layered(_lines(None, "tau", "Kendall's tau, -1 to 1"), mark),
        heading("Whether the systems' order holds", f"Against all judgements; dashed: {level}."),
    )


def significance(effects: FramesLike) -> alt.FacetChart:
    """Detected pairs (lines) and false alarms (dashed) among pairs of systems."""
    rows = (
        _pools(effects)
        .unpivot(list(KINDS), index=["method", "size", "measure"], variable_name="kind")
        .with_columns(pl.col("kind").replace_strict(KINDS))
    )
    domain = list(KINDS.values())
    dash = alt.StrokeDash("kind:N").scale(domain=domain, range=[[1, 0], [4, 3]])
    strokes = alt.Legend(title=None, symbolType="stroke", symbolSize=300)
    return _by_measure(
        rows,
        _lines(None, "value", "Share of pairs, 0 to 1").encode(strokeDash=dash.legend(strokes)),
        heading("Whether significant differences are found", "Paired t-test, 95 %."),
    )


def group_a(effects: FramesLike) -> alt.FacetChart:
    """How many systems are not set apart from the best; the dashed line is by all judgements."""
    frame = as_lazy(effects, "tau").collect()
    whole = frame.filter(pl.col("method") == FULL).select("measure", all="group_a")
    rows = _pools(frame).join(whole, on="measure", maintain_order="left")
    mark = alt.Chart().mark_rule(color=GREY, strokeDash=[4, 3]).encode(y="max(all):Q")
    return _by_measure(
        rows,
        layered(_lines(None, "group_a", "Systems in group A"), mark),
        heading("Who is as good as the best", "Tukey's HSD, 95 %; dashed: by all judgements."),
    )


def page(effects: FramesLike) -> alt.VConcatChart:
    """The four charts below each other."""
    frame = as_lazy(effects, "tau").collect()
    whole: alt.VConcatChart = alt.vconcat(
        recall(frame), tau(frame), significance(frame), group_a(frame)
    ).resolve_scale(strokeDash="independent")
    return whole


def _pools(effects: FramesLike) -> pl.DataFrame:
    return as_lazy(effects, "tau").filter(pl.col("method") != FULL).collect()


def _lines(rows: pl.DataFrame | None, value: str, title: str) -> alt.Chart:
    """A line per method over the size; of data that comes later, if `rows` is none."""
    size = alt.X("size:Q").title("Documents judged per query").scale(type="log", padding=8)
    chart: alt.Chart = (
        (alt.Chart() if rows is None else alt.Chart(rows))
        .mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=20))
        .encode(
            x=size.axis(axis(values=[5, 10, 20, 50, 100, 200, 500], grid=False)),
            y=alt.Y(f"{value}:Q").title(title).axis(axis()),
            color=alt.Color("method:N", sort=None, legend=legend()).scale(range=PALETTE),
            tooltip=["method:N", "size:Q", alt.Tooltip(f"{value}:Q", format=".3f")],
        )
    )
    return chart


def _by_measure(
    rows: pl.DataFrame, chart: alt.Chart | alt.LayerChart, title: alt.TitleParams
) -> alt.FacetChart:
    measures = rows["measure"].unique(maintain_order=True).to_list()
    facets: alt.FacetChart = (
        chart.properties(width=WIDTH, height=HEIGHT)
        .facet(
            data=rows,
            facet=alt.Facet("measure:N", sort=measures, title=None),
            columns=3,
        )
        .properties(title=title)
    )
    return facets
