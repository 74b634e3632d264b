"""A report as one file: the page, its tables in Markdown or LaTeX, or its summary as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from ulframe.frames.atomic import appearing
from ulframe.frames.errors import BadUsage
from ulframe.frames.write import refuse_file
from ulframe.report.contents import tables_of
from ulframe.report.findings import Findings
from ulframe.report.page import TITLE, page

Writer = Callable[[Findings, str, Mapping[str, str]], str]


def write_report(
    findings: Findings,
    path: str | Path,
    *,
    title: str = TITLE,
    metadata: Mapping[str, str] = MappingProxyType({}),
) -> None:
    r"""Write a report to `path`, whose ending tells what: .html, .md, .tex or .csv.

    .html is the page, which alone shows the `title`; .md and .tex hold the tables, one below
    another, .tex for a document with `\usepackage{booktabs}`; .csv is the summary, a row per run,
    query set and measure, with its interval. `metadata` stands in the page's head. The file appears
    whole or not at all. Raises `BadUsage` for another ending, and where the page cannot be made.
    """
    text = _writer(path)(findings, title, metadata)
    with appearing(path) as unfinished:
        unfinished.write_text(text, "utf-8")


def refuse_report(path: str | Path, sources: Iterable[str], *, force: bool = False) -> None:
    """Raise `BadUsage` where `write_report` could not write, or would replace what is read.

    Or, without `force`, a page that somebody else made.
    """
    _writer(path)
    refuse_file(path, sources, force=force)


def _writer(path: str | Path) -> Writer:
    ending = Path(path).suffix
    if ending not in WRITERS:
        raise BadUsage(f"{path}: a report's name ends in one of {', '.join(WRITERS)}")
    return WRITERS[ending]


def _markdown(findings: Findings, title: str, metadata: Mapping[str, str]) -> str:
    return "\n".join(table.markdown() for table in tables_of(findings))


def _latex(findings: Findings, title: str, metadata: Mapping[str, str]) -> str:
    tables = "\n".join(table.latex() for table in tables_of(findings))
    return f"% needs \\usepackage{{booktabs}}\n{tables}"


def _csv(findings: Findings, title: str, metadata: Mapping[str, str]) -> str:
    return findings.summary.write_csv()


WRITERS: dict[str, Writer] = {".html": page, ".md": _markdown, ".tex": _latex, ".csv": _csv}
"""By the ending of the file."""
