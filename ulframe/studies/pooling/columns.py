"""The judging list: which document of a query is judged when. Its columns and what they hold."""

import polars as pl

QUERY, DOC, PLACE, TRAINING, DEPTH = "query_id", "doc_id", "place", "training", "depth"

LIST: dict[str, type[pl.DataType]] = {
    QUERY: pl.String,
    DOC: pl.String,
    PLACE: pl.Int64,  # 1 is judged first
    TRAINING: pl.Boolean,  # whether its judgement was needed to make the list
}
