"""What a folder of the paper's tables and figures holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl
from altair.typing import ChartType

from ulframe.report.table import Table


@dataclass(frozen=True)
class Missing:
    """A table or figure that cannot be made, and why."""

    name: str
    title: str
    why: str


@dataclass(frozen=True)
class Book:
    """What is made: tables and charts by name (`table-03`, `figure-1-MQ2007`); what is not."""

    tables: Mapping[str, Table]
    figures: Mapping[str, ChartType]
    missing: tuple[Missing, ...]
    values: pl.DataFrame
    """Every value: what it is, `here`, `published` and `difference`."""
    contradictions: tuple[str, ...] = ()
    """Where the published values that stand beside ours contradict each other, with arithmetic."""
