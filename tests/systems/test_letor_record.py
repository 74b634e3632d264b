"""The committed record of the eight methods on MQ2008: as good as published, and told as it is."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

from ulframe.systems.letor import METHODS, method, settings

RECORD = Path(__file__).resolve().parents[2] / "data" / "mq2008"
PUBLISHED = {"RBoost": 0.478, "LNet": 0.478, "ARank": 0.476}  # LETOR 4.0's AP
AT_LEAST = {"LMART": 0.46, "RF": 0.46, "CA": 0.46, "RNet": 0.44, "L2LR": 0.44}


@pytest.fixture(scope="module")
def means():
    return pl.read_csv(RECORD / "summary.csv")


def mean(means, run, measure):
    (value,) = means.filter(run=run, measure=measure)["mean"]
    return value


@pytest.mark.parametrize(("run", "published"), PUBLISHED.items())
def test_baselines_come_near_what_letor_published(means, run, published):
    assert mean(means, run, "AP") == pytest.approx(published, abs=0.015)


@pytest.mark.parametrize(("run", "least"), AT_LEAST.items())
def test_the_others_are_good_enough(means, run, least):
    assert mean(means, run, "AP") >= least


@pytest.mark.parametrize("run", METHODS)
def test_all_are_far_above_chance(means, run):
    assert mean(means, run, "P@10") == pytest.approx(0.25, abs=0.01)
    assert mean(means, run, "AP") > mean(means, run, "RLB(AP)") + 0.1


def test_the_table_says_what_the_summary_says(means):
    rows = re.findall(
        r"^\| (\w+) \| [^|]+ \| ([\d.]+) \|[^|]*\| ([\d.]+) \| ([\d.]+) \|$",
        (RECORD / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert {run for run, *_ in rows} == set(METHODS)
    for run, *told in rows:
        exact = [mean(means, run, measure) for measure in ("AP", "P@10", "nDCG@10")]
        assert [float(number) for number in told] == pytest.approx(exact, abs=0.0005001)


def test_the_record_was_made_with_the_methods_as_they_are():
    made = json.loads((RECORD / "settings.json").read_text(encoding="utf-8"))
    assert made["methods"] == {name: settings(method(name)) for name in METHODS}
