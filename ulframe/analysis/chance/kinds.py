"""Pools as a measure sees them: documents that it cannot tell apart are of one kind.

A random ranking is then no more than which kind comes next, and pools whose kinds agree have one
distribution. What a kind adds is a table of the measure's own term by rank and by how many
documents above are counted, where the term reads no more than that; else rankings are laid out and
scored as runs are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b

import numpy as np
import polars as pl

from ulframe.analysis.blocks import Floats
from ulframe.evaluation.expectation.linearity import running_sums, with_pool_sums
from ulframe.evaluation.expectation.ranks import ranks
from ulframe.evaluation.ladders import LISTS, ladder
from ulframe.evaluation.spread.terms import terms_by_rank
from ulframe.evaluation.values import finished, states_of, tally, with_ladder, with_states
from ulframe.metrics.laws import constants_of, counts_by_ones, names_in
from ulframe.metrics.measure import Measure

LABEL, COUNT, JUDGED = pl.col("label"), pl.col("count"), pl.col("judged")

AT_ONCE = 4_000_000  # documents that are laid out at once

Codes = np.ndarray
"""Rankings, one a column: the kind of the document at each rank, a row per rank."""


@dataclass(frozen=True)
class Tables:
    """What documents add: by kind, rank, and how many above are counted; and which kinds are."""

    added: Floats
    counted: np.ndarray

    def sums(self, codes: Codes) -> Floats:
        """The sum of the terms of each ranking."""
        total, above = np.zeros(codes.shape[1]), np.zeros(codes.shape[1], dtype=np.int64)
        for rank, here in enumerate(codes):
            total += self.added[here, rank, above]
            above += self.counted[here]
        return total


@dataclass(frozen=True)
class Kinds:
    """A pool as a measure sees it.

    `counts` are the documents of each kind, `m` how many ranks count, `values` scores rankings of
    kinds. `tables` is there where the sums of terms are made of it, `made` what makes values of
    sums. Pools with the same `mark` are the same.
    """

    mark: bytes
    m: int
    counts: np.ndarray
    values: Callable[[Codes], Floats] = field(repr=False)
    tables: Tables | None = field(default=None, repr=False)
    made: Callable[[Floats], Floats] = field(default=lambda sums: sums, repr=False)


def kinds_of(
    base: Measure, cells: pl.DataFrame, pools: pl.DataFrame
) -> Iterator[tuple[int, Kinds]]:
    """`pool` and its kinds, for each in which any document is in the qrels.

    In: `pool, label, count, judged` and a row per pool, as `ulframe.metrics.chance` describes it.
    """
    sized = pools.with_columns(ranks(base))
    in_qrels = pl.when(LABEL < 0).then(pl.min_horizontal(COUNT, JUDGED)).otherwise(COUNT)
    rows = (
        cells.drop("retrieved", strict=False)
        .with_columns(count=in_qrels, place=JUDGED.cum_sum().over("pool") - JUDGED + 1)
        .filter(COUNT > 0)
        .join(sized.drop(LISTS), on="pool", maintain_order="left")
        .join(with_pool_sums(cells.lazy(), [base]).collect(), on="pool", maintain_order="left")
    )
    kinds = _in_tables if _is_tabled(base) else _laid_out
    return kinds(base, rows, sized)


def _is_tabled(base: Measure) -> bool:
    """Whether a term reads no more of the ranking than the rank and one count."""
    states = running_sums([base])
    known = {"rank", "label", *constants_of(base), *(state.name for state in states)}
    return names_in(base.term) <= known and len(states) <= 1 and all(map(counts_by_ones, states))


# ---------------------------------------------------------------- as tables
def _in_tables(
    base: Measure, rows: pl.DataFrame, pools: pl.DataFrame
) -> Iterator[tuple[int, Kinds]]:
    count = next(iter(running_sums([base])), None)
    marked, each = (pl.col(f"all:{count.name}"), count.each) if count else (pl.lit(0), pl.lit(0))
    rows = rows.with_columns(marked=marked, counted=each.cast(pl.Int64))
    rows, terms = terms_by_rank(base, rows, pools, count)
    for (pool,), labels in rows.group_by("pool", maintain_order=True):
        first = labels.row(0, named=True)
        shape = first["m"], min(first["m"], first["marked"]) + 1
        kinds: dict[tuple[int, bytes], int] = {}
        for cell, counted, many in labels.select("cell", "counted", "count").iter_rows():
            key = counted, terms[cell][: shape[0], : shape[1]].tobytes()
            kinds[key] = kinds.get(key, 0) + many
        nothing = 0, np.zeros(shape).tobytes()
        if unjudged := first["n"] - sum(kinds.values()):
            kinds[nothing] = kinds.get(nothing, 0) + unjudged
        yield int(pool), _tabled(base, labels.head(1), shape, dict(sorted(kinds.items())))


def _tabled(
    base: Measure, row: pl.DataFrame, shape: tuple[int, int], kinds: dict[tuple[int, bytes], int]
) -> Kinds:
    added = np.stack([np.frombuffer(table).reshape(shape) for _, table in kinds])
    tables = Tables(added, np.array([counted for counted, _ in kinds]))
    made_with = _made_with(base)
    constants = {k: value for k, value in row.row(0, named=True).items() if k in made_with}
    made = partial(_made, base, constants)
    mark = blake2b(repr((base, shape, constants, [*kinds.values()])).encode())
    for counted, table in kinds:
        mark.update(bytes([counted]) + table)
    counts = np.array([*kinds.values()])
    return Kinds(mark.digest(), shape[0], counts, lambda c: made(tables.sums(c)), tables, made)


def _made_with(base: Measure) -> set[str]:
    parts = [base.divisor, *([] if base.finish is None else [base.finish])]
    return {name for part in parts for name in names_in(part)}


def _made(base: Measure, constants: dict[str, float], sums: Floats) -> Floats:
    """The values that sums of terms make, with what is one number for the query."""
    known = {name: pl.lit(value) for name, value in constants.items()}
    summed = pl.DataFrame({"value": sums}).with_columns(**known)
    divided = summed.with_columns(pl.col("value") / base.divisor)
    return finished(divided, base, "value")["value"].to_numpy()


# ---------------------------------------------------------------- laid out
def _laid_out(
    base: Measure, rows: pl.DataFrame, pools: pl.DataFrame
) -> Iterator[tuple[int, Kinds]]:
    for (pool,), labels in rows.group_by("pool", maintain_order=True):
        n, m = labels.row(0, named=True)["n"], labels.row(0, named=True)["m"]
        counts = [*labels["count"], n - labels["count"].sum()]
        documents = labels.with_columns(kind=pl.int_range(labels.height, dtype=pl.UInt32))
        ideal = ladder(pools.filter(pl.col("pool") == pool).lazy()).collect()
        values = partial(_values, base, documents, ideal)
        yield int(pool), Kinds(repr((base, pool)).encode(), m, np.array(counts), values)


def _values(base: Measure, documents: pl.DataFrame, ideal: pl.DataFrame, codes: Codes) -> Floats:
    """Score rankings as runs are, some at a time; documents that are not in the qrels drop out."""
    step = max(1, AT_ONCE // max(len(codes), 1))
    some = [codes[:, start : start + step] for start in range(0, codes.shape[1], step)]
    return np.concatenate([_scored(base, documents, ideal, part) for part in some])


def _scored(base: Measure, documents: pl.DataFrame, ideal: pl.DataFrame, codes: Codes) -> Floats:
    m, many = codes.shape
    rankings = pl.DataFrame(
        {
            "ranking": np.repeat(np.arange(many), m),
            "rank": np.tile(np.arange(1, m + 1), many),
            "kind": codes.T.ravel().astype(np.uint32),
        }
    )
    rows = with_ladder(rankings.join(documents, on="kind"), ideal, ["pool"], [base])
    sums = tally(with_states(rows, ["ranking"], states_of([base])), ["ranking"], [base])
    constants = documents.head(1).drop("label", "count", "kind", "place")
    whole = pl.DataFrame({"ranking": np.arange(many)}).join(constants, how="cross")
    values = whole.join(sums, on="ranking", how="left", maintain_order="left")
    return finished(values, base, str(base))[str(base)].fill_null(0.0).to_numpy()
