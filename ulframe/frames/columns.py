"""The names and types of the columns that frames have, and the other names they go by elsewhere."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ulframe.frames.errors import BadData

Columns = Mapping[str, str]  # what a table calls a column: what we call it

RUN, QUERY, DOC, LABEL, SCORE, RANK = "run", "query_id", "doc_id", "label", "score", "rank"

# A label is Int32 or Float64: Int32 wherever all labels are whole.
QRELS: dict[str, type[pl.DataType]] = {QUERY: pl.String, DOC: pl.String, LABEL: pl.Int32}
RUNS: dict[str, type[pl.DataType]] = {
    RUN: pl.String,
    QUERY: pl.String,
    DOC: pl.String,
    SCORE: pl.Float64,
}


@dataclass(frozen=True)
class Alias:
    """A name under which a column is understood without a mapping.

    - `name`: as its tool writes it; upper and lower case and `_`, `-` and blank are alike.
    - `tool`: who writes it so.
    - `beside`: that tool may write another column for the same thing, which then goes first.
    """

    name: str
    tool: str
    beside: bool = False


ALIASES: dict[str, tuple[Alias, ...]] = {
    RUN: (
        Alias("run_id", "ir_measures"),
        Alias("run_tag", "TREC"),
        Alias("tag", "TREC"),
        Alias("run_name", "TREC"),
        Alias("runid", "trec_eval"),
        Alias("system", "trectools"),
        Alias("model", "MTEB", beside=True),
        Alias("method", "papers", beside=True),
        Alias("algorithm", "LensKit", beside=True),
    ),
    QUERY: (
        Alias("qid", "PyTerrier"),
        Alias("query-id", "BEIR and MTEB"),
        Alias("q_id", "ranx"),
        Alias("topic_id", "TREC"),
        Alias("query", "trectools; PyTerrier's is the query's text", beside=True),
        Alias("user_id", "RecBole and Amazon"),
        Alias("userId", "MovieLens"),
        Alias("user", "LensKit and Spark"),
        Alias("uid", "Surprise"),
        Alias("u", "Cornac"),
    ),
    DOC: (
        Alias("docno", "PyTerrier"),
        Alias("docid", "Anserini; PyTerrier's is its own internal number", beside=True),
        Alias("corpus-id", "BEIR and MTEB"),
        Alias("document_id", "Elasticsearch"),
        Alias("did", "OpenNIR"),
        Alias("pid", "MS MARCO and ColBERT"),
        Alias("passage_id", "MS MARCO"),
        Alias("item_id", "RecBole"),
        Alias("movieId", "MovieLens"),
        Alias("item", "LensKit and Spark"),
        Alias("iid", "Surprise"),
        Alias("i", "Cornac"),
        Alias("isbn", "Book-Crossing"),
        Alias("asin", "Amazon"),
        Alias("parent_asin", "Amazon"),
    ),
    LABEL: (
        Alias("relevance", "ir_datasets"),
        Alias("rel", "trectools"),
        Alias("grade", "TREC"),
        Alias("judgment", "TREC"),
        Alias("judgement", "TREC"),
        Alias("rating", "MovieLens and RecBole"),
        Alias("book-rating", "Book-Crossing"),
        Alias("r_ui", "Surprise"),
    ),
    SCORE: (
        Alias("prediction", "Spark and LensKit"),
        Alias("est", "Surprise"),
        Alias("similarity", "sentence-transformers"),
    ),
    RANK: (Alias("position", "LETOR"),),
}


def plainly(name: str) -> str:
    """A column's name without case, `_ - blank`, quotes, and the type that RecBole writes behind.

    >>> plainly("User-ID"), plainly("user_id:token"), plainly('"q_id"')
    ('userid', 'userid', 'qid')
    """
    bare = re.sub(r":(token|float)(_seq)?$", "", name.strip("\ufeff \t\r\"'"))
    return re.sub(r"[_\-\s]", "", bare).lower()


_MEANT = {
    **{plainly(alias.name): ours for ours, others in ALIASES.items() for alias in others},
    **{plainly(ours): ours for ours in ALIASES},
}
_BESIDE = {alias.name for others in ALIASES.values() for alias in others if alias.beside}

# Names of columns that are ids or names even where all of them look like numbers.
_IDS_OF_SCORES = ("set", "measure", "run_a", "run_b")


def meant(name: str) -> str | None:
    """Which of our columns a name stands for; None if it is no known name.

    >>> meant("corpus-id"), meant("movieId"), meant("Label"), meant("title")
    ('doc_id', 'doc_id', 'label', None)
    """
    return _MEANT.get(plainly(name))


def is_id(name: str) -> bool:
    """Whether a column holds ids or names, even where all of them look like numbers.

    >>> is_id("qid"), is_id("run_a"), is_id("score")
    (True, True, False)
    """
    return name in _IDS_OF_SCORES or meant(name) in (RUN, QUERY, DOC)


def standing_for(ours: str, have: Iterable[str]) -> list[str]:
    """The columns that stand for one of ours: one, none, or all that would do equally well.

    Several are in the order of the table, ours first.

    >>> standing_for("doc_id", ["docid", "docno"]), standing_for("query_id", ["query", "qid"])
    (['docno'], ['qid'])
    >>> standing_for("query_id", ["qid", "user"])
    ['qid', 'user']
    """
    known = [plainly(name) for name in (ours, *(alias.name for alias in ALIASES[ours]))]
    found = [name for name in have if meant(name) == ours]
    found.sort(key=lambda name: known.index(plainly(name)))
    first = [name for name in found if name.lower() not in _BESIDE]
    return first or found


SHOWN = 12  # columns that a message names


def no_column(missing: Sequence[str], have: Sequence[str], where: str, advice: str = "") -> BadData:
    """The error that says which columns are missing, which there are, and what to do.

    >>> no_column(["score"], ["run", "mean"], "the scores")
    BadData("the scores: no column 'score'; there are 'run', 'mean'")
    """
    more = f", ... ({len(have)} in all)" if len(have) > SHOWN else ""
    there = ", ".join(map(repr, have[:SHOWN])) or "no columns"
    said = f"{where}: no column {', '.join(map(repr, missing))}; there are {there}{more}"
    return BadData(f"{said}. {advice}" if advice else said)
