"""JSON as pytrec_eval and ranx have it: `{query: {doc: number}}`, or `{run: ...}` of these."""

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from ulframe.frames.columns import DOC, QUERY, meant
from ulframe.frames.errors import BadData, in_short
from ulframe.frames.files import File
from ulframe.frames.json_objects import read_object
from ulframe.frames.packings import whole
from ulframe.frames.tables import scan_jsonl, scan_table

COST = 20  # bytes of memory per byte of JSON, measured on a run of a million documents


def is_json_line(line: str) -> bool:
    """Whether this is a row of jsonl: an object by itself, with a plain value in it.

    >>> is_json_line('{"qid": "q1", "rel": 1}'), is_json_line('{"q1": {"d1": 1}}')
    (True, False)
    """
    try:
        value = json.loads(line)
    except ValueError:
        return False
    return isinstance(value, dict) and not all(isinstance(v, dict | list) for v in value.values())


def read_json(file: File) -> pl.LazyFrame | dict[str, Any]:
    """Nested dicts, or a frame where the file holds rows or columns of a table.

    Raises `BadData` for what is no JSON, holds something else, or has one key twice.
    """
    if is_json_line(file.head.first):
        return scan_table(file, scan_jsonl, "jsonl")
    try:
        value = read_object(whole(file.source, COST))
    except (ValueError, RecursionError) as error:
        raise BadData(f"{file.where}: cannot be read as json: {in_short(error)}") from error
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return pl.LazyFrame(value, infer_schema_length=None, strict=False)
    if not isinstance(value, dict):
        raise BadData(f"{file.where}: JSON is read as {{query: {{doc: number}}}} or as rows")
    return _columns(value) if {QUERY, DOC} <= {meant(str(key)) for key in value} else value


def _columns(value: Mapping[str, Any]) -> pl.LazyFrame:
    """A table by its columns, as pandas writes it: lists, or dicts by the row's number."""
    lists = {
        key: list(held.values() if isinstance(held, Mapping) else held)
        for key, held in value.items()
    }
    return pl.LazyFrame(lists, strict=False)
