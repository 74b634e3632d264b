"""A table as text: Markdown, LaTeX, HTML, CSV.

Each rendering escapes what its language would take for markup. Numbers are rounded here and
nowhere else; CSV has them unrounded.
"""

from __future__ import annotations

import html as htmllib
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ulframe.report.tables import BETTER, WORSE, Table

NONE = "\N{EN DASH}"
"""What stands where there is no number."""


class Cell(NamedTuple):
    """One cell: its text, unescaped; whether it is a number, the best; what stands behind it."""

    text: str
    number: bool = False
    best: bool = False
    mark: str = ""


def cells(table: Table) -> Iterator[list[Cell]]:
    """The body, row by row, numbers rounded; null is an empty text."""
    numbers = set(table.numbers)
    best = table.best.to_dict(as_series=False) if table.best is not None else {}
    marks = table.marks.to_dict(as_series=False) if table.marks is not None else {}
    for place, row in enumerate(table.frame.iter_rows(named=True)):
        yield [
            Cell(
                _printed(value, table.decimals),
                name in numbers,
                name in best and best[name][place],
                marks[name][place] if name in marks else "",
            )
            for name, value in row.items()
        ]


def _printed(value: Any, decimals: int) -> str:
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text  # no -0.0000


# ---------------------------------------------------------------- Markdown
def markdown(table: Table) -> str:
    """A GitHub-flavoured Markdown table under its title, the best in bold."""

    def shown(cell: Cell) -> str:
        text = (cell.text or NONE) if cell.number else _markdown_escaped(cell.text)
        return f"**{text}**{cell.mark}" if cell.best else text + cell.mark

    header = [_markdown_escaped(name) for name in table.frame.columns]
    ruler = ["---:" if name in table.numbers else ":---" for name in table.frame.columns]
    body = [[shown(cell) for cell in row] for row in cells(table)]
    lines = ["| " + " | ".join(row) + " |" for row in [header, ruler, *body]]
    notes = [_markdown_escaped(note) for note in table.notes]
    return "\n\n".join([f"**{_markdown_escaped(table.title)}**", "\n".join(lines), *notes]) + "\n"


def _markdown_escaped(text: str) -> str:
    """Escape markup; an underscore inside a word is none."""
    escaped = re.sub(r"([\\`*|<>\[\]~])", r"\\\1", " ".join(text.splitlines()))
    return re.sub(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])", r"\\_", escaped)


# ---------------------------------------------------------------- LaTeX
LATEX_ESCAPES = {
    **{char: f"\\{char}" for char in "{}$&#%_"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    NONE: "--",
    BETTER: r"$\uparrow$",
    WORSE: r"$\downarrow$",
}
LATEX_MARKS = {BETTER: r"$^{\uparrow}$", WORSE: r"$^{\downarrow}$", "": ""}


def latex(table: Table) -> str:
    r"""A `table` environment in the style of booktabs; needs `\usepackage{booktabs}`."""

    def shown(cell: Cell) -> str:
        text = _latex_escaped(cell.text)
        if cell.number:
            text = cell.text.replace("-", "$-$") or "--"
        text = rf"\textbf{{{text}}}" if cell.best else text
        return text + LATEX_MARKS.get(cell.mark, cell.mark)

    names = table.frame.columns
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_latex_escaped(table.title)}}}",
        rf"  \begin{{tabular}}{{{''.join('r' if n in table.numbers else 'l' for n in names)}}}",
        r"    \toprule",
        f"    {' & '.join(map(_latex_escaped, names))} \\\\",
        r"    \midrule",
        *(f"    {' & '.join(map(shown, row))} \\\\" for row in cells(table)),
        r"    \bottomrule",
        r"  \end{tabular}",
        *(rf"  \par\smallskip\footnotesize {_latex_escaped(note)}" for note in table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_escaped(text: str) -> str:
    return "".join(LATEX_ESCAPES.get(char, char) for char in " ".join(text.splitlines()))


# ---------------------------------------------------------------- HTML and CSV
def html(table: Table) -> str:
    """A `table` element with its title as caption; numbers have the class `n`, the best `best`."""

    def shown(cell: Cell) -> str:
        if not cell.number:
            return f'<th scope="row">{htmllib.escape(cell.text)}</th>'
        text = cell.text.replace("-", "\N{MINUS SIGN}") or NONE
        kind = "n best" if cell.best else "n"
        return f'<td class="{kind}">{text}{_mark(cell.mark)}</td>'

    head = "".join(
        f'<th scope="col"{n_class(name in table.numbers)}>{htmllib.escape(name)}</th>'
        for name in table.frame.columns
    )
    body = "\n".join(f"<tr>{''.join(map(shown, row))}</tr>" for row in cells(table))
    notes = "".join(f"<p class=note>{htmllib.escape(note)}</p>\n" for note in table.notes)
    return (
        f"<div class=scroll><table>\n<caption>{htmllib.escape(table.title)}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>\n{notes}"
    )


def n_class(number: bool) -> str:
    """The attribute of a heading above numbers."""
    return ' class="n"' if number else ""


def _mark(mark: str) -> str:
    return f"<sup>{htmllib.escape(mark)}</sup>" if mark else ""


def csv(table: Table) -> str:
    """Comma-separated values, numbers unrounded."""
    return table.frame.write_csv()


RENDERINGS: dict[str, Callable[[Table], str]] = {
    ".md": markdown,
    ".tex": latex,
    ".html": html,
    ".csv": csv,
}
"""By the ending of the file that they go into."""
