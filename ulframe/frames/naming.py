"""What runs are called when they come from several files."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

import polars as pl

from ulframe.frames.columns import RUN
from ulframe.frames.sniff import split_ending


@dataclass(frozen=True)
class RunFile:
    """One file's runs, the name that its file gives, and what its runs are named by so far."""

    frame: pl.LazyFrame
    name: str
    named_by: Literal["column", "tag", "file"]


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
    tags then holds `file:tag`. Tags are looked up, in one pass over the text, only where several
    files could share one.
    """
    tagged = [file.frame.select(RUN).unique() for file in files if file.named_by == "tag"]
    if len(files) < 2 or not tagged:
        return [file.frame for file in files]
    tags = iter([set(found[RUN]) for found in pl.collect_all(tagged)])
    held = [next(tags) if file.named_by == "tag" else {file.name} for file in files]
    owners = Counter(
        tag
        for file, names in zip(files, held, strict=True)
        if file.named_by != "column"
        for tag in names
    )
    if max(owners.values()) == 1:
        return [file.frame for file in files]
    return [_by_file(file, len(names) > 1) for file, names in zip(files, held, strict=True)]


def _by_file(file: RunFile, several: bool) -> pl.LazyFrame:
    if file.named_by != "tag":
        return file.frame
    name = pl.lit(file.name)
    return file.frame.with_columns(
        pl.format("{}:{}", name, RUN).alias(RUN) if several else name.alias(RUN)
    )
