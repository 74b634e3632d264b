"""trec_eval's own test files: every measure that we have, per query and in the mean, 4 decimals."""

from pathlib import Path

import polars as pl
import pytest

import ulframe as ul
from ulframe.metrics.grammar import named

FAMILIES = ["P", "recall", "ndcg_cut", "map_cut", "relative_P", "success"]
PLAIN = ["map", "Rprec", "bpref", "recip_rank", "ndcg"]

# output, qrels, run, which queries, relevance level
COMMANDS = [
    ("out.test.aq", "qrels.test", "results.test", "both", 1),
    ("out.test.aqc", "qrels.test", "results.trunc", "qrels", 1),
    ("out.test.aql", "qrels.rel_level", "results.test", "both", 2),
]
# ours for trec_eval's -l: the level does not touch nDCG
LEVELLED = {
    "map": "AP(rel={l})",
    "Rprec": "Rprec(rel={l})",
    "bpref": "bpref(rel={l})",
    "recip_rank": "RR(rel={l})",
    "P": "P(rel={l})@{k}",
    "recall": "R(rel={l})@{k}",
    "map_cut": "AP(rel={l})@{k}",
    "relative_P": "U(P(rel={l})@{k})",
    "success": "Success(rel={l})@{k}",
}


def printed(path: Path) -> dict[tuple[str, str], str]:
    """What trec_eval printed, by measure and query (`all` for the mean)."""
    lines = [line.split() for line in path.read_text().splitlines()]
    return {(line[0], line[1]): line[2] for line in lines if len(line) == 3}


def measures(level: int) -> dict[str, str]:
    """trec_eval's name to ours."""
    names = {name: name for name in named([*PLAIN, *FAMILIES])}
    if level == 1:
        return names
    for name in names:
        family, _, k = name.rpartition("_")
        pattern = LEVELLED.get(name) or LEVELLED.get(family, name)
        names[name] = pattern.format(l=level, k=k)
    return names


@pytest.mark.parametrize(("out", "qrels", "run", "queries", "level"), COMMANDS)
def test_as_trec_eval_prints_it(shared, out, qrels, run, queries, level):
    folder = shared / "trec_eval"
    want = printed(folder / out)
    ours = measures(level)
    asked = {name: ul.parse(measure) for name, measure in ours.items()}
    scores = ul.evaluate(
        ul.scan_qrels(folder / qrels), ul.scan_runs(folder / run), asked, queries=queries
    )
    per_query = scores.select("measure", "query_id", "score").collect()
    means = ul.means(scores).select("measure", pl.lit("all").alias("query_id"), "mean").collect()
    got = {
        (measure, query): f"{value or 0:.4f}"
        for frame in (per_query, means)
        for measure, query, value in frame.iter_rows()
    }
    assert len(got) == len(asked) * (1 + per_query["query_id"].n_unique())
    assert {key: value for key, value in want.items() if key in got} == got


def test_comment_lines(shared):
    folder = shared / "trec_eval"
    scores = ul.evaluate(
        ul.scan_qrels(folder / "qrels.comment.test"),
        ul.scan_runs(folder / "results.comment.test"),
        ["map", "P"],
        queries="both",
    )
    want = printed(folder / "out.comment.test")
    means = ul.means(scores).collect()
    assert set(means["n_queries"]) == {int(want["num_q", "all"])}
    for measure, mean in means.select("measure", "mean").iter_rows():
        assert f"{mean:.4f}" == want[measure, "all"]
