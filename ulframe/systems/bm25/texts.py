"""Documents and queries from files, frames and dicts: an id, and a text or its terms.

What a file is, is told by its name's ending, else by its first line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import polars as pl

from ulframe.frames.benchmark import is_benchmark_line, scan_benchmark_queries
from ulframe.frames.columns import no_column
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.files import File, first_line
from ulframe.frames.formats import TABLES, Format
from ulframe.frames.intake import FramesLike, as_lazy, spread
from ulframe.frames.pairs import scan_pairs
from ulframe.frames.sniff import binary_format, named_format
from ulframe.systems.bm25.smart import scan_smart

DOCUMENTS = {
    "doc_id": ("docno", "docid", "_id", "id"),
    "text": ("contents", "body"),
    "terms": (),
    "prior": ("popularity",),
}
QUERIES = {
    "query_id": ("qid", "_id", "id"),
    "text": ("query", "title"),
    "terms": (),
}
"""The columns, and the other names by which they are understood without a mapping."""

Names = Mapping[str, tuple[str, ...]]

Texts = FramesLike
"""What can become documents or queries; of dicts `{id: text}`."""
Kind = Literal["lines", "pairs", "smart", "benchmark", "parquet", "csv", "tsv", "jsonl", "arrow"]
"""The names of `READERS`."""


def scan_documents(
    source: Texts,
    *,
    columns: Mapping[str, str] | None = None,
    fields: str = "TW",
    kind: Kind | None = None,
) -> pl.LazyFrame:
    """Read a collection: `doc_id: String`, `text: String` (or `terms: List[String]`, or `prior`).

    `source` is a path, glob, folder or `-`, a frame of any library, a dict `{doc: text}`, or a list
    of these. Files are tables (parquet, csv, tsv, jsonl, arrow) with these columns; `.tsv` without
    a header, `id TAB text`; the SMART format, of which `fields` make the text; else one document a
    line, its number the id. `kind`, one of `READERS`, says it where name and first line mislead.

    `columns` maps a table's names to ours; several that become `text` are joined by a blank.
    A `prior` is a document's popularity, a finite number that is not below 0. A null text is empty.

    Raises `BadUsage` for a bad option; `BadData` where nothing is found, a column is missing or,
    when collected, an id is null or empty.

    >>> scan_documents({"1": "wing flutter", "2": "heat"}).collect().rows()
    [('1', 'wing flutter'), ('2', 'heat')]
    """
    return _scan(source, DOCUMENTS, columns, fields, kind, _document_kind)


def scan_queries(
    source: Texts,
    *,
    columns: Mapping[str, str] | None = None,
    fields: str = "W",
    kind: Kind | None = None,
) -> pl.LazyFrame:
    """Read queries: `query_id: String` and `text: String` (or `terms: List[String]`).

    `source` and the options are as in `scan_documents`; text with tabs is `id TAB text`, or a
    benchmark, `query TAB relevant ids`, whose queries are their own ids.

    >>> scan_queries({"q1": "flutter of wings"}).collect().rows()
    [('q1', 'flutter of wings')]
    """
    return _scan(source, QUERIES, columns, fields, kind, query_kind)


def numbered(queries: pl.LazyFrame) -> pl.LazyFrame:
    """Give queries their places, from 1, as ids: those in Cranfield's file are not what it judges.

    >>> numbered(scan_queries({"001": "a", "004": "b"})).collect()["query_id"].to_list()
    ['1', '2']
    """
    place = pl.int_range(1, pl.len() + 1).cast(pl.String)
    return queries.with_columns(query_id=place)


# ---------------------------------------------------------------- files
def _lines(file: File, fields: str) -> pl.LazyFrame:
    lines = pl.scan_lines(file.source, name="text", row_index_name="row", glob=False)
    return lines.select(id=(pl.col("row") + 1).cast(pl.String), text="text")


def _pairs(file: File, fields: str) -> pl.LazyFrame:
    pairs = scan_pairs(file.source, where=file.where, says="a line is `id TAB text`")
    return pairs.select(id="left", text="right")


def _smart(file: File, fields: str) -> pl.LazyFrame:
    return scan_smart(file.source, fields=fields, where=file.where)


def _benchmark(file: File, fields: str) -> pl.LazyFrame:
    return scan_benchmark_queries(file.source, where=file.where)


def _table(form: Format) -> Callable[[File, str], pl.LazyFrame]:
    return lambda file, fields: form.read.table(file)


READERS: dict[str, Callable[[File, str], pl.LazyFrame]] = {
    "lines": _lines,
    "pairs": _pairs,
    "smart": _smart,
    "benchmark": _benchmark,
    **{form.name: _table(form) for form in TABLES},
}


def _document_kind(file: File, names: set[str]) -> str:
    by_name = named_format(file.where, TABLES)
    kind = by_name.name if by_name else _by_content(file)
    return _tsv_kind(file, names, "pairs") if kind == "tsv" else kind


def query_kind(file: File, names: set[str]) -> str:
    """Say which of `READERS` reads a file of queries; `names` tell a header."""
    by_name = named_format(file.where, TABLES)
    kind = by_name.name if by_name else _by_content(file)
    if kind not in ("tsv", "lines") or "\t" not in (line := first_line(file)):
        return kind
    return _tsv_kind(file, names, "benchmark" if is_benchmark_line(line) else "pairs")


def _tsv_kind(file: File, names: set[str], otherwise: str) -> str:
    header = {name.strip('"') for name in first_line(file).split("\t")}
    return "tsv" if names & header else otherwise


def _by_content(file: File) -> str:
    if form := binary_format(file.source):
        return form.name
    line = first_line(file)
    starts = {".I ": "smart", "{": "jsonl"}
    return next((kind for start, kind in starts.items() if line.startswith(start)), "lines")


# ---------------------------------------------------------------- the contract
def _scan(
    source: Texts,
    ours: Names,
    columns: Mapping[str, str] | None,
    fields: str,
    kind: Kind | None,
    kind_of: Callable[[File, set[str]], str],
) -> pl.LazyFrame:
    if kind is not None and kind not in READERS:
        raise BadUsage(f"kind={kind!r}: it is one of {', '.join(READERS)}")
    names = {*ours, *(other for others in ours.values() for other in others), *(columns or {})}
    parts = []
    for item in spread(source):
        if isinstance(item, File):
            frame, where = READERS[kind or kind_of(item, names)](item, fields), item.where
        else:
            frame, where = _in_memory(item), "the frame"
        parts.append(_conform(frame, ours, columns or {}, where))
    return parts[0] if len(parts) == 1 else pl.concat(parts, how="vertical_relaxed")


def _in_memory(item: FramesLike) -> pl.LazyFrame:
    if isinstance(item, Mapping):
        text = pl.Series("text", list(item.values()))
        return pl.LazyFrame([pl.Series("id", map(str, item), pl.String), text])
    return as_lazy(item, "text")


def _conform(
    frame: pl.LazyFrame, ours: Names, columns: Mapping[str, str], where: str
) -> pl.LazyFrame:
    """The wanted columns under our names and types; null ids refused, null texts empty."""
    have = frame.collect_schema().names()
    if unknown := sorted({*columns} - {*have} | {*columns.values()} - {*ours}):
        raise BadUsage(f"{where}: columns={dict(columns)} names {unknown}; the columns are {have}, "
                       f"and they can become {list(ours)}")  # fmt: skip
    theirs = {name: _theirs(name, ours, columns, have) for name in ours}
    id_name = next(iter(ours))
    body = "terms" if theirs["terms"] else "text"
    if missing := [name for name in (id_name, body) if not theirs[name]]:
        advice = f"Map yours with columns={{'yours': {missing[0]!r}}}."
        raise no_column(missing, have, where, advice)
    wanted = [
        pl.col(theirs[id_name][0]).cast(pl.String).alias(id_name),
        _BODIES[body](theirs[body]).alias(body),
    ]
    if theirs.get("prior"):
        prior = pl.col(theirs["prior"][0]).cast(pl.Float64, strict=False)
        wanted.append(prior.alias("prior"))
    return frame.select(wanted).map_batches(
        lambda batch: _checked(batch, where), streamable=True, projection_pushdown=False
    )


def _theirs(name: str, ours: Names, columns: Mapping[str, str], have: list[str]) -> list[str]:
    """The columns that become ours: all that are mapped to it, else the first known name."""
    if mapped := [theirs for theirs, wanted in columns.items() if wanted == name]:
        return mapped
    return [other for other in (name, *ours[name]) if other in have and other not in columns][:1]


_BODIES: dict[str, Callable[[list[str]], pl.Expr]] = {
    "text": lambda names: pl.concat_str(pl.col(names).cast(pl.String).fill_null(""), separator=" "),
    "terms": lambda names: pl.col(names[0]).cast(pl.List(pl.String)),
}


def _checked(batch: pl.DataFrame, where: str) -> pl.DataFrame:
    ids = batch.to_series(0)
    for wrong, there in {"null": ids.is_null(), "empty": ids == ""}.items():
        if there.any():
            raise BadData(f"{where}: {ids.name} must not be {wrong}, but there is one that is")
    if "prior" in batch.columns:
        bad = batch.filter(~(pl.col("prior").is_finite() & (pl.col("prior") >= 0)).fill_null(False))
        if bad.height:
            name, prior = bad.row(0, named=True)[batch.columns[0]], bad["prior"][0]
            raise BadData(
                f"{where}: a prior must be a number that is not below 0, but that of document "
                f"{name!r} is {prior}"
            )
    return batch
