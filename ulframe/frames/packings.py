"""How files are packed, a row each; and bytes, packed or not, opened as text."""

import gzip
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Literal

import polars as pl

HEAD = 1000  # lines looked at to tell what a text is

Word = Literal["uncompressed", "gzip", "zstd"]


@dataclass(frozen=True)
class Packing:
    """One way in which files are packed, all of which Polars unpacks when it scans.

    - `word`: what Polars calls it when it writes.
    - `ending`, of a file's name, and `magic`, the bytes that such a file begins with.
    - `unpack`: opens it for Python; None where Python cannot.
    """

    word: Word
    ending: str
    magic: bytes
    unpack: Callable[[BinaryIO], io.BufferedIOBase] | None


PACKINGS = (
    Packing("gzip", ".gz", b"\x1f\x8b", lambda raw: gzip.GzipFile(fileobj=raw)),
    Packing("zstd", ".zst", b"\x28\xb5\x2f\xfd", None),
)


def split_packing(name: str) -> tuple[str, Packing | None]:
    """Part a file's name from the ending that says how it is packed.

    >>> split_packing("bm25.run.gz")[0]
    'bm25.run'
    >>> split_packing("bm25.run")
    ('bm25.run', None)
    """
    for packing in PACKINGS:
        if name.lower().endswith(packing.ending):
            return name[: -len(packing.ending)], packing
    return name, None


def packing_of(source: Path | bytes) -> Packing | None:
    """How bytes are packed, which they say themselves, whatever the file is called."""
    start = first_bytes(source)
    return next((packing for packing in PACKINGS if start.startswith(packing.magic)), None)


def first_bytes(source: Path | bytes) -> bytes:
    """Read as much as tells a packing or a binary format."""
    if isinstance(source, bytes):
        return source[:8]
    with source.open("rb") as file:
        return file.read(8)


@contextmanager
def opened(source: Path | bytes) -> Iterator[io.BufferedIOBase | None]:
    """Open plain or packed bytes for reading; None where Python cannot unpack them."""
    packing = packing_of(source)
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as raw:
        yield (packing.unpack and packing.unpack(raw)) if packing else raw


def head(source: Path | bytes) -> Iterator[str]:
    """The first lines of a text, without their ends; opened plainly, as that takes no time."""
    with opened(source) as file:
        if file is None:
            yield from pl.scan_lines(source, n_rows=HEAD, glob=False).collect()["line"]
            return
        for line in islice(file, HEAD):
            yield line.decode().rstrip("\r\n")
