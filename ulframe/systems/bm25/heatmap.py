"""The picture of a training curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    import altair as alt

WIDE, HIGH = 44, 26  # pixels of a square


def heatmap(curve: pl.DataFrame) -> alt.LayerChart:
    """Draw the mean over k and b as an Altair heat map; the best square has a frame.

    In: a curve as `training_curve` gives it. Where other numbers vary too, a square shows the best
    of its scorings.

    >>> rows = {"k": [1.0, 2.0], "b": [0.5, 0.5], "measure": ["AP"] * 2, "mean": [0.2, 0.3]}
    >>> heatmap(pl.DataFrame(rows)).to_dict()["title"]["subtitle"]
    ['Mean over the training queries; best: 0.300 at k = 2, b = 0.5.']
    """
    import altair as alt  # here, since a search must not wait for it

    from ulframe.report.charts.theme import axis, heading, layered

    squares = squares_of(curve)
    best = squares.filter("best").row(0, named=True)
    title = heading(
        f"{best['measure']} by k and b",
        f"Mean over the training queries; best: {best['mean']:.3f} at k = {best['k']}, "
        f"b = {best['b']}.",
    )
    base = alt.Chart(squares).encode(
        x=alt.X("k:O", sort=None).title("k").axis(axis(labelAngle=0, labelOverlap=False)),
        y=alt.Y("b:O", sort=None).title("b").axis(axis(labelOverlap=False)),
        tooltip=["k:O", "b:O", alt.Tooltip("mean:Q", format=".4f")],
    )
    colour = alt.Color("mean:Q", title=None).scale(alt.Scale(scheme="blues", zero=False))
    rects = base.mark_rect().encode(color=colour.legend(None))
    frame = base.transform_filter(alt.datum.best).mark_rect(
        fillOpacity=0, stroke="black", strokeWidth=2
    )
    means = squares["mean"].to_list()
    middle = (min(means) + max(means)) / 2
    figures = base.mark_text(fontSize=10).encode(
        text=alt.Text("mean:Q", format=".3f"),
        color=alt.when(alt.datum.mean > middle).then(alt.value("white")).otherwise(
            alt.value("black")
        ),
    )  # fmt: skip
    size = {"width": alt.Step(WIDE), "height": alt.Step(HIGH)}
    return layered(rects, figures, frame, title=title, **size)


def squares_of(curve: pl.DataFrame) -> pl.DataFrame:
    """`k, b, measure, mean, best`: a row per square; numbers as text, since k may be infinite."""
    squares = curve.group_by("k", "b", "measure", maintain_order=True).agg(pl.col("mean").max())
    number = pl.int_range(pl.len())
    return squares.with_columns(
        pl.col("k", "b").map_elements("{:g}".format, pl.String),
        best=number == pl.col("mean").round(12).arg_max(),
    )
