"""LETOR text: `label qid:N 1:0.5 2:0.1 ... #docid = X`; its labels as qrels, a feature as a run.

A line without `#docid = X` is named by its number within its query, from 1, zero-padded to six
digits so that the numbers sort as text.
"""

from collections.abc import Callable
from pathlib import Path

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, SCORE
from ulframe.frames.contract import conform_runs
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.sniff import split_ending

LINE = pl.col("line")
BEFORE_COMMENT = LINE.str.extract(r"^([^#]*)")


def scan_letor_labels(source: Path | bytes, *, where: str) -> pl.LazyFrame:
    r"""Read the labels: `query_id: String, doc_id: String, label: Float64`, in the file's order.

    >>> lines = b"2 qid:10 1:0.5 #docid = GX1\n0 qid:10 1:0.1"
    >>> scan_letor_labels(lines, where="-").collect().rows()
    [('10', 'GX1', 2.0), ('10', '000002', 0.0)]
    """
    return _lines(source, where).select(QUERY, DOC, LABEL)


def scan_feature_run(path: str | Path, feature: int, *, run: str | None = None) -> pl.LazyFrame:
    """Rank each query's documents by one feature of a LETOR file, the highest value first.

    Out: `run: String` (`feature N` if not given), `query_id`, `doc_id`, `score: Float64`. A line
    without the feature has value 0, as is usual for sparse files. Collecting raises `BadData` for
    a line that cannot be read or a value that is no number; `BadUsage` if `feature` is below 1.
    """
    if feature < 1:
        raise BadUsage(f"feature {feature}: LETOR numbers its features from 1")
    value = BEFORE_COMMENT.str.extract(rf"\s{feature}:(\S+)").fill_null("0").alias(SCORE)
    scored = _lines(Path(path), str(path)).with_columns(value)
    return conform_runs(scored, where=str(path), run=run or f"feature {feature}")


def scan_score_run(path: str | Path, scores: str | Path, *, run: str | None = None) -> pl.LazyFrame:
    """Rank a LETOR file's documents by a file of scores, one number a line, in the same order.

    Out: `run: String` (the score file's name without endings if not given), `query_id`, `doc_id`,
    `score: Float64`. Collecting raises `BadData` if the two differ in length or a line is none.
    """

    def check(batch: pl.DataFrame) -> pl.DataFrame:
        if any(batch.null_count().row(0)):
            raise BadData(f"{scores} must have one number for each document line of {path}")
        return batch

    documents = _lines(Path(path), str(path)).select(QUERY, DOC).with_row_index()
    values = pl.scan_lines(Path(scores), name=SCORE, glob=False).filter(pl.col(SCORE) != "")
    # Not a horizontal concat: where the lengths differ, its error names no file.
    paired = documents.join(
        values.with_row_index(), on="index", how="full", coalesce=True, maintain_order="left_right"
    )
    scored = paired.drop("index").map_batches(check, streamable=True)
    return conform_runs(scored, where=str(scores), run=run or split_ending(Path(scores).name)[0])


def _lines(source: Path | bytes, where: str) -> pl.LazyFrame:
    """Each document's `row, line, query_id, doc_id, label`; blank lines and comments dropped."""
    text = LINE.str.strip_chars("\ufeff \t\r")
    number = pl.int_range(1, pl.len() + 1).over(QUERY, order_by="row")
    named = LINE.str.extract(r"#\s*docid\s*=\s*(\S+)")
    return (
        pl.scan_lines(source, row_index_name="row", glob=False)
        .with_columns(text)
        .filter((LINE != "") & ~LINE.str.starts_with("#"))
        .with_columns(
            LINE.str.extract(r"^\S+\s+qid:(\S+)").alias(QUERY),
            LINE.str.extract(r"^(\S+)").cast(pl.Float64, strict=False).alias(LABEL),
        )
        .map_batches(_checker(where), streamable=True)
        .with_columns(
            pl.coalesce(named, number.cast(pl.String).str.zfill(6)).alias(DOC),
        )
    )


def _checker(where: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    unread = pl.col(QUERY).is_null() | pl.col(LABEL).is_null() | pl.col(LABEL).is_nan()

    def check(batch: pl.DataFrame) -> pl.DataFrame:
        if batch.select(unread.any()).item():
            line = batch.filter(unread).row(0, named=True)
            raise BadData(
                f"{where}, line {line['row'] + 1}: {line['line'][:200]!r} is no LETOR line, "
                "which is `label qid:N 1:value 2:value ... #docid = X`"
            )
        return batch

    return check
