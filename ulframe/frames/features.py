"""LETOR text with all its features: dense or sparse, with `qid:N` or a file of query sizes.

`letor` reads what an evaluation needs, labels and ids; here is what learning to rank needs.
"""

from pathlib import Path

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY
from ulframe.frames.contract import whole_labels
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.packings import readable
from ulframe.frames.query_sizes import queries_by_size, sizes_file

LINE, TOKEN = pl.col("line"), pl.col("token")
NUMBER, VALUE = pl.col("number"), pl.col("value")
QID = r"^\S+\s+qid:(\S+)"
CHUNK = 8192  # lines parsed at once: 136 features of as many take 100 MB as text, 4 as numbers
MOST = 100_000  # features: a slip in a sparse file must not ask for all memory
LARGEST = 1e38  # so that the difference of two values is a Float32 too


def scan_letor(
    source: str | Path, *, queries: str | Path | None = None, features: int | None = None
) -> pl.LazyFrame:
    r"""Read a LETOR file, `label qid:N 1:value 2:value ... #docid = X`, with its features.

    Out, in the file's order: `query_id: String, doc_id: String, label: Int32 | Float64` and
    `f1 ... fN: Float32`. A feature that a line does not name is 0, as in sparse files; one whose
    value is `NULL` or `nan` is null. A line without a docid is named by its number within its
    query, from 1, zero-padded to six digits. `.gz` and `.zst` are read as they are.

    `queries` is a file of query sizes, one a line, for text without `qid:`; the queries are then
    called after the text and their number in it, `rank.train:1`. Not given, it is looked for
    beside the text, where LightGBM and XGBoost have it: under the same name with `.query` or
    `.group` in place of `.txt` or `.gz`, or after it. `features` is how many features there are, at
    most 100,000; not given, the highest number that ends a line, so that a line's features must
    ascend. Where a line begins with feature 0, they count from there: `f0, f1 ...`.

    The ids and labels are read at once, about 40 bytes a line; features stream when collected.
    Raises `BadData`, at once, for a line without label or query, for sizes that do not add up, for
    want of features or a number above 100,000; when collected, for a feature that is not
    `number:value`, stands twice in its line, or is infinite or beyond 1e38. `BadUsage` if
    `features` is not from 1 to 100,000.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "train.txt"
    ...     _ = path.write_text("2 qid:7 1:0.5 2:NULL #docid = GX1\n0 qid:7 2:3\n")
    ...     scan_letor(path).collect().rows()
    [('7', 'GX1', 2, 0.5, None), ('7', '000002', 0, 0.0, 3.0)]
    """
    if features is not None and not 1 <= features <= MOST:
        raise BadUsage(f"features={features}: it is from 1 to {MOST}")
    path = Path(source)
    heads = _heads(path, Path(queries) if queries else None)
    first = int(not heads["from_0"].any())
    last = features + first - 1 if features else _last(heads, path)
    ids = whole_labels(heads.lazy()).select(QUERY, DOC, LABEL).collect()
    names = [f"f{number}" for number in range(first, last + 1)]

    def parse(batch: pl.DataFrame) -> pl.DataFrame:
        chunks = [_parsed(chunk, names, first, str(path)) for chunk in batch.iter_slices(CHUNK)]
        values = pl.concat(chunks) if chunks else pl.DataFrame(schema=schema).select(names)
        return pl.concat([ids[batch["place"]], values], how="horizontal")

    schema = ids.schema | dict.fromkeys(names, pl.Float32())
    return _documents(path).map_batches(
        parse, schema=schema, streamable=True, predicate_pushdown=False, projection_pushdown=False
    )


def _documents(path: Path) -> pl.LazyFrame:
    """Each document's `place` among them, `row` in the file and `line`."""
    return (
        pl.scan_lines(readable(path, str(path)), row_index_name="row", glob=False)
        .with_columns(LINE.str.strip_chars("\ufeff \t\r"))
        .filter((LINE != "") & ~LINE.str.starts_with("#"))
        .with_row_index("place")
    )


def _heads(path: Path, queries: Path | None) -> pl.DataFrame:
    """`query_id, doc_id, label: Float64`; `last`, each document's last feature; `from_0`."""
    found = (
        _documents(path)
        .select(
            "row",
            LINE.str.extract(QID).alias(QUERY),
            LINE.str.extract(r"#\s*docid\s*=\s*(\S+)").alias(DOC),
            LINE.str.extract(r"^(\S+)").cast(pl.Float64, strict=False).alias(LABEL),
            _body().str.tail(64).str.extract(r"(\d+):\S*$").cast(pl.Float64).alias("last"),
            _body().str.contains(r"^\S+\s+(?:qid:\S+\s+)?0:").alias("from_0"),
        )
        .collect()
    )
    if found.is_empty():
        raise BadData(f"{path}: no document in it")
    if queries or found[QUERY].null_count() == found.height:
        found = found.with_columns(queries_by_size(path, queries or sizes_file(path), found.height))
    unread = found.filter(pl.col(QUERY).is_null() | ~pl.col(LABEL).is_finite().fill_null(False))
    if unread.height:
        raise BadData(
            f"{path}, line {unread['row'][0] + 1}: no LETOR line, which is "
            "`label qid:N 1:value 2:value ... #docid = X`"
        )
    number = pl.int_range(1, pl.len() + 1).over(QUERY).cast(pl.String).str.zfill(6)
    return found.with_columns(pl.coalesce(DOC, number).alias(DOC))


def _last(heads: pl.DataFrame, path: Path) -> int:
    """The highest number that ends a line."""
    if heads["last"].null_count() == heads.height:
        raise BadData(f"{path}: no line ends with a feature, `number:value`")
    row, last = heads.select("row", "last").row(heads["last"].arg_max() or 0)
    if last > MOST:
        raise BadData(f"{path}, line {row + 1}: feature {last:.0f}: at most {MOST} can be read")
    return int(last)


def _body() -> pl.Expr:
    """The line up to its comment."""
    return LINE.str.split_exact("#", 1).struct.field("field_0").str.strip_chars_end()


def sizes_beside(path: Path) -> Path | None:
    """The file of query sizes that `scan_letor` finds for a text; None for one with `qid:`."""
    told = _documents(path).select(LINE.str.contains(QID)).head(1).collect()["line"]
    return None if told.any() else sizes_file(path)


def _parsed(chunk: pl.DataFrame, names: list[str], first: int, where: str) -> pl.DataFrame:
    """The features of a few lines, a column each."""
    width = len(names)
    pair = TOKEN.str.split_exact(":", 1).struct
    tokens = (
        chunk.with_columns(at=pl.int_range(pl.len()))
        .select("row", "at", token=_body().str.replace_all("\t", " ", literal=True))
        .with_columns(TOKEN.str.split(" ").list.slice(1))
        .explode("token")
        .filter(TOKEN != "", ~TOKEN.str.starts_with("qid:"))
        .with_columns(
            number=pair.field("field_0").cast(pl.Int64, strict=False),
            value=_value(pair.field("field_1")),
        )
        .with_columns(cell=pl.col("at") * width + NUMBER - first)
    )
    _check(tokens, first, first + width - 1, where)
    flat = pl.repeat(0.0, chunk.height * width, dtype=pl.Float32, eager=True)
    flat = flat.scatter(
        tokens["cell"],
        tokens.select(VALUE.fill_nan(None)).to_series(),
    )
    rows = flat.reshape((chunk.height, width)).to_frame("f")
    return rows.select(pl.col("f").arr.to_struct(names)).unnest("f")


def _value(text: pl.Expr) -> pl.Expr:
    """NaN where the value is said to be missing, null where it is no number."""
    number = text.cast(pl.Float32, strict=False)
    return (
        pl.when(number.is_null() & (text.str.to_lowercase() == "null"))
        .then(pl.lit(float("nan"), pl.Float32))
        .otherwise(number)
    )


def _check(tokens: pl.DataFrame, first: int, last: int, where: str) -> None:
    wrong = {
        f"not `number:value`, from {first}":
            NUMBER.is_null() | (first > NUMBER) | VALUE.is_null(),
        f"beyond the {last + 1 - first} features; features must ascend in a line, or `features` "
        "say how many": last < NUMBER,
        f"infinite or beyond {LARGEST:g}": VALUE.is_not_nan() & (VALUE.abs() > LARGEST),
    }  # fmt: skip
    if not (tokens["cell"].diff() > 0).all():  # a glance spares most files the long way
        wrong["there twice"] = ~pl.col("cell").is_first_distinct()
    for says, bad in wrong.items():
        found = tokens.filter(bad)
        if found.height:
            row, token = found.select("row", "token").row(0)
            raise BadData(f"{where}, line {row + 1}: feature {token!r} is {says}")
