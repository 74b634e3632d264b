"""A second look at files that Polars refused to read: which of them it was, and in which line."""

from pathlib import Path

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.frames.files import File
from ulframe.frames.intake import FramesLike, spread
from ulframe.frames.packings import opened
from ulframe.frames.sniff import binary_format


def explained(error: pl.exceptions.PolarsError, *sources: FramesLike) -> BadData:
    """Turn what Polars says while a plan runs into what is wrong with which of the sources.

    Text that is not UTF-8 is only met while a plan runs, where no file is known by name any more;
    so the files among `sources` are looked through again, for the file and the line.

    >>> explained(pl.exceptions.ComputeError("invalid utf8"), {"q1": {"d1": 1}})
    BadData('cannot read the input: invalid utf8')
    """
    for file in (item for source in sources for item in spread(source) if isinstance(item, File)):
        if line := undecodable_line(file.source):
            return BadData(
                f"{file.where}, line {line}: not UTF-8 text. Convert the file, for instance with "
                "`iconv -f latin1 -t utf8`."
            )
    return BadData(f"cannot read the input: {error}")


def undecodable_line(source: Path | bytes) -> int | None:
    r"""The number, from 1, of a text's first line that is not UTF-8; None if there is none.

    >>> undecodable_line(b"1 0 d1 1\n1 0 d\xff 1")
    2
    """
    if binary_format(source):
        return None
    with opened(source) as file:
        if file is None:
            return None
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return None
