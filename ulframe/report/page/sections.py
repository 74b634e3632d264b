"""The page's sections below the leaderboard, as HTML; every name is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import polars as pl

from ulframe.report.contents import (
    best_by_set,
    leaderboard,
    means_by_set,
    sets_table,
    sizes,
)
from ulframe.report.findings import Findings, Made
from ulframe.report.page.payload import PAIR_RUNS, alike
from ulframe.report.power import chance_tables, power_tables
from ulframe.report.table import Table

FEW = 6
"""Names that a caption shows at most."""
NAMES = 300
"""Ids that a list shows at most."""


def figure(name: str, caption: str) -> str:
    """A place for the chart of that name."""
    text = escape(caption)
    return f'<figure><div id="{name}" class="chart"></div><figcaption>{text}</figcaption></figure>'


def board(findings: Findings) -> str:
    """The leaderboard: a row per run, best first, a column per measure."""
    return leaderboard(findings).html().replace("@", "<wbr>@")


def pair_section(findings: Findings) -> str:
    """The heat map, the curves, and how many pairs each measure tells apart."""
    if findings.pairs.is_empty():
        return "<p>There is one run only; nothing to compare.</p>"
    more = f" The best {PAIR_RUNS} runs." if len(findings.runs) > PAIR_RUNS else ""
    heat = (
        "Coloured squares: the run of the row differs significantly from that of the column; "
        "empty: it does not; grey: not tested."
    )
    curves = "The lower its curve, the better a measure tells runs apart."
    others = [name for name in findings.measures if name not in alike(findings)]
    if others:
        curves += f" Not drawn, being of other cutoffs or untested: {_few(others)}."
    pairs = findings.main_pairs
    untested = sorted({*findings.runs} - {*pairs["run_a"], *pairs["run_b"]})
    if untested:
        more += f" Not compared with any: {_few(untested)}."
    charts = figure("heat", heat + more) + figure("asl", curves)
    tables = "".join(map(Table.html, power_tables(findings)))
    return f'<div class="pair">{charts}</div>{tables}'


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more


def set_section(findings: Findings) -> str:
    """What each set holds, and which queries these are."""
    ids = findings.sets.filter(pl.col("set") != "all").group_by("set", maintain_order=True)
    lists = [id_list(f"{name[0]}: the queries", part["query_id"]) for name, part in ids]
    return sets_table(findings).html() + "".join(lists)


def table_section(findings: Findings) -> str:
    """Means by query set, and what is behind the means."""
    chance = chance_tables(findings)
    tables = means_by_set(findings), best_by_set(findings), *chance, sizes(findings)
    return "".join(map(Table.html, tables))


# ---------------------------------------------------------------- gaps
def gap_section(findings: Findings) -> str:
    """Queries where a measure is undefined, that a run misses, that the qrels lack."""
    zero = "take an undefined score as 0" if findings.undefined == "zero" else "leave it out"
    parts = [f"<p>Means {zero}.</p>", *_undefined(findings.scores)]
    missing = [made["missing"] for made in findings.made if "missing" in made]
    for run, ids in ((run, ids) for known in missing for run, ids in known.items()):
        parts.append(id_list(f"{run} has no ranking: it scores 0 there", ids))
    if not missing:
        parts.append("<p>Which queries a run missed is not recorded in these scores.</p>")
    elif not any(missing):
        parts.append("<p>No run misses a query.</p>")
    dropped = {query for made in findings.made for query in made.get("dropped", ())}
    if dropped:
        parts.append(id_list("Without qrels, left out", sorted(dropped)))
    return "\n".join(parts)


def _undefined(scores: pl.DataFrame) -> Iterable[str]:
    """A list per group of measures that are undefined on the same queries."""
    nulls = (
        scores.filter(pl.col("score").is_null())
        .group_by("measure", maintain_order=True)
        .agg(pl.col("query_id").unique().sort())
    )
    if nulls.is_empty():
        yield "<p>Every score is defined.</p>"
    for (ids,), part in nulls.group_by("query_id", maintain_order=True):
        yield id_list(f"Undefined: {', '.join(part['measure'])}", list(ids))


def id_list(title: str, ids: Iterable[str]) -> str:
    """A list of ids behind its title and their number."""
    ids = list(ids)
    more = f" … and {len(ids) - NAMES:,} more" if len(ids) > NAMES else ""
    text = ", ".join(escape(name) for name in ids[:NAMES])
    return (
        f"<details><summary>{escape(title)} ({len(ids):,})</summary>"
        f"<p><code>{text}</code>{more}</p></details>\n"
    )


# ---------------------------------------------------------------- provenance
def made_section(findings: Findings) -> str:
    """Inputs with size and hash, versions and options, of each step that led here."""
    steps = [step for step in findings.made if step]
    if not steps:
        return (
            "<p>These scores do not tell how they were made. Parquet files that "
            "<code>ulframe eval -o</code> writes do.</p>"
        )
    return "\n".join(map(_step, steps))


def _step(made: Made) -> str:
    inputs = "".join(
        f"<dt>{escape(str(file['path']))}</dt><dd>{file['bytes']:,} bytes, SHA-256 "
        f'<span class="hash">{escape(str(file["sha256"]))}</span></dd>'
        for file in made.get("inputs", ())
    )
    facts = {**made.get("versions", {}), **made.get("options", {})}
    rows = "".join(
        f"<dt>{escape(str(name))}</dt><dd>{escape(_said(value))}</dd>"
        for name, value in facts.items()
    )
    title = escape(str(made.get("title", "Scores")))
    return f"<h3>{title}</h3>\n<dl>{inputs}</dl>\n<dl>{rows}</dl>"


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
