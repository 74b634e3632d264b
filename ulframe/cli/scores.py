"""What commands read back: tables of scores and of query sets."""

from __future__ import annotations

from difflib import get_close_matches

import polars as pl

from ulframe.cli.evaluating import evaluate_files, remark_on
from ulframe.cli.output import counted, remark
from ulframe.cli.words import Asked
from ulframe.evaluation.query_sets import as_sets, refuse_empty
from ulframe.frames.columns import QUERY, RUN, SCORE, Columns, no_column
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.intake import as_written, spread
from ulframe.metrics.operators import TRIPLE

KEYS = [RUN, QUERY, "measure"]
NUMBERS = [SCORE, *TRIPLE]
FEW = 3  # sets that are named for having no query


def scores_of(given: Asked, runs: list[str] | None, columns: Columns | None = None) -> pl.DataFrame:
    """Scores as they stand in files, or of the runs that files hold: the first file tells which.

    `columns` maps the names of theirs to ours.

    `given` has scores, one file or several, and the measures to take of them; or qrels, runs, and
    the measures to evaluate, which are the usual ones where there is none.
    """
    if not given.files:
        raise BadUsage("SCORES, or QRELS and at least one RUN are wanted, but no file is given")
    if len(given.files) == 1 or _is_scores(given.files[0], columns):
        return read_scores(given.files, runs, given.measures or None, columns)
    done = evaluate_files(given.files, given.measures, columns=columns)
    remark_on(done, given.measures)
    return _chosen(done.scores, RUN, runs)


def _is_scores(file: str, columns: Columns | None) -> bool:
    if file == "-":  # can be read but once
        return False
    try:
        table = as_written(spread(file)[0], SCORE)
        have = _renamed(table, columns).collect_schema().names()
    except (BadData, BadUsage, pl.exceptions.PolarsError):
        return False
    return {"measure", SCORE} <= {*have}


def _renamed(table: pl.LazyFrame, columns: Columns | None) -> pl.LazyFrame:
    """A table under our names. `BadUsage` where a name is not there."""
    columns, have = columns or {}, table.collect_schema().names()
    if unknown := [name for name in columns if name not in have]:
        raise BadUsage(f"no column {unknown[0]!r} to map; there are {', '.join(map(repr, have))}")
    kept = [name for name in have if name in columns or name not in columns.values()]
    return table.select(kept).rename(dict(columns))


def read_scores(
    source: str | list[str],
    runs: list[str] | None = None,
    measures: list[str] | None = None,
    columns: Columns | None = None,
) -> pl.DataFrame:
    """Read scores from a table, glob, folder or `-`: of all runs and measures, or of those asked.

    Out: the columns of the scores frame that are there; measures of several files come by name,
    operator, then cutoff as a number. Raises `BadData` where a file is no table, lacks a key or has
    something else for a number; `BadUsage` for a run or measure that is not in.
    """
    items = spread(source)
    where = source if isinstance(source, str) else ", ".join(source)
    tables = [_renamed(as_written(item, SCORE), columns) for item in items]
    frame = pl.concat(tables, how="diagonal")
    have = frame.collect_schema().names()
    if missing := [name for name in (*KEYS, SCORE) if name not in have]:
        raise no_column(missing, have, where, "`ulframe eval -o` writes scores")
    numbers = [name for name in NUMBERS if name in have]
    typed = frame.select(pl.col(KEYS).cast(pl.String), pl.col(numbers).cast(pl.Float64))
    try:
        scores = typed.collect()
    except pl.exceptions.PolarsError as error:
        raise BadData(f"{where}: cannot be read as scores: {error}") from error
    for name, wanted in ((RUN, runs), ("measure", measures)):
        scores = _chosen(scores, name, wanted)
    return scores if len(items) == 1 else _in_natural_order(scores)


def _in_natural_order(scores: pl.DataFrame) -> pl.DataFrame:
    from ulframe.report.families import natural_order

    order = natural_order(scores["measure"].unique().to_list())
    place = pl.col("measure").replace_strict({name: at for at, name in enumerate(order)})
    return scores.sort(RUN, QUERY, place, maintain_order=True)


def read_sets(source: str) -> pl.LazyFrame:
    """Read query sets, or attributes of queries, from a table, glob, folder or `-`."""
    return pl.concat([as_sets(item) for item in spread(source)])


def with_all(sets: pl.LazyFrame, scores: pl.DataFrame) -> pl.LazyFrame:
    """The sets behind one of all queries, unless one has that name. Raises `BadData` for strangers.

    That is, where no query of the sets is in the scores.
    """
    known = sets.filter(pl.col(QUERY).is_in(scores[QUERY].unique().implode())).collect()
    refuse_empty(known)
    every = scores.lazy().select(set=pl.lit("all"), query_id=QUERY).unique(maintain_order=True)
    return sets if "all" in known["set"] else pl.concat([every, sets])


def read_table(source: str) -> pl.LazyFrame:
    """Read any table, glob or folder of tables, or `-`, as it stands."""
    return as_written(source, SCORE)


def remark_on_sets(sets: pl.LazyFrame, scores: pl.DataFrame) -> None:
    """Say of which sets no query is in the scores, so that nothing is told of them."""
    known = pl.col(QUERY).is_in(scores[QUERY].unique().implode())
    sizes = sets.group_by("set", maintain_order=True).agg(pl.len(), known=known.any()).collect()
    lost = sizes.filter(~pl.col("known"))
    for name, size, _ in lost.head(FEW).iter_rows():
        remark(f"set {name}: none of its {counted(size, 'query')} is in the scores")
    if lost.height > FEW:
        remark(f"... and so of {counted(lost.height - FEW, 'other set')}")


def _chosen(scores: pl.DataFrame, name: str, wanted: list[str] | None) -> pl.DataFrame:
    if wanted is None:
        return scores
    known = scores[name].unique().to_list()
    for one in wanted:
        if one not in known:
            near = get_close_matches(one, known, n=3, cutoff=0.3) or sorted(known)[:3]
            raise BadUsage(f"no {name} {one!r} in the scores; there is {', '.join(near)}")
    return scores.filter(pl.col(name).is_in(wanted))
