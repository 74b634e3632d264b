"""Qrels and runs as ranx has them."""

from __future__ import annotations

from typing import Any

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, SCORE
from ulframe.frames.errors import BadData
from ulframe.frames.intake import FramesLike
from ulframe.frames.sources import scan_qrels, scan_runs


def qrels_to_ranx(qrels: FramesLike) -> Any:
    """Qrels as a `ranx.Qrels`. Needs ranx.

    Raises what `scan_qrels` raises, and `BadData` for labels that are not whole, as ranx's are.
    """
    from ranx import Qrels

    judged = scan_qrels(qrels)
    if judged.collect_schema()[LABEL] != pl.Int32:
        raise BadData("ranx takes whole labels only; there are others")
    return Qrels(_nested(judged, LABEL))


def to_ranx(runs: FramesLike) -> dict[str, Any]:
    """Runs as `ranx.Run` objects by their names. Needs ranx; raises what `scan_runs` raises."""
    from ranx import Run

    by_run = scan_runs(runs).collect().partition_by("run", as_dict=True, maintain_order=True)
    return {name: Run(_nested(rows.lazy(), SCORE), name=name) for (name,), rows in by_run.items()}


def _nested(frame: pl.LazyFrame, number: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for query, document, value in frame.select(QUERY, DOC, number).collect().iter_rows():
        found.setdefault(query, {})[document] = value
    return found
