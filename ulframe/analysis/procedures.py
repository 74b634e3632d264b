"""The tests by name, and what each is called with."""

from __future__ import annotations

from dataclasses import dataclass

from ulframe.analysis import paired
from ulframe.analysis.paired import FamilyTest, pair_by_pair


@dataclass(frozen=True)
class Procedure:
    """A test's function, and whether its p-values count all pairs already (Tukey's do)."""

    run: FamilyTest
    adjusted: bool = False


TESTS = {
    "t": Procedure(pair_by_pair(paired.student)),
}
"""By the name in the `test` column."""
