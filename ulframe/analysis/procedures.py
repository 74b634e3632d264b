"""The tests by name, and what each is called with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ulframe.analysis.paired import FamilyTest, by_resamples, pair_by_pair, student
from ulframe.analysis.rank_tests import sign, wilcoxon
from ulframe.analysis.resampling import bootstrap, randomisation
from ulframe.analysis.tukey import hsd, randomised_hsd


@dataclass(frozen=True)
class Procedure:
    """A test's function, and whether its p-values count all pairs already (Tukey's do)."""

    run: FamilyTest
    adjusted: bool = False


Test = Literal["t", "bootstrap", "randomisation", "wilcoxon", "sign", "hsd", "randomised-hsd"]
TESTS: dict[Test, Procedure] = {
    "t": Procedure(pair_by_pair(student)),
    "bootstrap": Procedure(pair_by_pair(bootstrap, by_resamples)),
    "randomisation": Procedure(pair_by_pair(randomisation, by_resamples)),
    "wilcoxon": Procedure(pair_by_pair(wilcoxon)),
    "sign": Procedure(pair_by_pair(sign)),
    "hsd": Procedure(hsd, adjusted=True),
    "randomised-hsd": Procedure(randomised_hsd, adjusted=True),
}
"""By the name in the `test` column."""
