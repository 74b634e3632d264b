"""The names and types of the columns that frames of rankings have."""

import polars as pl

CONTEST, RANKING, ITEM, POSITION = "contest", "ranking", "item", "position"
BETTER, WORSE, REFERENCE = "better", "worse", "reference"

POSITIONS: dict[str, type[pl.DataType]] = {
    CONTEST: pl.String,
    RANKING: pl.String,
    ITEM: pl.String,
    POSITION: pl.Float64,
}
PAIRS: dict[str, type[pl.DataType]] = {
    CONTEST: pl.String,
    RANKING: pl.String,
    BETTER: pl.String,
    WORSE: pl.String,
}
COMPARISONS: dict[str, type[pl.DataType]] = {
    CONTEST: pl.String,
    RANKING: pl.String,
    REFERENCE: pl.String,
}
SCORES: dict[str, type[pl.DataType]] = COMPARISONS | {
    "n": pl.Int64,
    "completion": pl.String,
    "measure": pl.String,
    "score": pl.Float64,
}
