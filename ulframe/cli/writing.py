"""What is asked of an output's name before the work begins, so that hours are not lost at its end.

Only checks that raise `BadUsage`; the writing itself is in `frames.write`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ulframe.frames.errors import BadUsage
from ulframe.frames.sniff import FORMATS, split_ending
from ulframe.frames.sources import spread
from ulframe.frames.write import OTHERS, refuse_overwriting


def refuse_unwritable(path: str | Path | None, sources: Iterable[str]) -> None:
    """Refuse a folder, a file in no folder, and the input itself."""
    if path is None:
        return
    path = Path(path)
    if path.is_dir():
        raise BadUsage(f"{path} is a folder: name a file to write to")
    if not path.absolute().parent.is_dir():
        raise BadUsage(f"{path}: there is no folder {str(path.parent)!r} to write to")
    if path.is_file():
        refuse_overwriting(path, _spread(sources))


def refuse_no_run(path: str | Path | None, sources: Iterable[str]) -> None:
    """Refuse also the endings of formats in which no run is written."""
    refuse_unwritable(path, sources)
    if path is not None and Path(path).suffix in OTHERS:
        written = f"{', '.join(FORMATS)} or TREC text"
        raise BadUsage(f"{path}: cannot write {Path(path).suffix}, only {written}")


def refuse_no_chart(path: str | Path | None, sources: Iterable[str]) -> None:
    """Refuse also a name that is not a picture's."""
    if path is None:
        return
    from ulframe.report.pictures import FORMATS as PICTURES  # loads Altair

    refuse_unwritable(path, sources)
    if Path(path).suffix not in PICTURES:
        raise BadUsage(f"{path}: a chart's file ends in one of {', '.join(PICTURES)}")


def refuse_no_table(path: str | Path | None, sources: Iterable[str]) -> None:
    """Refuse also a name that is not a table's."""
    refuse_unwritable(path, sources)
    if path is not None and split_ending(Path(path).name)[1] not in FORMATS:
        raise BadUsage(f"{path}: a table's name ends in one of {', '.join(FORMATS)}")


def _spread(sources: Iterable[str]) -> Iterator[str]:
    """The sources, a glob as its files."""
    for source in sources:
        if source == "-" or Path(source).exists():
            yield source
        else:
            yield from (file.where for file in spread(source))
