"""Metrics on trial: the laws that bounds rest on, held against every order of short label lists.

What is tried is what `evaluate` computes: each order, of a whole list or of a part of it, with an
unjudged document between or not, is a query of its own, judged, ranked and bounded like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations

import polars as pl

from ulframe.evaluation.pools import label_counts, pools
from ulframe.evaluation.ranking import KEYS
from ulframe.evaluation.triples import Sources, by_view, triples
from ulframe.evaluation.values import judged_rows, judgements_of, tally, values_of
from ulframe.frames.errors import BadUsage
from ulframe.metrics.laws import LAWS, TOLERANCE, labels_tried
from ulframe.metrics.measure import Measure, View
from ulframe.metrics.operators import WLB
from ulframe.metrics.own import is_own

Labels = tuple[float, ...]
Rows = list[tuple[object, ...]]

UNJUDGED = None
"""Stands in an order where a document was returned that nobody judged."""

RUN = pl.lit("trial").cast(pl.Categorical)

LONGEST = 4
"""How many documents the lists have at the most; a deeper cutoff cuts nothing off."""

_kept: set[Measure] = set()


def require_laws(measures: Iterable[Measure]) -> None:
    """Raise `BadUsage`, with a counterexample, for a measure whose bounds would be wrong.

    Each is tried once in a process, with its settings. The catalogue's own, as they stand or with
    settings that are words, are tried by its tests, and not again wherever they are used.
    """
    shallow = {_shallow(measure) for measure in measures if not _is_tried_by_tests(measure)}
    by_labels: dict[tuple[float, ...], list[Measure]] = {}
    for measure in sorted(shallow - _kept, key=str):
        labels = tuple(sorted({*labels_tried(measure.base), *higher_labels(measure)}))
        by_labels.setdefault(labels, []).append(measure)
    for labels, alike in by_labels.items():
        if broken := first_broken(alike, list(_lists(labels))):
            raise BadUsage(broken)
        _kept.update(alike)


def higher_labels(measure: Measure) -> tuple[float, ...]:
    """Labels that are tried of a user's own metric, whose term may have thresholds of its own."""
    return (3.0, 4.0) if is_own(measure) else ()


def within_bounds(wide: pl.LazyFrame, measures: Iterable[Measure]) -> pl.LazyFrame:
    """Refuse, when collected, a metric of a user's own where it is above its upper bound.

    Short lists cannot show what bends far down or at high labels. In: what `triples` gives. Raises
    `BadUsage` that names the query and both values.
    """
    bases = dict.fromkeys(measure.base for measure in measures)
    own = [base for base in bases if is_own(base) and base.metric.ideal is None]
    return wide.map_batches(partial(_refuse_beyond, own)) if own else wide


def _refuse_beyond(bases: Sequence[Measure], rows: pl.DataFrame) -> pl.DataFrame:
    for base in bases:
        upper = pl.col(f"upper:{base}")
        for kind in ("value", "expected"):
            number = pl.col(f"{kind}:{base}")
            beyond = rows.filter(number - upper > TOLERANCE * pl.max_horizontal(upper.abs(), 1e-3))
            if beyond.height:
                query, found, most = beyond.select("query_id", number, upper).row(0)
                raise BadUsage(
                    f"{base} has wrong bounds: for query {query!r} its {kind} is {found:.6g}, "
                    f"above its upper bound {most:.6g}; labels in falling order are not its best "
                    "ranking. Declare ideal=Approximate(...) or Refused(...)"
                )
    return rows


def _shallow(measure: Measure) -> Measure:
    return measure if measure.k is None else replace(measure, k=min(measure.k, LONGEST + 1))


def _is_tried_by_tests(measure: Measure) -> bool:
    words = all(isinstance(value, str | bool) for name, value in measure.settings)
    plain = words and "gains" not in dict(measure.settings)
    return plain and not is_own(measure)


def _lists(labels: Sequence[float]) -> Iterator[Labels]:
    """Short lists of labels, each beside its neighbours, once and twice; the shortest first."""
    yield from ((label,) for label in labels)
    yield from combinations(labels, 2)
    for low, middle, high in zip(labels, labels[1:], labels[2:], strict=False):
        yield from ((low, middle, high), (low, high, high), (low, low, high))
    yield (labels[0], 0.0, labels[-1], labels[-1])


def first_broken(measures: Sequence[Measure], lists: Sequence[Labels]) -> str:
    """The first law that one of the measures breaks, and the list and order that show it.

    In: measures, and lists of labels. They are tried as they stand, and with cutoffs 1 and 2.
    Empty where all keep all.
    """
    tried = dict.fromkeys(one for measure in measures for one in _with_cutoffs(measure))
    for one, rows in _held(list(tried), lists):
        for law in LAWS:
            if law.of(one) and (found := rows.filter(law.broken).head(1)).height:
                shown = (f"{found[name].item():.6g}" for name in law.shows)
                return (
                    f"{one} would have wrong bounds: of labels {found['labels'].item()}, the "
                    f"order {found['order'].item() or 'of none'} {law.says.format(*shown)}. "
                    "Declare what is so: adds=, ideal=, expected=, zero= or worst="
                )
    return ""


def _with_cutoffs(measure: Measure) -> Iterator[Measure]:
    if measure.metric.cutoff != "none" and not measure.metric.spelling.at:
        yield from (replace(measure, k=k) for k in (1, 2))
    yield measure.example


# ---------------------------------------------------------------- orders as queries
def _orders(labels: Labels) -> Iterator[list[float | None]]:
    """Every distinct order of every part of a list, with an unjudged document among it or not."""
    parts = {order for n in range(len(labels) + 1) for order in permutations(labels, n)}
    for part in sorted(parts, key=lambda part: (len(part), part)):
        yield [*part]
        if len(part) <= 3:
            middle = (len(part) + 1) // 2
            yield [*part, UNJUDGED]
            if middle < len(part):
                yield [*part[:middle], UNJUDGED, *part[middle:]]


def _cases(lists: Sequence[Labels]) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Qrels, the ranked run, and `query_id, list, n, labels, order, retrieved, whole` of each."""
    qrels: Rows = []
    ranked: Rows = []
    cases: Rows = []
    for number, labels in enumerate(lists):
        for order in _orders(labels):
            query = str(len(cases))
            left = list(enumerate(labels))
            qrels += [(query, str(doc), label) for doc, label in left]
            for rank, label in enumerate(order, start=1):
                place = next((i for i, doc in enumerate(left) if doc[1] == label), None)
                doc_id = "unjudged" if place is None else str(left.pop(place)[0])
                ranked.append((query, doc_id, rank, len(order)))
            whole = len(order) == len(labels) and UNJUDGED not in order
            cases.append(
                (query, number, len(labels), _shown(labels), _shown(order), len(order), whole)
            )
    return (
        _frame(qrels, {"query_id": pl.String, "doc_id": pl.String, "label": pl.Float64}),
        _frame(
            ranked,
            {"query_id": pl.String, "doc_id": pl.String, "rank": pl.Int64, "retrieved": pl.Int64},
        ).with_columns(run=RUN),
        _frame(
            cases,
            {"query_id": pl.String, "list": pl.Int64, "n": pl.Int64, "labels": pl.String,
             "order": pl.String, "retrieved": pl.Int64, "whole": pl.Boolean},
        ).with_columns(run=RUN),
    )  # fmt: skip


def _frame(
    rows: Sequence[tuple[object, ...]], schema: dict[str, type[pl.DataType]]
) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.with_columns(pl.col("query_id").cast(pl.Categorical))


def _shown(labels: Iterable[float | None]) -> str:
    return ", ".join("unjudged" if label is None else f"{label:g}" for label in labels)


# ---------------------------------------------------------------- what they score
def _held(
    measures: Sequence[Measure], lists: Sequence[Labels]
) -> Iterator[tuple[Measure, pl.DataFrame]]:
    """Each measure, and the columns that laws are written over, a row per order (see `Law`)."""
    qrels, ranked, cases = _cases(lists)
    judged, run = qrels.lazy(), ranked.lazy()
    counts, keys = pools(judged, "judged", run, qrels)
    values = partial(values_of, judged, run, tally)
    grid = cases.lazy().select(*KEYS, "retrieved")
    sources = Sources(values, label_counts(judged), counts, keys, grid)
    bases = list(dict.fromkeys(measure.base for measure in measures))
    worst = [WLB(base) for base in bases if base.metric.ideal is None and base.metric.worst is None]
    wide = cases.lazy().join(triples(sources, [*measures, *worst]), on=KEYS)
    for view, alike in by_view(bases):
        wide = wide.join(_added(view, alike, judged, run), on="query_id", how="left")
    scored = wide.collect(engine="in-memory").sort("list", "retrieved", maintain_order=True)
    for measure in measures:
        yield measure, _rows(measure.base, scored)


def _rows(base: Measure, scored: pl.DataFrame) -> pl.DataFrame:
    kinds = ("value", "upper", "expected", "worst", "spread", "beside", "adding")
    rows = scored.select(
        *("list", "labels", "order", "whole", "retrieved", "n"),
        **{kind: pl.col(f"{kind}:{base}") for kind in kinds},
    )
    # What reads how many were returned has other bounds for each such number.
    alike = ["list", "retrieved"] if "retrieved" in base.reads else ["list"]
    whole = pl.col("value").filter("whole")
    return rows.with_columns(
        pl.col("beside").fill_null(0.0),
        nothing=pl.col("adding").fill_null(0) == 0,
        enough=pl.lit(True) if _is_cut_by_run(base) else pl.col("retrieved") >= pl.col("n"),
        zero=0.0,
        highest=pl.col("value").max().over(alike),
        mean=whole.mean().over("list"),
        lowest=whole.min().over("list"),
        deviation=whole.std(ddof=0).over("list"),
    )


def _is_cut_by_run(base: Measure) -> bool:
    """Whether the ideal ranking is as long as the run, so that any run could have been it."""
    return base.depth is not None and "retrieved" in base.depth.meta.root_names()


def _added(
    view: View, bases: Sequence[Measure], judged: pl.LazyFrame, run: pl.LazyFrame
) -> pl.LazyFrame:
    """`query_id`; `beside`, what is added that `adds` excludes; `adding`, how many it does not."""
    rows = judged_rows(judgements_of(judged, view, bases), run, view, bases)
    found = []
    for base in bases:
        excluded = pl.when(base.metric.adds).then(0.0).otherwise(base.term.abs())
        found.append(excluded.max().alias(f"beside:{base}"))
        found.append(base.metric.adds.cast(pl.Int64).sum().alias(f"adding:{base}"))
    return rows.group_by("query_id").agg(found)
