"""What `ulframe gate` prints: three lines, a summary for GitHub, JSON, JUnit."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import polars as pl

from ulframe.frames.visible import visible
from ulframe.report.table import Table

if TYPE_CHECKING:
    from ulframe.analysis.gate import Gate

FEW = 10  # queries that lost most, and that won most
LEVELS = {"passes": "notice", "worse": "error", "undecided": "warning"}
ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}


def text(found: Gate) -> None:
    """Print the verdict, the measures, what follows: a line each."""
    print(*map(visible, found.lines), sep="\n")


def github(found: Gate) -> None:
    """Append Markdown to the job's summary, and print annotations, which GitHub takes from there.

    Without a file for the summary, it is printed too.
    """
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    with Path(path).open("a", encoding="utf-8") if path else nullcontext(sys.stdout) as summary:
        summary.write(markdown(found))
    print(*_annotations(found), sep="\n")


def markdown(found: Gate) -> str:
    """The verdict, a table, and of each measure the queries that lost and won most."""
    headline, _, follows = map(visible, found.lines)
    parts = [f"### {headline}\n", f"{follows}\n", Table("", _shown(found)).markdown()]
    for name in found.measures["measure"]:
        own = found.queries.filter(measure=name).drop("measure")
        lost = own.filter(pl.col("diff") < 0).head(FEW)
        won = own.filter(pl.col("diff") > 0).tail(FEW).reverse()
        for title, rows in (("lost most", lost), ("won most", won)):
            if rows.height:
                parts.append(Table(f"{name}: queries that {title}", rows).markdown())
    return "\n".join(parts) + "\n"


def as_json(found: Gate) -> None:
    """Print all that was found, but for the queries between those that lost and won most."""
    ends = [found.queries.filter(measure=name) for name in found.measures["measure"]]
    told = {
        "verdict": found.verdict,
        "baseline": found.names[0],
        "candidate": found.names[1],
        "margin": found.margin,
        "test": found.test,
        "alpha": found.alpha,
        "measures": found.measures.to_dicts(),
        "lost": pl.concat(own.filter(pl.col("diff") < 0).head(FEW) for own in ends).to_dicts(),
        "won": pl.concat(own.filter(pl.col("diff") > 0).tail(FEW) for own in ends).to_dicts(),
        "lines": found.lines,
    }
    print(json.dumps(told, indent=2, ensure_ascii=False))


def junit(found: Gate) -> None:
    """Print a test case a measure: failed where it is worse or the queries do not decide."""
    verdicts = found.measures["verdict"].to_list()
    suite = ElementTree.Element(
        "testsuite",
        name="ulframe gate",
        tests=str(len(verdicts)),
        failures=str(verdicts.count("worse") + verdicts.count("undecided")),
    )
    for row, says in zip(found.measures.to_dicts(), _says(found), strict=True):
        name = f"{row['measure']}: {found.names[1]} against {found.names[0]}"
        case = ElementTree.SubElement(
            suite, "testcase", classname="ulframe.gate", name=visible(name)
        )
        if row["verdict"] != "passes":
            ElementTree.SubElement(
                case, "failure", type=row["verdict"], message=visible(says)
            ).text = visible(found.lines[0])
    ElementTree.indent(suite)
    body = ElementTree.tostring(suite, encoding="unicode")
    print(f'<?xml version="1.0" encoding="UTF-8"?>\n{body}')


FORMATS: dict[str, Callable[[Gate], None]] = {
    "text": text, "github": github, "json": as_json, "junit": junit,
}  # fmt: skip
"""By the name of the option."""


def _shown(found: Gate) -> pl.DataFrame:
    return found.measures.select(
        "measure", "baseline", "candidate", "diff", "ci_low", "ci_high", "verdict", "needed"
    )


def _says(found: Gate) -> list[str]:
    """A sentence a measure."""
    return [
        f"{row['measure']} {row['verdict']}: {row['diff']:+.4f} [{row['ci_low']:+.4f}, "
        f"{row['ci_high']:+.4f}], margin {found.margin:g}"
        for row in found.measures.to_dicts()
    ]


def _annotations(found: Gate) -> Iterator[str]:
    for verdict, says in zip(found.measures["verdict"], _says(found), strict=True):
        yield f"::{LEVELS[verdict]} title={_escaped('ulframe gate')}::{_escaped(says)}"


def _escaped(words: str) -> str:
    return "".join(ESCAPES.get(char, char) for char in words)
