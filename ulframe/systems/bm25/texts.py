"""Documents and queries from files, frames and dicts: an id, and a text or its terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from ulframe.frames.columns import no_column
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.files import File
from ulframe.frames.intake import FramesLike, as_lazy, spread
from ulframe.frames.remarks import remark
from ulframe.systems.bm25.kinds import READERS, Kind, document_kind, of_dict, query_kind

DOCUMENTS = {
    "doc_id": ("docno", "docid", "_id", "id"),
    "text": ("contents", "body"),
    "terms": (),
    "prior": ("popularity",),
    "title": (),
}
QUERIES = {
    "query_id": ("qid", "_id", "id"),
    "text": ("query", "title"),
    "terms": (),
}
"""The columns, and the other names by which they are understood without a mapping; a title goes
before the text."""

Names = Mapping[str, tuple[str, ...]]

Texts = FramesLike
"""What can become documents or queries; of dicts `{id: text}`."""


def scan_documents(
    source: Texts,
    *,
    columns: Mapping[str, str] | None = None,
    fields: str | None = None,
    kind: Kind | None = None,
) -> pl.LazyFrame:
    """Read a collection: `doc_id: String`, `text: String` (or `terms: List[String]`, or `prior`).

    `source` is a path, glob, folder or `-`, a frame of any library, a dict `{doc: text}`, or a list
    of these. Files are tables (parquet, csv, tsv, jsonl, arrow) with these columns, as BEIR,
    PyTerrier and Anserini have them; JSON, a list of such rows; `.tsv` without a header,
    `id TAB text`, as MS MARCO has it; TREC's `<DOC>`; the SMART format, of which `fields` (by
    default TW) make the text; the NPL format; else one document a line, its number the id. `kind`,
    one of `READERS`, says it where name and first line mislead.

    `columns` maps a table's names to ours; several that become `text` are joined by a blank, and so
    are, without a mapping, `title` and text. A `prior` is a document's popularity, a finite number
    that is not below 0. A null text is empty.

    Raises `BadUsage` for a bad option; `BadData` where nothing is found, a column is missing, the
    first line is markup of another kind or, when collected, an id is null or empty.

    >>> scan_documents({"1": "wing flutter", "2": "heat"}).collect().rows()
    [('1', 'wing flutter'), ('2', 'heat')]
    """
    of_kind = {"smart": "TW", **_given(fields)}
    return _scan(source, DOCUMENTS, columns, of_kind, kind, document_kind)


def scan_queries(
    source: Texts,
    *,
    columns: Mapping[str, str] | None = None,
    fields: str | None = None,
    kind: Kind | None = None,
) -> pl.LazyFrame:
    """Read queries: `query_id: String` and `text: String` (or `terms: List[String]`).

    `source` and the options are as in `scan_documents`; text with tabs is `id TAB text`, or a
    benchmark, `query TAB relevant ids`, whose queries are their own ids. Of TREC's topics (`<top>`)
    `fields` are T, the title (by default), D, the description, and N, the narrative; of the SMART
    format W.

    >>> scan_queries({"q1": "flutter of wings"}).collect().rows()
    [('q1', 'flutter of wings')]
    """
    of_kind = {"smart": "W", "topics": "T", **_given(fields)}
    return _scan(source, QUERIES, columns, of_kind, kind, query_kind)


def numbered(queries: pl.LazyFrame) -> pl.LazyFrame:
    """Give queries their places, from 1, as ids: those in Cranfield's file are not what it judges.

    >>> numbered(scan_queries({"001": "a", "004": "b"})).collect()["query_id"].to_list()
    ['1', '2']
    """
    place = pl.int_range(1, pl.len() + 1).cast(pl.String)
    return queries.with_columns(query_id=place)


# ---------------------------------------------------------------- the contract
def _scan(
    source: Texts,
    ours: Names,
    columns: Mapping[str, str] | None,
    fields: Mapping[str, str],
    kind: Kind | None,
    kind_of: Callable[[File, set[str]], str],
) -> pl.LazyFrame:
    if kind is not None and kind not in READERS:
        raise BadUsage(f"kind={kind!r}: it is one of {', '.join(READERS)}")
    names = {*ours, *(other for others in ours.values() for other in others), *(columns or {})}
    parts = []
    for item in spread(source):
        if isinstance(item, File):
            is_a, where = kind or kind_of(item, names), item.where
            frame = READERS[is_a](item, fields.get(is_a, ""))
        else:
            frame, where = (
                of_dict(item) if isinstance(item, Mapping) else as_lazy(item, "text"),
                "the frame",
            )
        parts.append(_conform(frame, ours, columns or {}, where))
    return parts[0] if len(parts) == 1 else pl.concat(parts, how="vertical_relaxed")


def _given(fields: str | None) -> dict[str, str]:
    """The fields asked for, of the kinds that have some."""
    return {} if fields is None else dict.fromkeys(("smart", "topics"), fields)


def _conform(
    frame: pl.LazyFrame, ours: Names, columns: Mapping[str, str], where: str
) -> pl.LazyFrame:
    """The wanted columns under our names and types; null ids refused, null texts empty."""
    have = frame.collect_schema().names()
    if unknown := sorted({*columns} - {*have} | {*columns.values()} - {*ours}):
        raise BadUsage(f"{where}: columns={dict(columns)} names {unknown}; the columns are {have}, "
                       f"and they can become {list(ours)}")  # fmt: skip
    theirs = {name: _theirs(name, ours, columns, have) for name in ours}
    title = theirs.pop("title", [])
    if title and theirs["text"] and "text" not in columns.values():
        theirs["text"] = [*title, *theirs["text"]]
        remark(f"{where}: the text is that of {' and '.join(theirs['text'])}")
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
