"""LETOR text: `label qid:N 1:0.5 2:0.1 ... #docid = X`; its labels as qrels.

Without `qid:N`, as LightGBM and XGBoost write it, a file of query sizes lies beside it. A line
without `#docid = X` is named by its number within its query, from 1, zero-padded to six digits so
that the numbers sort as text.
"""

from collections.abc import Callable

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, SCORE
from ulframe.frames.errors import BadData, in_short
from ulframe.frames.files import File
from ulframe.frames.look_through import look_through
from ulframe.frames.query_sizes import queries_by_size, sizes_file

LINE = pl.col("line")
BEFORE_COMMENT = LINE.str.extract(r"^([^#]*)")
PLACE = "place"

# what `features` reads of a line
_VALUE = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|(?i:null|nan)"
FEATURES = rf"^\S+(?:\s+qid:[^\s#]+)?(?:\s+\d+:(?:{_VALUE}))*\s*(?:#.*)?$"


def scan_letor_labels(file: File) -> pl.LazyFrame:
    r"""Read the labels: `query_id: String, doc_id: String, label: Float64`, in the file's order.

    >>> lines = b"2 qid:10 1:0.5 #docid = GX1\n0 qid:10 1:0.1"
    >>> scan_letor_labels(File(lines, "-")).collect().rows()
    [('10', 'GX1', 2.0), ('10', '000002', 0.0)]
    """
    return letor_lines(file).select(QUERY, DOC, LABEL)


def letor_lines(file: File) -> pl.LazyFrame:
    """Each document's `row, line, query_id, doc_id, label`, and `place` in its query, from 0."""
    place = pl.int_range(pl.len()).over(QUERY, order_by="row")
    named = LINE.str.extract(r"#\s*docid\s*=\s*(\S+)")
    number = (pl.col(PLACE) + 1).cast(pl.String).str.zfill(6)
    return (
        _with_queries(file)
        .with_columns(place.alias(PLACE))
        .with_columns(pl.coalesce(named, number).alias(DOC))
    )


def _with_queries(file: File) -> pl.LazyFrame:
    look_through(file.source, file.where)
    text = LINE.str.strip_chars("\ufeff \t\r")
    lines = (
        pl.scan_lines(file.source, row_index_name="row", glob=False)
        .with_columns(text)
        .filter((LINE != "") & ~LINE.str.starts_with("#"))
        .with_columns(
            LINE.str.extract(r"^\S+\s+qid:([^\s#]+)").alias(QUERY),
            LINE.str.extract(r"^(\S+)").cast(pl.Float64, strict=False).alias(LABEL),
        )
    )
    if not any("qid:" in line for line in file.head.lines):
        if isinstance(file.given, bytes):
            raise BadData(f"{file.where}: no line has `qid:N`; a pipe has no query sizes beside it")
        sizes, found = sizes_file(file.given), lines.collect()
        lines = found.with_columns(queries_by_size(file.given, sizes, found.height)).lazy()
    return lines.map_batches(_checker(file.where), streamable=True)


def _checker(where: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    unread = (
        pl.col(QUERY).is_null()
        | ~pl.col(LABEL).is_finite().fill_null(False)
        | ~LINE.str.contains(FEATURES)
    )

    def check(batch: pl.DataFrame) -> pl.DataFrame:
        if batch.select(unread.any()).item():
            line = batch.filter(unread).row(0, named=True)
            raise BadData(
                f"{where}, line {line['row'] + 1}: {in_short(line['line'], 80)!r} is no LETOR "
                "line, which is `label qid:N 1:value 2:value ... #docid = X`"
            )
        return batch

    return check


# ---------------------------------------------------------------- what was predicted of it
def predicted(documents: File, scores: File) -> pl.LazyFrame:
    """Pair a text's documents with one number a line: `query_id, doc_id, score: String`.

    Collecting raises `BadData` if the two differ in length.
    """

    def check(batch: pl.DataFrame) -> pl.DataFrame:
        if any(batch.null_count().row(0)):
            raise BadData(
                f"{scores.where} must have one number for each document line of {documents.where}"
            )
        return batch

    lines = letor_lines(documents).select(QUERY, DOC).with_row_index()
    number = pl.col(SCORE).str.strip_chars("\ufeff \t\r")
    values = pl.scan_lines(scores.source, name=SCORE, glob=False).with_columns(number)
    # Not a horizontal concat: where the lengths differ, its error names no file.
    paired = lines.join(
        values.filter(pl.col(SCORE) != "").with_row_index(),
        on="index",
        how="full",
        coalesce=True,
        maintain_order="left_right",
    )
    return paired.drop("index").map_batches(check, streamable=True)


def by_position(documents: File, fields: pl.LazyFrame, where: str) -> pl.LazyFrame | None:
    """Pair a text's documents with RankLib's `query position score`, or None if it is no such.

    In: `1, 2, 3: String`, the fields. They are positions where the second is 0..n-1 in every query
    and is no document of the text. Out: `query_id, doc_id, score: String`. Raises `BadData` where
    a query has another number of documents in the text.
    """
    place = pl.col("2").cast(pl.Int64, strict=False)
    rows = fields.select(
        pl.col("1").alias(QUERY), pl.col("2"), place.alias(PLACE), score="3"
    ).collect()
    lines = letor_lines(documents).select(QUERY, DOC, PLACE).collect()
    counts = (pl.col(PLACE).sort() == pl.int_range(pl.len())).all() & pl.col(
        PLACE
    ).is_not_null().all()
    counted = rows.group_by(QUERY).agg(size=pl.len(), counts=counts)
    if not counted["counts"].all() or rows["2"].is_in(lines[DOC].implode()).any():
        return None
    sizes = counted.join(lines.group_by(QUERY).agg(held=pl.len()), on=QUERY, how="left")
    wrong = sizes.filter(pl.col("size") != pl.col("held").fill_null(0)).sort(QUERY)
    if wrong.height:
        query, size_, held = wrong.select(QUERY, "size", pl.col("held").fill_null(0)).row(0)
        raise BadData(
            f"{where}: {size_} scores of query {query!r}, which has {held} documents in "
            f"{documents.where}"
        )
    joined = rows.join(lines, on=[QUERY, PLACE], how="left", maintain_order="left")
    return joined.select(QUERY, DOC, SCORE).lazy()
