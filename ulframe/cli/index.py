"""Index a collection of documents for keyword search.

  ulframe index documents.tsv -o movies.index
  ulframe index cran.all.1400.gz -o cranfield.index --stem english --stop english
  ulframe index corpus.jsonl -o corpus.index --columns title=text text=text pageviews=prior

Documents may be TREC's <DOC>, a table (parquet, csv, tsv, jsonl, arrow, JSON) with doc_id and text,
as BEIR, PyTerrier and Anserini have them, and perhaps title, which goes before the text, and prior,
the document's popularity; `id TAB text` (.tsv, MS MARCO), the SMART format (.I .T .W), that of the
NPL collection, or one a line (its number is the id); also as .gz or .zst. A file may be a glob or a
folder.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl

from ulframe.cli import output
from ulframe.cli.options import columns_of
from ulframe.cli.progress import working
from ulframe.cli.reading import add_reading
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.files import files_at
from ulframe.frames.second_look import explained
from ulframe.systems.bm25.index import build_index
from ulframe.systems.bm25.store import refuse_replacing, write_index
from ulframe.systems.bm25.texts import scan_documents
from ulframe.systems.bm25.tokens import ENGLISH, Tokens


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe index`."""
    parser.add_argument("documents", metavar="DOCS", nargs="+", help="files, globs or folders")
    parser.add_argument("-o", dest="out", metavar="INDEX", required=True, help="the index's folder")
    add_reading(parser, fields="of the SMART format, by default TW")
    parser.add_argument(
        "--pattern", default=Tokens.pattern, metavar="REGEX",
        help="what is a token; by default a run of letters and digits",
    )  # fmt: skip
    parser.add_argument(
        "--stop", metavar="english|FILE", help="leave out these words; a file has one a line"
    )
    parser.add_argument(
        "--html", action="store_true", help="drop tags, and decode entities such as &amp;"
    )
    parser.add_argument("--stem", metavar="LANGUAGE", help="a Snowball stemmer, such as english")


def run(options: argparse.Namespace) -> None:
    """Read, index, write, say what there is."""
    refuse_replacing(Path(options.out))
    _refuse_replacing_input(options)
    stop = _stop_words(options.stop)
    tokens = Tokens(options.pattern, stop, options.stem, options.html)
    with working("indexing"):
        try:
            texts = scan_documents(
                options.documents,
                columns=columns_of(options), fields=options.fields, kind=options.kind,
            )  # fmt: skip
            index = build_index(texts, tokens, where=", ".join(options.documents))
        except pl.exceptions.PolarsError as error:
            raise explained(error, *options.documents) from error
        write_index(index, options.out)
    length = pl.col("length")
    documents, tokens_in_all, empty = index.documents.select(
        pl.len(), length.sum(), empty=(length == 0).sum()
    ).collect().row(0)  # fmt: skip
    terms = index.terms.select(pl.len()).collect().item()
    output.remark(f"{options.out}: {documents} documents, {terms} terms, {tokens_in_all} tokens")
    if empty:
        output.remark(f"{empty} documents are empty: no query finds them")


def _refuse_replacing_input(options: argparse.Namespace) -> None:
    out = Path(options.out).resolve()
    for source in (source for source in options.documents if source != "-"):
        for file in files_at(Path(source)).values():
            if out in Path(file.where).resolve().parents:
                raise BadUsage(f"{options.out}: {file.where}, which is read, lies in it")


def _stop_words(asked: str | None) -> frozenset[str]:
    if asked is None:
        return frozenset()
    if asked == "english":
        return ENGLISH
    try:
        return frozenset(Path(asked).read_text(encoding="utf-8").lower().split())
    except OSError as error:
        raise BadUsage(
            f"--stop {asked}: no such file to read; it is `english`, or a file with a word a line"
        ) from error
    except UnicodeDecodeError as error:
        raise BadData(f"{asked}: not UTF-8 text") from error
