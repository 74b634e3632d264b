"""A report as text to paste: its tables in Markdown or LaTeX, or its summary as CSV."""

from __future__ import annotations

from collections.abc import Callable

from ulframe.report.contents import tables_of
from ulframe.report.findings import Findings
from ulframe.report.renderings import latex, markdown
from ulframe.report.tables import Table


def as_markdown(findings: Findings) -> str:
    """All tables, one below another."""
    return _all(findings, markdown)


def as_latex(findings: Findings) -> str:
    r"""All tables, for a document with `\\usepackage{booktabs}`."""
    return "% needs \\usepackage{booktabs}\n" + _all(findings, latex)


def as_csv(findings: Findings) -> str:
    """The summary: a row per run, query set and measure, with its interval."""
    return findings.summary.write_csv()


def _all(findings: Findings, render: Callable[[Table], str]) -> str:
    return "\n".join(render(table) for table in tables_of(findings))
