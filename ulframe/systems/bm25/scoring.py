"""What a term in a document is worth: BM25 with the two free numbers and what may be added."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import polars as pl

from ulframe.frames.errors import BadUsage

Number = TypeVar("Number", float, pl.Series, pl.Expr)
Column = TypeVar("Column", pl.Series, pl.Expr)


@dataclass(frozen=True)
class BM25:
    """The score of a document: the sum over the query's terms, plus what is added per document.

    A term's part is `tf * (k + 1) / (k * (1 - b + b * DL / AVDL) + tf) * log2(N / df)`, counted as
    often as the query has the term.

    - `k`, from 0 (whether the term occurs, not how often) to `math.inf` (tf.idf).
    - `b`, from 0 (long documents are as good as short ones) to 1.
    - `every`: added to a document that holds every word of the query.
    - `prior`, `log_prior`: how much is added of a document's prior p, and of log2(1 + p).

    Raises `BadUsage` for a number out of its range.

    Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
    with the idf of Robertson and Sparck Jones without its correction for small df, which is never
    negative ("ATIRE" in the comparison of Kamphuis et al., 2020).

    >>> BM25(k=1.2)
    BM25(k=1.2, b=0.75, every=0.0, prior=0.0, log_prior=0.0)
    """

    k: float = 1.75
    b: float = 0.75
    every: float = 0.0
    prior: float = 0.0
    log_prior: float = 0.0

    def __post_init__(self) -> None:
        if not self.k >= 0:
            raise BadUsage(f"k={self.k} must be 0 or above")
        if not 0 <= self.b <= 1:
            raise BadUsage(f"b={self.b} must be between 0 and 1")
        for name in ("every", "prior", "log_prior"):
            if not math.isfinite(getattr(self, name)):
                raise BadUsage(f"{name}={getattr(self, name)} must be a finite number")


def saturated(scoring: BM25, tf: Number, relative_length: Number) -> Number:
    """The tf part of a score, `tf * (k + 1) / (k * (1 - b + b * relative_length) + tf)`.

    Takes numbers, series or expressions. Above and below are divided by k + 1, so that k may be
    infinite.

    >>> saturated(BM25(k=1.0, b=0.5), tf=3, relative_length=2.0)
    1.3333333333333333
    >>> saturated(BM25(k=math.inf, b=0.0), tf=3, relative_length=2.0)
    3.0
    """
    slow = 1 - 1 / (scoring.k + 1)
    length = 1 - scoring.b + scoring.b * relative_length
    return tf / (slow * length + (1 - slow) * tf)


def boost(scoring: BM25, prior: Column) -> Column:
    """What a document's prior, a series or expression, adds to its score.

    >>> boost(BM25(prior=0.5, log_prior=2.0), pl.Series([0.0, 3.0])).to_list()
    [0.0, 5.5]
    """
    return scoring.prior * prior + scoring.log_prior * (1 + prior).log(2)
