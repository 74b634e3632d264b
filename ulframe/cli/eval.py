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
from ulframe.cli.options import (
    add_columns,
    add_metrics,
    add_pool,
    add_sets,
    add_undefined,
    scanned,
)
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.evaluation.evaluate import QUERIES, examine, least_rel
from ulframe.evaluation.parts import examine_in_parts
from ulframe.evaluation.ranking import AVERAGE, KEYS, TIES
from ulframe.evaluation.summarise import means, summarise
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.second_look import explained
from ulframe.frames.write import refuse_table, write_table
from ulframe.metrics.grammar import named
from ulframe.metrics.measure import Measure
from ulframe.metrics.traps import with_gain


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe eval`."""
    add_metrics(parser)
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
        help="all of the qrels (a missing one scores 0), those that the run has too, or those with "
        "something relevant",
    )  # fmt: skip
    add_undefined(parser)
    add_pool(parser)
    parser.add_argument(
        "--parts", type=_count, metavar="N",
        help="work through the queries in N parts (default: as many as memory asks for)",
    )  # fmt: skip
    add_sets(parser)
    add_columns(parser)
    parser.add_argument("--depth", type=_count, metavar="N", help="read N documents of each query")
    parser.add_argument(
        "--ties", choices=[*TIES, AVERAGE], default="score",
        help="by doc_id, as they stand, or the mean over all their orders",
    )  # fmt: skip


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


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
            qrels, runs = scanned(options)
            scores, coverage = _evaluated(qrels, runs, measures, options)
            if options.queries == "relevant":
                _remark_on_relevant(coverage, least_rel(measures))
            highest = qrels.select(pl.col("label").max()).collect().item() or 0.0
        except pl.exceptions.PolarsError as error:
            raise explained(error, options.qrels, options.runs) from error
        if options.out:
            made = provenance([options.qrels, *options.runs], vars(options), coverage)
            write_table(scores.lazy(), options.out, metadata=made)
    output.remark_on_coverage(coverage)
    output.remark_on_names(measures, highest)
    _remark_on_sets(sets, scores)
    labels = with_gain(measures, highest)
    SHOW[options.format](Shown(scores, coverage, measures, labels, sets, options))


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


def _remark_on_relevant(coverage: pl.DataFrame, least: float) -> None:
    """How many queries `--queries relevant` leaves out, and from which label on it keeps one."""
    judged = coverage.filter("in_qrels").unique("query_id")
    without = judged.height - judged["has_relevant"].sum()
    of = f"{without} of {output.counted(judged.height, 'query')}"
    if without == judged.height:
        raise BadData(f"no query of the qrels has a label of at least {least:g}: nothing to score")
    output.remark(f"left out, for want of a label of at least {least:g}: {of}")


# ---------------------------------------------------------------- printing
@dataclass(frozen=True)
class Shown:
    """All that the formats print from; `labels`, what tables call measures that are to say more."""

    scores: pl.DataFrame
    coverage: pl.DataFrame
    measures: Mapping[str, Measure]
    labels: Mapping[str, str]
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
    labelled = pl.col("measure").replace(shown.labels)
    if shown.options.per_query:
        output.table(output.wide(shown.scores.with_columns(labelled), KEYS, "score"))
        return
    rows = shown.summary(means).with_columns(labelled)
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
