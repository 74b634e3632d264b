"""The page as one text: template, style, code, the Vega runtime, and what was found."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template
from types import MappingProxyType

import altair as alt

from ulframe.frames.made import as_meta
from ulframe.report.findings import Findings
from ulframe.report.page.payload import as_json, chosen_queries, payload
from ulframe.report.page.sections import (
    board,
    figure,
    gap_section,
    made_section,
    pair_section,
    set_section,
    table_section,
)
from ulframe.report.pictures import drawing

HERE = Path(__file__).parent
TITLE = "Evaluation of rankings"


def page(
    findings: Findings, title: str = TITLE, metadata: Mapping[str, str] = MappingProxyType({})
) -> str:
    """The report as an HTML file that needs nothing else: no network, no server.

    Its leaderboard sorts, and follows the queries that are selected in the map. Scores of more
    queries than fit are sampled, which the page says. Raises `BadUsage` where the package that
    holds the Vega runtime is not installed.
    """
    runtime, code = _script(vega_runtime()), _script((HERE / "page.js").read_text("utf-8"))
    queries = chosen_queries(findings)
    data = payload(findings, queries)
    drawn_once = data["specs"]["more"]
    template = Template((HERE / "page.html").read_text("utf-8"))
    return template.substitute(
        title=escape(title),
        policy=_policy(runtime, code),
        meta=as_meta(metadata),
        style=(HERE / "page.css").read_text("utf-8"),
        size=f"{len(findings.runs):,} runs, {data['total']:,} queries, "
        f"{len(findings.measures):,} measures",
        board=board(findings),
        map=_about_the_map(findings, len(queries), data["total"]),
        curves=figure("curves", "Over all queries.") if "curves" in drawn_once else "",
        pairs=pair_section(findings),
        sets=set_section(findings),
        tables=table_section(findings),
        gaps=gap_section(findings),
        made=made_section(findings),
        runtime=runtime,
        data=as_json(data),
        code=code,
    )


def vega_runtime() -> str:
    """Vega, Vega-Lite and vega-embed as one script."""
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    bundle: str = drawing("the page").javascript_bundle(vl_version=version)
    return bundle


def _about_the_map(findings: Findings, held: int, total: int) -> str:
    parts = ["Below the diagonal, systems beat a random ranking. Drag over queries to see the "
             "leaderboard for just these."]  # fmt: skip
    if held < total:
        parts.append(f"<strong>A random sample of {held:,} of {total:,} queries.</strong>")
    if undefined := findings.main_queries["expected"].null_count():
        parts.append(f"{undefined:,} queries with nothing relevant are not shown.")
    return " ".join(parts)


def _script(code: str) -> str:
    """Code that can stand inside a `script` element."""
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _policy(*scripts: str) -> str:
    """Only these scripts run, and nothing is fetched. Vega compiles its expressions: eval."""
    hashes = (base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts)
    sources = " ".join(f"'sha256-{digest}'" for digest in hashes)
    return (
        f"default-src 'none'; script-src {sources} 'unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src data: blob:"
    )
