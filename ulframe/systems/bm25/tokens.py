"""From text to terms: what a token is, which are left out, and how the rest are stemmed."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ulframe.frames.errors import BadUsage

TERM = pl.col("term")

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
      script, by default. The text is lower-cased and in Unicode's form NFKC when it is matched.
    - `stop`: tokens that are left out.
    - `stem`: a Snowball language, such as `"english"`, whose stemmer (PyStemmer) makes terms of
      tokens; None leaves them as they are.

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
    text = pl.col("text").str.normalize("NFKC").str.to_lowercase()
    rows = (
        texts.with_columns(text.str.extract_all(tokens.pattern).alias("term"))
        .drop("text")
        .explode("term")
        .drop_nulls("term")
        .filter(~TERM.is_in(tokens.stop))
    )
    return rows if tokens.stem is None else rows.with_columns(_stemmed(rows["term"], tokens.stem))


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
