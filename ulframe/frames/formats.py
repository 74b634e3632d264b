"""The formats of files, a row each: to add one, add its row here."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from ulframe.frames.benchmark import is_benchmark_line
from ulframe.frames.packings import split_packing
from ulframe.frames.readers import (
    OF_BENCHMARK,
    OF_LETOR,
    OF_TREC,
    Readers,
    no_table,
    readers_of_table,
)
from ulframe.frames.tables import Scan, scan_arrow, scan_csv, scan_jsonl, scan_parquet
from ulframe.frames.writers import (
    Writer,
    write_arrow,
    write_csv,
    write_jsonl,
    write_parquet,
    write_trec,
)

LETOR_LINE = re.compile(r"\S+\s+qid:\S")


@dataclass(frozen=True)
class Format:
    """What is known of a format.

    - `name`: what messages call it.
    - `read`: how it is read; `write`: how it is written, None where it is not.
    - `endings`: of the names of files that are in it, or may be: `.tsv` stands in several rows.
    - `magic`: one of these is what a file begins with, if the format is binary.
    - `looks`: whether a text with this first line is in it; names of columns tell a header.
    - `packs`: whether it may be packed; if not, it is compressed inside.
    - `typed`: whether the values of a table have types; if not, they are text.
    - `footer`: gives the metadata of a file, None where the format has no place for it.
    """

    name: str
    read: Readers
    write: Writer | None = None
    endings: tuple[str, ...] = ()
    magic: tuple[bytes, ...] = ()
    looks: Callable[[str, frozenset[str]], bool] = lambda line, names: False
    packs: bool = True
    typed: bool = False
    footer: Callable[[Path], Mapping[str, str]] | None = None


def _table(name: str, scan: Scan, write: Writer, **facts: Any) -> Format:
    return Format(name, readers_of_table(name, scan), write, **facts)


def _header(separator: str) -> Callable[[str, frozenset[str]], bool]:
    return lambda line, names: any(name.strip('"') in names for name in line.split(separator))


BENCHMARK = Format(
    "benchmark",
    OF_BENCHMARK,
    endings=(".tsv",),
    looks=lambda line, names: is_benchmark_line(line),
)
TREC = Format("trec", OF_TREC, write_trec, endings=(".tsv",), looks=lambda line, names: True)

# What a text is, is asked in this order; the last is what any other text is.
FORMATS = (
    BENCHMARK,
    _table(
        "parquet",
        scan_parquet,
        write_parquet,
        endings=(".parquet",),
        magic=(b"PAR1",),
        packs=False,
        typed=True,
        footer=pl.read_parquet_metadata,
    ),
    _table(
        "csv",
        partial(scan_csv, separator=","),
        partial(write_csv, separator=","),
        endings=(".csv",),
        looks=_header(","),
    ),
    _table(
        "tsv",
        partial(scan_csv, separator="\t"),
        partial(write_csv, separator="\t"),
        endings=(".tsv",),
        looks=_header("\t"),
    ),
    _table(
        "jsonl",
        scan_jsonl,
        write_jsonl,
        endings=(".jsonl", ".ndjson"),
        looks=lambda line, names: line.startswith("{"),
    ),
    _table(
        "arrow",
        scan_arrow,
        write_arrow,
        endings=(".arrow", ".ipc", ".feather"),
        magic=(b"ARROW1", b"\xff\xff\xff\xff"),
        packs=False,
        typed=True,
    ),
    Format("letor", OF_LETOR, looks=lambda line, names: bool(LETOR_LINE.match(line))),
    TREC,
)

TABLES = tuple(row for row in FORMATS if row.read.table is not no_table)

# Endings that say that a file is text, but not of which format.
TEXT_ENDINGS = (".txt", ".trec", ".run", ".res", ".results", ".top", ".qrels", ".qrel", ".letor")
# Endings of formats that are not known here, lest TREC text be written under them.
OTHER_ENDINGS = (".json", ".xlsx", ".xls", ".html", ".pdf", ".sqlite", ".db")

TABLE_ENDINGS = tuple(ending for row in TABLES for ending in row.endings)
KNOWN_ENDINGS = frozenset({*TABLE_ENDINGS, *TEXT_ENDINGS})


def split_ending(name: str) -> tuple[str, str]:
    """Part a file's name from what only says how it is stored.

    >>> split_ending("bm25.v2.run.gz"), split_ending("a.CSV"), split_ending("input.Sel50")
    (('bm25.v2', '.run'), ('a', '.csv'), ('input.Sel50', ''))
    """
    name, _ = split_packing(name)
    stem, dot, ending = name.rpartition(".")
    ending = dot + ending.lower()
    return (stem, ending) if stem and ending in KNOWN_ENDINGS else (name, "")


def is_packed(name: str) -> bool:
    """Whether a file is packed or compressed inside, by its name.

    >>> is_packed("runs.parquet"), is_packed("runs.csv.gz"), is_packed("input.Sel50")
    (True, True, False)
    """
    _, packing = split_packing(name)
    ending = split_ending(name)[1]
    return packing is not None or any(ending in row.endings and not row.packs for row in FORMATS)
