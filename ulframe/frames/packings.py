"""How files are packed, a row each; and bytes, packed or not, opened as text."""

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Literal, cast

from ulframe.frames.available_memory import available
from ulframe.frames.errors import BadData

HEAD = 1000  # lines looked at to tell what a text is
WIDEST = 2**20  # bytes of each of them
BLOCK = 2**20  # bytes read at once
COST = 3  # bytes of memory per byte of a text that is read whole
BOM = "\ufeff"
MARK = BOM.encode()

Word = Literal["uncompressed", "gzip", "zstd"]


@dataclass(frozen=True)
class Packing:
    """One way in which files are packed.

    - `ending`, of a file's name, and `magic`, the bytes that such a file begins with.
    - `word`: what Polars calls it, which scans such files and writes them; None where it does not.
    - `unpack`: opens it for Python.
    """

    ending: str
    magic: bytes
    word: Word | None
    unpack: Callable[[BinaryIO], io.BufferedIOBase]


def _only_member(raw: BinaryIO) -> io.BufferedIOBase:
    """The one file of a zip archive; what macOS puts beside it does not count."""
    archive = zipfile.ZipFile(raw)
    held = [
        one.filename
        for one in archive.infolist()
        if not one.is_dir() and not one.filename.startswith("__MACOSX/")
    ]
    if len(held) != 1:
        raise BadData(f"a zip archive of {len(held)} files, not of one: unpack it into a folder")
    return cast(io.BufferedIOBase, archive.open(held[0]))


def _by_arrow(raw: BinaryIO) -> io.BufferedIOBase:
    import pyarrow as pa  # Python has no zstd before 3.14

    return io.BufferedReader(pa.CompressedInputStream(raw, "zstd"))


PACKINGS = (
    Packing(".gz", b"\x1f\x8b", "gzip", lambda raw: gzip.GzipFile(fileobj=raw)),
    Packing(".zst", b"\x28\xb5\x2f\xfd", "zstd", _by_arrow),
    Packing(".bz2", b"BZh", None, bz2.BZ2File),
    Packing(".xz", b"\xfd7zXZ\x00", None, lzma.LZMAFile),
    Packing(".zip", b"PK\x03\x04", None, _only_member),
)

# What is refused by its name, and with what to unpack it.
OTHERS = {
    b"\x04\x22\x4d\x18": ("lz4", "lz4 -d"),
    b"\x1f\x9d": ("compress (.Z)", "uncompress"),
    b"7z\xbc\xaf\x27\x1c": ("7z", "7z x"),
    b"Rar!\x1a\x07": ("rar", "unrar x"),
}

WRONG = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)
"""What Python raises for packed bytes that are broken, or locked by a password."""


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


def readable(source: Path | bytes, where: str) -> Path | bytes:
    """What Polars can scan: the source itself, or its bytes where only Python can unpack them.

    Raises `BadData`, which names `where`, for a packing that is not known here, and for an archive
    that is broken or holds several files.
    """
    start = first_bytes(source)
    for magic, (name, command) in OTHERS.items():
        if start.startswith(magic):
            raise BadData(
                f"{where}: packed as {name}, which cannot be read here. Unpack it (`{command}`), "
                "or pack it as .gz or .zst"
            )
    packing = packing_of(source)
    if packing and packing.word is None:
        try:
            return _in_utf8(whole(source))
        except (BadData, *WRONG) as error:
            raise BadData(f"{where}: cannot be unpacked ({error})") from error
    return _in_utf8(source)


def _in_utf8(source: Path | bytes) -> Path | bytes:
    """As it is, but for UTF-16 with its mark, which Windows' shell writes behind `>`."""
    start = first_bytes(source)
    if not start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return source
    return whole(source).decode("utf-16").encode()


def whole(source: Path | bytes, cost: int = COST) -> bytes:
    """All of a plain or packed text, without the mark of UTF-8.

    Raises `BadData` for a mebibyte of one byte alone, which no text has and packs to nothing, and
    for more than fits into memory `cost` times.
    """
    most = available() // cost
    with opened(source) as file:
        blocks: list[bytes] = []
        while block := file.read(BLOCK):
            if len(blocks) * BLOCK > most:
                raise BadData(
                    f"more than {most / 2**20:,.0f} MiB of text, of which all must be in memory, "
                    f"which would take {cost} times as much: write it as parquet, csv or jsonl"
                )
            if len(block) == BLOCK == block.count(block[:1]):
                raise BadData(f"{BLOCK:,} bytes in a row are {block[:1]!r}")
            blocks.append(block)
    return b"".join(blocks).removeprefix(MARK)


@contextmanager
def opened(source: Path | bytes) -> Iterator[io.BufferedIOBase]:
    """Open plain or packed bytes for reading."""
    packing = packing_of(source)
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as raw:
        yield packing.unpack(raw) if packing else raw


def head(source: Path | bytes) -> Iterator[str]:
    """The first lines of a text, without their ends and cut off where they are very long.

    Opened plainly, as that takes no time.
    """
    with opened(source) as file:
        lines = iter(partial(file.readline, WIDEST), b"")
        for line in islice(lines, HEAD):
            # a long line may be cut within a letter
            yield line.decode(errors="ignore" if len(line) == WIDEST else "strict").rstrip("\r\n")
