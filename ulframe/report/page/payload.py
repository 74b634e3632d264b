"""What the page's code works on: means, scores query by query, the map's points, pairs, charts.

Scores go as Float32 in base64, which is a third of their size as text.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any, Unpack

import altair as alt
import numpy as np
import numpy.typing as npt
import polars as pl

from ulframe.analysis.letters import letters
from ulframe.metrics.grammar import aggregate_of
from ulframe.report.charts.pairs import asl_curves, map_of_pairs, squares_of
from ulframe.report.charts.queries import MAP_QUERIES, map_of, sampled
from ulframe.report.charts.scores import cutoff_curves, scale_of
from ulframe.report.charts.sides import against_of, differences_of
from ulframe.report.charts.standings import standings_of
from ulframe.report.charts.theme import PALETTE, ROW, Properties
from ulframe.report.contents import leaderboard
from ulframe.report.families import by_cutoff, family_of, share_of_best
from ulframe.report.findings import Findings
from ulframe.report.table import DECIMALS

CELLS = 1_500_000
"""Scores that the page holds at most (5.3 bytes each); of more, a sample of the queries."""
PAIR_RUNS = 40
SAID_WIDTH = 60
"""Pixels at the right of a dot plot for the value and the letters."""
PLACEHOLDER = "\N{LEFT WHITE SQUARE BRACKET}measure\N{RIGHT WHITE SQUARE BRACKET}"
"""Stands in the charts for the measure that the reader chooses."""

Floats = npt.NDArray[np.float32]


def chosen_queries(findings: Findings) -> pl.DataFrame:
    """`query_id` of the queries that the page holds scores of: all, or a sample."""
    everything = findings.scores.select("query_id").unique().sort("query_id")
    fit = CELLS // (len(findings.runs) * len(findings.measures))
    return sampled(everything, max(1, min(MAP_QUERIES, fit)))


def payload(findings: Findings, queries: pl.DataFrame) -> dict[str, Any]:
    """Everything that the page's code reads, ready for JSON."""
    bases = list({id(frame): frame for frame in findings.queries.values()}.values())
    at = {id(frame): place for place, frame in enumerate(bases)}
    maps = [findings.queries.get(m) for m in findings.measures]
    marks = leaderboard(findings).marks
    parts = findings.summary.partition_by("set", maintain_order=True)
    sets = findings.sets.group_by("set", maintain_order=True).len()
    return {
        "runs": findings.runs,
        "measures": findings.measures,
        "aggregates": [aggregate_of(name) for name in findings.measures],
        "first": next((i for i, frame in enumerate(maps) if frame is not None), 0),
        "queries": queries["query_id"].to_list(),
        "total": findings.scores["query_id"].n_unique(),
        "scores": _packed(_matrix(findings, queries)),
        "maps": [_coordinates(frame, queries) for frame in bases],
        "map_of": [None if frame is None else at[id(frame)] for frame in maps],
        "sets": [{"name": name, "n": n} for name, n in sets.iter_rows()],
        **{
            column: [_grid(part, findings, column) for part in parts]
            for column in ("mean", "ci_low", "ci_high")
        },
        "pairs": _pairs(findings),
        "tested": findings.main_pairs["set"].first() if len(findings.main_pairs) else None,
        "letters": _letters(findings),
        "marks": None if marks is None else [marks[name].to_list() for name in findings.measures],
        "titles": [f"Mean {name}{scale_of(name)}" for name in findings.measures],
        "shares": [_share(name) for name in findings.measures],
        "decimals": DECIMALS,
        "placeholder": PLACEHOLDER,
        "specs": specs(findings),
    }


def _share(name: str) -> str:
    """What the map's axes show of a measure: not V2(AP) itself, but AP over the best possible."""
    share = share_of_best(name)
    return name if share == name else f"{share}, for {name}"


def _grid(rows: pl.DataFrame, findings: Findings, column: str) -> list[list[float | None]]:
    """By measure, then by run."""
    wide = rows.pivot("run", index="measure", values=column)
    names = pl.DataFrame({"measure": findings.measures})
    ordered = names.join(wide, on="measure", how="left", maintain_order="left")
    missing = [pl.lit(None).alias(run) for run in findings.runs if run not in wide.columns]
    return [list(row) for row in ordered.with_columns(missing).select(findings.runs).iter_rows()]


def _matrix(findings: Findings, queries: pl.DataFrame) -> Floats:
    """Scores by measure, run and query; NaN where none counts."""
    score = pl.col("score").fill_null(0.0 if findings.undefined == "zero" else None)
    places = findings.scores.lazy()
    for name, values in (("measure", findings.measures), ("run", findings.runs)):
        numbered = pl.LazyFrame({name: values}).with_row_index(f"{name}_place")
        places = places.join(numbered, on=name)
    rows = (
        places.join(queries.lazy().with_row_index("query_place"), on="query_id")
        .select("measure_place", "run_place", "query_place", score=score)
        .collect()
    )
    shape = len(findings.measures), len(findings.runs), len(queries)
    matrix = np.full(shape, np.nan, dtype="<f4")
    at = tuple(rows[f"{name}_place"].to_numpy() for name in ("measure", "run", "query"))
    matrix[at] = rows["score"].to_numpy()
    return matrix


def _coordinates(frame: pl.DataFrame, queries: pl.DataFrame) -> dict[str, str]:
    found = queries.join(frame, on="query_id", how="left", maintain_order="left")
    return {
        name: _packed(found[name].cast(pl.Float32).fill_null(float("nan")).to_numpy())
        for name in ("real", "expected")
    }


def _packed(numbers: Floats) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers, dtype="<f4").tobytes()).decode()


def _pairs(findings: Findings) -> list[dict[str, Any]] | None:
    """By measure: `order`, the runs best first, and rows of two places in it and what was found."""
    pairs = findings.main_pairs
    if pairs.is_empty():
        return None
    at = {run: place for place, run in enumerate(findings.runs)}
    found = []
    for name in findings.measures:
        squares = squares_of(pairs.filter(measure=name), PAIR_RUNS)
        order = squares.sort("row_place")["row"].unique(maintain_order=True)
        rows = squares.filter(pl.col("row_place") < pl.col("column_place")).select(
            "row_place",
            "column_place",
            pl.col("diff").round_sig_figs(6),
            pl.col("p_adjusted").round_sig_figs(3),
            pl.col("significant").cast(pl.Int8),  # null: not tested
        )
        found.append({"order": [at[run] for run in order], "rows": rows.rows()})
    return found


def _letters(findings: Findings) -> list[list[str | None]] | None:
    """By measure, then by run: the groups that do not differ; nothing unless all were compared."""
    pairs, n = findings.main_pairs, len(findings.runs)
    of_measure = pairs.drop_nulls("significant").group_by("measure").len()
    if n < 2 or of_measure.filter(len=n * (n - 1) // 2).height < len(findings.measures):
        return None
    found = letters(pairs).collect().select("measure", "run", "letters")
    said = {(measure, run): text for measure, run, text in found.iter_rows()}
    return [[said.get((name, run)) for run in findings.runs] for name in findings.measures]


# ---------------------------------------------------------------- charts
def specs(findings: Findings) -> dict[str, Any]:
    """The charts, as wide as their place; those whose data comes later first."""
    brush = alt.selection_interval(name="brush")
    lit = alt.when(brush).then(alt.value(0.65)).otherwise(alt.value(0.12))
    query_map = map_of(alt.NamedData("points"), PLACEHOLDER)
    query_map.layer[0] = query_map.layer[0].add_params(brush).encode(opacity=lit)
    bars = standings_of(alt.NamedData("bars"), PLACEHOLDER)
    heat = map_of_pairs(alt.NamedData("squares"), PLACEHOLDER)
    n = len(findings.runs)
    return {
        "map": _wide(query_map, height=360),
        "bars": {**_wide(bars, height=ROW * n), "padding": {"right": SAID_WIDTH}},
        "differences": _wide(differences_of(alt.NamedData("both"), PLACEHOLDER)),
        "against": _wide(against_of(alt.NamedData("both"), PLACEHOLDER)),
        "pairs": _wide(heat, height=ROW * min(n, PAIR_RUNS)),
        "more": {name: _wide(chart) for name, chart in more_charts(findings).items()},
    }


def more_charts(findings: Findings) -> dict[str, alt.LayerChart]:
    """The charts that are drawn once: score against cutoff, and significance levels."""
    charts = {}
    families = by_cutoff(findings.overall).group_by("family", maintain_order=True)
    several = families.agg(pl.col("k").n_unique()).filter(pl.col("k") > 1)["family"].to_list()
    if several:
        charts["curves"] = cutoff_curves(findings.overall, several[0])
    pairs = findings.main_pairs.filter(pl.col("measure").is_in(alike(findings)))
    if len(pairs):
        charts["asl"] = asl_curves(pairs)
    return charts


def alike(findings: Findings) -> Sequence[str]:
    """Measures to compare: of the cutoff that most have, as many as there are colours."""
    tested = compared_measures(findings)
    cutoffs = [family[1] if (family := family_of(name)) else None for name in tested]
    k = max(cutoffs, key=cutoffs.count, default=None)
    of_one = [name for name, at in zip(tested, cutoffs, strict=True) if at == k]
    return of_one[: len(PALETTE)]


def compared_measures(findings: Findings) -> list[str]:
    """The measures of which there are pairs that were tested."""
    tested = findings.main_pairs.drop_nulls("significant")["measure"].unique()
    return [name for name in findings.measures if name in tested]


def _wide(chart: alt.Chart | alt.LayerChart, **properties: Unpack[Properties]) -> dict[str, Any]:
    spec: dict[str, Any] = chart.properties(width="container", **properties).to_dict()
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec


def as_json(data: Any) -> str:
    """JSON for inside a `script` element, which a `<` could end."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")
