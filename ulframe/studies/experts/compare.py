"""Rankings in, one row per comparison and measure out: the study's main job, as one lazy plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

import polars as pl
from polars.io.plugins import register_io_source

from ulframe.frames.errors import BadUsage
from ulframe.metrics.catalog import P
from ulframe.metrics.grammar import named as named_metrics
from ulframe.metrics.measure import Measure
from ulframe.studies.experts.blocks import AnyMeasure, Procedure, blocks
from ulframe.studies.experts.columns import COMPARISONS, SCORES
from ulframe.studies.experts.list_measures import LIST_MEASURES, ListMeasure, parse_lists
from ulframe.studies.experts.pair_measures import PAIR_MEASURES, PairMeasure, parse_pairs
from ulframe.studies.experts.people import LINEAR, Overlap, refuse_what_ties_forbid
from ulframe.studies.experts.rankings import Rankings, scan_rankings

Asked = str | AnyMeasure | Iterable[str | AnyMeasure] | Mapping[str, str | AnyMeasure]

MEASURES = ("pairs.P", "pairs.R", "mean(pairs.nCG)", "pairs.uncertain", "P@5", "nDCG(gain=linear)")
"""What is computed unless other measures are asked for."""


def compare(
    rankings: Rankings,
    comparisons: pl.LazyFrame | pl.DataFrame,
    measures: Asked = MEASURES,
    *,
    homogenise: bool = True,
    complete: bool = False,
    relevance: pl.Expr = LINEAR,
) -> pl.LazyFrame:
    """Compare rankings of people.

    In: `rankings`, as `scan_rankings` takes them; `comparisons`, `contest, ranking, reference`, of
    `every_pair`, `to_reference` or `to_others`; `measures`, one or several, as objects or names:
    those over pairs (`PAIR_MEASURES`) and lists (`LIST_MEASURES`), `P@k`, and those of the
    catalogue whose expectation over tie orders follows by linearity, with `relevance` as
    `catalogue_scores` describes it.

    - `homogenise`: compare only the people whom both rank. Else all whom either ranks: a pair with
      a person whom a ranking leaves out is one that it leaves open.
    - `complete`: maximal similarity, that is, each ranking's open pairs are closed so that the two
      agree as much as possible.

    Out: `contest, ranking, reference: String, n: Int64, completion, measure: String, score:
    Float64`, in the order of the comparisons, measures as asked. `n` is the number of people
    compared. `completion` is `none`; or, with `complete`, `exact`, or `bound` where pairs are
    closed one by one although all together they might make no order: for people whom one ranking
    leaves out, and for orders with incomparable people. `score` is null where the measure is
    undefined, as all over pairs are where `n` is below 2.

    Raises `BadUsage` at once for a measure that there is not; `BadData`, when collected, for what
    `read_orders` refuses, a comparison with a ranking that there is not, and a measure over people
    of a ranking that leaves people incomparable.

    >>> from ulframe.studies.experts import every_pair
    >>> judges = {"ann": ["x", "y", "z"], "ben": ["x", ["y", "z"]]}
    >>> compare(judges, every_pair(judges), ["pairs.P", "P@2"]).collect().rows()
    [('contest', 'ann', 'ben', 3, 'none', 'pairs.P', 0.6666666666666666),
     ('contest', 'ann', 'ben', 3, 'none', 'P@2', 0.75),
     ('contest', 'ben', 'ann', 3, 'none', 'pairs.P', 1.0),
     ('contest', 'ben', 'ann', 3, 'none', 'P@2', 0.75)]
    """
    asked = named(measures)
    given = [scan_rankings(rankings), comparisons.lazy().select(*COMPARISONS)]
    procedure = Procedure(homogenise, complete, relevance)

    def scored(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        wanted = "*" if with_columns is None else with_columns
        placed, compared = pl.collect_all(given)
        for block in blocks(placed, compared, asked, procedure):
            rows = block if predicate is None else block.filter(predicate)
            rows = rows if n_rows is None else rows.head(n_rows)
            n_rows = None if n_rows is None else n_rows - rows.height
            yield rows.select(wanted)
            if n_rows == 0:
                return

    return register_io_source(scored, schema=SCORES)


def named(measures: Asked) -> dict[str, AnyMeasure]:
    """The measures by the names they were asked for, in that order.

    Raises `BadUsage` for one that there is not, or that cannot be had of rankings of people.

    >>> named(["pairs.F(beta=2)", "P@5", "nDCG@10"]).keys()
    dict_keys(['pairs.F(beta=2)', 'P@5', 'nDCG@10'])
    """
    if isinstance(measures, Mapping):
        return {name: one for name, m in measures.items() for one in named(m).values()}
    alone = str | PairMeasure | ListMeasure | Overlap | Measure
    many = [measures] if isinstance(measures, alone) else measures
    found: dict[str, AnyMeasure] = {}
    for one in many:
        measure = (parse_pairs(one) or parse_lists(one) or one) if isinstance(one, str) else one
        if isinstance(measure, PairMeasure | ListMeasure | Overlap):
            found[str(one)] = measure
        else:
            found |= {name: _of_people(name, m) for name, m in _catalogued(measure).items()}
    if not found:
        raise BadUsage("no measure was asked for")
    return found


def _catalogued(one: str | Measure) -> dict[str, Measure]:
    try:
        return named_metrics(one)
    except BadUsage as error:
        if close := get_close_matches(str(one), [*PAIR_MEASURES, *LIST_MEASURES], n=3):
            raise BadUsage(f"no measure {one!r}; did you mean {', '.join(close)}?") from error
        raise


def _of_people(name: str, measure: Measure) -> AnyMeasure:
    """P@k has the reference reduced to its top k; other measures are the catalogue's."""
    if measure.k and measure == P @ measure.k:
        return Overlap(measure.k)
    refuse_what_ties_forbid(name, measure)
    return measure
