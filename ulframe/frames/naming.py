"""What runs are called when they come from several files."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

import polars as pl

from ulframe.frames.columns import RUN
from ulframe.frames.endings import split_ending
from ulframe.frames.readers import RunFile

PART = re.compile(r"part[-._]?\d*([-._].*)?|data_\d+")
PARTITION = re.compile(r"[^=]+=.*|\d+")


def names_of_files(paths: Sequence[str]) -> list[str]:
    """Name the run of each file: by the file, or, of the parts of a run, by their folder.

    Parts are what Spark, Dask, DuckDB and Polars call so, and all in folders `key=value`. Folders
    that only sort parts, `key=value` or numbers such as years, name nothing.

    >>> names_of_files(["runs/bm25/part-0.parquet", "runs/bm25/part-1.parquet", "runs/dl.csv"])
    ['bm25', 'bm25', 'dl']
    >>> names_of_files(["bm25/2026/11/part.parquet", "bm25/day=2/a.parquet"])
    ['bm25', 'bm25']
    """
    whole = [_whole(path) for path in paths]
    distinct = list(dict.fromkeys(whole))
    return [dict(zip(distinct, distinct_names(distinct), strict=True))[path] for path in whole]


def _whole(path: str) -> str:
    """The file of a run, or the folder that holds its parts."""
    *folders, file = PurePath(path).parts
    if not (PART.fullmatch(split_ending(file)[0]) or "=" in "".join(folders[-1:])):
        return path
    while folders and PARTITION.fullmatch(folders[-1]):
        folders.pop()
    return str(PurePath(*folders)) if folders else path


def distinct_names(paths: Sequence[str]) -> list[str]:
    """Name files by their names without endings, and by parent folders until all are distinct.

    >>> distinct_names(["runs/bm25.run.gz", "runs/dl.csv"])
    ['bm25', 'dl']
    >>> distinct_names(["a/bm25.gz", "b/bm25.gz", "b/dl.gz"])
    ['a/bm25', 'b/bm25', 'dl']
    """
    depth = [1] * len(paths)
    while True:
        names = [_name(path, parts) for path, parts in zip(paths, depth, strict=True)]
        shared = {name for name, count in Counter(names).items() if count > 1}
        longer = [
            min(parts + (name in shared), len(PurePath(path).parts))
            for path, name, parts in zip(paths, names, depth, strict=True)
        ]
        if longer == depth:  # `a/x.csv` and `a/x.tsv` differ only in what was cut off
            pairs = zip(paths, names, strict=True)
            return [path if name in shared else name for path, name in pairs]
        depth = longer


def _name(path: str, parts: int) -> str:
    *folders, file = PurePath(path).parts
    stem, _ = split_ending(file)
    return "/".join([*folders[len(folders) - parts + 1 :], stem])


def name_runs(files: Sequence[RunFile]) -> list[pl.LazyFrame]:
    """Keep tags and columns as they are, or name all by file if two files share a name.

    A `run` column is never renamed: parts of one run may lie in several files. A file with several
    tags then holds `file:tag`. Names are looked up only where several files could share one.
    """
    open_to_change = [file.names for file in files if file.names is not None]
    if len(open_to_change) < 2:
        return [file.frame for file in files]
    found = iter(pl.collect_all(open_to_change))
    held = [[] if file.names is None else next(found)[RUN].to_list() for file in files]
    owners = Counter(name for names in held for name in names)
    if max(owners.values()) == 1:
        return [file.frame for file in files]
    return [_by_file(file, len(names)) for file, names in zip(files, held, strict=True)]


def _by_file(file: RunFile, tags: int) -> pl.LazyFrame:
    if tags == 0:
        return file.frame
    name = pl.lit(file.name) if tags == 1 else pl.format("{}:{}", pl.lit(file.name), pl.col(RUN))
    return file.frame.with_columns(name.alias(RUN))
