"""Frames: qrels and runs from any source, as lazy frames with fixed columns and types."""

from ulframe.frames.atomic import appearing
from ulframe.frames.contract import conform_qrels, conform_runs
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.letor_runs import scan_feature_run, scan_score_run
from ulframe.frames.second_look import explained
from ulframe.frames.sources import scan_qrels, scan_runs
from ulframe.frames.write import convert, write_table

__all__ = [
    "BadData",
    "BadUsage",
    "appearing",
    "conform_qrels",
    "conform_runs",
    "convert",
    "explained",
    "scan_feature_run",
    "scan_qrels",
    "scan_runs",
    "scan_score_run",
    "write_table",
]
