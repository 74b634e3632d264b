"""Score runs against qrels: each measure's mean, or its score query by query.

  ulframe eval qrels.txt run.txt -m nDCG@10 AP
  ulframe eval qrels.txt runs/*.gz -m 'V2(SP@10)' map P.5,10 -o scores.parquet
  ulframe eval qrels.parquet runs.parquet -m nDCG@10 --per-query --format csv
  zcat run.gz | ulframe eval qrels.txt - -m map --format trec

Files may be TREC text, parquet, csv, tsv, jsonl or arrow, also as .gz or .zst; a run may be a glob
or a folder, and - is standard input. The scores that -o writes hold, for every run, query and
measure, the score, the metric's value, the best possible value and the one expected by chance.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from ulframe.cli import output, resources
from ulframe.cli.coverage import remark_on_queries
from ulframe.cli.options import count_option, pool_option
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.evaluation.evaluate import QUERIES, examine
from ulframe.evaluation.parts import examine_in_parts
from ulframe.evaluation.ranking import AVERAGE, KEYS, TIES
from ulframe.evaluation.summarise import UNDEFINED, means, summarise
from ulframe.frames.errors import BadUsage
from ulframe.frames.second_look import explained
from ulframe.frames.sources import scan_qrels, scan_runs
from ulframe.frames.write import refuse_table, write_table
from ulframe.metrics.catalog import DCG
from ulframe.metrics.grammar import named
from ulframe.metrics.measure import Measure


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe eval`."""
    parser.add_argument("qrels", metavar="QRELS", help="judgements")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="files, globs or folders of runs")
    parser.add_argument(
        "-m", dest="measures", metavar="MEASURE", nargs="+", action="extend", required=True,
        help="such as nDCG@10, 'V2(SP@10)', or trec_eval's names and lists (map, P.5,10)",
    )  # fmt: skip
    parser.add_argument("-o", dest="out", metavar="FILE", help="write all scores to this table")
    parser.add_argument("--format", choices=SHOW, default="table", help="of what is printed")
    parser.add_argument("--per-query", action="store_true", help="print every query's scores")
    parser.add_argument(
        "--queries", choices=QUERIES, default="qrels",
        help="all of the qrels (a missing one scores 0), or those that the run has too",
    )  # fmt: skip
    parser.add_argument(
        "--undefined", choices=UNDEFINED, default="zero",
        help="what a mean makes of a query where the measure is undefined",
    )  # fmt: skip
    parser.add_argument(
        "--pool", type=pool_option, default="judged", metavar="judged|retrieved|N",
        help="what a random ranking shuffles",
    )  # fmt: skip
    parser.add_argument(
        "--parts", type=count_option, metavar="N",
        help="work through the queries in N parts (default: as many as memory asks for)",
    )  # fmt: skip
    parser.add_argument(
        "--sets", metavar="FILE", help="a table of query sets: means of each, or per attribute"
    )
    parser.add_argument(
        "--depth", type=count_option, metavar="N", help="read N documents of each query"
    )
    parser.add_argument(
        "--ties", choices=[*TIES, AVERAGE], default="score",
        help="by doc_id, as they stand, or the mean over all their orders",
    )  # fmt: skip


def run(options: argparse.Namespace) -> None:
    """Evaluate, write, print."""
    measures = named(options.measures)
    if options.per_query and options.sets:
        raise BadUsage("--sets makes means of query sets; leave out --per-query")
    read = [options.qrels, *options.runs, *filter(None, [options.sets])]
    refuse_table(options.out, read)
    sets = _read_sets(options.sets)
    with working("evaluating"):
        try:
            qrels, runs = scan_qrels(options.qrels), scan_runs(options.runs)
            scores, coverage = _evaluated(qrels, runs, measures, options)
            highest = qrels.select(pl.col("label").max()).collect().item()
        except pl.exceptions.PolarsError as error:
            raise explained(error, options.qrels, options.runs) from error
        if options.out:
            made = provenance([options.qrels, *options.runs], vars(options), coverage)
            write_table(scores.lazy(), options.out, metadata=made)
    remark_on_queries(coverage)
    _remark_on_gain(highest, measures)
    _remark_on_sets(sets, scores)
    SHOW[options.format](Shown(scores, coverage, measures, sets, options))


def _evaluated(
    qrels: pl.LazyFrame,
    runs: pl.LazyFrame,
    measures: Mapping[str, Measure],
    options: argparse.Namespace,
) -> list[pl.DataFrame]:
    """Scores and coverage, from a run that fits into memory at once, else part by part."""
    how = {name: getattr(options, name) for name in ("queries", "pool", "ties", "depth")}
    size = resources.need(options.runs)
    parts = options.parts or resources.parts(size)
    done = (
        examine(qrels, runs, measures, **how)
        if parts == 1
        else examine_in_parts(qrels, runs, measures, parts, **how)
    )
    return pl.collect_all([done.scores, done.coverage], engine=resources.engine(size))


def _read_sets(path: str | None) -> pl.LazyFrame | None:
    """Only asked for query sets does the command pay for importing what they are made with."""
    if path is None:
        return None
    from ulframe.cli.scores import read_sets

    return read_sets(path)


def _remark_on_sets(sets: pl.LazyFrame | None, scores: pl.DataFrame) -> None:
    if sets is not None:
        from ulframe.cli.scores import remark_on_sets

        remark_on_sets(sets, scores)


def _remark_on_gain(highest: float | None, measures: Mapping[str, Measure]) -> None:
    """ir_measures and PyTerrier have the other gain; on real runs the winner can differ."""
    ours = [name for name, m in measures.items() if m.metric is DCG.metric and m["gain"] == "exp"]
    if ours and (highest or 0) > 1:
        output.remark(
            f"{ours[0]} has the exponential gain 2^label - 1; that of ir_measures and PyTerrier is "
            "nDCG(gain=linear)"
        )


# ---------------------------------------------------------------- printing
@dataclass(frozen=True)
class Shown:
    """All that the formats print from."""

    scores: pl.DataFrame
    coverage: pl.DataFrame
    measures: Mapping[str, Measure]
    sets: pl.LazyFrame | None
    options: argparse.Namespace

    def summary(self, make: Callable[..., pl.LazyFrame]) -> pl.DataFrame:
        """The rows of `means` or `summarise`."""
        undefined, coverage = self.options.undefined, self.coverage.lazy()
        return make(self.scores, sets=self.sets, undefined=undefined, coverage=coverage).collect()

    @property
    def index(self) -> list[str]:
        """What names a row of means: the run, and the set where there are several."""
        return ["run"] if self.sets is None else ["set", "run"]


def _table(shown: Shown) -> None:
    if shown.options.per_query:
        output.table(output.wide(shown.scores, KEYS, "score"))
        return
    rows = shown.summary(means)
    if rows.select(shown.index).n_unique() > 1:
        output.table(output.wide(rows, shown.index, "mean"))
    else:
        output.table(
            rows.select(*shown.index, "measure", "mean", "n_queries", "n_undefined", "n_missing")
        )


def _rows(shown: Shown) -> pl.DataFrame:
    return shown.scores if shown.options.per_query else shown.summary(summarise)


def _trec(shown: Shown) -> None:
    totals = shown.summary(means).select("run", "measure", query_id="set", score="mean")
    for (name,), total in totals.group_by("run", maintain_order=True):
        sys.stdout.write(f"{'runid':<22}\tall\t{name}\n")
        if shown.options.per_query:
            own = shown.scores.filter(pl.col("run") == name)
            sys.stdout.write(output.trec_lines(own, shown.measures))
        sys.stdout.write(output.trec_lines(total, shown.measures))


SHOW: dict[str, Callable[[Shown], None]] = {
    "table": _table,
    "trec": _trec,
    "csv": lambda shown: output.csv(_rows(shown)),
    "json": lambda shown: output.json(_rows(shown)),
}
