"""What format a file is in: by its name's ending, its first bytes, or its first lines together."""

from collections.abc import Collection, Sequence
from pathlib import Path

from ulframe.frames.endings import split_ending
from ulframe.frames.errors import BadData
from ulframe.frames.files import File
from ulframe.frames.formats import FORMATS, TREC, Format
from ulframe.frames.packings import first_bytes


def sniff(file: File, names: Collection[str] = (), among: Sequence[Format] = FORMATS) -> Format:
    """Say which of these formats, all or those of tables, a file is in; `BadData` if it is in none.

    `names` are column names, besides the known ones, by which a header may be told. What looks
    like nothing else is what its ending says or, without one, `trec`, if that is among them: its
    reader says what is wrong with a line.

    >>> [sniff(File(text, "-")).name for text in (b"301 0 FBIS3-1 1", b"2 qid:10 1:0.5", b"qid,a")]
    ['trec', 'letor', 'csv']
    """
    ended = [row for row in among if split_ending(file.where)[1] in row.endings]
    if ended and (ended[0].sure or not first_bytes(file.source)):
        return ended[0]
    binary = binary_format(file.source)
    if binary is not None and binary in among:
        return binary
    looking = (row for row in among if row.looks(file.head, names))
    found = next(looking, None) or next(iter(ended), None)
    if found is None and TREC not in among:
        raise BadData(f"{file.where}: not a table ({', '.join(row.name for row in among)})")
    return found or TREC


def binary_format(source: Path | bytes) -> Format | None:
    """The binary format whose files begin as these bytes do."""
    start = first_bytes(source)
    return next((row for row in FORMATS if row.magic and start.startswith(row.magic)), None)


def named_format(where: str, among: Sequence[Format] = FORMATS) -> Format | None:
    """The first format whose files have such an ending."""
    ending = split_ending(where)[1]
    return next((row for row in among if ending in row.endings), None)
