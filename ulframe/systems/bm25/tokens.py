"""From text to terms: what a token is, which are left out, and how the rest are stemmed."""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.systems.bm25.sgml import plain

TERM = pl.col("term")

CJK = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]"
_BLOCKS = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
IS_CJK = re.compile(f"[{_BLOCKS}]")
RUNS = re.compile(f"[{_BLOCKS}]+|[^{_BLOCKS}]+")
"""Characters of scripts that part no words, as Polars' expressions name them and as Python's do."""

# Lucene's list for English, which most other systems' defaults resemble.
_ENGLISH = """
a an and are as at be but by for if in into is it no not of on or such that the their then there
these they this to was will with
"""
ENGLISH = frozenset(_ENGLISH.split())


@dataclass(frozen=True)
class Tokens:
    r"""How a text is split into terms, kept with the index so that queries are split alike.

    - `pattern`: what matches it is a token: runs of letters (with their marks) and digits, of any
      script, by default. The text is lower-cased and in Unicode's form NFKC when it is matched, and
      the sharp s is ss. Of Chinese, Japanese and Korean, which part no words, a run of characters
      becomes its pairs of neighbours, as in Lucene's CJKAnalyzer.
    - `stop`: tokens that are left out.
    - `stem`: a Snowball language, such as `"english"`, whose stemmer (PyStemmer) makes terms of
      tokens; None leaves them as they are.
    - `html`: whether tags are dropped and entities (`&amp;`) decoded before.

    Any other tokeniser can be used by giving documents and queries with `terms`, a list of text,
    in place of `text`.

    Raises `BadUsage` for a pattern that cannot be read and a language without a stemmer.

    >>> frame = pl.DataFrame({"doc_id": ["1"], "text": ["Ocean's 12, the Sequel"]})
    >>> tokenised(frame, Tokens(stop=ENGLISH))["term"].to_list()
    ['ocean', 's', '12', 'sequel']
    """

    pattern: str = r"[\p{L}\p{M}\p{N}]+"
    stop: frozenset[str] = frozenset()
    stem: str | None = None
    html: bool = False

    def __post_init__(self) -> None:
        try:
            pl.Series([""]).str.extract_all(self.pattern)
        except pl.exceptions.ComputeError as error:
            # Polars draws the pattern first and tells its own expression after.
            says = str(error).partition("\n\nThis error")[0].strip().rpartition("\n")[2]
            raise BadUsage(
                f"pattern={self.pattern!r} is no regular expression: {says.removeprefix('error: ')}"
            ) from error
        if self.stem is not None:
            _stemmer(self.stem)


def tokenised(texts: pl.DataFrame, tokens: Tokens | None) -> pl.DataFrame:
    """One row per token, in order: the frame with `term: String` in place of `text` or `terms`.

    `tokens=None` is for frames that have `terms`. Rows without a token are dropped.
    """
    if tokens is None:
        return texts.explode("terms").rename({"terms": "term"}).drop_nulls("term")
    text = plain(pl.col("text")) if tokens.html else pl.col("text")
    folded = text.str.normalize("NFKC").str.to_lowercase().str.replace_all("ß", "ss", literal=True)
    rows = (
        texts.with_columns(folded.str.extract_all(tokens.pattern).alias("term"))
        .drop("text")
        .explode("term")
        .drop_nulls("term")
    )
    if rows["term"].str.contains(CJK).any():
        parts = TERM.map_elements(in_pairs, return_dtype=pl.List(pl.String))
        whole = pl.concat_list(TERM)
        split = pl.when(TERM.str.contains(CJK)).then(parts).otherwise(whole)
        rows = rows.with_columns(split.alias("term")).explode("term")
    rows = rows.filter(~TERM.is_in(tokens.stop))
    return rows if tokens.stem is None else rows.with_columns(_stemmed(rows["term"], tokens.stem))


def in_pairs(token: str) -> list[str]:
    """The pairs of neighbours of each run of Chinese, Japanese or Korean; the other runs whole.

    >>> in_pairs("東京都abc京")
    ['東京', '京都', 'abc', '京']
    """
    found: list[str] = []
    for run in RUNS.findall(token):
        pairs = [run[at : at + 2] for at in range(len(run) - 1)]
        found += pairs if pairs and IS_CJK.match(run) else [run]
    return found


def _stemmed(terms: pl.Series, language: str) -> pl.Series:
    """Stem each distinct term once."""
    distinct = terms.unique()
    return terms.replace_strict(distinct, _stemmer(language).stemWords(distinct.to_list()))


def _stemmer(language: str):  # type: ignore[no-untyped-def]
    try:
        import Stemmer
    except ImportError as error:
        raise BadUsage("stemming needs PyStemmer: pip install 'ulframe[stem]'") from error
    if language not in Stemmer.algorithms():
        raise BadUsage(f"no stemmer {language!r}; there are {', '.join(Stemmer.algorithms())}")
    return Stemmer.Stemmer(language)
