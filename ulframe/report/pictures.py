"""Charts as files, all of them here: pictures, pages that need no network, Vega-Lite."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal, NamedTuple

from ulframe.frames.atomic import appearing
from ulframe.frames.errors import BadUsage
from ulframe.frames.write import refuse_file

if TYPE_CHECKING:  # what only asks whether a picture could be written does not load Altair
    from altair.typing import ChartType


class Format(NamedTuple):
    """A format by Altair's name, what Altair is told about it, and whether it has to be drawn."""

    name: Literal["html", "svg", "png", "pdf", "json"]
    inline: bool = False  # the code that draws stands in the page
    scale: int = 1  # pixels of the file a pixel of the chart
    drawn: bool = True


FORMATS = {
    ".html": Format("html", inline=True),
    ".svg": Format("svg"),
    ".png": Format("png", scale=2),
    ".pdf": Format("pdf"),
    ".json": Format("json", drawn=False),
}
"""By the ending of the file."""
ENDINGS = " ".join(FORMATS)
INSTALL = "pip install 'ulframe[pictures]'"


def save_chart(chart: ChartType, path: str | Path) -> None:
    """Write a chart to `path`, whose ending tells the format: .html, .svg, .png, .pdf or .json.

    The page works without a network; PNG has twice the chart's pixels; JSON is Vega-Lite. Charts
    may have any number of rows. `BadUsage` for another ending, and where the package that draws is
    not installed.
    """
    import altair as alt

    kind = picture_format(path)
    with appearing(path) as unfinished, alt.data_transformers.enable("default", max_rows=None):
        chart.save(str(unfinished), format=kind.name, inline=kind.inline, scale_factor=kind.scale)


def picture_format(path: str | Path) -> Format:
    """The format that `path` asks for; `BadUsage` where `save_chart` could not write it.

    >>> picture_format("map.svg").name
    'svg'
    """
    kind = FORMATS.get(Path(path).suffix)
    if kind is None:
        raise BadUsage(f"{path}: a chart's file ends in one of {', '.join(FORMATS)}")
    if kind.drawn:
        drawing(str(path))
    return kind


def refuse_picture(path: str | Path | None, sources: Iterable[str]) -> None:
    """Raise `BadUsage` where `save_chart` could not write, or would replace what is read.

    For commands to call before the work; no path is no picture.
    """
    refuse_file(path, sources, force=True)  # pictures do not tell what made them
    if path is not None:
        picture_format(path)


def drawing(what: str) -> ModuleType:
    """The package that draws pictures and holds the Vega runtime; `BadUsage` where it is not."""
    try:
        return importlib.import_module("vl_convert")
    except ImportError as error:
        raise BadUsage(f"{what} takes vl-convert-python, which is not there: {INSTALL}") from error
