"""Charts as files: pictures, and pages that need no network."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from ulframe.frames.atomic import appearing
from ulframe.frames.errors import BadUsage
from ulframe.frames.write import refuse_file
from ulframe.report.charts.theme import Chart

FORMATS: dict[str, Literal["html", "svg", "png", "pdf"]] = {
    ".html": "html",
    ".svg": "svg",
    ".png": "png",
    ".pdf": "pdf",
}
OPTIONS: dict[str, dict[str, Any]] = {"html": {"inline": True}, "png": {"scale_factor": 2}}
INSTALL = "pip install 'ulframe[pictures]'"


def save_chart(chart: Chart, path: str | Path) -> None:
    """Write a chart to `path`, whose ending tells the format: .html, .svg, .png or .pdf.

    The page works without a network; PNG has twice the chart's pixels. `BadUsage` for another
    ending, and where the package that draws pictures is not installed.
    """
    kind = picture_kind(path)
    with appearing(path) as unfinished:
        chart.save(str(unfinished), format=kind, **OPTIONS.get(kind, {}))


def picture_kind(path: str | Path) -> Literal["html", "svg", "png", "pdf"]:
    """The format that `path` asks for; `BadUsage` where `save_chart` could not write it."""
    ending = Path(path).suffix
    if ending not in FORMATS:
        raise BadUsage(f"{path}: a chart's file ends in one of {', '.join(FORMATS)}")
    drawing(str(path))
    return FORMATS[ending]


def refuse_picture(path: str | Path | None, sources: Iterable[str]) -> None:
    """Raise `BadUsage` where `save_chart` could not write, or would replace what is read.

    For commands to call before the work; no path is no picture.
    """
    refuse_file(path, sources)
    if path is not None:
        picture_kind(path)


def drawing(what: str) -> ModuleType:
    """The package that draws pictures and holds the Vega runtime; `BadUsage` where it is not."""
    try:
        return importlib.import_module("vl_convert")
    except ImportError as error:
        raise BadUsage(f"{what} takes vl-convert-python, which is not there: {INSTALL}") from error
