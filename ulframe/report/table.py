"""A table to look at, the one kind that reports, studies and commands have, and how it is written.

Every language's markup is escaped. Numbers are rounded here and nowhere else; CSV and `frame` have
them unrounded.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from ulframe.frames.visible import visible

DECIMALS = 4
BETTER, WORSE = "↑", "↓"
NONE = "\N{EN DASH}"
"""What stands where there is no number."""


class Cell(NamedTuple):
    """One cell: its text, unescaped; whether it is a number, the best; what stands behind it."""

    text: str
    number: bool = False
    best: bool = False
    mark: str = ""


@dataclass(frozen=True, repr=False)
class Table:
    """What is printed: text columns that name the rows, then columns of numbers.

    - `title`: what stands above; empty, nothing does.
    - `frame`: the values, unrounded.
    - `decimals`: how many every fraction is printed with; whole numbers have none.
    - `best`: the columns of `frame` that hold numbers, true where the best is.
    - `marks`: the same columns, with what is printed behind a number.
    - `notes`: sentences that stand below.

    A notebook shows it, as a prompt does; `markdown()`, `latex()`, `html()` and `csv()` write it.

    >>> means = pl.DataFrame({"run": ["bm25", "dense"], "AP": [0.25, -0.5]})
    >>> Table("Means", means)
    **Means**
    <BLANKLINE>
    | run   |      AP |
    |:------|--------:|
    | bm25  |  0.2500 |
    | dense | -0.5000 |
    <BLANKLINE>
    """

    title: str
    frame: pl.DataFrame
    decimals: int = DECIMALS
    best: pl.DataFrame | None = None
    marks: pl.DataFrame | None = None
    notes: tuple[str, ...] = ()

    @property
    def numbers(self) -> list[str]:
        """The names of the columns that hold numbers."""
        return [name for name, kind in self.frame.schema.items() if kind.is_numeric()]

    def cells(self) -> Iterator[list[Cell]]:
        """The body, row by row, numbers rounded; null is an empty text."""
        numbers = set(self.numbers)
        best = self.best.to_dict(as_series=False) if self.best is not None else {}
        marks = self.marks.to_dict(as_series=False) if self.marks is not None else {}
        for place, row in enumerate(self.frame.iter_rows(named=True)):
            yield [
                Cell(
                    _printed(value, self.decimals),
                    name in numbers,
                    name in best and best[name][place],
                    marks[name][place] if name in marks else "",
                )
                for name, value in row.items()
            ]

    def markdown(self) -> str:
        """A GitHub-flavoured Markdown table under its title, the best in bold; columns align."""
        rows = [[_markdown_cell(cell) for cell in row] for row in self.cells()]
        columns = [
            _padded(_markdown_escaped(name), [row[at] for row in rows], right=name in self.numbers)
            for at, name in enumerate(self.frame.columns)
        ]
        lines = [f"|{'|'.join(line)}|" for line in zip(*columns, strict=True)]
        title = [f"**{_markdown_escaped(self.title)}**"] if self.title else []
        notes = map(_markdown_escaped, self.notes)
        return "\n\n".join([*title, "\n".join(lines), *notes]) + "\n"

    def latex(self) -> str:
        r"""A `table` environment in the style of booktabs; needs `\usepackage{booktabs}`."""
        names = self.frame.columns
        lines = [
            r"\begin{table}",
            r"  \centering",
            *([rf"  \caption{{{_latex_escaped(self.title)}}}"] if self.title else []),
            rf"  \begin{{tabular}}{{{''.join('r' if n in self.numbers else 'l' for n in names)}}}",
            r"    \toprule",
            f"    {' & '.join(map(_latex_escaped, names))} \\\\",
            r"    \midrule",
            *(f"    {' & '.join(map(_latex_cell, row))} \\\\" for row in self.cells()),
            r"    \bottomrule",
            r"  \end{tabular}",
            *(rf"  \par\smallskip\footnotesize {_latex_escaped(note)}" for note in self.notes),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """A `table` element under its title; numbers have the class `n`, the best `best` too."""
        heads = "".join(
            f'<th scope="col"{CLASS_N if name in self.numbers else ""}>{html.escape(name)}</th>'
            for name in self.frame.columns
        )
        body = "\n".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in self.cells())
        notes = "".join(f"<p class=note>{html.escape(note)}</p>\n" for note in self.notes)
        caption = f"<caption>{html.escape(self.title)}</caption>\n" if self.title else ""
        return (
            f"<div class=scroll><table>\n{caption}"
            f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>\n{notes}"
        )

    def csv(self) -> str:
        """Comma-separated values, numbers unrounded."""
        return self.frame.write_csv()

    def __repr__(self) -> str:
        return self.markdown()

    def _repr_html_(self) -> str:
        """What a notebook shows: the same as `html()`, with what little style it needs."""
        return f"<div class=ulframe>{STYLE}\n{self.html()}</div>"


RENDERINGS: dict[str, Callable[[Table], str]] = {
    ".md": Table.markdown,
    ".tex": Table.latex,
    ".html": Table.html,
    ".csv": Table.csv,
}
"""By the ending of the file that they go into."""

STYLE = (
    "<style>.ulframe .n { text-align: right; } .ulframe td.best { font-weight: bold; } "
    ".ulframe caption { text-align: left; }</style>"
)


def _printed(value: object, decimals: int) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text  # no -0.0000


# ---------------------------------------------------------------- Markdown
def _markdown_cell(cell: Cell) -> str:
    text = (cell.text or NONE) if cell.number else _markdown_escaped(cell.text)
    return f"**{text}**{cell.mark}" if cell.best else text + cell.mark


def _padded(name: str, cells: list[str], *, right: bool) -> list[str]:
    """The header, the ruler and the cells of a column, all as wide; numbers at the right."""
    width = max(map(len, (name, "---", *cells)))
    texts = [f" {text:{'>' if right else '<'}{width}} " for text in (name, *cells)]
    ruler = "-" * (width + 1)
    return [texts[0], f"{ruler}:" if right else f":{ruler}", *texts[1:]]


def _markdown_escaped(text: str) -> str:
    """Escape markup; an underscore inside a word is none, nor is a `<` that opens no tag."""
    escaped = re.sub(r"([\\`*|>\[\]~]|<(?=[A-Za-z/!?]))", r"\\\1", visible(text))
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


def _latex_cell(cell: Cell) -> str:
    number = cell.text.replace("-", "$-$") or "--"
    text = number if cell.number else _latex_escaped(cell.text)
    text = rf"\textbf{{{text}}}" if cell.best else text
    return text + LATEX_MARKS.get(cell.mark, cell.mark)


def _latex_escaped(text: str) -> str:
    return "".join(LATEX_ESCAPES.get(char, char) for char in visible(text))


# ---------------------------------------------------------------- HTML
CLASS_N = ' class="n"'


def _html_cell(cell: Cell) -> str:
    if not cell.number:
        return f'<th scope="row">{html.escape(cell.text)}</th>'
    text = cell.text.replace("-", "\N{MINUS SIGN}") or NONE
    mark = f"<sup>{html.escape(cell.mark)}</sup>" if cell.mark else ""
    return f'<td class="{"n best" if cell.best else "n"}">{text}{mark}</td>'
