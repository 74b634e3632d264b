"""What the paper's tables are: their numbers, families of measures, data sets and shapes.

A value of any table is one row: `dataset, query_set, quantity, measure, method, k, value`, as in
the file of published values, and `beside`, what stands beside it (see `Kind`), so that ours and
theirs are laid out by the same code.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ulframe.metrics.grammar import parse
from ulframe.metrics.measure import Measure
from ulframe.metrics.operators import V1, V2, Operator, U

CUTOFFS = [5, 10, 15, 20, 30]
ACROSS_SETS = "uninformative vs ideal"
SETS = ["all", "uninformative", "ideal", ACROSS_SETS]
PAPER_DATASETS = ["MSLR-WEB30K", "MQ2007"]
METHODS = ["ARank", "LNet", "RBoost", "RF", "RNet", "CA", "L2LR", "LMART"]

VALUES: dict[str, type[pl.DataType]] = {
    **dict.fromkeys(["dataset", "query_set", "quantity", "measure", "method"], pl.String),
    "k": pl.Int64,
    "value": pl.Float64,
}
"""A published value."""


@dataclass(frozen=True)
class Family:
    """One of the paper's two experiments: a metric, and U, V1 and V2 of it.

    `first` is the number of its first table, `figure` that of its histogram; `metric` is named
    without cutoff, `plain` and `bounded` are what the paper calls U, and V1 and V2, of it.
    """

    metric: str
    plain: str
    bounded: tuple[str, str]
    first: int
    figure: int
    called: str

    @property
    def measures(self) -> dict[str, Operator]:
        """The operators by the paper's names."""
        return dict(zip((self.plain, *self.bounded), (U, V1, V2), strict=True))

    def bases(self) -> dict[Measure, int]:
        """The metric at each cutoff."""
        return {parse(f"{self.metric}@{k}"): k for k in CUTOFFS}


FAMILIES = [
    Family("DCG", "nDCG", ("V1(DCG)", "V2(DCG)"), first=2, figure=2, called="nDCG"),
    Family(
        "SP(expectation=independent)", "MAP", ("V1(SP)", "V2(SP)"), first=12, figure=3, called="AP"
    ),
]
"""The paper's expectation of SP takes independence; its tables cannot be met by the exact one."""


MEASURES = [
    name
    for family in FAMILIES
    for name in (*family.measures, *(f"{family.plain} vs {other}" for other in family.bounded))
]
"""As the tables list them."""


@dataclass(frozen=True)
class Kind:
    """A kind of table: how far behind the family's first it stands, and what it holds.

    `place` is the data set's (0 or 1) where a table has one; `few` says that it needs at least two
    methods, and `two` that it needs two data sets. `beside` is the name of what stands beside each
    value: a share of all pairs, or how many pairs are unlike the others; `whole` are the columns of
    values that hold counts.
    """

    offset: int
    quantity: str
    title: str
    decimals: int
    place: int | None = None
    bounded: bool = False
    few: bool = False
    two: bool = False
    beside: str = ""
    whole: tuple[str, ...] = ()


KINDS = [
    Kind(0, "mean", "{plain} of the methods on {dataset}, all queries", 4, place=0),
    Kind(1, "mean", "{plain} of the methods on {dataset}, all queries", 4, place=1),
    Kind(2, "mean", "V1 and V2 of {called} on {dataset}, all queries", 4, place=0, bounded=True),
    Kind(3, "mean", "V1 and V2 of {called} on {dataset}, all queries", 4, place=1, bounded=True),
    Kind(4, "kendall_tau", "Kendall's tau between rankings of the methods", 3, few=True),
    Kind(
        5,
        "conflicts",
        "Conflicts: pairs on which two measures decide differently",
        3,
        few=True,
        beside="share",
        whole=("here", "published", "difference"),
    ),
    Kind(
        6,
        "significant_pairs",
        "Pairs of methods that differ significantly",
        3,
        few=True,
        beside="share",
        whole=("here", "published", "difference"),
    ),
    Kind(
        7,
        "pad_percent",
        "Percentage absolute difference between methods",
        2,
        few=True,
        beside="maxima not positive",
        whole=("here_beside",),
    ),
    Kind(8, "swap_rate", "Swap rate between data sets", 3, few=True, two=True),
    Kind(9, "swap_rate", "Swap rate between uninformative and ideal queries", 3, few=True),
]
