"""Pictures of comparisons: a heat map of agreement between rankers, and curves over the cutoff."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.studies.experts.columns import CONTEST, RANKING, REFERENCE

if TYPE_CHECKING:  # Altair is loaded where something is drawn
    import altair as alt

STEPS = 50  # cutoffs of a curve, at most about
WIDE = 4  # contests beside each other
CURVE = 220  # pixels


def cutoffs(names: Iterable[str], sizes: Iterable[int]) -> list[str]:
    """The measures of a curve over the cutoff, for rankings of so many people.

    >>> cutoffs(["P", "CG"], [1, 2])
    ['P@1', 'P@2', 'CG@1', 'CG@2']
    """
    n = max(sizes, default=1)
    ks = range(1, n + 1, max(1, n // STEPS))
    return [f"{name}@{k}" for name in names for k in ks] or [f"{name}@1" for name in names]


def heat_map(scores: pl.DataFrame, measure: str) -> alt.ConcatChart:
    """How far each ranking agrees with each reference, a map per contest.

    In: what `compare` gives. Raises `BadData` if the measure is not in it.
    """
    import altair as alt

    from ulframe.report.charts.theme import ROW, axis, heading

    rows = scores.filter(pl.col("measure") == measure)
    if not rows.height:
        has = ", ".join(map(repr, scores["measure"].unique(maintain_order=True)))
        raise BadData(f"no scores of {measure!r} to draw; there are {has}")
    every = axis(ticks=False, grid=False, labelOverlap=False)
    maps = [
        alt.Chart(part)
        .mark_rect()
        .encode(
            x=alt.X(f"{REFERENCE}:N").title("reference").axis(every),
            y=alt.Y(f"{RANKING}:N").title("ranking").axis(every),
            color=alt.Color("score:Q").title(measure).scale(scheme="viridis"),
            tooltip=[CONTEST, RANKING, REFERENCE, "n", alt.Tooltip("score:Q", format=".4f")],
        )
        .properties(title=str(contest), width=alt.Step(ROW), height=alt.Step(ROW))
        for (contest,), part in rows.group_by(CONTEST, maintain_order=True)
    ]
    title = heading(f"Agreement of rankings by {measure}")
    whole: alt.ConcatChart = (
        alt.concat(*maps, columns=WIDE).resolve_scale(color="shared").properties(title=title)
    )
    return whole


def curves(scores: pl.DataFrame) -> alt.VConcatChart:
    """Measures over their cutoff, a line per ranking, a panel per contest.

    In: what `compare` gives for measures as `cutoffs` names them; others are left out, and so are
    cutoffs beyond the people compared. Where a ranking has several references, their mean.
    """
    import altair as alt

    from ulframe.report.charts.theme import PALETTE, axis, heading, legend

    found = pl.col("measure").str.extract_groups(r"^(?<name>\w+)@(?<k>\d+)$")
    rows = (
        scores.with_columns(found.struct.unnest())
        .with_columns(pl.col("k").cast(pl.Int64))
        .filter(pl.col("k") <= pl.col("n"))
        .group_by(CONTEST, RANKING, "name", "k", maintain_order=True)
        .agg(pl.col("score").mean())
    )
    if not rows.height:
        raise BadData("no measures with a cutoff among the scores, so there is no curve to draw")
    panels = [
        alt.Chart(part)
        .mark_line()
        .encode(
            x=alt.X("k:Q").title("k").axis(axis(tickMinStep=1, grid=False)),
            y=alt.Y("score:Q").title(f"{name}@k").axis(axis()),
            color=alt.Color(f"{RANKING}:N", legend=legend()).scale(range=PALETTE),
            tooltip=[CONTEST, RANKING, "k", alt.Tooltip("score:Q", format=".4f")],
        )
        .properties(width=CURVE, height=CURVE)
        .facet(alt.Facet(f"{CONTEST}:N", title=None), columns=WIDE)
        .resolve_scale(x="independent", y="independent")
        for (name,), part in rows.group_by("name", maintain_order=True)
    ]
    title = heading("Agreement with the reference by cutoff", "A line per ranking.")
    whole: alt.VConcatChart = alt.vconcat(*panels).properties(title=title)
    return whole
