"""What runs returned and who judged it: the frames that fillings are made over."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from ulframe.evaluation.ranking import KEYS, rank
from ulframe.frames.intake import FramesLike
from ulframe.frames.sources import scan_qrels, scan_runs

UNJUDGED = pl.col("label").is_null()


@dataclass(frozen=True)
class Rankings:
    """Runs, ranked, and the labels of what they returned.

    - `rows`: `run, query_id, doc_id: String, rank, retrieved: Int64, label: Float64`, of each run
      and each query of the qrels; the label is null where nobody judged the document.
    - `counts`: `query_id: String, label: Float64, judged: Int64`, how many documents of the qrels
      carry which label, returned or not.

    A negative label is no judgement: a document that has one and was returned is unjudged, and in
    no count.
    """

    rows: pl.DataFrame
    counts: pl.DataFrame

    @cached_property
    def runs(self) -> list[str]:
        """The names of the runs, in order."""
        return self.rows["run"].unique().sort().to_list()

    @cached_property
    def queries(self) -> list[str]:
        """The queries of the qrels, in order."""
        return self.counts["query_id"].unique().sort().to_list()

    @cached_property
    def highest(self) -> float:
        """The highest label of the qrels."""
        highest: float = self.counts.select(pl.col("label").max()).item()
        return highest

    @cached_property
    def holes(self) -> pl.DataFrame:
        """`run, query_id, doc_id, rank, i`: what nobody judged; `i` counts it from the top, from 0.

        Rows in the order of run, query and rank.
        """
        return (
            self.rows.filter(UNJUDGED)
            .select(*KEYS, "doc_id", "rank")
            .sort(*KEYS, "rank")
            .with_columns(i=pl.int_range(pl.len(), dtype=pl.Int64).over(KEYS))
        )


def rankings(qrels: FramesLike, runs: FramesLike, depth: int | None = None) -> Rankings:
    """Rank the runs, as `evaluate` does, and look up who judged what.

    Raises what `scan_qrels`, `scan_runs` and `rank` do, and `BadData` for a document that stands
    twice.
    """
    judged = scan_qrels(qrels).with_columns(pl.col("label").cast(pl.Float64))
    ranked = rank(scan_runs(runs, documents=qrels), depth=depth).drop("repeated")
    asked = judged.select("query_id").unique()
    document, negative = ["query_id", "doc_id"], pl.col("label") < 0
    labels = judged.filter(~negative).select(*document, "label")
    rows = ranked.join(asked, on="query_id", how="semi").join(labels, on=document, how="left")
    returned = (
        judged.filter(negative).join(ranked, on=document, how="semi").select(*document, n=pl.lit(0))
    )
    counts = (
        judged.join(returned, on=document, how="left")
        .group_by("query_id", "label")  # also of a query that has no other
        .agg(judged=pl.col("n").fill_null(1).sum().cast(pl.Int64))
    )
    found, histogram = pl.collect_all([rows.sort(*KEYS, "rank"), counts])
    return Rankings(found.select(*KEYS, "doc_id", "rank", "retrieved", "label"), histogram)
