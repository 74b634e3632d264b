"""Pictures of comparisons: a heat map of agreement between rankers, and curves over the cutoff."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from ulframe.frames.atomic import appearing
from ulframe.frames.errors import BadData, BadUsage
from ulframe.studies.experts.columns import CONTEST, RANKING, REFERENCE

STEPS = 50  # cutoffs of a curve, at most about
WIDE = 4  # contests beside each other
CELL, CURVE = 22, 220  # pixels

FORMATS = ("html", "svg", "png", "json")


def cutoffs(names: Iterable[str], sizes: Iterable[int]) -> list[str]:
    """The measures of a curve over the cutoff, for rankings of so many people.

    >>> cutoffs(["P", "CG"], [1, 2])
    ['P@1', 'P@2', 'CG@1', 'CG@2']
    """
    n = max(sizes, default=1)
    ks = range(1, n + 1, max(1, n // STEPS))
    return [f"{name}@{k}" for name in names for k in ks] or [f"{name}@1" for name in names]


def heat_map(scores: pl.DataFrame, measure: str) -> Any:
    """How far each ranking agrees with each reference: an Altair chart, a map per contest.

    In: what `compare` gives. Raises `BadData` if the measure is not in it.
    """
    import altair as alt

    rows = scores.filter(pl.col("measure") == measure)
    if not rows.height:
        has = ", ".join(map(repr, scores["measure"].unique(maintain_order=True)))
        raise BadData(f"no scores of {measure!r} to draw; there are {has}")
    maps = [
        alt.Chart(part)
        .mark_rect()
        .encode(
            x=alt.X(f"{REFERENCE}:N", title="reference"),
            y=alt.Y(f"{RANKING}:N", title="ranking"),
            color=alt.Color("score:Q", title=measure, scale=alt.Scale(scheme="viridis")),
            tooltip=[CONTEST, RANKING, REFERENCE, "n", alt.Tooltip("score:Q", format=".4f")],
        )
        .properties(title=str(contest), width=alt.Step(CELL), height=alt.Step(CELL))
        for (contest,), part in rows.group_by(CONTEST, maintain_order=True)
    ]
    return alt.concat(*maps, columns=WIDE).resolve_scale(color="shared")


def curves(scores: pl.DataFrame) -> Any:
    """Measures over their cutoff, a line per ranking: an Altair chart, a panel per contest.

    In: what `compare` gives for measures as `cutoffs` names them; others are left out, and so are
    cutoffs beyond the people compared. Where a ranking has several references, their mean.
    """
    import altair as alt

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
            x=alt.X("k:Q", title="k", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("score:Q", title=f"{name}@k"),
            color=alt.Color(f"{RANKING}:N", title="ranking"),
            tooltip=[CONTEST, RANKING, "k", alt.Tooltip("score:Q", format=".4f")],
        )
        .properties(width=CURVE, height=CURVE)
        .facet(f"{CONTEST}:N", columns=WIDE)
        .resolve_scale(x="independent", y="independent")
        for (name,), part in rows.group_by("name", maintain_order=True)
    ]
    return alt.vconcat(*panels)


def kind_of(path: str | Path) -> str:
    """The kind of picture that a name asks for. Raises `BadUsage` if it asks for none.

    >>> kind_of("agreement.svg")
    'svg'
    """
    kind = Path(path).suffix.removeprefix(".")
    if kind not in FORMATS:
        raise BadUsage(f"{path}: a chart's name ends in one of {', '.join(FORMATS)}")
    return kind


def save(chart: Any, path: str | Path) -> None:
    """Write a chart as `.html`, `.svg`, `.png` or `.json` (Vega-Lite); it appears whole or not.

    Raises `BadUsage` for any other name. Pictures need the extra `ulframe[pictures]`.
    """
    import altair as alt

    kind = kind_of(path)
    with appearing(path) as unfinished, alt.data_transformers.enable("default", max_rows=None):
        try:
            chart.save(str(unfinished), format=kind)
        except ImportError as error:
            raise BadUsage(f"{path}: {kind} needs `pip install 'ulframe[pictures]'`") from error
