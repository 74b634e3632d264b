"""The work of a comparison, a block at a time, so that memory stays bounded however many there are.

What the two procedures do to counts of pairs is written here; what they do to ranks, in `people`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from ulframe.frames.errors import BadData
from ulframe.metrics.measure import Measure
from ulframe.studies.experts.columns import CONTEST, ITEM, RANKING, REFERENCE
from ulframe.studies.experts.counting import count_pairs
from ulframe.studies.experts.list_measures import ListMeasure, list_scores
from ulframe.studies.experts.orders import Orders, read_orders
from ulframe.studies.experts.pair_measures import PairMeasure
from ulframe.studies.experts.people import KEY, Overlap, catalogue_scores, overlaps, paired

ROWS = 1_000_000  # of people at the ranks that they may take, laid out at a time
AT_ONCE = 100_000  # comparisons whose scores are laid out together
SHOWN = 3  # names that a message shows

NONE, EXACT, BOUND = "none", "exact", "bound"

AnyMeasure = PairMeasure | ListMeasure | Overlap | Measure


@dataclass(frozen=True)
class Procedure:
    """What is done to two rankings before they are compared, and where relevance comes from."""

    homogenise: bool
    complete: bool
    relevance: pl.Expr


def blocks(
    rankings: pl.DataFrame,
    comparisons: pl.DataFrame,
    asked: Mapping[str, AnyMeasure],
    procedure: Procedure,
) -> Iterator[pl.DataFrame]:
    """The rows of `compare`, for as many comparisons at a time as keep what is laid out small."""
    orders = read_orders(rankings)
    wanted = _numbered(comparisons, orders)
    if any(not _knows_partial(measure) for measure in asked.values()):
        _refuse_partial(wanted, orders)
    distinct = _distinct(wanted, orders)
    scored = _scored(distinct, orders, asked, procedure)
    if distinct.height == wanted.height:
        yield from (_long(wide, orders, list(asked)) for wide in scored)
        return
    once = pl.concat(scored).drop("own", "against", CONTEST)
    for part in _distinct_of(wanted, orders, distinct).iter_slices(AT_ONCE):
        wide = part.join(once, on=KEY, how="left", maintain_order="left")
        yield _long(wide, orders, list(asked))


def _scored(
    wanted: pl.DataFrame,
    orders: Orders,
    asked: Mapping[str, AnyMeasure],
    procedure: Procedure,
) -> Iterator[pl.DataFrame]:
    """The comparisons with a column per measure."""
    counts = count_pairs(orders, wanted)
    counts = _completed(_universe(counts, procedure), orders, procedure).with_row_index(KEY)
    of_pairs = {name: m.expression for name, m in asked.items() if isinstance(m, PairMeasure)}
    tiered = any("tiers" in score.meta.root_names() for score in of_pairs.values())
    for block in _small(counts, orders):
        wide = _with_tiers(block, orders, procedure) if tiered else block
        wide = wide.with_columns(**of_pairs)
        for scores in _of_people(block, orders, asked, procedure):
            wide = wide.join(scores, on=KEY, how="left", maintain_order="left")
        yield wide


# ---------------------------------------------------------------- what is compared
def _numbered(comparisons: pl.DataFrame, orders: Orders) -> pl.DataFrame:
    """`contest, own, against`: the names as the numbers of orders."""
    if not comparisons.height:
        raise BadData("nothing to compare: no contest has two rankings")
    for role, number in ((RANKING, "own"), (REFERENCE, "against")):
        index = orders.index.select(CONTEST, pl.col(RANKING).alias(role), number="order")
        comparisons = comparisons.join(
            index, on=[CONTEST, role], how="left", maintain_order="left"
        ).rename({"number": number})
        missing = comparisons.filter(pl.col(number).is_null())
        if missing.height:
            contest, name = missing.select(CONTEST, role).row(0)
            has = orders.index.filter(pl.col(CONTEST) == contest)[RANKING]
            shown = ", ".join(map(repr, has.head(SHOWN))) + (", ..." if has.len() > SHOWN else "")
            raise BadData(
                f"contest {contest!r} has no ranking {name!r}; it has {shown or 'none at all'}"
            )
    return comparisons.select(CONTEST, "own", "against")


def _knows_partial(measure: AnyMeasure) -> bool:
    """Whether it can be had of a ranking that leaves people incomparable."""
    if not isinstance(measure, PairMeasure):
        return False
    return "tiers" not in measure.expression.meta.root_names()


def _refuse_partial(wanted: pl.DataFrame, orders: Orders) -> None:
    met = set(wanted["own"]) | set(wanted["against"])
    if partial := sorted(met & set(orders.partial)):
        contest, ranking = orders.index.row(partial[0])[1:]
        raise BadData(
            f"ranking {ranking!r} of contest {contest!r} leaves people incomparable, so it gives "
            f"them no ranks (such rankings in all: {len(partial)}); ask for measures over pairs"
        )


# ---------------------------------------------------------------- alike rankings, once
def _alike(orders: Orders) -> pl.DataFrame:
    """`order, first`: the first of the orders of its contest that are the same."""
    places = orders.places.filter(~pl.col("order").is_in(list(orders.partial)))
    ballots = (
        places.sort("order", ITEM)
        .group_by("order", maintain_order=True)
        .agg(ballot=pl.struct(ITEM, "place"))
        .join(orders.index.select("order", CONTEST), on="order", maintain_order="left")
    )
    ballots = ballots.with_columns(first=pl.col("order").min().over(CONTEST, "ballot"))
    found = orders.index.select("order").join(ballots, on="order", how="left")
    return found.select("order", first=pl.coalesce("first", "order"))


def _numbers_alike(wanted: pl.DataFrame, orders: Orders) -> pl.DataFrame:
    """The comparisons by the first of what is alike; in the same row order."""
    alike = _alike(orders)
    for role in ("own", "against"):
        firsts = alike.rename({"order": role})
        wanted = wanted.join(firsts, on=role, how="left", maintain_order="left")
        wanted = wanted.drop(role).rename({"first": role})
    return wanted.select(CONTEST, "own", "against")


def _distinct(wanted: pl.DataFrame, orders: Orders) -> pl.DataFrame:
    """Each comparison of rankings that differ once: of 800 ballots over 4 people 24 differ."""
    return _numbers_alike(wanted, orders).unique(maintain_order=True)


def _distinct_of(wanted: pl.DataFrame, orders: Orders, distinct: pl.DataFrame) -> pl.DataFrame:
    """The comparisons, each with the number of its distinct one."""
    numbered = distinct.with_row_index(KEY)
    keys = _numbers_alike(wanted, orders).join(
        numbered, on=[CONTEST, "own", "against"], how="left", maintain_order="left"
    )
    return wanted.with_columns(keys[KEY])


# ---------------------------------------------------------------- the two procedures, for pairs
def _universe(counts: pl.DataFrame, procedure: Procedure) -> pl.DataFrame:
    """`n`, `pairs` of those people, and how many of them each ranking orders."""
    everyone = pl.col("own_n") + pl.col("reference_n") - pl.col("shared")
    n = pl.col("shared") if procedure.homogenise else everyone
    within = "shared" if procedure.homogenise else "all"
    return counts.with_columns(
        n=n,
        pairs=n * (n - 1) // 2,
        own_pairs=pl.col(f"own_{within}"),
        reference_pairs=pl.col(f"reference_{within}"),
    )


def _completed(counts: pl.DataFrame, orders: Orders, procedure: Procedure) -> pl.DataFrame:
    """Maximal similarity: all pairs agree but those that both order, one the reverse of the other.

    Ties on the same people can all be closed so: each by the other's order, what both tie alike.
    """
    if not procedure.complete:
        return counts.with_columns(completion=pl.lit(NONE))
    partial = list(orders.partial)
    in_line = ~(pl.col("own").is_in(partial) | pl.col("against").is_in(partial))
    same_people = (pl.col("own_n") == pl.col("n")) & (pl.col("reference_n") == pl.col("n"))
    exact = in_line if procedure.homogenise else in_line & same_people
    return counts.with_columns(
        agree=pl.col("pairs") - pl.col("disagree"),
        own_pairs=pl.col("pairs"),
        reference_pairs=pl.col("pairs"),
        completion=pl.when(exact).then(pl.lit(EXACT)).otherwise(pl.lit(BOUND)),
    )


# ---------------------------------------------------------------- block by block
def _small(counts: pl.DataFrame, orders: Orders) -> list[pl.DataFrame]:
    """Cut where the ranks that tied people may take add up to `ROWS`."""
    sizes = orders.places.group_by("order", "place").agg(tied=pl.len().cast(pl.Int64))
    ranks = sizes.group_by("order").agg(ranks=(pl.col("tied") ** 2).sum())
    sized = counts.join(ranks, left_on="own", right_on="order", how="left", maintain_order="left")
    block = (pl.col("ranks").cum_sum() // ROWS).alias("block")
    return sized.with_columns(block).partition_by("block", maintain_order=True)


def _with_tiers(block: pl.DataFrame, orders: Orders, procedure: Procedure) -> pl.DataFrame:
    """With `tiers`, how many different places the ranking has that has fewer."""
    people = _people(block, orders, procedure)
    places = [pl.col(name).drop_nulls().n_unique() for name in ("first", "reference_first")]
    tiers = people.group_by(KEY).agg(tiers=pl.min_horizontal(places).cast(pl.Int64))
    return block.join(tiers, on=KEY, how="left", maintain_order="left")


def _people(block: pl.DataFrame, orders: Orders, procedure: Procedure) -> pl.DataFrame:
    return paired(
        orders.places, block, homogenise=procedure.homogenise, complete=procedure.complete
    )


def _of_people(
    block: pl.DataFrame,
    orders: Orders,
    asked: Mapping[str, AnyMeasure],
    procedure: Procedure,
) -> Iterator[pl.DataFrame]:
    top = {name: m for name, m in asked.items() if isinstance(m, Overlap)}
    lists = {name: m for name, m in asked.items() if isinstance(m, ListMeasure)}
    catalogued = {name: m for name, m in asked.items() if isinstance(m, Measure)}
    if not (top or lists or catalogued):
        return
    people = _people(block, orders, procedure)
    if top:
        yield overlaps(people, top)
    if lists:
        yield list_scores(people, lists)
    if catalogued:
        yield catalogue_scores(people, catalogued, procedure.relevance)


def _long(wide: pl.DataFrame, orders: Orders, names: list[str]) -> pl.DataFrame:
    """From a column per measure to a row per measure, and from numbers of orders to their names."""
    called = orders.index[RANKING]
    return wide.select(
        CONTEST,
        called.gather(wide["own"]).alias(RANKING),
        called.gather(wide["against"]).alias(REFERENCE),
        "n",
        "completion",
        measure=pl.lit(names),
        score=pl.concat_list(pl.col(name).cast(pl.Float64) for name in names),
    ).explode("measure", "score")
