"""A second look at files that Polars refused to read: which of them it was."""

from pathlib import Path

import polars as pl

from ulframe.frames.errors import BadData, in_short
from ulframe.frames.files import File
from ulframe.frames.intake import FramesLike, spread
from ulframe.frames.look_through import NO_UTF8
from ulframe.frames.packings import opened
from ulframe.frames.sniff import binary_format


def explained(error: pl.exceptions.PolarsError, *sources: FramesLike) -> BadData:
    """Turn what Polars says while a plan runs into what is wrong with which of the sources.

    While a plan runs no file is known by name any more. So the files among `sources` are read
    again, one by one: binary ones for the one that is broken, text for a line that is not UTF-8.

    >>> explained(pl.exceptions.ComputeError("a column is broken"), {"q1": {"d1": 1}})
    BadData('cannot read the input: a column is broken')
    """
    for file in (item for source in sources for item in spread(source) if isinstance(item, File)):
        if said := _broken(file):
            return BadData(f"{file.where}{said}")
    return BadData(f"cannot read the input: {in_short(error)}")


def _broken(file: File) -> str | None:
    """What is wrong with a file that can be opened, if anything."""
    form = binary_format(file.source)
    if form is None:
        line = undecodable_line(file.source)
        return f", line {line}: {NO_UTF8}" if line else None
    try:
        form.read.table(file).select(pl.all().null_count()).collect(engine="in-memory")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        return f": cannot be read: {in_short(error)}"
    return None


def undecodable_line(source: Path | bytes) -> int | None:
    r"""The number, from 1, of a text's first line that is not UTF-8; None if there is none.

    >>> undecodable_line(b"1 0 d1 1\n1 0 d\xff 1")
    2
    """
    with opened(source) as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return None
