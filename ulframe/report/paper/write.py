"""The paper's tables and figures as files: every table in every format, an index to them all."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

from ulframe.frames.errors import BadUsage
from ulframe.report.paper.book import Book
from ulframe.report.pictures import drawing, save_chart
from ulframe.report.table import RENDERINGS

STYLE = Path(__file__).parents[1] / "page" / "page.css"
PICTURES = [".svg", ".png", ".html"]
SIZES = ".figures { display: flex; flex-wrap: wrap; gap: 1rem; } .figures img { max-width: 100%; " \
        "background: white; padding: .5rem; } .note + .scroll { margin-top: 1.5rem; }"  # fmt: skip


def write_book(book: Book, folder: str | Path) -> list[str]:
    """Write all tables and figures into a folder, which is made; gives the names of the files.

    Files of other names in it stay; nothing is written unless everything could be. `values.csv`
    holds all values as rows.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise BadUsage(f"{folder}: not a folder")
    if not folder.absolute().parent.is_dir():
        raise BadUsage(f"{folder}: there is no folder {str(folder.parent)!r} to make it in")
    drawing("drawing figures")
    with tempfile.TemporaryDirectory(dir=folder.absolute().parent, prefix=".paper-") as unfinished:
        for name, text in _texts(book):
            (Path(unfinished) / name).write_text(text, "utf-8")
        for name, chart in book.figures.items():
            for ending in PICTURES:
                save_chart(chart, Path(unfinished) / f"{file_name(name)}{ending}")
        folder.mkdir(exist_ok=True)
        names = sorted(path.name for path in Path(unfinished).iterdir())
        for name in names:
            shutil.move(str(Path(unfinished) / name), str(folder / name))
    return names


def file_name(name: str) -> str:
    """A name that every file system takes.

    >>> file_name("figure-1-my/data")
    'figure-1-my_data'
    """
    return re.sub(r"[^\w.+-]", "_", name)


def _texts(book: Book) -> Iterator[tuple[str, str]]:
    for name, table in book.tables.items():
        for ending, render in RENDERINGS.items():
            text = render(table)
            yield f"{name}{ending}", document(table.title, text) if ending == ".html" else text
    yield "values.csv", book.values.write_csv()
    yield "index.html", document("The paper's tables and figures", _index(book))


def _index(book: Book) -> str:
    parts = ["<h1>The paper's tables and figures</h1>", "<h2>Figures</h2>"]
    parts.append('<div class="figures">')
    for name in book.figures:
        path = file_name(name)
        links = _links(path, [".html", ".png"])
        parts.append(
            f'<figure><a href="{path}.html"><img src="{path}.svg" alt="{escape(name)}"></a>'
            f"<figcaption>{escape(caption(name))} {links}</figcaption></figure>"
        )
    parts.append("</div><h2>Tables</h2>")
    for name, table in book.tables.items():
        parts.append(f'{table.html()}<p class="note">{_links(name, list(RENDERINGS))}</p>')
    if book.contradictions:
        found = "".join(f"<li>{escape(one)}</li>" for one in book.contradictions)
        parts.append(f"<h2>Where the publication contradicts itself</h2><ul>{found}</ul>")
    parts.append(_missing(book))
    parts.append('<p><a href="values.csv">All values as rows</a></p>')
    return "\n".join(parts)


def caption(name: str) -> str:
    """What a figure's name says.

    >>> caption("figure-1-MQ2007")
    'Figure 1, MQ2007.'
    """
    _, number, dataset = name.split("-", 2)
    return f"Figure {number}, {dataset}."


def _links(name: str, endings: list[str]) -> str:
    return " ".join(f'<a href="{name}{ending}">{ending[1:]}</a>' for ending in endings)


def _missing(book: Book) -> str:
    if not book.missing:
        return "<p>All tables and figures could be made.</p>"
    rows = "".join(
        f"<li>{escape(one.name)}, {escape(one.title)}: {escape(one.why)}.</li>"
        for one in book.missing
    )
    return f"<h2>What could not be made</h2><ul>{rows}</ul>"


def document(title: str, body: str) -> str:
    """A page of its own around some HTML."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE.read_text('utf-8')}{SIZES}</style></head>\n"
        f"<body><main>{body}</main></body></html>\n"
    )
