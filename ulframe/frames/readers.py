"""How qrels and runs are had from a file of each format: under our columns, lazily."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from ulframe.frames.benchmark import scan_benchmark_qrels
from ulframe.frames.columns import DOC, LABEL, QUERY, RANK, RUN, SCORE, Columns, meant
from ulframe.frames.contract import (
    conform_qrels,
    conform_runs,
    has_run,
    has_scores,
    remark_on_labels,
    whole_labels,
)
from ulframe.frames.errors import BadData, BadUsage, in_short
from ulframe.frames.fields import scan_fields, scan_places, with_label
from ulframe.frames.files import File
from ulframe.frames.json_dicts import read_json
from ulframe.frames.layouts import contradicts_ranks
from ulframe.frames.letor import by_position, predicted, scan_letor_labels
from ulframe.frames.ranks import are_ranks
from ulframe.frames.remarks import remark
from ulframe.frames.score_labels import labels_of_scores
from ulframe.frames.smart_qrels import scan_smart_qrels
from ulframe.frames.tables import Scan, scan_table
from ulframe.frames.trec import scan_trec
from ulframe.frames.trec_lines import (
    QRELS_LINE,
    RUN_LINE,
    most_common_mark,
    refuse_width,
    scan_tags,
)


@dataclass(frozen=True)
class RunFile:
    """One file's runs, and what they are called unless another file's are called the same."""

    frame: pl.LazyFrame
    name: str  # by its file
    names: pl.LazyFrame | None  # the runs' names so far, as `run`; None: a column's, as they stand


@dataclass(frozen=True)
class Asked:
    """What the caller says of a file of runs.

    - `name`: what a run is called where the file does not say.
    - `columns`: the caller's mapping.
    - `documents`: gives the LETOR text whose lines the file's lines stand for, if there is one.
    """

    name: str
    columns: Columns | None = None
    documents: Callable[[], File | None] = lambda: None


QrelsReader = Callable[[File, Columns | None], pl.LazyFrame]
RunsReader = Callable[[File, Asked], RunFile]


def no_table(file: File) -> pl.LazyFrame:
    """The reader of a format that is no table."""
    raise BadData(f"{file.where}: not a table")


@dataclass(frozen=True)
class Readers:
    """What is read from files of a format.

    - `qrels`: the judgements.
    - `runs`: what systems retrieved.
    - `has_runs`: whether a file holds runs rather than qrels.
    - `table`: the columns as they stand; `no_table` where there are none.
    """

    qrels: QrelsReader
    runs: RunsReader
    has_runs: Callable[[File, Columns | None], bool]
    table: Callable[[File], pl.LazyFrame] = no_table


def readers_of_table(name: str, scan: Scan) -> Readers:
    """The readers of a table's format, from how it is scanned."""

    def table(file: File) -> pl.LazyFrame:
        return scan_table(file, scan, name)

    def qrels(file: File, columns: Columns | None) -> pl.LazyFrame:
        return whole_labels(conform_qrels(table(file), columns=columns, where=file.where))

    def runs(file: File, asked: Asked) -> RunFile:
        return _run_file(table(file), file, asked)

    def has_runs(file: File, columns: Columns | None) -> bool:
        given = table(file)
        if found := has_scores(given, columns):
            remark_on_labels(given, columns, file.where)
        return found

    return Readers(qrels, runs, has_runs, table)


def refusing(says: str) -> Readers:
    """The readers of a text that can be told, but not read: they say what it is."""

    def refuse(file: File) -> BadData:
        line = f"line {file.head.numbers[0]}: {in_short(file.head.first, 40)!r}"
        return BadData(f"{file.where}, {line}: {says}")

    def qrels(file: File, columns: Columns | None) -> pl.LazyFrame:
        raise refuse(file)

    def runs(file: File, asked: Asked) -> RunFile:
        raise refuse(file)

    def has_runs(file: File, columns: Columns | None) -> bool:
        raise refuse(file)

    return Readers(qrels, runs, has_runs)


def _run_file(given: pl.LazyFrame, file: File, asked: Asked) -> RunFile:
    """The runs of a table, named by its column or by the file."""
    frame = conform_runs(given, columns=asked.columns, where=file.where, run=asked.name)
    by_file = None if has_run(given, asked.columns) else pl.LazyFrame({RUN: [asked.name]})
    return RunFile(frame, asked.name, by_file)


# ---------------------------------------------------------------- text with fields of its own
def _trec_qrels(file: File, columns: Columns | None) -> pl.LazyFrame:
    refuse_width(file, QRELS_LINE)
    seconds = {words[1] for words in file.head.words if len(words) > 1}
    if len(seconds) > 1:
        remark(f"{file.where}: the second field varies; as TREC's iteration it counts for nothing")
    between = most_common_mark(file.head)
    return whole_labels(scan_trec(file.source, QRELS_LINE, between=between, where=file.where))


def _trec_runs(file: File, asked: Asked) -> RunFile:
    refuse_width(file, RUN_LINE)
    between = most_common_mark(file.head)
    if contradicts_ranks(file.head):
        remark(f"{file.where}: the ranks and scores disagree; the scores are the order")
    frame = scan_trec(file.source, RUN_LINE, between=between, where=file.where)
    tag = ([*file.head.words[0][5:6], ""])[0]  # none: reading the frame says what is wrong
    tags = scan_tags(file.source, between=between, where=file.where, tag=tag)
    return _under_folders(RunFile(frame, asked.name, tags), file)


def _under_folders(found: RunFile, file: File) -> RunFile:
    """The run as the folder calls it, where one is called `run=...`."""
    names = [value for key, value in file.keys.items() if meant(key) == RUN and value]
    if not names:
        return found
    return RunFile(found.frame.with_columns(pl.lit(names[-1]).alias(RUN)), found.name, None)


def _letor_qrels(file: File, columns: Columns | None) -> pl.LazyFrame:
    return whole_labels(scan_letor_labels(file))


def _letor_runs(file: File, asked: Asked) -> RunFile:
    raise BadUsage(
        f"{file.where}: LETOR text has labels and features, but no run. Make one with "
        "scan_feature_run(path, feature) or scan_score_run(path, scores)."
    )


def _benchmark_qrels(file: File, columns: Columns | None) -> pl.LazyFrame:
    return scan_benchmark_qrels(file.source, where=file.where)


def _benchmark_runs(file: File, asked: Asked) -> RunFile:
    raise BadData(f"{file.where}: qrels in the place of a run: its lines are `query TAB ids`")


def _json_qrels(file: File, columns: Columns | None) -> pl.LazyFrame:
    held = read_json(file)
    if isinstance(held, pl.LazyFrame):
        return whole_labels(conform_qrels(held, columns=columns, where=file.where))
    labelled = conform_qrels(held, where=file.where)
    as_scores = labels_of_scores(labelled.rename({LABEL: SCORE}), file.where)
    return whole_labels(as_scores)


def _json_runs(file: File, asked: Asked) -> RunFile:
    held = read_json(file)
    if isinstance(held, pl.LazyFrame):
        return _run_file(held, file, asked)
    frame = conform_runs(held, where=file.where, run=asked.name)
    inner = [value for outer in held.values() for value in _values(outer)]
    several = any(isinstance(value, dict | list) for value in inner)
    return RunFile(frame, asked.name, None if several else pl.LazyFrame({RUN: [asked.name]}))


# ---------------------------------------------------------------- fields by their places
def _placed_qrels(file: File, columns: Columns | None) -> pl.LazyFrame:
    assert columns is not None
    fields = with_label(scan_places(file, columns), columns)
    return whole_labels(conform_qrels(fields, columns=columns, where=file.where))


def _placed_runs(file: File, asked: Asked) -> RunFile:
    assert asked.columns is not None
    return _run_file(scan_places(file, asked.columns), file, asked)


def _predictions(file: File, asked: Asked) -> RunFile:
    documents = asked.documents()
    if documents is None:
        raise BadData(
            f"{file.where}: one number a line, which needs the LETOR text that was predicted: as "
            "qrels, or with `ulframe convert --documents`"
        )
    return _run_file(predicted(documents, file), file, Asked(asked.name))


def _three_fields(file: File, asked: Asked) -> RunFile:
    mark = file.head.mark_of(3)
    assert mark is not None, "told by its first lines"
    fields = scan_fields(file, mark, 3)
    if (documents := asked.documents()) is not None:
        scored = by_position(documents, fields, file.where)
        if scored is not None:
            return _run_file(scored, file, Asked(asked.name))
    number = pl.col("3").cast(pl.Float64, strict=False)
    numbers = fields.select(pl.col("1").alias(QUERY), number=number)
    third = RANK if are_ranks(numbers, file.where) else SCORE
    columns = {"1": QUERY, "2": DOC, "3": third}
    return _run_file(fields, file, Asked(asked.name, columns))


def _four_fields(file: File, asked: Asked) -> RunFile:
    mark = file.head.mark_of(4)
    assert mark is not None, "told by its first lines"
    columns = {"1": QUERY, "2": DOC, "3": RANK, "4": SCORE}
    return _run_file(scan_fields(file, mark, 4), file, Asked(asked.name, columns))


def _smart_qrels(file: File, columns: Columns | None) -> pl.LazyFrame:
    return scan_smart_qrels(file)


def _smart_runs(file: File, asked: Asked) -> RunFile:
    raise BadData(f"{file.where}: qrels in the place of a run: its lines are `query document 0 0`")


def _no_qrels(file: File, columns: Columns | None) -> pl.LazyFrame:
    raise BadData(f"{file.where}: a run in the place of qrels. QRELS come first, then the runs")


def _has_a_runs_line(file: File, columns: Columns | None) -> bool:
    return len(file.head.words[0]) != len(QRELS_LINE.fields)


def _json_has_runs(file: File, columns: Columns | None) -> bool:
    held = read_json(file)
    if isinstance(held, pl.LazyFrame):
        return has_scores(held, columns)
    numbers = [number for query in held.values() for number in _values(query)]
    if not numbers or not all(isinstance(number, int) for number in numbers):
        return True
    remark(f"{file.where}: all numbers are whole, so they are taken as labels: as qrels")
    return False


def _values(query: object) -> list[object]:
    return list(query.values()) if isinstance(query, dict) else []


OF_TREC = Readers(_trec_qrels, _trec_runs, _has_a_runs_line)
OF_LETOR = Readers(_letor_qrels, _letor_runs, lambda file, columns: False)
OF_BENCHMARK = Readers(_benchmark_qrels, _benchmark_runs, lambda file, columns: False)
OF_JSON = Readers(_json_qrels, _json_runs, _json_has_runs)
OF_PLACES = Readers(
    _placed_qrels,
    _placed_runs,
    lambda file, columns: bool({SCORE, RANK} & set((columns or {}).values())),
)
OF_SMART_QRELS = Readers(_smart_qrels, _smart_runs, lambda file, columns: False)
OF_PREDICTIONS = Readers(_no_qrels, _predictions, lambda file, columns: True)
OF_THREE_FIELDS = Readers(_no_qrels, _three_fields, lambda file, columns: True)
OF_FOUR_FIELDS = Readers(_no_qrels, _four_fields, lambda file, columns: True)
