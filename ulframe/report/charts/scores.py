"""Charts of scores: means with their intervals, by cutoff, query by query, between two measures."""

from __future__ import annotations

import altair as alt
import polars as pl

from ulframe.analysis.blocks import settled
from ulframe.evaluation.summarise import UNDEFINED, Undefined
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.report.charts.theme import (
    ABOVE,
    BELOW,
    BLUE,
    GREY,
    HEIGHT,
    INK,
    NAME_LIMIT,
    PALETTE,
    ROW,
    WIDTH,
    axis,
    heading,
    layered,
    legend,
    names,
)
from ulframe.report.families import by_cutoff, measure_of
from ulframe.report.tables import collected, of_set

BARS = 500
"""More bars than this are thinner than a pixel: neighbours are averaged."""
BUMP_WIDTH = 260


def scale_of(measure: str) -> str:
    """The measure's range as an axis says it: `, 0 to 1`; nothing where it has no fixed one."""
    known = measure_of(measure)
    span = known.operator.range if known else ""
    return f", {span}" if span[:1] in {"0", "-"} else ""


def score_bars(summary: FramesLike, measure: str, *, set: str | None = None) -> alt.LayerChart:
    """A bar per run, best first, with the 95 % confidence interval of its mean.

    In: a summary as `summarise` gives it; of several query sets, the one that `set` names.
    """
    rows = _of_measure(of_set(summary, set), measure)
    n = rows.select(pl.col("n_queries").max()).item()
    title = heading(f"{measure} by run", f"Mean over {n:,} queries; lines are 95 % intervals.")
    best_first = rows.select(BAR_COLUMNS).sort("mean", descending=True, nulls_last=True)
    return bars_of(best_first, f"Mean {measure}{scale_of(measure)}").properties(
        title=title, height=ROW * len(rows)
    )


BAR_COLUMNS = ["run", "mean", "ci_low", "ci_high"]


def bars_of(rows: pl.DataFrame | alt.NamedData, mean: str) -> alt.LayerChart:
    """The bars of `run, mean, ci_low, ci_high` in order, or of data to come; `mean` as said."""
    y = alt.Y("run:N", sort=None).axis(names())
    bars = (
        alt.Chart(rows)
        .mark_bar(color=BLUE, opacity=0.6)
        .encode(
            x=alt.X("mean:Q").title(mean).axis(axis(tickCount=6)),
            y=y,
            tooltip=[
                alt.Tooltip("run:N"),
                *(alt.Tooltip(f"{name}:Q", format=".4f") for name in BAR_COLUMNS[1:]),
            ],
        )
    )
    whiskers = (
        alt.Chart(rows, name="whiskers")
        .mark_rule(strokeWidth=1.5, color=INK)
        .encode(x=alt.X("ci_low:Q"), x2="ci_high:Q", y=y)
    )
    return layered(bars, whiskers, width=WIDTH)


def cutoff_curves(summary: FramesLike, family: str, *, set: str | None = None) -> alt.LayerChart:
    """A line per run: its mean against the cutoff.

    In: a summary; `family`, a measure without its cutoff, such as `nDCG` or `V2(SP)`. The eight
    best runs at the deepest cutoff have a colour and a shape, others are grey.
    """
    rows = by_cutoff(of_set(summary, set)).filter(family=family).select("run", "k", "mean")
    if rows.is_empty():
        raise BadUsage(f"no measure {family!r} with cutoffs in the summary")
    last = rows.filter(pl.col("k") == pl.col("k").max()).sort("mean", descending=True)
    first = last["run"].head(len(PALETTE)).to_list()
    lines = ["Best at the deepest cutoff first."]
    if (others := last.height - len(first)) > 0:
        lines.append(f"{others} other runs in grey.")
    x = alt.X("k:Q").title("Cutoff k, ranks").scale(zero=False, padding=8)
    x = x.axis(axis(values=sorted(rows["k"].unique()), grid=False))
    y = (
        alt.Y("mean:Q")
        .title(f"Mean {family}@k{scale_of(family + '@1')}")
        .scale(zero=False)
        .axis(axis())
    )
    tooltip = [
        alt.Tooltip("run:N"),
        alt.Tooltip("k:Q", title="cutoff"),
        alt.Tooltip("mean:Q", format=".4f"),
    ]

    def curves(part: pl.DataFrame) -> alt.Chart:
        return alt.Chart(part).encode(x=x, y=y, detail="run:N", tooltip=tooltip)

    coloured = pl.col("run").is_in(first)
    best = curves(rows.filter(coloured)).encode(
        color=alt.Color("run:N", scale=alt.Scale(domain=first, range=PALETTE)).legend(legend()),
        shape=alt.Shape("run:N", scale=alt.Scale(domain=first)).legend(legend()),
    )
    parts = [best.mark_line(strokeWidth=2), best.mark_point(size=45, filled=True)]
    if others > 0:
        grey = curves(rows.filter(~coloured)).mark_line(color=GREY, opacity=0.4, strokeWidth=1)
        parts = [grey, *parts]
    title = heading(f"{family} by cutoff", *lines)
    return layered(*parts, title=title, width=WIDTH, height=HEIGHT)


def difference_plot(
    scores: FramesLike, measure: str, run_a: str, run_b: str, *, undefined: Undefined = "zero"
) -> alt.Chart:
    """Query by query, how much better one run is than another, largest gain first.

    In: `scores` as `evaluate` gives them. Undefined scores count as 0, or with `undefined="skip"`
    their queries are left out. What rounding alone makes differ is no difference, as in `compare`.
    Of more than 500 queries, neighbours are averaged.
    """
    frame = collected(scores, ["run", "query_id", "measure", "score"]).filter(measure=measure)
    for run in (run_a, run_b):
        if frame.filter(run=run).is_empty():
            raise BadUsage(f"no scores of run {run!r} and measure {measure!r}")
    counted = frame.with_columns(UNDEFINED[undefined])
    both = counted.filter(run=run_a).join(counted.filter(run=run_b), on="query_id", suffix="_b")
    found = _differences(both.drop_nulls())
    mean = found.select(pl.col("diff").mean().fill_null(0)).item()
    better, worse = ((found["diff"] * sign > 0).sum() for sign in (1, -1))
    lines = [f"{run_a} better on {better:,} queries, {run_b} on {worse:,}; "
             f"mean difference {mean:+.4f}."]  # fmt: skip
    shown, size = _thinned(found)
    if size > 1:
        lines.append(f"A bar averages {size} neighbouring queries.")
    tooltips = [alt.Tooltip("query_id:N", title="query")] if size == 1 else []
    positive = alt.datum.diff > 0
    chart: alt.Chart = (
        alt.Chart(shown)
        .mark_bar()
        .encode(
            x=alt.X("start:Q")
            .title("Queries, ordered by the difference")
            .scale(nice=False, domain=[0, len(found)])
            .axis(axis(grid=False)),
            x2="stop:Q",
            y=alt.Y("diff:Q").title(f"{measure}: {run_a} minus {run_b}").axis(axis()),
            y2=alt.datum(0),
            color=alt.when(positive).then(alt.value(ABOVE)).otherwise(alt.value(BELOW)),
            tooltip=[*tooltips, alt.Tooltip("diff:Q", title="difference", format="+.4f")],
        )
        .properties(
            title=heading(f"{run_a} against {run_b}, query by query", *lines),
            width=WIDTH,
            height=240,
        )
    )
    return chart


def _differences(both: pl.DataFrame) -> pl.DataFrame:
    """`query_id, diff`; 0 where the tests see no difference either."""
    a, b = settled(both.select("score", "score_b").to_numpy().T)
    return both.select("query_id", diff=pl.Series(a - b))


def _thinned(found: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """`query_id, diff, start, stop`, one bar per so many queries."""
    size = -(-len(found) // BARS) or 1
    bar = pl.int_range(pl.len()) // size
    shown = (
        found.sort("diff", "query_id", descending=[True, False])
        .group_by(bar.alias("bar"), maintain_order=True)
        .agg(pl.col("query_id").first(), pl.col("diff").mean(), n=pl.len())
        .with_columns(stop=pl.col("n").cum_sum())
    )
    return shown.select("query_id", "diff", start=pl.col("stop") - pl.col("n"), stop="stop"), size


def rank_bumps(
    summary: FramesLike, measure_a: str, measure_b: str, *, set: str | None = None
) -> alt.LayerChart:
    """Where each run ranks by one measure, and where by another; a line joins the two.

    In: a summary. Blue lines rise, orange ones fall, grey ones stay. Equal means rank by name.
    """
    rows = of_set(summary, set)
    ranked = [
        _of_measure(rows, name)
        .sort("mean", "run", descending=[True, False], nulls_last=True)
        .select("run", "mean", rank=pl.int_range(1, pl.len() + 1))
        for name in (measure_a, measure_b)
    ]
    both = ranked[0].join(ranked[1], on="run", suffix="_b", maintain_order="left")
    change = both.with_columns(moved=pl.col("rank") - pl.col("rank_b"))
    up, down = ((change["moved"] * sign > 0).sum() for sign in (1, -1))
    sides = [("rank", "mean", measure_a, -9), ("rank_b", "mean_b", measure_b, 9)]
    ends = pl.concat(
        change.select("run", "moved", rank=rank, mean=mean, measure=pl.lit(name))
        for rank, mean, name, *_ in sides
    )
    order = [measure_a, measure_b]
    room = min(NAME_LIMIT, 40 + 6 * max(map(len, both["run"])))  # the names stand there
    colour = (
        alt.when(alt.datum.moved > 0)
        .then(alt.value(ABOVE))
        .when(alt.datum.moved < 0)
        .then(alt.value(BELOW))
        .otherwise(alt.value(GREY))
    )
    x = alt.X("measure:N", sort=order, scale=alt.Scale(type="point", padding=0.02))
    base = alt.Chart(ends).encode(
        x=x.axis(names(orient="top", labelAngle=0, labelPadding=14)),
        y=alt.Y("rank:Q").title("Rank, 1 is best").scale(reverse=True, zero=False, nice=False)
        .axis(axis(grid=False, labels=False, ticks=False, titlePadding=room)),
        detail="run:N",
        color=colour,
        tooltip=[alt.Tooltip("run:N"), alt.Tooltip("measure:N"), alt.Tooltip("rank:Q"),
                 alt.Tooltip("mean:Q", format=".4f")],
    )  # fmt: skip
    named = [
        base.transform_filter(alt.datum.measure == name)
        .transform_calculate(label=label)
        .mark_text(align="right" if dx < 0 else "left", dx=dx, limit=NAME_LIMIT)
        .encode(text="label:N", color=alt.value(INK))
        for (_, _, name, dx), label in zip(
            sides, ("datum.run + '  ' + datum.rank", "datum.rank + '  ' + datum.run"), strict=True
        )
    ]
    title = heading("Ranks by two measures", f"Rising: {up}, falling: {down}, of {len(both)} runs.")
    lines = base.mark_line(strokeWidth=2), base.mark_circle(size=50)
    return layered(*lines, *named, title=title, width=BUMP_WIDTH, height=ROW * max(len(both), 6))


def _of_measure(rows: pl.DataFrame, measure: str) -> pl.DataFrame:
    found = rows.filter(measure=measure)
    if found.is_empty():
        have = ", ".join(rows["measure"].unique(maintain_order=True))
        raise BadUsage(f"no measure {measure!r} in the summary; there is {have}")
    return found
