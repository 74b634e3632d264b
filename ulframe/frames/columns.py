"""The names and types of the columns that frames have, and the other names they go by elsewhere."""

import polars as pl

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
