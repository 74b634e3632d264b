"""LETOR text with all its features: dense or sparse, with `qid:N` or a file of query sizes.

`letor` reads what an evaluation needs, labels and ids; here is what learning to rank needs.
"""

from pathlib import Path

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY
from ulframe.frames.contract import whole_labels
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.sniff import split_ending

LINE, TOKEN = pl.col("line"), pl.col("token")
NUMBER, VALUE = pl.col("number"), pl.col("value")
CHUNK = 8192  # lines parsed at once: 136 features of as many take 100 MB as text, 4 as numbers


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
    beside the text, where LightGBM has it: under the same name with `.query` in place of `.txt`
    or `.gz`, or after it. `features` is how many features there are; not given, the highest
    number that ends a line.

    The ids and labels are read at once, about 40 bytes a line; features stream when collected.
    Raises `BadData`, at once, for a line without label or query, for sizes that do not add up, or
    for want of features; when collected, for a feature that is not `number:value`. `BadUsage` if
    `features` is below 1.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "train.txt"
    ...     _ = path.write_text("2 qid:7 1:0.5 2:NULL #docid = GX1\n0 qid:7 2:3\n")
    ...     scan_letor(path).collect().rows()
    [('7', 'GX1', 2, 0.5, None), ('7', '000002', 0, 0.0, 3.0)]
    """
    if features is not None and features < 1:
        raise BadUsage(f"features={features}: there is at least 1")
    path = Path(source)
    heads = _heads(path, Path(queries) if queries else None)
    width = features or heads.select(pl.col("last").max()).item()
    if not width:
        raise BadData(f"{path}: no line ends with a feature, `number:value`")
    ids = whole_labels(heads.lazy()).select(QUERY, DOC, LABEL).collect()
    names = [f"f{number}" for number in range(1, width + 1)]

    def parse(batch: pl.DataFrame) -> pl.DataFrame:
        chunks = [_parsed(chunk, names, str(path)) for chunk in batch.iter_slices(CHUNK)]
        values = pl.concat(chunks) if chunks else pl.DataFrame(schema=schema).select(names)
        return pl.concat([ids[batch["place"]], values], how="horizontal")

    schema = ids.schema | dict.fromkeys(names, pl.Float32())
    return _documents(path).map_batches(
        parse, schema=schema, streamable=True, predicate_pushdown=False, projection_pushdown=False
    )


def _documents(path: Path) -> pl.LazyFrame:
    """Each document's `place` among them, `row` in the file and `line`."""
    return (
        pl.scan_lines(path, row_index_name="row", glob=False)
        .with_columns(LINE.str.strip_chars("\ufeff \t\r"))
        .filter((LINE != "") & ~LINE.str.starts_with("#"))
        .with_row_index("place")
    )


def _heads(path: Path, queries: Path | None) -> pl.DataFrame:
    """`query_id, doc_id, label: Float64, last`: the number of each document's last feature."""
    found = (
        _documents(path)
        .select(
            "row",
            LINE.str.extract(r"^\S+\s+qid:(\S+)").alias(QUERY),
            LINE.str.extract(r"#\s*docid\s*=\s*(\S+)").alias(DOC),
            LINE.str.extract(r"^(\S+)").cast(pl.Float64, strict=False).alias(LABEL),
            _body().str.tail(64).str.extract(r"(\d+):\S*$").cast(pl.UInt32).alias("last"),
        )
        .collect()
    )
    if found.is_empty():
        raise BadData(f"{path}: no document in it")
    if queries or found[QUERY].null_count() == found.height:
        found = found.with_columns(_by_size(path, queries or _beside(path), found.height))
    unread = found.filter(pl.col(QUERY).is_null() | ~pl.col(LABEL).is_finite().fill_null(False))
    if unread.height:
        raise BadData(
            f"{path}, line {unread['row'][0] + 1}: no LETOR line, which is "
            "`label qid:N 1:value 2:value ... #docid = X`"
        )
    number = pl.int_range(1, pl.len() + 1).over(QUERY).cast(pl.String).str.zfill(6)
    return found.with_columns(pl.coalesce(DOC, number).alias(DOC))


def _body() -> pl.Expr:
    """The line up to its comment."""
    return LINE.str.split_exact("#", 1).struct.field("field_0").str.strip_chars_end()


def _beside(path: Path) -> Path:
    names = (f"{split_ending(path.name)[0]}.query", f"{path.name}.query")
    for name in names:
        if (found := path.with_name(name)).is_file():
            return found
    raise BadData(
        f"{path}: no line has `qid:N`, and there is no file of query sizes beside it "
        f"({' or '.join(dict.fromkeys(names))})"
    )


def _by_size(path: Path, queries: Path, height: int) -> pl.Series:
    """The query of each document, where a file tells how many documents each query has."""
    lines = pl.scan_lines(queries, glob=False).select(LINE.str.strip_chars()).filter(LINE != "")
    sizes = lines.select(LINE.cast(pl.Int64, strict=False)).collect()["line"]
    if sizes.null_count() or (sizes < 0).any():
        raise BadData(f"{queries}: a line is not the number of a query's documents")
    if sizes.sum() != height:
        raise BadData(
            f"{queries}: its sizes add up to {sizes.sum()}, but {path} has {height} documents"
        )
    stem = split_ending(path.name)[0]
    names = [f"{stem}:{number}" for number in range(1, len(sizes) + 1)]
    repeated = pl.DataFrame({QUERY: names, "size": sizes}).filter(pl.col("size") > 0)
    return repeated.select(pl.col(QUERY).repeat_by("size")).explode(QUERY)[QUERY]


def _parsed(chunk: pl.DataFrame, names: list[str], where: str) -> pl.DataFrame:
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
    )
    _check(tokens, width, where)
    flat = pl.repeat(0.0, chunk.height * width, dtype=pl.Float32, eager=True)
    flat = flat.scatter(
        tokens.select(pl.col("at") * width + NUMBER - 1).to_series(),
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


def _check(tokens: pl.DataFrame, width: int, where: str) -> None:
    bad = NUMBER.is_null() | (NUMBER < 1) | (width < NUMBER) | VALUE.is_null()
    if tokens.select(bad.any()).item():
        row, token, number = tokens.filter(bad).select("row", "token", "number").row(0)
        beyond = number is not None and number > width
        wrong = f"beyond the {width} features" if beyond else "not `number:value`, from 1"
        raise BadData(f"{where}, line {row + 1}: feature {token!r} is {wrong}")
