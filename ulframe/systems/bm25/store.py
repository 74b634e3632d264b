"""An index in a folder: three parquet files, and what says how and by what they were written."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import polars as pl

from ulframe.frames.atomic import appearing_folder, refuse_no_folder
from ulframe.frames.errors import BadData, BadUsage
from ulframe.systems.bm25.index import Index
from ulframe.systems.bm25.tokens import Tokens

FORMAT = 2  # to be raised whenever an index that was written before is read wrongly
ABOUT = "index.json"
TABLES = {
    "terms": ["term", "df"],
    "documents": ["doc_id", "length", "prior"],
    "postings": ["term", "doc", "tf"],
}


def write_index(index: Index, folder: str | Path) -> None:
    """Write an index to a folder, which appears, or replaces an index, only when complete.

    Raises `BadUsage` if there is something else at its place.
    """
    tokens = index.tokens
    about = {
        "format": FORMAT,
        "written_by": f"ulframe {version('ulframe')}",
        "tokens": tokens
        and {
            "pattern": tokens.pattern,
            "stop": sorted(tokens.stop),
            "stem": tokens.stem,
            "html": tokens.html,
        },
    }
    refuse_replacing(Path(folder))
    with appearing_folder(Path(folder)) as unfinished:
        index.terms.sink_parquet(unfinished / "terms.parquet")
        index.documents.sink_parquet(unfinished / "documents.parquet")
        index.postings.sink_parquet(unfinished / "postings.parquet")
        (unfinished / ABOUT).write_text(json.dumps(about, indent=1), encoding="utf-8")


def open_index(folder: str | Path) -> Index:
    """Open an index that `write_index` wrote; nothing is read but the description.

    Raises `BadData` if there is no index in the folder, one of another format, or a damaged one.
    """
    folder = Path(folder)
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise BadData(f"{folder}: no index here; make one with `ulframe index`") from None
    except ValueError as error:  # not JSON, or not UTF-8
        raise _damaged(folder / ABOUT) from error
    try:
        if about["format"] != FORMAT:
            raise BadData(
                f"{folder}: this index is of format {about['format']}, written by "
                f"{about['written_by']}; format {FORMAT} is read here. Build it again."
            )
        split = about["tokens"]
        tokens = split and Tokens(
            split["pattern"], frozenset(split["stop"]), split["stem"], split["html"]
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise _damaged(folder / ABOUT) from error
    terms, documents, postings = (
        _table(folder / f"{name}.parquet", columns) for name, columns in TABLES.items()
    )
    return Index(terms, documents, postings, tokens)


def _table(path: Path, columns: list[str]) -> pl.LazyFrame:
    """Open a table; its end, which says what columns it has, is missing if it was cut off."""
    frame = pl.scan_parquet(path, glob=False)
    try:
        there = frame.collect_schema().names()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _damaged(path) from error
    if there != columns:
        raise _damaged(path)
    return frame


def damage(folder: str | Path) -> BadData | None:
    """A second look, when a plan over an index failed: which of its tables cannot be read."""
    for name in TABLES:
        try:
            pl.read_parquet(path := Path(folder) / f"{name}.parquet", glob=False)
        except (OSError, pl.exceptions.PolarsError):
            return _damaged(path)
    return None


def _damaged(path: Path) -> BadData:
    what = "damaged" if path.exists() else "missing"
    return BadData(f"{path} is {what}: the index cannot be used. Build it again.")


def refuse_replacing(folder: Path) -> None:
    """Raise `BadUsage` where an index cannot be written: no folder to be in, something else."""
    refuse_no_folder(folder)
    if folder.exists() and not (folder / ABOUT).is_file():
        raise BadUsage(f"{folder}: there is something here that is no index; it is left alone")
