"""All tables and figures that the given data sets allow, and why the others cannot be made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import TypeVar

import polars as pl
from altair.typing import ChartType

from ulframe.analysis.procedures import Test
from ulframe.analysis.queries import Gap
from ulframe.analysis.significance import ALPHA
from ulframe.evaluation.summarise import Undefined
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.metrics.operators import TRIPLE
from ulframe.report.charts.queries import expected_histogram, query_map
from ulframe.report.paper.book import Book, Missing
from ulframe.report.paper.layout import means_table, sets_table
from ulframe.report.paper.plan import (
    ACROSS_SETS,
    CUTOFFS,
    FAMILIES,
    KINDS,
    METHODS,
    PAPER_DATASETS,
    Family,
    Kind,
)
from ulframe.report.table import Table
from ulframe.report.tables import collected
from ulframe.studies.paper.choices import Choices
from ulframe.studies.paper.contradictions import CONTRADICTIONS
from ulframe.studies.paper.notes import NOTES, about_means
from ulframe.studies.paper.published import compared, published
from ulframe.studies.paper.values import Experiment, experiment, values_across, values_of

T = TypeVar("T")


def make_book(
    datasets: Mapping[str, FramesLike],
    *,
    uninformative_n: int | None = None,
    ideal_n: int | None = None,
    test: Test = "t",
    alpha: float = ALPHA,
    undefined: Undefined = "zero",
    gap: Gap = "absolute",
    sample_queries: int | None = None,
    seed: int = 0,
) -> Book:
    """Make the paper's tables and figures for data sets.

    In: scores by the data set's name, as `evaluate` gives them, of `DCG@k` and
    `SP(expectation=independent)@k` under any operator (`nDCG@5`, say), k being 5, 10, 15, 20, 30 or
    some of these. MSLR-WEB30K and MQ2007 take their own tables' numbers and have the published
    values beside; other data sets take the free places in order. The sets of uninformative and
    ideal queries are as large as the paper's, but at most half of the queries, unless sizes are
    given. What else can be chosen is told by `Choices`. Raises `BadUsage` where no data set is
    given, and what `Choices` does.
    """
    if not datasets:
        raise BadUsage("no data set was given")
    choices = Choices(uninformative_n, ideal_n, test, alpha, undefined, gap, sample_queries, seed)
    needed = ["run", "query_id", "measure", *TRIPLE]
    frames = {name: choices.sampled(collected(scores, needed)) for name, scores in datasets.items()}
    parts = [_part(family, frames, choices) for family in FAMILIES]
    return Book(
        tables=_in_order(part.tables for part in parts),
        figures=_in_order(part.figures for part in parts),
        missing=tuple(one for part in parts for one in part.missing),
        values=pl.concat(part.values for part in parts),
        contradictions=CONTRADICTIONS if {*datasets} & {*PAPER_DATASETS} else (),
    )


def _in_order(parts: Iterable[Mapping[str, T]]) -> dict[str, T]:
    return dict(sorted(entry for part in parts for entry in part.items()))


def _part(family: Family, frames: Mapping[str, pl.DataFrame], choices: Choices) -> Book:
    """The tables and figures of one family."""
    at = places(list(frames))
    names = sorted(frames, key=at.__getitem__)
    found = [experiment(name, frames[name], family, choices) for name in names]
    there = [one for one in found if one]
    rows = _values(there)
    entries = [entry for kind in KINDS for entry in _tables(kind, family, there, rows, at)]
    missing = [entry for entry in entries if isinstance(entry, Missing)]
    return Book(
        tables=dict(entry for entry in entries if not isinstance(entry, Missing)),
        figures=_figures(family, there),
        missing=(*missing, *_missing_figures(family, there)),
        values=compared(rows, _published_beside(rows), _alike(there)),
    )


def _published_beside(rows: pl.DataFrame) -> pl.DataFrame:
    """The published values of the same data sets and measures."""
    theirs = published()
    for name in ("dataset", "measure"):
        theirs = theirs.join(rows.select(name).unique(), on=name, how="semi", maintain_order="left")
    return theirs


def _values(there: list[Experiment]) -> pl.DataFrame:
    parts = [part for one in there for part in values_of(one)]
    return pl.concat([published().drop("table").clear(), *parts, *values_across(there)])


# ---------------------------------------------------------------- tables
def places(names: list[str]) -> dict[str, int]:
    """The paper's data sets in their own places, others in those that are free.

    >>> places(["mine", "MQ2007", "other"])
    {'mine': 0, 'MQ2007': 1, 'other': 2}
    """
    own = {name: PAPER_DATASETS.index(name) for name in names if name in PAPER_DATASETS}
    free = iter(place for place in range(2 * len(names) + 2) if place not in own.values())
    return {name: own[name] if name in own else next(free) for name in names}


def _tables(
    kind: Kind, family: Family, there: list[Experiment], rows: pl.DataFrame, at: dict[str, int]
) -> Iterator[tuple[str, Table] | Missing]:
    number = family.first + kind.offset
    if kind.place is None:
        yield _shared_table(kind, family, there, rows, number)
        return
    holders = [name for name in sorted(at, key=at.__getitem__) if min(at[name], 1) == kind.place]
    if not holders:
        paper = PAPER_DATASETS[kind.place]
        title = _title(kind, family, paper)
        yield Missing(f"Table {number}", title, f"neither {paper} nor a data set in its place")
    for name in holders:
        letter = chr(ord("a") + at[name] - 1) if at[name] > 1 else ""
        label = f"{number:02d}{letter}"
        one = next((one for one in there if one.dataset == name), None)
        title = _title(kind, family, name)
        if one is None:
            yield Missing(f"Table {number}{letter}", title, _why(family, name))
        else:
            yield f"table-{label}", _means(kind, one, rows, f"Table {number}{letter}. {title}")


def _title(kind: Kind, family: Family, dataset: str) -> str:
    return kind.title.format(plain=family.plain, called=family.called, dataset=dataset)


def _why(family: Family, dataset: str) -> str:
    wanted = " ".join(f"'{family.metric}@{k}'" for k in CUTOFFS)
    return f"the scores of {dataset} have none of {wanted}; add them to `ulframe eval -m`"


def _means(kind: Kind, one: Experiment, rows: pl.DataFrame, title: str) -> Table:
    family = one.family
    measures = family.bounded if kind.bounded else (family.plain,)
    wanted = pl.col("measure").is_in(measures) & (pl.col("quantity") == "mean")
    wanted &= pl.col("dataset") == one.dataset
    values = compared(rows.filter(wanted), published().filter(wanted))
    table = means_table(values, title, kind)
    return replace(table, notes=about_means(one))


def _shared_table(
    kind: Kind, family: Family, there: list[Experiment], rows: pl.DataFrame, number: int
) -> tuple[str, Table] | Missing:
    across = pl.col("dataset").str.contains(" vs ", literal=True)
    wanted = pl.col("quantity") == kind.quantity
    if kind.quantity == "swap_rate":
        sets = pl.col("query_set") == ACROSS_SETS
        wanted &= (across & ~sets) if kind.two else sets
    ours = rows.filter(wanted)
    if ours.is_empty():
        return Missing(f"Table {number}", kind.title, _why_not_shared(kind, family, there))
    own = ours["dataset"].unique().to_list()
    theirs = published().filter(wanted, pl.col("dataset").is_in(own), table=number)
    alike = _alike(there)
    title = f"Table {number}. {kind.title}, {family.called}"
    table = sets_table(compared(ours, theirs, alike), title, kind)
    notes = list(NOTES[kind.quantity](there, rows))
    if others := sorted({*theirs["dataset"]} - {*alike}):
        notes.append(f"Published: of the paper's eight methods, others than on {others[0]} here.")
    return f"table-{number:02d}", replace(table, notes=tuple(notes))


def _alike(there: list[Experiment]) -> list[str]:
    """Data sets, and pairs of them, on which the methods are the paper's."""
    names = [one.dataset for one in there if {*one.runs} == {*METHODS}]
    return [*names, *(f"{one} vs {two}" for one, two in combinations(names, 2))]


def _why_not_shared(kind: Kind, family: Family, there: list[Experiment]) -> str:
    if not there:
        return f"no data set has scores of {family.metric}@k"
    if kind.two and len(there) < 2:
        return "it takes two data sets with the same methods, and there is one"
    if kind.two:
        return "no two data sets have two methods of the same names"
    return "it takes at least two methods"


# ---------------------------------------------------------------- figures
def _figures(family: Family, there: list[Experiment]) -> dict[str, ChartType]:
    charts: dict[str, ChartType] = {}
    for one in there:
        called = f"{family.called} on {one.dataset}"
        charts[f"figure-{family.figure}-{one.dataset}"] = expected_histogram(one.queries, called)
        if family is FAMILIES[0]:
            charts[f"figure-1-{one.dataset}"] = query_map(one.queries, called)
    return charts


def _missing_figures(family: Family, there: list[Experiment]) -> Iterator[Missing]:
    if not there:
        why = f"no data set has scores of {family.metric}@k"
        title = f"Expected {family.called} of a random ranking"
        yield Missing(f"Figure {family.figure}", title, why)
        if family is FAMILIES[0]:
            yield Missing("Figure 1", "Query types", why)
