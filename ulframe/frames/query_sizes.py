"""Files of query sizes, one a line, beside learning-to-rank text without `qid:`."""

from pathlib import Path

import polars as pl

from ulframe.frames.columns import QUERY
from ulframe.frames.endings import split_ending
from ulframe.frames.errors import BadData
from ulframe.frames.packings import BOM

SIZES = (".query", ".group")  # as LightGBM and XGBoost call them
LINE = pl.col("line")


def sizes_file(path: Path) -> Path:
    """The file of query sizes beside a text; `BadData` where there is none, or more than one."""
    stems = dict.fromkeys((split_ending(path.name)[0], path.name))
    names = [f"{stem}{ending}" for ending in SIZES for stem in stems]
    found = [path.with_name(name) for name in names if path.with_name(name).is_file()]
    if not found:
        raise BadData(
            f"{path}: no line has `qid:N`, and there is no file of query sizes beside it "
            f"({' or '.join(names)})"
        )
    if len({file.read_bytes() for file in found}) > 1:
        raise BadData(f"{path}: {found[0].name} and {found[1].name} give it other query sizes")
    return found[0]


def queries_by_size(path: Path, sizes_in: Path, height: int) -> pl.Series:
    """The query of each document, where a file tells how many documents each query has."""
    lines = pl.scan_lines(sizes_in, glob=False).select(LINE.str.strip_chars(BOM + " \t\r"))
    sizes = lines.filter(LINE != "").select(LINE.cast(pl.Int64, strict=False)).collect()["line"]
    if sizes.null_count() or (sizes < 0).any():
        raise BadData(f"{sizes_in}: a line is not the number of a query's documents")
    if sizes.sum() != height:
        raise BadData(
            f"{sizes_in}: its sizes add up to {sizes.sum()}, but {path} has {height} documents"
        )
    stem = split_ending(path.name)[0]
    names = [f"{stem}:{number}" for number in range(1, len(sizes) + 1)]
    repeated = pl.DataFrame({QUERY: names, "size": sizes}).filter(pl.col("size") > 0)
    return repeated.select(pl.col(QUERY).repeat_by("size")).explode(QUERY)[QUERY]
