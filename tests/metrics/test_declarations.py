"""Every declaration of the catalogue: what it reads is there, and no engine changes its values."""

from __future__ import annotations

import random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ulframe as ul
from ulframe.metrics.catalog import CATALOG

BASES = {str(measure.base): measure.base for m in CATALOG.values() for measure in [m.example]}


@pytest.mark.parametrize("name", BASES)
def test_a_term_reads_only_what_is_declared(name):
    measure = BASES[name]
    metric = measure.metric
    known = {"rank", "label", "place", "retrieved"}
    known |= {state.name for state in metric.states(measure)}
    known |= {f"ideal:{state.name}" for state in metric.ladder(measure)}
    known |= {total.name for total in metric.totals(measure)}
    assert measure.reads <= known


@pytest.mark.parametrize("name", BASES)
def test_a_term_is_0_where_nothing_is_to_be_gained(name):
    metric, measure = BASES[name].metric, BASES[name]
    columns = {name: [1.0] for name in measure.reads - {"rank", "label"}}
    row = pl.DataFrame({"rank": [1], "label": [-1.0], **columns})
    if not row.select(metric.adds).item() and not measure.metric.unbounded:
        assert row.select(metric.term(measure).cast(pl.Float64)).item() == 0


def test_no_engine_changes_the_values():
    rng = random.Random(3)
    docs = [f"d{i}" for i in range(30)]
    qrels = {q: {d: rng.randint(-1, 3) for d in rng.sample(docs, 20)} for q in "abcdefgh"}
    runs = {q: {d: float(rng.randint(1, 9)) for d in rng.sample(docs, 25)} for q in "abcdefg"}
    plan = ul.evaluate(qrels, runs, list(BASES.values()))
    assert_frame_equal(plan.collect(engine="in-memory"), plan.collect(engine="streaming"))
