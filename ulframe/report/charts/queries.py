"""Charts of queries: what systems reach on each, beside what a random ranking is expected to."""

from __future__ import annotations

import altair as alt
import polars as pl

from ulframe.analysis.queries import real_and_expected
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.report.charts.theme import (
    ABOVE,
    BELOW,
    BLUE,
    GREY,
    HEIGHT,
    INK,
    WIDTH,
    axis,
    heading,
    layered,
)
from ulframe.report.families import share_of_best
from ulframe.report.tables import collected

MAP_QUERIES, SEED = 2_000, 0
"""More points than this hide each other."""

REGIONS = pl.DataFrame(
    [
        ("ideal", 0.93, 0.04, 0),
        ("easy", 0.93, 0.86, 0),
        ("hard", 0.12, 0.03, 0),
        ("distractive", 0.13, 0.96, 0),
        ("uninformative", 0.46, 0.51, 315),
    ],
    schema=["region", "real", "expected", "angle"],
    orient="row",
)
"""What the regions are called, where their names stand, and at which angle."""

TENTHS = [f"{low / 10:.1f}-{(low + 1) / 10:.1f}" for low in range(10)]


def expected_histogram(queries: FramesLike, measure: str) -> alt.Chart:
    """How many queries have which expected score, a bar per tenth (the paper's Figures 2 and 3).

    In: scores, of which `measure` is taken; or what `real_and_expected` gives of the cutoffs that
    are to be averaged, and `measure` is what the chart calls it. Queries where nothing is relevant
    are left out and counted in the subtitle.
    """
    frame = _of_measure(queries, measure)
    share = share_of_best(measure)
    counts = tenths(frame)
    chart: alt.Chart = (
        alt.Chart(counts)
        .mark_bar(color=BLUE)
        .encode(
            x=alt.X("tenth:O", sort=TENTHS)
            .title(f"Expected {share} of a random ranking, 0 to 1")
            .axis(axis(labelAngle=0, grid=False)),
            y=alt.Y("queries:Q").title("Queries").axis(axis(tickMinStep=1)),
            tooltip=[alt.Tooltip("tenth:O", title="expected"), alt.Tooltip("queries:Q")],
        )
        .properties(
            title=heading(f"What chance reaches: expected {measure}", _left_out(frame)),
            width=WIDTH,
            height=240,
        )
    )
    return chart


def tenths(queries: pl.DataFrame) -> pl.DataFrame:
    """`tenth: String, queries: Int64`, a row for each tenth of [0, 1]; 1 is in the last."""
    place = (pl.col("expected") * 10).floor().clip(0, 9).cast(pl.Int64)
    counts = queries.drop_nulls("expected").group_by(place=place).agg(queries=pl.len())
    every = pl.DataFrame({"place": range(10), "tenth": TENTHS})
    return every.join(counts, on="place", how="left", maintain_order="left").select(
        "tenth", pl.col("queries").fill_null(0).cast(pl.Int64)
    )


def query_map(queries: FramesLike, measure: str) -> alt.LayerChart:
    """Each query where its actual and its expected score put it (the paper's Figure 1).

    In: scores, of which `measure` is taken; or what `real_and_expected` gives, and `measure` is
    what the chart calls it. The axes are shares of the best possible. Informative queries lie below
    the diagonal, in the lower right. Of more than 2,000 queries a sample is shown, which the
    subtitle says, as it counts those where nothing is relevant.
    """
    frame = _of_measure(queries, measure)
    shown = sampled(frame.drop_nulls())
    lines = ["Below the diagonal, systems beat a random ranking."]
    if (of := len(frame.drop_nulls())) > len(shown):
        lines.append(f"A sample of {len(shown):,} of {of:,} queries.")
    if left_out := _left_out(frame):
        lines.append(left_out)
    title = heading(f"Query types by {measure}", *lines)
    points = shown.select("query_id", "real", "expected")
    return map_of(points, share_of_best(measure)).properties(title=title)


def _of_measure(frame: FramesLike, measure: str) -> pl.DataFrame:
    """`query_id, real, expected`: as given, or of that measure in scores."""
    rows = collected(frame, ["query_id", "expected"])
    if "measure" not in rows.columns:
        return collected(rows, ["query_id", "real", "expected"])
    found = rows.filter(measure=measure)
    if found.is_empty():
        have = ", ".join(rows["measure"].unique(maintain_order=True).head(3))
        raise BadUsage(f"no measure {measure!r} in the scores; there is {have}")
    return real_and_expected(found).collect()


def sampled(queries: pl.DataFrame, n: int = MAP_QUERIES) -> pl.DataFrame:
    """`n` queries drawn with a fixed seed, in their order; all, where there are no more."""
    if len(queries) <= n:
        return queries
    places = pl.int_range(len(queries), eager=True).sample(n, seed=SEED).sort()
    return queries[places]


def map_of(points: pl.DataFrame | alt.NamedData, measure: str) -> alt.LayerChart:
    """The map without a title, of `query_id, real, expected` or of data that comes later."""
    unit = alt.Scale(domain=[0, 1], nice=False, zero=False)
    above = alt.datum.real >= alt.datum.expected
    x = alt.X("real:Q", scale=unit).axis(axis(tickCount=5))
    y = alt.Y("expected:Q", scale=unit).axis(axis(tickCount=5))
    dots = (
        alt.Chart(points, name="dots")
        .mark_circle(size=34, opacity=0.55, clip=False)
        .encode(
            x=x.title(f"Actual {measure}, mean over systems, 0 to 1"),
            y=y.title(f"Expected {measure} by chance, 0 to 1"),
            color=alt.when(above).then(alt.value(ABOVE)).otherwise(alt.value(BELOW)),
            tooltip=[
                alt.Tooltip("query_id:N", title="query"),
                alt.Tooltip("real:Q", title="actual", format=".3f"),
                alt.Tooltip("expected:Q", format=".3f"),
            ],
        )
    )
    ends = pl.DataFrame({"real": [0.0, 1.0], "expected": [0.0, 1.0]})
    diagonal = (
        alt.Chart(ends).mark_line(color=GREY, strokeDash=[4, 3], strokeWidth=1).encode(x=x, y=y)
    )
    regions = alt.Chart(REGIONS).encode(
        x=x, y=y, text="region:N", angle=alt.Angle("angle:Q", scale=None)
    )
    halo = regions.mark_text(fontSize=12, stroke="white", strokeWidth=4, strokeOpacity=0.75)
    labels = regions.mark_text(fontSize=12, color=INK)
    return layered(
        dots, diagonal, halo.properties(name="halo"), labels, width=HEIGHT, height=HEIGHT
    )


def _left_out(queries: pl.DataFrame) -> str:
    undefined = queries["expected"].null_count()
    return f"{undefined:,} queries with nothing relevant are left out." if undefined else ""
