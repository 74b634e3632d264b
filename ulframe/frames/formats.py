"""The formats of files, a row each: to add one, add its row here."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

from ulframe.frames import layouts
from ulframe.frames.columns import is_id, meant
from ulframe.frames.endings import ENDINGS, split_ending
from ulframe.frames.fields import are_places
from ulframe.frames.first_lines import FirstLines
from ulframe.frames.json_dicts import is_json_line
from ulframe.frames.layouts import is_number
from ulframe.frames.packings import split_packing
from ulframe.frames.readers import (
    OF_BENCHMARK,
    OF_FOUR_FIELDS,
    OF_JSON,
    OF_LETOR,
    OF_PLACES,
    OF_PREDICTIONS,
    OF_SMART_QRELS,
    OF_THREE_FIELDS,
    OF_TREC,
    Readers,
    no_table,
    readers_of_table,
    refusing,
)
from ulframe.frames.tables import (
    SEPARATORS,
    Scan,
    scan_arrow,
    scan_csv,
    scan_jsonl,
    scan_parquet,
    scan_tsv,
)
from ulframe.frames.writers import (
    Writer,
    write_arrow,
    write_csv,
    write_jsonl,
    write_parquet,
    write_trec,
)

Looks = Callable[[FirstLines, Collection[str]], bool]


@dataclass(frozen=True)
class Format:
    """What is known of a format.

    - `name`: what messages call it.
    - `read`: how it is read; `write`: how it is written, None where it is not.
    - `endings`: of the names of files that are in it; `sure`: such an ending is believed unseen.
    - `magic`: one of these is what a file begins with, if the format is binary.
    - `looks`: whether a text with these first lines is in it, where the caller maps these names.
    - `qrels`, `runs`: whether it is thought of where these are wanted.
    - `packs`: whether it may be packed; if not, it is compressed inside.
    - `typed`: whether the values of a table have types; if not, they are text.
    """

    name: str
    read: Readers
    write: Writer | None = None
    endings: tuple[str, ...] = ()
    sure: bool = False
    magic: tuple[bytes, ...] = ()
    looks: Looks = lambda head, names: False
    qrels: bool = True
    runs: bool = True
    packs: bool = True
    typed: bool = False


def _table(name: str, scan: Scan, write: Writer, **facts: Any) -> Format:
    return Format(name, readers_of_table(name, scan), write, ENDINGS[name], **facts)


def _text(name: str, read: Readers, looks: Callable[[FirstLines], bool], **facts: Any) -> Format:
    return Format(name, read, looks=lambda head, names: looks(head), **facts)


def _header(*separators: str) -> Looks:
    """Whether the first line names columns: known ones or those of a mapping, and no number."""

    def looks(head: FirstLines, names: Collection[str]) -> bool:
        if "\t" not in separators and "\t" in head.first:  # a benchmark's query may have commas
            return False
        separator = max(separators, key=head.first.count)
        fields = [field.strip(' "\r') for field in head.first.split(separator)]
        return (
            len(fields) > 1
            and not any(map(is_number, fields))
            and any(meant(field) or is_id(field) or field in names for field in fields)
        )

    return looks


LETOR = _text("letor", OF_LETOR, layouts.is_letor)
BENCHMARK = _text("benchmark", OF_BENCHMARK, layouts.is_benchmark, runs=False)
TREC = Format("trec", OF_TREC, write_trec, looks=lambda head, names: layouts.is_trec(head))

# What a text is, is asked in this order; what is in none of them is TREC text.
FORMATS = (
    Format("fields by place", OF_PLACES, looks=lambda head, names: are_places(names)),
    _table(
        "parquet",
        scan_parquet,
        write_parquet,
        sure=True,
        magic=(b"PAR1",),
        packs=False,
        typed=True,
    ),
    _table(
        "csv",
        scan_csv,
        partial(write_csv, separator=","),
        looks=_header(*SEPARATORS[:-1]),
    ),
    _table(
        "tsv",
        scan_tsv,
        partial(write_csv, separator="\t"),
        looks=_header("\t"),
    ),
    _table(
        "jsonl",
        scan_jsonl,
        write_jsonl,
        sure=True,
        looks=lambda head, names: is_json_line(head.first),
    ),
    Format(
        "json",
        OF_JSON,
        endings=ENDINGS["json"],
        sure=True,
        looks=lambda head, names: head.first.startswith(("{", "[")),
    ),
    _table(
        "arrow",
        scan_arrow,
        write_arrow,
        sure=True,
        magic=(b"ARROW1", b"\xff\xff\xff\xff"),
        packs=False,
        typed=True,
    ),
    LETOR,
    TREC,
    _text(
        "ratings",
        refusing(
            "four fields, the last a time: ratings, `user item rating time`? Say which is the "
            "label: `--columns 1=query_id 2=doc_id 3=label` (of a run: 3=score or 4=score)"
        ),
        layouts.is_ratings,
    ),
    _text("SMART qrels", OF_SMART_QRELS, layouts.is_smart_qrels),
    _text(
        "subtopics",
        refusing(
            "a document is judged under several second fields: qrels by subtopic (`ulframe "
            "diversity`), or by judge. Choose one, or the highest label of each document, before"
        ),
        layouts.is_subtopics,
        runs=False,
    ),
    _text(
        "preferences",
        refusing(
            "five fields: preferences, as trec_eval reads them with `-R prefs`, are not offered; "
            "a qrels line is `query 0 document label`"
        ),
        layouts.is_preferences,
        runs=False,
    ),
    _text(
        "PrefLib",
        refusing("orders of people, as PrefLib has them: compare them with `ulframe experts`"),
        layouts.is_preflib,
    ),
    _text("predictions", OF_PREDICTIONS, layouts.is_predictions),
    _text(
        "undecided",
        refusing(
            "one tab a line: neither `query TAB relevant ids` nor TREC text, or both. For the "
            "first `--columns 1=query_id 2=doc_id`, for TREC text 1=query_id 3=doc_id 4=label"
        ),
        layouts.is_undecided,
        runs=False,
    ),
    BENCHMARK,
    _text("query document number", OF_THREE_FIELDS, layouts.is_three_fields, qrels=False),
    _text("query document rank score", OF_FOUR_FIELDS, layouts.is_ranked, qrels=False),
    _text(
        "three fields",
        refusing(
            "three fields, not the four of `query 0 document label`. Say what they are: "
            "`--columns 1=query_id 2=doc_id 3=label` (of a run: 3=rank or 3=score)"
        ),
        layouts.is_three_fields,
        runs=False,
    ),
)

TABLES = tuple(row for row in FORMATS if row.read.table is not no_table)
OF_QRELS = tuple(row for row in FORMATS if row.qrels)
OF_RUNS = tuple(row for row in FORMATS if row.runs)

TABLE_ENDINGS = tuple(ending for row in TABLES for ending in row.endings)


def is_packed(name: str) -> bool:
    """Whether a file is packed or compressed inside, by its name.

    >>> is_packed("runs.parquet"), is_packed("runs.csv.gz"), is_packed("input.Sel50")
    (True, True, False)
    """
    _, packing = split_packing(name)
    ending = split_ending(name)[1]
    return packing is not None or any(ending in row.endings and not row.packs for row in FORMATS)
