"""How qrels and runs are had from a file of each format: under our columns, lazily."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from ulframe.frames.benchmark import scan_benchmark_qrels
from ulframe.frames.columns import RUN, Columns
from ulframe.frames.contract import conform_qrels, conform_runs, has_run, has_scores, whole_labels
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.files import File, first_line
from ulframe.frames.letor import scan_letor_labels
from ulframe.frames.tables import Scan, scan_table
from ulframe.frames.trec import scan_trec
from ulframe.frames.trec_lines import QRELS_LINE, RUN_LINE, scan_tags, separator


@dataclass(frozen=True)
class RunFile:
    """One file's runs, and what they are called unless another file's are called the same."""

    frame: pl.LazyFrame
    name: str  # by its file
    names: pl.LazyFrame | None  # the runs' names so far, as `run`; None: a column's, as they stand


QrelsReader = Callable[[File, Columns | None], pl.LazyFrame]
RunsReader = Callable[[File, Columns | None, str], RunFile]


def no_table(file: File) -> pl.LazyFrame:
    """The reader of a format that is no table."""
    raise BadData(f"{file.where}: not a table")


@dataclass(frozen=True)
class Readers:
    """What is read from files of a format.

    - `qrels`: the judgements.
    - `runs`: what systems retrieved, given what a run is called where the file does not say.
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

    def runs(file: File, columns: Columns | None, name: str) -> RunFile:
        given = table(file)
        frame = conform_runs(given, columns=columns, where=file.where, run=name)
        by_file = None if has_run(given, columns) else pl.LazyFrame({RUN: [name]})
        return RunFile(frame, name, by_file)

    return Readers(qrels, runs, lambda file, columns: has_scores(table(file), columns), table)


# ---------------------------------------------------------------- text
def _trec_qrels(file: File, columns: Columns | None) -> pl.LazyFrame:
    between = separator(first_line(file))
    text = scan_trec(file.source, QRELS_LINE, between=between, where=file.where)
    return whole_labels(text)


def _trec_runs(file: File, columns: Columns | None, name: str) -> RunFile:
    line = first_line(file)
    between = separator(line)
    frame = scan_trec(file.source, RUN_LINE, between=between, where=file.where)
    tag = ([*line.split()[5:6], ""])[0]  # none: reading the frame says what is wrong
    tags = scan_tags(file.source, between=between, where=file.where, tag=tag)
    return RunFile(frame, name, tags)


def _letor_qrels(file: File, columns: Columns | None) -> pl.LazyFrame:
    return whole_labels(scan_letor_labels(file.source, where=file.where))


def _letor_runs(file: File, columns: Columns | None, name: str) -> RunFile:
    raise BadUsage(
        f"{file.where}: LETOR text has labels and features, but no run. Make one with "
        "scan_feature_run(path, feature) or scan_score_run(path, scores)."
    )


def _benchmark_qrels(file: File, columns: Columns | None) -> pl.LazyFrame:
    return scan_benchmark_qrels(file.source, where=file.where)


def _has_a_runs_line(file: File, columns: Columns | None) -> bool:
    return len(first_line(file).split()) != len(QRELS_LINE.fields)


OF_TREC = Readers(_trec_qrels, _trec_runs, _has_a_runs_line)
OF_LETOR = Readers(_letor_qrels, _letor_runs, lambda file, columns: False)
# Where runs are wanted, a line of a run may look like one of a benchmark.
OF_BENCHMARK = Readers(_benchmark_qrels, _trec_runs, lambda file, columns: False)
