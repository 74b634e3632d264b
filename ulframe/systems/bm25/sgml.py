r"""TREC's documents and topics: `<DOC><DOCNO>...`, and `<top><num>...`, of which few tags end.

What is between tags is the text; entities (`&amp;`) are decoded, and tags dropped.
"""

from __future__ import annotations

from html import unescape
from pathlib import Path

import polars as pl

from ulframe.frames.errors import BadData, BadUsage
from ulframe.systems.bm25.steps import whole

LINE, RECORD = pl.col("line"), pl.col("record")

TAGS = r"(?s)</?[A-Za-z][^<>]*>|<!--.*?-->|<[!?][^<>]*>"
"""What is no text: tags, comments and declarations."""

FIELDS = {"T": "title", "D": "desc", "N": "narr"}
"""A topic's fields, by the letters that ask for them."""

LABELS = {"num": r"Number:", "title": r"Topic:", "desc": r"Description:", "narr": r"Narrative:"}
"""What TREC's older topics have at the head of a field."""


def scan_trec_documents(source: Path | bytes, *, where: str) -> pl.LazyFrame:
    r"""Read documents: `id: String`, what `<DOCNO>` holds, and `text: String`, all the others hold.

    Collecting raises `BadData`, with `where`, for a document without a `<DOCNO>`, and for a text
    without a document.

    >>> text = b"<DOC>\n<DOCNO> A-1 </DOCNO>\n<TEXT>\nAT&amp;T's <b>wing</b>\n</TEXT>\n</DOC>\n"
    >>> scan_trec_documents(text, where="-").collect().rows()
    [('A-1', "AT&T's wing")]
    """
    records = _records(source, r"(?i)^\s*<DOC[\s>]", r"(?i)</DOC>\s*$")
    number = pl.col("whole").str.extract(r"(?is)<DOCNO>\s*(.*?)\s*</DOCNO>")
    rest = pl.col("whole").str.replace(r"(?is)<DOCNO>.*?</DOCNO>", " ")
    found = records.select("first", id=number, text=plain(rest))
    return _checked(found, where, "document", "<DOCNO>")


def scan_topics(source: Path | bytes, *, fields: str, where: str) -> pl.LazyFrame:
    r"""Read topics: `id: String`, the number, and `text: String`, the fields in the file's order.

    `fields` are letters: T, the title; D, the description; N, the narrative. Collecting raises
    `BadData`, with `where`, for a topic without a `<num>`, and for a text without a topic.

    >>> text = b"<top>\n<num> Number: 301\n<title> wing flutter\n<desc> Description:\nHow?\n</top>"
    >>> scan_topics(text, fields="TD", where="-").collect().rows()
    [('301', 'wing flutter\nHow?')]
    """
    records = _records(source, r"(?i)^\s*<top>", r"(?i)</top>\s*$")
    if not fields or {*fields} - {*FIELDS}:
        raise BadUsage(f"fields={fields!r}: of topics there are {', '.join(FIELDS)}")
    wanted = "|".join(FIELDS[letter] for letter in fields)
    tags = "num|title|desc|narr"
    # the regular expressions here cannot look ahead: a mark goes before each field
    parts = pl.col("whole").str.replace_all(rf"(?i)<({tags})>", "\x1f<${1}>").str.split("\x1f")
    labels = "|".join(LABELS.values())
    head = rf"(?i)^<(?:{tags})>\s*(?:{labels})?"
    text = parts.list.eval(
        pl.element()
        .filter(pl.element().str.contains(rf"(?i)^<(?:{wanted})>"))
        .str.replace(head, "")
    ).list.join("\n")
    number = pl.col("whole").str.extract(r"(?i)<num>\s*(?:Number:)?\s*([^\s<]+)")
    found = records.select("first", id=number, text=plain(text))
    return _checked(found, where, "topic", "<num>")


def _records(source: Path | bytes, begins: str, ends: str) -> pl.LazyFrame:
    """`record, first` (its first line's number), `whole`: what stands from one line to another."""
    lines = pl.scan_lines(source, row_index_name="row", glob=False).with_columns(
        begins=LINE.str.contains(begins), ends=LINE.str.contains(ends)
    )
    numbered = lines.with_columns(
        record=pl.col("begins").cum_sum().cast(pl.Int64),
        over=pl.col("ends").cum_sum().cast(pl.Int64) - pl.col("ends").cast(pl.Int64),
    )
    inside = numbered.filter(pl.col("over") < RECORD)
    return (
        inside.group_by("record")
        .agg(
            first=pl.col("row").min() + 1,
            whole=LINE.sort_by("row").str.join("\n"),
        )
        .sort("record")
    )


def plain(text: pl.Expr) -> pl.Expr:
    """Without tags, with entities decoded, without blanks at the ends of lines."""
    without = text.str.replace_all(TAGS, "").str.replace_all(r"[ \t]*\n\s*", "\n").str.strip_chars()
    return without.map_batches(
        lambda texts: (
            texts.map_elements(unescape, return_dtype=pl.String)
            if texts.str.contains("&", literal=True).any()
            else texts
        ),
        return_dtype=pl.String,
    )


def _checked(records: pl.LazyFrame, where: str, what: str, tag: str) -> pl.LazyFrame:
    def check(found: pl.DataFrame) -> pl.DataFrame:
        if found.is_empty():
            raise BadData(f"{where}: no {what} in it")
        without = found.filter(pl.col("id").fill_null("") == "")
        if without.height:
            line = without["first"][0]
            raise BadData(f"{where}, line {line}: the {what} that begins here has no {tag}")
        return found

    return whole(records, check).select("id", "text")
