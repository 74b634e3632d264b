"""Where rankings of people come from: tables, PrefLib files, folders, frames, lists in memory.

Only reading and the contract of the two kinds of frames live here - places `contest, ranking, item,
position`, or pairs `contest, ranking, better, worse`. What is wrong with an order is found in
`orders`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ulframe.frames.columns import Columns, no_column
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.fields import scan_fields
from ulframe.frames.files import File
from ulframe.frames.first_lines import BLANKS, FirstLines
from ulframe.frames.formats import TABLE_ENDINGS, TABLES
from ulframe.frames.intake import FramesLike, as_lazy, spread
from ulframe.frames.layouts import is_number
from ulframe.frames.naming import distinct_names
from ulframe.frames.remarks import remark
from ulframe.frames.sniff import named_format, sniff
from ulframe.studies.experts.columns import (
    BETTER,
    CONTEST,
    ITEM,
    PAIRS,
    POSITION,
    POSITIONS,
    RANKING,
    WORSE,
)
from ulframe.studies.experts.preflib import (
    ENDINGS,
    HOLDS,
    ending_of,
    is_preflib,
    read_preflib,
    stem,
)

SHOWN = 3  # bad rows that a message shows

Rankings = FramesLike | Sequence[FramesLike]
"""What can become rankings; of dicts `{ranking: [item, ...]}`."""


def scan_rankings(source: Rankings, *, columns: Columns | None = None) -> pl.LazyFrame:
    """Read rankings: `contest, ranking, item: String, position: Float64`.

    `source` is a table (parquet, csv, tsv, jsonl, arrow) or a file of PrefLib (`.soc .soi .toc
    .toi`), a glob or a folder of these (its other files are passed over), a frame of any library,
    `{ranking: [item, ...]}` with a nested list or set of items where they are tied, or a list of
    these. `columns` maps a table's names to ours.

    Lower positions are better, equal ones tied; who has no row in a ranking is not ranked by it. A
    table with `better, worse` instead gives orders as pairs, for people who may be incomparable:
    `contest, ranking, better, worse: String`; what follows from the pairs need not be listed. Only
    rankings of one `contest` are compared. A table without the column is one contest, named by its
    file, as PrefLib's files are; what is in memory is the contest `contest`.

    Raises `BadUsage` or `BadData` where nothing is found, a column is missing, places and pairs
    meet, or, when collected, an id or position is null or no number.

    >>> scan_rankings({"ann": ["x", ["y", "z"]], "ben": ["z", "x"]}).collect().rows()
    [('contest', 'ann', 'x', 1.0), ('contest', 'ann', 'y', 2.0), ('contest', 'ann', 'z', 2.0),
     ('contest', 'ben', 'z', 1.0), ('contest', 'ben', 'x', 2.0)]
    """
    items = _one_of_twins(spread(_readable(source)))
    paths = [stem(item.where) for item in items if isinstance(item, File)]
    names = iter(distinct_names(paths))
    parts = [
        _read_file(item, next(names), columns) if isinstance(item, File) else _take(item, columns)
        for item in items
    ]
    kinds = {tuple(part.collect_schema()) for part in parts}
    if len(kinds) > 1:
        raise BadUsage("rankings are given as places or as pairs, not some as these, some as those")
    return pl.concat(parts) if len(parts) > 1 else parts[0]


def given_as_pairs(rankings: pl.LazyFrame) -> bool:
    """Whether a frame holds pairs rather than places.

    >>> given_as_pairs(pl.LazyFrame({"ranking": ["r"], "better": ["x"], "worse": ["y"]}))
    True
    """
    return {BETTER, WORSE} <= set(rankings.collect_schema())


def conform_rankings(
    source: FramesLike,
    *,
    columns: Columns | None = None,
    where: str = "the rankings",
    contest: str = "contest",
) -> pl.LazyFrame:
    """Give any frame of rankings the columns and types of `scan_rankings`.

    A frame without `contest` is one contest, named so; columns beside ours are dropped.

    >>> conform_rankings(
    ...     pl.LazyFrame({"ranking": 1, "item": ["x"], "position": 1})
    ... ).collect().rows()
    [('contest', '1', 'x', 1.0)]
    """
    frame = as_lazy(source, POSITION)
    have = frame.collect_schema().names()
    if unknown := sorted(set(columns or {}) - set(have)):
        raise BadUsage(f"{where}: columns= names {unknown}, but the columns are {have}")
    frame = frame.rename(dict(columns or {}))
    if CONTEST not in frame.collect_schema():
        frame = frame.with_columns(pl.lit(contest).alias(CONTEST))
    types = PAIRS if given_as_pairs(frame) else POSITIONS
    if missing := [name for name in types if name not in frame.collect_schema()]:
        advice = (
            "Rankings have ranking, item, position, or ranking, better, worse. "
            f"Map yours with columns={{'yours': {missing[0]!r}}}."
        )
        raise no_column(missing, have, where, advice)
    given = frame.select(list(types))
    return given.map_batches(_typed(types, where), schema=types, streamable=True)


def _typed(
    types: Mapping[str, type[pl.DataType]], where: str
) -> Callable[[pl.DataFrame], pl.DataFrame]:
    def typed(batch: pl.DataFrame) -> pl.DataFrame:
        # Not strict: what the type cannot hold becomes null, and the rows are told as they were.
        rows = batch.select(pl.col(name).cast(to, strict=False) for name, to in types.items())
        unusable = pl.any_horizontal(pl.all().is_null())
        if POSITION in types:
            unusable |= pl.col(POSITION).is_nan()
        bad = batch.filter(rows.select(unusable).to_series())
        if bad.height:
            raise BadData(
                f"{where}: names must not be null and position must be a number, but there is "
                f"{'; '.join(map(str, bad.head(SHOWN).to_dicts()))}"
            )
        return rows

    return typed


# ---------------------------------------------------------------- sources
def _readable(source: Any) -> Any:
    """A folder as the files in it that hold rankings: PrefLib's own have an `info.txt` beside."""
    if isinstance(source, list | tuple):
        return [part for one in source for part in _as_list(_readable(one))]
    if not isinstance(source, str | Path) or not Path(source).is_dir():
        return source
    files = sorted(Path(source).iterdir())
    found = [file for file in files if is_preflib(file.name) or named_format(file.name, TABLES)]
    if not found:
        endings = " ".join([*ENDINGS, *TABLE_ENDINGS])
        raise BadData(f"{source}: no rankings in this folder, that is no {endings}")
    return found


def _one_of_twins(items: list[Any]) -> list[Any]:
    """Of files of PrefLib that differ in their ending alone, and so are one contest, the larger.

    Raises `BadUsage` where none holds all orders of the others.
    """
    twins: dict[str, list[File]] = {}
    for item in items:
        if isinstance(item, File) and is_preflib(item.where):
            twins.setdefault(stem(item.where), []).append(item)
    dropped: set[int] = set()
    for alike in (files for files in twins.values() if len(files) > 1):
        kept = next((one for one in alike if _holds(one, alike)), None)
        named = ", ".join(file.where for file in alike)
        if kept is None:
            raise BadUsage(f"{named}: one contest by their names, and neither holds the other's "
                           "orders; give the one that is meant")  # fmt: skip
        remark(
            f"{named}: one contest by their names; {kept.where} is taken, which holds the others"
        )
        dropped |= {id(file) for file in alike if file is not kept}
    return [item for item in items if id(item) not in dropped]


def _holds(one: File, others: Sequence[File]) -> bool:
    return {ending_of(other.where) for other in others} <= HOLDS[ending_of(one.where)]


def _as_list(source: Any) -> list[Any]:
    return source if isinstance(source, list) else [source]


def _read_file(file: File, name: str, columns: Columns | None) -> pl.LazyFrame:
    if is_preflib(file.where):
        return read_preflib(file.source, contest=name, where=file.where)
    known = {*POSITIONS, *PAIRS, *(columns or ())}
    if columns is None and (mark := _mark_of_votes(file.head)):
        remark(f"{file.where}: without a header, taken as query, voter, item, rank")
        fields = scan_fields(file, mark, len(VOTES))
        return conform_rankings(fields, columns=VOTES, where=file.where, contest=name)
    form = sniff(file, known)
    if form not in TABLES:
        raise BadData(
            f"{file.where}: no table of rankings (a csv's first line names ranking, item, "
            f"position), and no file of PrefLib by its name ({' '.join(ENDINGS)})"
        )
    return conform_rankings(form.read.table(file), columns=columns, where=file.where, contest=name)


VOTES = {"1": CONTEST, "2": RANKING, "3": ITEM, "4": POSITION}
"""The fields of rank aggregation's files, by their places."""


def _mark_of_votes(head: FirstLines) -> str | None:
    """What parts the fields of `query,voter,item,rank`, if that is what the lines are."""
    mark, rows = head.mark_of(len(VOTES)), head.parted(len(VOTES))
    if mark in (None, BLANKS) or rows is None:
        return None
    return mark if all(is_number(rank) for *_, rank in rows) else None


def _take(item: Any, columns: Columns | None) -> pl.LazyFrame:
    return conform_rankings(_listed(item) if isinstance(item, Mapping) else item, columns=columns)


def _listed(lists: Mapping[Any, Iterable[Any]]) -> pl.LazyFrame:
    """From `{ranking: [item, [tied, tied], ...]}`; a position is 1 + how many stand above."""
    rows = []
    for ranking, groups in lists.items():
        place = 1
        for group in groups:
            tied = sorted(group) if isinstance(group, set | frozenset) else group
            tied = tied if isinstance(tied, list | tuple) else [tied]
            rows += [(str(ranking), str(item), place) for item in tied]
            place += len(tied)
    return pl.LazyFrame(rows, schema=[RANKING, ITEM, POSITION], orient="row")
