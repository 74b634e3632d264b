"""Every declaration of the catalogue: it can be computed, and no engine changes its values."""

from __future__ import annotations

import random

import pytest
from polars.testing import assert_frame_equal

import ulframe as ul
from ulframe.metrics.catalog import CATALOG
from ulframe.metrics.own import refuse_term

BASES = {str(measure.base): measure.base for m in CATALOG.values() for measure in [m.example]}


@pytest.mark.parametrize("name", BASES)
def test_a_term_reads_only_what_is_declared(name):
    refuse_term(BASES[name])


def test_no_engine_changes_the_values():
    rng = random.Random(3)
    docs = [f"d{i}" for i in range(30)]
    qrels = {q: {d: rng.randint(-1, 3) for d in rng.sample(docs, 20)} for q in "abcdefgh"}
    runs = {q: {d: float(rng.randint(1, 9)) for d in rng.sample(docs, 25)} for q in "abcdefg"}
    plan = ul.evaluate(qrels, runs, list(BASES.values()))
    assert_frame_equal(plan.collect(engine="in-memory"), plan.collect(engine="streaming"))
