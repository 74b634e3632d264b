"""One mapping of columns for qrels and runs together, as a command line gives it."""

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, RANK, SCORE, Columns
from ulframe.frames.errors import BadUsage
from ulframe.frames.fields import are_places
from ulframe.frames.files import File
from ulframe.frames.formats import OF_QRELS, OF_RUNS, TABLES, Format
from ulframe.frames.intake import FramesLike, spread
from ulframe.frames.json_dicts import read_json
from ulframe.frames.memory import from_memory
from ulframe.frames.sniff import sniff
from ulframe.frames.sources import scan_qrels, scan_runs


def scan_both(
    qrels: FramesLike, runs: FramesLike, columns: Columns | None = None
) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """Read qrels and runs, with one mapping for the columns of both; see `shared_out`.

    >>> qrels, runs = scan_both({"q": {"d": 1}}, {"q": {"d": 0.5}})
    >>> qrels.collect().rows(), runs.collect().rows()
    ([('q', 'd', 1)], [('run', 'q', 'd', 0.5)])
    """
    judged, ranked = spread(qrels), spread(runs)  # once: standard input cannot be read again
    of_qrels, of_runs = shared_out(columns, judged, ranked) if columns else ({}, {})
    read = scan_qrels(judged, columns=of_qrels or None)
    return read, scan_runs(ranked, columns=of_runs or None, documents=judged)


def shared_out(columns: Columns, qrels: FramesLike, runs: FramesLike) -> tuple[Columns, Columns]:
    """The part of a mapping that is for the qrels, and the one that is for the runs.

    Names go where there are such columns. Places of fields, `{"1": "query_id", ...}`, go to the
    qrels if one of them is the label, or all are ids, and to the runs if one is a score or a rank.
    Raises `BadUsage` for a name that neither has.

    >>> qrels = pl.DataFrame({"who": ["u"], "doc_id": ["d"], "stars": [4]})
    >>> runs = pl.DataFrame({"who": ["u"], "doc_id": ["d"], "score": [0.5]})
    >>> shared_out({"who": "query_id", "stars": "label"}, qrels, runs)
    ({'who': 'query_id', 'stars': 'label'}, {'who': 'query_id'})
    """
    places = {name: ours for name, ours in columns.items() if are_places([name])}
    names = {name: ours for name, ours in columns.items() if name not in places}
    have = [_names(qrels, names, OF_QRELS), _names(runs, names, OF_RUNS)] if names else [[], []]
    if unknown := [name for name in names if not any(name in one for one in have)]:
        there = ", ".join(map(repr, dict.fromkeys(name for one in have for name in one)))
        raise BadUsage(f"no column {unknown[0]!r} to map; there are {there or 'none'}")
    ours = set(places.values())
    meant = (LABEL in ours or ours == {QUERY, DOC}, bool({SCORE, RANK} & ours))
    judged, ranked = (
        {name: ours for name, ours in names.items() if name in one} or (places if has else {})
        for one, has in zip(have, meant, strict=True)
    )
    return judged, ranked


def _names(source: FramesLike, columns: Columns, among: tuple[Format, ...]) -> list[str]:
    """All columns of the tables of a source; other text has none."""
    found: dict[str, None] = {}
    for item in spread(source):
        if not isinstance(item, File):
            found |= dict.fromkeys(from_memory(item, SCORE).collect_schema())
        elif (form := sniff(item, columns, among)) in TABLES:
            found |= dict.fromkeys(form.read.table(item).collect_schema())
        elif form.name == "json" and isinstance(held := read_json(item), pl.LazyFrame):
            found |= dict.fromkeys(held.collect_schema())
    return [*found]
