"""What a file of documents or queries is, by its name's ending or first line; and its reader.

A reader gives a frame of an id and a text, which `texts` makes of one form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

import polars as pl

from ulframe.frames.benchmark import is_benchmark_line, scan_benchmark_queries
from ulframe.frames.errors import BadData, in_short
from ulframe.frames.files import File, first_line
from ulframe.frames.formats import TABLES, Format
from ulframe.frames.json_dicts import is_json_line, read_json
from ulframe.frames.pairs import scan_pairs
from ulframe.frames.sniff import binary_format, named_format
from ulframe.systems.bm25 import npl, sgml
from ulframe.systems.bm25.smart import scan_smart

Kind = Literal[
    "lines", "pairs", "smart", "trec", "topics", "npl", "json", "benchmark",
    "parquet", "csv", "tsv", "jsonl", "arrow",
]  # fmt: skip
"""The names of `READERS`."""

IDS = frozenset({"id", "_id", "docno", "docid", "doc_id", "qid", "query_id"})


def of_dict(texts: Mapping[Any, Any]) -> pl.LazyFrame:
    """A frame of `id, text` of a dict `{id: text}`."""
    ids = pl.Series("id", map(str, texts), pl.String)
    return pl.LazyFrame([ids, pl.Series("text", list(texts.values()))])


def _lines(file: File, fields: str) -> pl.LazyFrame:
    lines = pl.scan_lines(file.source, name="text", row_index_name="row", glob=False)
    return lines.select(id=(pl.col("row") + 1).cast(pl.String), text="text")


def _pairs(file: File, fields: str) -> pl.LazyFrame:
    pairs = scan_pairs(file.source, where=file.where, says="a line is `id TAB text`")
    return pairs.select(id="left", text="right")


def _smart(file: File, fields: str) -> pl.LazyFrame:
    return scan_smart(file.source, fields=fields, where=file.where)


def _trec(file: File, fields: str) -> pl.LazyFrame:
    return sgml.scan_trec_documents(file.source, where=file.where)


def _topics(file: File, fields: str) -> pl.LazyFrame:
    return sgml.scan_topics(file.source, fields=fields, where=file.where)


def _npl(file: File, fields: str) -> pl.LazyFrame:
    return npl.scan_npl(file.source, where=file.where)


def _json(file: File, fields: str) -> pl.LazyFrame:
    held = read_json(file)
    if isinstance(held, pl.LazyFrame):
        return held
    nested = any(isinstance(value, dict | list) for value in held.values())
    if nested:
        raise BadData(f"{file.where}: JSON is read as rows with an id and a text, or {{id: text}}")
    return pl.LazyFrame([held]) if IDS & {*held} else of_dict(held)


def _benchmark(file: File, fields: str) -> pl.LazyFrame:
    return scan_benchmark_queries(file.source, where=file.where)


def _table(form: Format) -> Callable[[File, str], pl.LazyFrame]:
    return lambda file, fields: form.read.table(file)


READERS: dict[str, Callable[[File, str], pl.LazyFrame]] = {
    "lines": _lines,
    "pairs": _pairs,
    "smart": _smart,
    "trec": _trec,
    "topics": _topics,
    "npl": _npl,
    "json": _json,
    "benchmark": _benchmark,
    **{form.name: _table(form) for form in TABLES},
}


def document_kind(file: File, names: set[str]) -> str:
    """Say which of `READERS` reads a file of documents; `names` tell a header."""
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
    line = first_line(file).strip()
    if is_json_line(line):
        return "jsonl"
    known = next((kind for start, kind in STARTS.items() if start.match(line)), None)
    return known or _plain_kind(file)


STARTS = {
    re.compile(r"\.I "): "smart",
    re.compile(r"[\[{]"): "json",
    re.compile(r"(?i)<DOC[\s>]"): "trec",
    re.compile(r"(?i)<top>"): "topics",
}
"""What the first line of a text begins with, and what the text is then."""

MARKUP = re.compile(r"<[A-Za-z!?/]")


def _plain_kind(file: File) -> str:
    lines = file.head.lines
    if lines[0].strip().isdigit() and any(line.strip() == npl.END for line in lines):
        return "npl"
    if MARKUP.match(lines[0].strip()):
        raise BadData(
            f"{file.where}, line {file.head.numbers[0]}: {in_short(lines[0].strip(), 40)!r}: "
            "markup that is neither TREC's <DOC> nor its <top>; make a table of ids and texts of "
            "it, or say that every line is one: --kind lines"
        )
    return "lines"
