"""Qrels by subtopic: which aspects of a query a document answers, as TREC's diversity task has."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, no_column, standing_for
from ulframe.frames.errors import BadData
from ulframe.frames.files import File
from ulframe.frames.formats import TABLES
from ulframe.frames.intake import FramesLike, as_lazy, spread
from ulframe.frames.memory import InMemory
from ulframe.frames.sniff import sniff
from ulframe.frames.trec import scan_trec
from ulframe.frames.trec_lines import Layout, most_common_mark, refuse_width

SUBTOPIC = "subtopic"
OTHERS = ("subtopic_id", "intent", "iteration", "aspect")
"""What the column is called elsewhere."""

SUBTOPICS = {QUERY: pl.String, SUBTOPIC: pl.String, DOC: pl.String, LABEL: pl.Float64}
LINE = Layout(
    fields=(QUERY, SUBTOPIC, DOC, LABEL),
    number=LABEL,
    unusable=~pl.col(LABEL).is_finite(),
    keep=(QUERY, SUBTOPIC, DOC, LABEL),
    surplus=("surplus",),
    says="a line of qrels by subtopic is `query subtopic document label`",
    other="query Q0 document rank score tag",
    swapped="A run in the place of qrels? QRELS come first, then the runs",
)
SHOWN = 3  # rows that a message names


def scan_subtopics(source: FramesLike) -> pl.DataFrame:
    """Read judgements by subtopic: `query_id, subtopic, doc_id: String, label: Float64`.

    `source` is a path (text of `query subtopic document label`, or a table), a frame with these
    columns, a dict `{query: {subtopic: {doc: label}}}`, or a list of these. They are few, and read
    at once. Raises `BadData` where a column is missing, an id is null, a label is no number, or a
    document is judged twice for a subtopic.

    >>> scan_subtopics({"q": {"1": {"a": 1}, "2": {"a": 0}}}).rows()
    [('q', '1', 'a', 1.0), ('q', '2', 'a', 0.0)]
    """
    found = pl.concat([_read(item) for item in spread(source)])
    bad = found.filter(pl.any_horizontal(pl.all().is_null()) | ~pl.col(LABEL).is_finite())
    if bad.height:
        rows = "; ".join(map(str, bad.head(SHOWN).rows()))
        raise BadData(f"qrels by subtopic: ids and labels must be there, but there is {rows}")
    keys = [QUERY, SUBTOPIC, DOC]
    if found.select(keys).is_duplicated().any():
        first = found.filter(found.select(keys).is_duplicated()).row(0, named=True)
        said = ", ".join(f"{key} {first[key]!r}" for key in keys)
        raise BadData(f"qrels by subtopic judge a document twice: {said}")
    return found


def _read(item: File | InMemory) -> pl.DataFrame:
    if isinstance(item, File) and sniff(item) not in TABLES:
        refuse_width(item, LINE)
        between = most_common_mark(item.head)
        return scan_trec(item.source, LINE, between=between, where=item.where).collect()
    if isinstance(item, Mapping):
        rows = [
            (str(query), str(subtopic), str(doc), float(label))
            for query, subtopics in item.items()
            for subtopic, labels in subtopics.items()
            for doc, label in labels.items()
        ]
        return pl.DataFrame(rows, schema=SUBTOPICS, orient="row")
    return _conformed(as_lazy(item, LABEL), "qrels by subtopic")


def _conformed(table: pl.LazyFrame, where: str) -> pl.DataFrame:
    have = table.collect_schema().names()
    names = {ours: standing_for(ours, have)[:1] for ours in (QUERY, DOC, LABEL)}
    names[SUBTOPIC] = [name for name in (SUBTOPIC, *OTHERS) if name in have][:1]
    if missing := [ours for ours in SUBTOPICS if not names[ours]]:
        raise no_column(missing, have, where)
    columns = (pl.col(names[ours][0]).cast(dtype).alias(ours) for ours, dtype in SUBTOPICS.items())
    return table.select(columns).collect()
