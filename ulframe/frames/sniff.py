"""What format a file is in: by its name's ending, else by its first bytes and lines."""

import gzip
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import polars as pl

from ulframe.frames.columns import KNOWN
from ulframe.frames.errors import BadData

PACKED = (".gz", ".zst")
FORMATS = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
}
TEXT_ENDINGS = (".txt", ".trec", ".run", ".res", ".results", ".top", ".qrels", ".qrel", ".letor")
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
GZ, ZST = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
LETOR_LINE = re.compile(r"\S+\s+qid:\S")
HEAD = 1000  # lines looked at to find one that is neither blank nor a comment


def split_ending(name: str) -> tuple[str, str]:
    """Part a file's name from what only says how it is stored.

    >>> split_ending("bm25.v2.run.gz"), split_ending("a.CSV"), split_ending("input.Sel50")
    (('bm25.v2', '.run'), ('a', '.csv'), ('input.Sel50', ''))
    """
    for packed in PACKED:
        name = name.removesuffix(packed)
    stem, dot, ending = name.rpartition(".")
    ending = dot + ending.lower()
    return (stem, ending) if stem and ending in {*FORMATS, *TEXT_ENDINGS} else (name, "")


def first_line(source: Path | bytes, where: str) -> str:
    """The first line that is neither blank nor a comment. `BadData` if there is none."""
    try:
        for line in head(source):
            text = line.lstrip("\ufeff \t")
            if "\0" in text:
                raise BadData(f"{where}: neither text in UTF-8 nor a format known here")
            if text.strip() and not text.startswith("#"):
                return text
    except (UnicodeDecodeError, gzip.BadGzipFile, pl.exceptions.ComputeError) as error:
        raise BadData(
            f"{where}: neither text in UTF-8 nor a format known here ({error})"
        ) from error
    raise BadData(f"{where}: empty, or nothing but comments in its first {HEAD} lines")


def head(source: Path | bytes) -> Iterator[str]:
    """The first lines of a text, without their ends; opened plainly, as that takes no time."""
    if first_bytes(source).startswith(ZST):
        yield from pl.scan_lines(source, n_rows=HEAD, glob=False).collect()["line"]
        return
    with opened(source) as file:
        for line in islice(file, HEAD):
            yield line.decode().rstrip("\r\n")


@contextmanager
def opened(source: Path | bytes) -> Iterator[io.BufferedIOBase]:
    """Open plain or gzipped bytes for reading; which of the two, the bytes say."""
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as raw:
        packed = first_bytes(source).startswith(GZ)
        yield gzip.GzipFile(fileobj=raw) if packed else raw


def sniff(source: Path | bytes, where: str, names: Iterable[str] = ()) -> str:
    """Say which of `parquet csv tsv jsonl arrow letor trec` a file is in.

    `names` are column names, besides the known ones, by which a header may be told. Any other text
    is `trec`: its reader says what is wrong with a line. A `.tsv` without a header is text too.

    >>> sniff(b"301 0 FBIS3-1 1", "-"), sniff(b"2 qid:10 1:0.5", "-"), sniff(b"qid,docno", "-")
    ('trec', 'letor', 'csv')
    """
    known = KNOWN.union(names)
    by_name = FORMATS.get(split_ending(where)[1])
    if by_name == "tsv":
        return "tsv" if _is_header(first_line(source, where), "\t", known) else "trec"
    return by_name or _sniff_content(source, where, known)


def _sniff_content(source: Path | bytes, where: str, known: frozenset[str]) -> str:
    start = first_bytes(source)
    for magic, kind in MAGIC.items():
        if start.startswith(magic):
            return kind
    line = first_line(source, where)
    if line.startswith("{"):
        return "jsonl"
    if LETOR_LINE.match(line):
        return "letor"
    if _is_header(line, ",", known):
        return "csv"
    return "tsv" if _is_header(line, "\t", known) else "trec"


def _is_header(line: str, separator: str, known: frozenset[str]) -> bool:
    return any(name.strip('"') in known for name in line.split(separator))


def first_bytes(source: Path | bytes) -> bytes:
    """Read as much of a file as tells a binary format."""
    if isinstance(source, bytes):
        return source[:8]
    with source.open("rb") as file:
        return file.read(8)
