"""What format a file is in: by its name's ending, else by its first bytes, else its first line."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ulframe.frames.columns import KNOWN
from ulframe.frames.errors import BadData
from ulframe.frames.files import File, first_line
from ulframe.frames.formats import FORMATS, Format, split_ending
from ulframe.frames.packings import first_bytes


def sniff(file: File, names: Iterable[str] = (), among: Sequence[Format] = FORMATS) -> Format:
    """Say which of these formats, all or those of tables, a file is in; `BadData` if it is in none.

    `names` are column names, besides the known ones, by which a header may be told. An ending that
    only one of the formats has is believed. Any text that is nothing else is `trec`, if that is
    among them: its reader says what is wrong with a line.

    >>> [sniff(File(text, "-")).name for text in (b"301 0 FBIS3-1 1", b"2 qid:10 1:0.5", b"qid,a")]
    ['trec', 'letor', 'csv']
    """
    fitting = _by_ending(file.where, among)
    if len(fitting) == 1:
        return fitting[0]
    if found := [row for row in fitting if _has_magic(file.source, row)]:
        return found[0]
    line, known = first_line(file), KNOWN.union(names)
    if found := [row for row in fitting if row.looks(line, known)]:
        return found[0]
    raise BadData(f"{file.where}: not a table ({', '.join(row.name for row in among)})")


def binary_format(source: Path | bytes) -> Format | None:
    """The binary format whose files begin as these bytes do."""
    return next((row for row in FORMATS if _has_magic(source, row)), None)


def named_format(where: str, among: Sequence[Format] = FORMATS) -> Format | None:
    """The first format whose files have such an ending."""
    fitting = _by_ending(where, among)
    return None if fitting is among else fitting[0]


def _by_ending(where: str, among: Sequence[Format]) -> Sequence[Format]:
    """The formats that have such an ending; all, where the ending says nothing."""
    ending = split_ending(where)[1]
    return [row for row in among if ending in row.endings] or among


def _has_magic(source: Path | bytes, row: Format) -> bool:
    return first_bytes(source).startswith(row.magic) if row.magic else False
