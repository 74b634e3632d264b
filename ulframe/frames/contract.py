"""The contract of qrels and runs: any frame in, a LazyFrame with fixed columns and types out.

Only what needs no file lives here. Everything stays lazy: what is wrong with the columns is said
at once, what is wrong with a row when the plan runs, and batch by batch.
"""

from collections.abc import Mapping
from typing import Any, TypeGuard
from weakref import WeakValueDictionary

import polars as pl

from ulframe.frames.columns import (
    ALIASES,
    DOC,
    LABEL,
    QRELS,
    QUERY,
    RANK,
    RUN,
    RUNS,
    SCORE,
    Columns,
    no_column,
    standing_for,
)
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.memory import InMemory, from_memory
from ulframe.frames.packings import HEAD
from ulframe.frames.ranks import by_rank, remarking_on_ranks
from ulframe.frames.remarks import remark
from ulframe.frames.score_labels import labels_of_scores, looks_like_labels

SHOWN = 3  # bad rows that a message shows
RUNS_BY_RANK = {RANK if name == SCORE else name: dtype for name, dtype in RUNS.items()}

# The frames that keep to the contract of qrels or of runs as they stand. What is made of one of
# them is another frame, of which nothing is known.
_KEPT: dict[str, WeakValueDictionary[int, pl.LazyFrame]] = {
    LABEL: WeakValueDictionary(),
    SCORE: WeakValueDictionary(),
}


def conformed(frame: pl.LazyFrame, number: str) -> pl.LazyFrame:
    """The same frame, remembered as qrels (`label`) or runs (`score`) that need no further check.

    For those who read or put together what was checked.
    """
    _KEPT[number][id(frame)] = frame
    return frame


def is_conformed(source: object, number: str) -> TypeGuard[pl.LazyFrame]:
    """Whether this frame is known to keep to the contract."""
    return isinstance(source, pl.LazyFrame) and _KEPT[number].get(id(source)) is source


def conform_qrels(
    source: InMemory, *, columns: Columns | None = None, where: str = "the qrels"
) -> pl.LazyFrame:
    """Give any frame of judgements the contract's columns.

    In: a LazyFrame, DataFrame, pandas or Arrow table, or `{query: {doc: label}}`; `columns` maps
    its names to ours (`{"user_id": "query_id"}`), further columns are dropped. Where no column is
    the label, one of scores is, as BEIR and ranx write qrels: whole numbers from -10 to 1,000. Out,
    in the same row order: `query_id: String, doc_id: String, label` - `Int32` for integers, else
    `Float64`.

    Raises `BadData` at once where a column is missing, two would do or one is of an impossible
    type; when collected, where an id or label is null or a label is not a finite number. `where`
    names the source.

    >>> conform_qrels({"q1": {"d1": 2, "d2": 0}}).collect().rows()
    [('q1', 'd1', 2), ('q1', 'd2', 0)]
    """
    if columns is None and is_conformed(source, LABEL):
        return source
    frame = _labelled(from_memory(source, LABEL), columns, where)
    given = frame.collect_schema()[LABEL]
    whole = given.is_integer() or given == pl.Boolean
    types = QRELS | {LABEL: pl.Int32 if whole else pl.Float64}
    return conformed(_conform(frame, types, LABEL, "a finite number", where), LABEL)


def conform_runs(
    source: InMemory,
    *,
    columns: Columns | None = None,
    where: str = "the run",
    run: str = "run",
) -> pl.LazyFrame:
    """Give any frame of retrieved documents the contract's columns.

    In: as `conform_qrels`, or `{query: {doc: score}}`, or `{run: {query: {doc: score}}}`; a frame
    without a `run` column is one run, named `run`. Out, in the same row order: `run: String,
    query_id: String, doc_id: String, score: Float64`.

    Raises `BadData` at once where a column is missing or of an impossible type; when collected,
    where an id or score is null or a score is NaN. `where` names the source in messages.

    >>> conform_runs({"q1": {"d1": 0.5}}, run="bm25").collect().rows()
    [('bm25', 'q1', 'd1', 0.5)]
    """
    if columns is None and is_conformed(source, SCORE):
        return source
    given = from_memory(source, SCORE)
    found = _matched(given.collect_schema().names(), columns or {})
    own = [RUN] if found[RUN] else []
    order = _order(found)
    frame = _named(given, [*own, QUERY, DOC, *order], columns, where)
    if not own:
        frame = frame.select(pl.lit(run).alias(RUN), pl.all())
    if order == [RANK]:
        ranked = _conform(frame, RUNS_BY_RANK, RANK, "a number", where)
        return conformed(by_rank(ranked, where), SCORE)
    if RANK in order:
        frame = remarking_on_ranks(frame, where).drop(RANK)
    return conformed(_conform(frame, RUNS, SCORE, "a number", where), SCORE)


def has_run(frame: pl.LazyFrame, columns: Columns | None = None) -> bool:
    """Whether a frame names its runs itself, in a column `run` or one that `columns` maps to it.

    >>> has_run(pl.LazyFrame({"tag": ["bm25"]})), has_run(pl.LazyFrame({"qid": ["q1"]}))
    (True, False)
    """
    return bool(_matched(frame.collect_schema().names(), columns or {})[RUN])


def has_scores(frame: pl.LazyFrame, columns: Columns | None = None) -> bool:
    """Whether a frame is one of runs: it has scores or ranks, or a column that is mapped to them.

    >>> has_scores(pl.LazyFrame({"score": [0.5]})), has_scores(pl.LazyFrame({"rel": [1]}))
    (True, False)
    """
    found = _matched(frame.collect_schema().names(), columns or {})
    return bool(found[SCORE] or (found[RANK] and not found[LABEL]))


def remark_on_labels(frame: pl.LazyFrame, columns: Columns | None, where: str) -> None:
    """Say so where a table of scores, taken as runs, may be qrels as BEIR writes them."""
    found = _matched(frame.collect_schema().names(), columns or {})
    if found[RUN] or found[RANK] or found[LABEL] or len(found[SCORE]) != 1:
        return
    scores = frame.select(pl.col(found[SCORE][0]).alias(SCORE)).head(HEAD).collect()
    if scores.height and scores.select(looks_like_labels().all()).item():
        remark(
            f"{where}: taken as a run; if its scores are labels, --columns {found[SCORE][0]}=label"
        )


def whole_labels(qrels: pl.LazyFrame) -> pl.LazyFrame:
    """Make `label` Int32 if every label is whole. Reads the qrels, which are small, into memory.

    >>> whole_labels(pl.LazyFrame({"label": [0.0, 2.0]})).collect_schema()
    Schema([('label', Int32)])
    >>> whole_labels(pl.LazyFrame({"label": [0.0, 0.5]})).collect_schema()
    Schema([('label', Float64)])
    """
    if qrels.collect_schema()[LABEL] == pl.Int32:
        return qrels
    frame = qrels.collect()
    narrow = frame[LABEL].cast(pl.Int32, strict=False)
    if (narrow.cast(pl.Float64) == frame[LABEL]).all(ignore_nulls=False):
        frame = frame.with_columns(narrow)
    return frame.lazy()


def _matched(have: list[str], columns: Mapping[str, str]) -> dict[str, list[str]]:
    """Of each column of ours the one that `have` gives under some name, or several that would do.

    What is mapped goes before what is only called so.
    """
    free = [name for name in have if name not in columns]
    return {
        ours: [theirs for theirs, wanted in columns.items() if wanted == ours]
        or standing_for(ours, free)
        for ours in ALIASES
    }


def _order(found: Mapping[str, list[str]]) -> list[str]:
    """What orders a run: the ranks where there are no scores, else these, and the ranks to look at.

    Of two columns that could be the rank beside a score, none is looked at.
    """
    if found[RANK] and not found[SCORE]:
        return [RANK]
    return [SCORE, RANK] if len(found[RANK]) == 1 else [SCORE]


def _labelled(frame: pl.LazyFrame, columns: Columns | None, where: str) -> pl.LazyFrame:
    """`query_id, doc_id, label` as they stand, or with scores for labels where there are none."""
    found = _matched(frame.collect_schema().names(), columns or {})
    if found[LABEL] or not found[SCORE]:
        return _named(frame, [QUERY, DOC, LABEL], columns, where)
    if of_runs := found[RUN] + found[RANK]:
        raise BadData(
            f"{where}: a run in the place of qrels: it has {', '.join(map(repr, of_runs))} and "
            f"{found[SCORE][0]!r}, but no label. {_advice(LABEL)}"
        )
    return labels_of_scores(_named(frame, [QUERY, DOC, SCORE], columns, where), where)


def _named(
    frame: pl.LazyFrame, wanted: list[str], columns: Columns | None, where: str
) -> pl.LazyFrame:
    """The wanted columns under our names; a list of what is missing and what is there if not."""
    have = frame.collect_schema().names()
    columns = columns or {}
    if unknown := sorted(set(columns) - set(have)):
        raise BadUsage(f"{where}: columns= names {unknown}, but the columns are {have}")
    if unknown := sorted(set(columns.values()) - set(ALIASES)):
        raise BadUsage(f"columns= maps to {unknown}; it can map to {list(ALIASES)}")
    found = _matched(have, columns)
    if missing := [name for name in wanted if not found[name]]:
        swapped = "Qrels in the place of a run? QRELS come first. " * (
            missing == [SCORE] and bool(found[LABEL])
        )
        raise no_column(missing, have, where, swapped + _advice(missing[0]))
    for name in wanted:
        if len(found[name]) > 1:
            several = " and ".join(map(repr, found[name]))
            raise BadData(f"{where}: {several} could be the {name}. {_advice(name)}")
    return frame.select(pl.col(found[name][0]).alias(name) for name in wanted)


def _advice(ours: str) -> str:
    return f"Map yours with columns={{'yours': {ours!r}}} (`--columns yours={ours}`)."


def _conform(
    frame: pl.LazyFrame, types: Mapping[str, Any], number: str, kind: str, where: str
) -> pl.LazyFrame:
    schema = frame.collect_schema()
    for name, dtype in schema.items():
        if dtype.is_nested() or (name == number and dtype.is_temporal()):
            raise BadData(f"{where}: column {name!r} is {dtype}, which cannot be {types[name]}")
    if schema[number] in (pl.String, pl.Categorical, pl.Enum):
        frame = _numbers_from_text(frame, number, where)
    value = pl.col(number)
    usable = value.is_finite() if number == LABEL else value.is_not_nan()
    bad = pl.any_horizontal(pl.all().is_null()) | ~usable.fill_null(True)

    def check(batch: pl.DataFrame) -> pl.DataFrame:
        if batch["bad"].any():
            rows = _rows(batch.filter("bad").drop("bad"))
            raise BadData(
                f"{where}: ids must not be null and {number} must be {kind}, but there is {rows}"
            )
        return batch

    # Not strict: a number that the type cannot hold becomes null, and the check tells the rows.
    typed = frame.select(pl.col(name).cast(to, strict=False) for name, to in types.items())
    # Every batch passes through Python, so what is bad is worked out before, in the plan.
    checked = typed.with_columns(bad=bad).map_batches(
        check, projection_pushdown=False, streamable=True
    )
    return checked.select(*types)


def _numbers_from_text(frame: pl.LazyFrame, number: str, where: str) -> pl.LazyFrame:
    text = pl.col(number).cast(pl.String).str.strip_chars()
    parsed = text.cast(pl.Float64, strict=False)
    unread = parsed.is_null() & text.is_not_null()

    def parse(batch: pl.DataFrame) -> pl.DataFrame:
        if batch.select(unread.any()).item():
            rows = _rows(batch.filter(unread))
            raise BadData(f"{where}: {number} must be a number, but there is {rows}")
        return batch.with_columns(parsed)

    schema = frame.collect_schema() | {number: pl.Float64()}
    return frame.map_batches(parse, schema=schema, streamable=True)


def _rows(bad: pl.DataFrame) -> str:
    """The first bad rows as text: `query_id='q1', doc_id=None, label=1; ...`."""
    shown = [
        ", ".join(f"{name}={value!r}" for name, value in row.items())
        for row in bad.head(SHOWN).to_dicts()
    ]
    return "; ".join([*shown, "..."] if bad.height > SHOWN else shown)
