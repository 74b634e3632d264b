"""Which rankings are compared with which: frames `contest, ranking, reference`.

Each function is one plan of comparisons. A ranking that several others make is built here too.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ulframe.frames.errors import BadUsage
from ulframe.studies.experts.columns import CONTEST, ITEM, POSITION, RANKING, REFERENCE
from ulframe.studies.experts.rankings import Rankings, given_as_pairs, scan_rankings

OTHERS = "others of "


def every_pair(rankings: Rankings) -> pl.LazyFrame:
    """Every ranking with every other of its contest, both ways.

    In: rankings, as `scan_rankings` takes them. Out: `contest, ranking, reference: String`, in
    order.

    >>> every_pair({"ann": ["x", "y"], "ben": ["y", "x"]}).collect().rows()
    [('contest', 'ann', 'ben'), ('contest', 'ben', 'ann')]
    """
    names = _names(scan_rankings(rankings))
    return (
        names.join(names.rename({RANKING: REFERENCE}), on=CONTEST)
        .filter(pl.col(RANKING) != pl.col(REFERENCE))
        .select(CONTEST, RANKING, REFERENCE)
        .sort(CONTEST, RANKING, REFERENCE)
    )


def to_reference(rankings: Rankings, reference: str) -> pl.LazyFrame:
    """Every ranking with the one of its contest that has this name.

    That a contest has no such ranking is said when the comparison runs.

    >>> to_reference({"ann": ["x", "y"], "ben": ["y", "x"]}, "ben").collect().rows()
    [('contest', 'ann', 'ben')]
    """
    return (
        _names(scan_rankings(rankings))
        .filter(pl.col(RANKING) != reference)
        .select(CONTEST, RANKING, pl.lit(reference).alias(REFERENCE))
        .sort(CONTEST, RANKING)
    )


def with_order(rankings: Rankings, order: Sequence[str], name: str = "reference") -> pl.LazyFrame:
    """Add one ranking, the same to every contest: these people, the best first.

    Raises `BadUsage` for rankings given as pairs, and for a person who stands in it twice.

    >>> with_order({"ann": ["x", "y"]}, ["y", "x"]).filter(ranking="reference").collect().rows()
    [('contest', 'reference', 'y', 1.0), ('contest', 'reference', 'x', 2.0)]
    """
    frame = scan_rankings(rankings)
    if given_as_pairs(frame):
        raise BadUsage("an order of people has places, which rankings given as pairs have not")
    if twice := sorted({one for one in order if list(order).count(one) > 1}):
        raise BadUsage(f"the order has {twice[0]!r} twice")
    places = pl.LazyFrame({ITEM: list(order)}).with_columns(
        pl.lit(name).alias(RANKING), pl.int_range(1, pl.len() + 1).cast(pl.Float64).alias(POSITION)
    )
    contests = frame.select(CONTEST).unique(maintain_order=True)
    added = contests.join(places, how="cross").select(CONTEST, RANKING, ITEM, POSITION)
    return pl.concat([frame, added])


def to_others(rankings: Rankings) -> pl.LazyFrame:
    """Every ranking with the consensus of the others, which `with_others` adds to the rankings.

    A ranking that is alone in its contest has no others, and is left out.

    >>> to_others({"ann": ["x", "y"], "ben": ["y", "x"]}).collect().rows()
    [('contest', 'ann', 'others of ann'), ('contest', 'ben', 'others of ben')]
    """
    names = _names(scan_rankings(rankings)).filter(pl.len().over(CONTEST) > 1)
    reference = (pl.lit(OTHERS) + pl.col(RANKING)).alias(REFERENCE)
    return names.select(CONTEST, RANKING, reference).sort(CONTEST, RANKING)


def with_others(rankings: Rankings) -> pl.LazyFrame:
    """Add, for each ranking, the consensus of the others of its contest, as `others of NAME`.

    Its positions are the means of theirs, a tie counting as the mean of the places that it spans
    (so 1, 2.5, 2.5, 4), over those that rank the item at all. Equal means stay tied: halves add up
    exactly. A contest with one ranking gets none. Raises `BadUsage` for rankings given as pairs,
    which have no places to average.

    >>> judges = {"ann": ["x", "y", "z"], "ben": ["y", ["x", "z"]], "cid": ["x", "z", "y"]}
    >>> with_others(judges).filter(ranking="others of ann").collect().rows()
    [('contest', 'others of ann', 'x', 1.75), ('contest', 'others of ann', 'y', 2.0),
     ('contest', 'others of ann', 'z', 2.25)]
    """
    frame = scan_rankings(rankings)
    if given_as_pairs(frame):
        raise BadUsage("a consensus is a mean of places, which rankings given as pairs have not")
    place = pl.col(POSITION).rank("average").over(CONTEST, RANKING)
    own = frame.with_columns(own=place).drop(POSITION)
    sums = own.group_by(CONTEST, ITEM).agg(total=pl.col("own").sum(), raters=pl.len())
    raters = pl.col("raters").cast(pl.Int64) - pl.col("own").is_not_null()
    others = (
        _names(frame)
        .join(sums, on=CONTEST)
        .join(own, on=[CONTEST, RANKING, ITEM], how="left")
        .filter(raters > 0)
        .select(
            CONTEST,
            (pl.lit(OTHERS) + pl.col(RANKING)).alias(RANKING),
            ITEM,
            ((pl.col("total") - pl.col("own").fill_null(0.0)) / raters).alias(POSITION),
        )
        .sort(CONTEST, RANKING, ITEM)
    )
    return pl.concat([frame, others])


def _names(rankings: pl.LazyFrame) -> pl.LazyFrame:
    return rankings.select(CONTEST, RANKING).unique()
