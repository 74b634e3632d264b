"""A table, and how each language writes it."""

import shutil
import subprocess
from dataclasses import replace

import polars as pl
import pytest

from ulframe.report.table import RENDERINGS, Table

SMALL = Table(
    "Means",
    pl.DataFrame({"run": ["a", "b"], "n": [2, 3], "AP": [0.5, None], "V2": [-0.25, -0.00001]}),
    decimals=3,
    best=pl.DataFrame({"n": [False, True], "AP": [True, False], "V2": [False, False]}),
    marks=pl.DataFrame({"n": ["", ""], "AP": ["↑", ""], "V2": ["", ""]}),
    notes=("Of 2 queries.",),
)


def test_markdown():
    assert SMALL.markdown() == (
        "**Means**\n\n"
        "| run |     n |         AP |     V2 |\n"
        "|:----|------:|-----------:|-------:|\n"
        "| a   |     2 | **0.500**↑ | -0.250 |\n"
        "| b   | **3** |          – |  0.000 |\n\n"  # noqa: RUF001
        "Of 2 queries.\n"
    )


def test_latex():
    assert SMALL.latex().splitlines()[3:] == [
        r"  \begin{tabular}{lrrr}",
        r"    \toprule",
        r"    run & n & AP & V2 \\",
        r"    \midrule",
        r"    a & 2 & \textbf{0.500}$^{\uparrow}$ & $-$0.250 \\",
        r"    b & \textbf{3} & -- & 0.000 \\",
        r"    \bottomrule",
        r"  \end{tabular}",
        r"  \par\smallskip\footnotesize Of 2 queries.",
        r"\end{table}",
    ]


def test_a_notebook_shows_the_same_with_its_style():
    shown = SMALL._repr_html_()
    assert SMALL.html() in shown
    assert ".ulframe td.best { font-weight: bold; }" in shown


def test_without_a_title_nothing_stands_above():
    untitled = replace(SMALL, title="")
    assert untitled.markdown().startswith("| run |")
    assert "caption" not in untitled.html() + untitled.latex()


@pytest.mark.parametrize(
    ("text", "shown"), [("<0.0001", "<0.0001"), ("a < b", "a < b"), ("<b>", r"\<b\>")]
)
def test_only_what_opens_a_tag_is_escaped(text, shown):
    assert f"| {shown} " in Table("", pl.DataFrame({"p": [text]})).markdown()


def test_booleans_are_words():
    assert Table("", pl.DataFrame({"x": [True, None]})).csv() == "x\ntrue\n\n"
    assert "| true |" in Table("", pl.DataFrame({"x": [True, None]})).markdown()


def test_html():
    text = SMALL.html()
    assert '<td class="n best">0.500<sup>↑</sup></td>' in text
    assert '<td class="n">−0.250</td>' in text  # noqa: RUF001
    assert '<th scope="row">a</th>' in text
    assert "<caption>Means</caption>" in text


def test_csv_has_unrounded_numbers_and_empty_cells():
    assert SMALL.csv() == "run,n,AP,V2\na,2,0.5,-0.25\nb,3,,-0.00001\n"


NASTY = ["<script>alert(1)</script>", "a|b", "x_y", "_x_", "50% & more", r"C:\runs", "*b*", "a\nb"]


@pytest.mark.parametrize("name", NASTY)
def test_names_are_no_markup(name):
    table = Table(name, pl.DataFrame({"run": [name], name + " ": [1.0]}))
    assert "<script>" not in table.html()
    assert "<script>" not in table.markdown()
    assert len(table.markdown().splitlines()) == 5  # title, blank, header, ruler, row
    plain = table.markdown().replace("\\|", "")
    assert {line.count("|") for line in plain.splitlines()[2:]} == {3}
    assert all(char not in table.latex().replace(f"\\{char}", "") for char in "%&#" if char != "&")


def test_markdown_leaves_underscores_inside_words_alone():
    assert "| bm25_v2 |" in Table("t", pl.DataFrame({"run": ["bm25_v2"], "x": [1.0]})).markdown()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX on this machine")
def test_latex_compiles(tmp_path):
    names = [name.replace("\n", " ") for name in NASTY]
    table = Table("All & more_of it", pl.DataFrame({"run": names, "AP": [0.5] * len(names)}))
    body = table.latex() + SMALL.latex()
    (tmp_path / "t.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}"
        f"{body}\\end{{document}}"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


def test_every_rendering_takes_an_empty_table():
    empty = Table("Nothing at all", SMALL.frame.clear())
    for render in RENDERINGS.values():
        assert render(empty)
