"""The picture of a training curve."""

from __future__ import annotations

from typing import Any

import polars as pl


def heatmap(curve: pl.DataFrame) -> Any:
    """Draw the mean over k and b as an Altair heat map; the best square has a frame.

    In: a curve as `training_curve` gives it. Where other numbers vary too, a square shows the best
    of its scorings.

    >>> curve = pl.DataFrame(
    ...     {"k": [1.0, 2.0], "b": [0.5, 0.5], "measure": "AP", "mean": [0.2, 0.3]}
    ... )
    >>> heatmap(curve).to_dict()["title"]["subtitle"]
    'best: 0.300 at k = 2, b = 0.5'
    """
    import altair as alt

    squares = curve.group_by("k", "b", "measure", maintain_order=True).agg(pl.col("mean").max())
    best = squares.sort("mean", descending=True, maintain_order=True).row(0, named=True)
    is_best = (pl.col("k") == best["k"]) & (pl.col("b") == best["b"])
    # JSON has no infinity; as text it stands behind the numbers, in the curve's order.
    named = squares.with_columns(
        is_best.alias("best"), pl.col("k", "b").map_elements(_short, pl.String)
    )
    title = alt.TitleParams(
        f"{best['measure']} on the training queries",
        subtitle=f"best: {best['mean']:.3f} at k = {_short(best['k'])}, b = {_short(best['b'])}",
        anchor="start",
    )
    base = alt.Chart(named).encode(
        x=alt.X("k:O", sort=None, title="k", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("b:O", sort=None, title="b"),
    )
    squared = base.mark_rect(strokeWidth=2).encode(
        color=alt.Color("mean:Q", title=None, scale=alt.Scale(scheme="blues", zero=False)),
        stroke=alt.condition("datum.best", alt.value("black"), alt.value(None)),
        tooltip=["k", "b", alt.Tooltip("mean:Q", format=".4f")],
    )
    means = squares["mean"].to_list()
    middle = (min(means) + max(means)) / 2
    figures = base.mark_text(fontSize=10).encode(
        text=alt.Text("mean:Q", format=".3f"),
        color=alt.condition(f"datum.mean > {middle}", alt.value("white"), alt.value("black")),
    )
    return alt.layer(squared, figures).properties(
        title=title, width=alt.Step(44), height=alt.Step(26)
    )


def _short(number: float) -> str:
    return f"{number:g}"
