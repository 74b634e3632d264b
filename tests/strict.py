"""Parsers that take a text by its letter, line by line in plain Python: what the readers must give.

Each gives the rows that a text holds and the numbers of its lines that hold none; a reader is right
if it gives the rows where no line is bad, and otherwise refuses one of the bad lines.
"""

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ulframe.frames.trec_lines import BLANKS, Layout

NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity|nan)", re.I
)
BOM = "\ufeff"


@dataclass
class Held:
    """The rows of a text, and the lines, from 1, that are none."""

    rows: list[tuple[Any, ...]] = field(default_factory=list)
    bad: set[int] = field(default_factory=set)


def number(text: str) -> float | None:
    """The number that a text is, NaN none."""
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    return None if math.isnan(value) else value


def decoded(text: bytes, held: Held) -> Iterator[tuple[int, str]]:
    """The lines that are UTF-8 and no longer than 2^20 bytes, by number; the others are bad."""
    lines = text.split(b"\n")
    for at, line in enumerate(lines if lines[-1] else lines[:-1], start=1):
        if len(line) > 2**20:
            held.bad.add(at)
            continue
        try:
            yield at, line.decode()
        except UnicodeDecodeError:
            held.bad.add(at)


def trec(text: bytes, layout: Layout) -> Held:
    """TREC text: qrels or a run."""
    held = Held()
    for at, line in decoded(text, held):
        content = line.removeprefix(BOM if at == 1 else "").strip(BLANKS)
        if not content or content.startswith("#"):
            continue
        fields = re.split(f"[{BLANKS}]+", content)
        width = len(layout.fields)
        row = dict(zip(layout.columns, fields, strict=False))
        value = number(row.get(layout.number, ""))
        whole = len(fields) == width or (len(fields) > width and not layout.surplus)
        if not whole or value is None or (layout.number == "label" and math.isinf(value)):
            held.bad.add(at)
        else:
            held.rows.append(tuple((row | {layout.number: value})[name] for name in layout.keep))
    return held


def letor(text: bytes) -> Held:
    """LETOR text's labels; documents without a docid are called by their place."""
    held, places = Held(), dict[str, int]()
    pair = re.compile(rf"[0-9]+:(?:{NUMBER.pattern}|null)", re.I)
    for at, line in decoded(text, held):
        content = line.strip(f"{BOM} \t\r")
        if not content or content.startswith("#"):
            continue
        body, _, comment = content.partition("#")
        label, *others = body.split()
        value = number(label)
        query = others[0].removeprefix("qid:") if others and others[0].startswith("qid:") else ""
        if (
            value is None
            or math.isinf(value)
            or not query
            or not all(map(pair.fullmatch, others[1:]))
        ):
            held.bad.add(at)
            continue
        places[query] = places.get(query, 0) + 1
        docid = re.search(r"#\s*docid\s*=\s*(\S+)", f"#{comment}")
        held.rows.append((query, docid[1] if docid else f"{places[query]:06}", value))
    return held


def table(rows: Sequence[dict[Any, Any]], held: Held) -> Held:
    """Rows by the names of their columns: ids that are there and a score that is a number."""
    for at, row in enumerate(rows, start=1):
        ids = [str(row.get(name) or "") for name in ("query_id", "doc_id")]
        score = number(str(row.get("score") or "").strip())
        more = any(row.get(None) or [])
        if not all(ids) or score is None or any(re.search("[\r\n]", one) for one in ids) or more:
            held.bad.add(at)
        else:
            held.rows.append((*ids, score))
    return held


def separated(text: bytes, separator: str) -> Held:
    """A table with a header, its values in quotes or not."""
    held = Held()
    ends = re.compile(f"\r+(?={separator}|$)")  # blanks behind a value
    lines = "\n".join(ends.sub("", line) for _, line in decoded(text, held))
    reader = csv.DictReader(io.StringIO(lines.removeprefix(BOM)), delimiter=separator, strict=True)
    try:
        rows = [{name: _stripped(value) for name, value in row.items()} for row in reader]
        return table(rows, held)
    except csv.Error:
        held.bad.add(0)
        return held


def jsonl(text: bytes) -> Held:
    """An object a line."""
    held, rows = Held(), []
    for at, line in decoded(text, held):
        if not line.strip():
            continue
        try:
            pairs = json.loads(line, object_pairs_hook=list)
            if len(dict(pairs)) < len(pairs):
                raise ValueError
            rows.append(dict(pairs))
        except (ValueError, TypeError):
            held.bad.add(at)
    return table(rows, held)


def tabbed(text: bytes) -> Held:
    """A table with a header and tabs between its values; quotes count around a whole one only."""
    held = Held()
    rows: list[dict[Any, Any]] = []
    lines = [line for _, line in decoded(text, held)]
    header, *others = [line.removeprefix(BOM) for line in lines] or [""]
    for line in others:
        values = [value.strip() for value in line.removesuffix("\r").split("\t")]
        if line.strip("\r"):
            rows.append(dict(zip(header.split("\t"), map(_unquoted, values), strict=False)))
            if len(values) > len(header.split("\t")):
                rows[-1][None] = values[len(header.split("\t")) :]
    return table(rows, held)


def _unquoted(value: str) -> str:
    whole = len(value) > 1 and value[0] == value[-1] == '"'
    return value[1:-1].replace('""', '"') if whole else value


def _stripped(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value
