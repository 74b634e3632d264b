"""The names and types of the columns that frames have, and the other names they go by elsewhere."""

from collections.abc import Mapping, Sequence

import polars as pl

from ulframe.frames.errors import BadData

Columns = Mapping[str, str]  # what a table calls a column: what we call it

RUN, QUERY, DOC, LABEL, SCORE = "run", "query_id", "doc_id", "label", "score"

# A label is Int32 or Float64: Int32 wherever all labels are whole.
QRELS: dict[str, type[pl.DataType]] = {QUERY: pl.String, DOC: pl.String, LABEL: pl.Int32}
RUNS: dict[str, type[pl.DataType]] = {
    RUN: pl.String,
    QUERY: pl.String,
    DOC: pl.String,
    SCORE: pl.Float64,
}

# Read without a mapping, the earlier name first. PyTerrier's `docid` is its own internal number
# and stands beside `docno`; its `query` is the query's text, so `query` is no id.
ALIASES: dict[str, tuple[str, ...]] = {
    RUN: ("run_id", "run_tag", "tag"),
    QUERY: ("qid", "query-id"),
    DOC: ("docno", "docid", "corpus-id"),
    LABEL: ("relevance", "rel"),
    SCORE: (),
}

KNOWN = frozenset(ALIASES).union(*ALIASES.values())

# Which columns are ids or names even where all of them look like numbers.
IDS = frozenset({"set", "measure", "run_a", "run_b"}).union(
    *((name, *ALIASES[name]) for name in (RUN, QUERY, DOC))
)

SHOWN = 12  # columns that a message names


def no_column(missing: Sequence[str], have: Sequence[str], where: str, advice: str = "") -> BadData:
    """The error that says which columns are missing, which there are, and what to do.

    >>> no_column(["score"], ["run", "mean"], "the scores")
    BadData("the scores: no column 'score'; there are 'run', 'mean'")
    """
    more = f", ... ({len(have)} in all)" if len(have) > SHOWN else ""
    there = ", ".join(map(repr, have[:SHOWN])) or "no columns"
    said = f"{where}: no column {', '.join(map(repr, missing))}; there are {there}{more}"
    return BadData(f"{said}. {advice}" if advice else said)
