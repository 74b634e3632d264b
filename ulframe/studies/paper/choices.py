"""What the paper leaves open, or one may want otherwise: tests, undefined scores, which queries."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ulframe.analysis.procedures import TESTS, Test
from ulframe.analysis.queries import Gap
from ulframe.analysis.significance import ALPHA
from ulframe.evaluation.summarise import Undefined
from ulframe.frames.errors import BadUsage


@dataclass(frozen=True)
class Choices:
    """How the tables are made; by default as we read the paper.

    - `uninformative_n`, `ideal_n`: the sizes of these sets, else the paper's.
    - `test` of pairs, uncorrected, at level `alpha`.
    - `undefined`: whether an undefined score counts as 0 or is left out.
    - `gap`: whether uninformative queries are those nearest to chance, or furthest below it.
    - `sample_queries`: so many of each data set, drawn with `seed`; all without it.

    Raises `BadUsage` for a test that there is not, an `alpha` outside of (0, 1), or no queries.
    """

    uninformative_n: int | None = None
    ideal_n: int | None = None
    test: Test = "t"
    alpha: float = ALPHA
    undefined: Undefined = "zero"
    gap: Gap = "absolute"
    sample_queries: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what no table could be made with."""
        if self.test not in TESTS:
            raise BadUsage(f"test={self.test!r} is not one of {', '.join(TESTS)}")
        if not 0 < self.alpha < 1 or self.seed < 0:
            raise BadUsage(f"alpha={self.alpha}, seed={self.seed}: 0 < alpha < 1, seed >= 0")
        if self.sample_queries is not None and self.sample_queries < 1:
            raise BadUsage(f"sample_queries={self.sample_queries}: it takes at least 1")

    def sampled(self, scores: pl.DataFrame) -> pl.DataFrame:
        """The scores of the queries that were drawn; all where there are no more."""
        queries = scores.select(pl.col("query_id").unique().sort())
        if self.sample_queries is None or self.sample_queries >= queries.height:
            return scores
        drawn = queries.sample(self.sample_queries, seed=self.seed)
        return scores.join(drawn, on="query_id", how="semi", maintain_order="left")
