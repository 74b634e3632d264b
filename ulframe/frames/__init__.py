"""Frames: qrels and runs from any source, as lazy frames with fixed columns and types."""

from ulframe.frames.contract import conform_qrels, conform_runs
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.letor import scan_feature_run, scan_score_run
from ulframe.frames.sources import scan_qrels, scan_runs

__all__ = [
    "BadData",
    "BadUsage",
    "conform_qrels",
    "conform_runs",
    "scan_feature_run",
    "scan_qrels",
    "scan_runs",
    "scan_score_run",
]
