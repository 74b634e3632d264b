"""Score runs against qrels: each measure's mean, or its score query by query.

  ulframe eval qrels.txt run.txt
  ulframe eval qrels.txt run.txt -m nDCG@10 AP
  ulframe eval qrels.txt runs/*.gz -m 'V2(SP@10)' map P.5,10 -o scores.parquet
  ulframe eval qrels.parquet runs.parquet -m nDCG@10 --per-query --format csv
  zcat run.gz | ulframe eval qrels.txt - -m map --format trec

The first file holds the qrels. Measures may stand before, between or behind the files, with -m or
without: what exists is a file, and ./NAME always is.

Files may be TREC text, `query TAB relevant ids`, LETOR text with predictions one a line, parquet,
csv, tsv, jsonl, json or arrow, also as .gz, .zst, .bz2, .xz or .zip; a run may be a glob or a
folder, and - is standard input. Columns go by the names of many tools; --columns maps others, and
the fields of a text without a header by their places: --columns 1=query_id 2=doc_id 3=label.

The scores that -o writes hold, for every run, query and measure, the score, the metric's value, the
best possible value and the one expected by chance.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import polars.selectors as cs

from ulframe.cli import output
from ulframe.cli.elsewhere import add_flags_of_trec_eval
from ulframe.cli.evaluating import Evaluated, evaluate_files, measures_of, qrels_and_runs, remark_on
from ulframe.cli.options import (
    add_columns,
    add_metrics,
    add_pool,
    add_sets,
    add_undefined,
    add_writing,
    columns_of,
    count,
    size,
)
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance, read_beside
from ulframe.cli.words import add_words, asked
from ulframe.evaluation.evaluate import QUERIES
from ulframe.evaluation.ranking import AVERAGE, KEYS, TIES
from ulframe.evaluation.summarise import means, summarise
from ulframe.frames.errors import BadUsage
from ulframe.frames.visible import visible
from ulframe.frames.write import refuse_table
from ulframe.metrics.grammar import parse
from ulframe.metrics.measure import Measure
from ulframe.metrics.traps import with_gain
from ulframe.report.table import DECIMALS, NONE

ROWS = ["set", "run"]
FEW = 6  # measures that are named for undefined queries
TAKEN = {"zero": "taken as 0", "skip": "left out"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe eval`."""
    add_metrics(parser)
    add_words(parser, "QRELS RUN...")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write all scores to this table")
    add_writing(parser)
    parser.add_argument("--format", choices=SHOW, default="table", help="of what is printed")
    parser.add_argument("--per-query", action="store_true", help="print every query's scores")
    parser.add_argument("--sort", metavar="MEASURE", help="the best first by this one")
    parser.add_argument("--digits", type=count, metavar="N", help="of fractions (tables: 4)")
    parser.add_argument(
        "--intervals", action="store_true", help="of means, at 95 %%: in brackets behind them"
    )
    parser.add_argument(
        "--queries", choices=QUERIES, default="qrels",
        help="all of the qrels (a missing one scores 0), those that the run has too, or those with "
        "something relevant",
    )  # fmt: skip
    add_undefined(parser)
    add_pool(parser)
    parser.add_argument(
        "--parts", type=count, metavar="N",
        help="work through the queries in N parts (default: as many as memory asks for)",
    )  # fmt: skip
    parser.add_argument(
        "--memory", type=size, metavar="SIZE",
        help="what it may take, as 4G (default: what the container or the machine has free)",
    )  # fmt: skip
    parser.add_argument(
        "--scratch", type=Path, metavar="DIR",
        help="work in parts by way of this folder: input is read once, and a job that was killed "
        "goes on when it is given again; cleared when done",
    )  # fmt: skip
    add_sets(parser)
    add_columns(parser)
    parser.add_argument("--depth", type=count, metavar="N", help="read N documents of each query")
    parser.add_argument(
        "--ties", choices=[*TIES, AVERAGE], default="score",
        help="by doc_id, as they stand, or the mean over all their orders",
    )  # fmt: skip
    add_flags_of_trec_eval(parser)


def run(options: argparse.Namespace) -> None:
    """Evaluate, write, print."""
    given = asked(options)
    qrels_and_runs(given.files)
    measures = measures_of(given.measures)
    _refuse_together(options)
    options.sort = options.sort and _one_of(measures, options.sort)
    refuse_table(options.out, [*given.files, *filter(None, [options.sets])], force=options.force)
    sets = _read_sets(options.sets)
    how = {name: getattr(options, name) for name in ("queries", "pool", "ties", "depth")}
    if options.out:
        read_beside(given.files)
    with working("evaluating") as progress:
        done = evaluate_files(
            given.files,
            given.measures,
            options.parts,
            columns_of(options),
            memory=options.memory,
            scratch=options.scratch,
            progress=progress,
            **how,
        )
        if options.out:
            made = provenance(given.files, vars(options), done.coverage)
            output.write(done.scores, options.out, options, made)
    remark_on(done, given.measures)
    SHOW[options.format](Shown(done, _with_all(sets, done.scores), options))


CLASHES = [
    ("per_query", "sets", "--sets makes means of query sets; leave out --per-query"),
    ("per_query", "intervals", "--intervals are those of means; leave out --per-query"),
]
"""Options that mean nothing together."""

OF_TABLES = ("sort", "digits", "intervals")


def _refuse_together(options: argparse.Namespace) -> None:
    for one, other, says in CLASHES:
        if getattr(options, one) and getattr(options, other):
            raise BadUsage(says)
    for name in OF_TABLES:
        if options.format == "trec" and getattr(options, name):
            raise BadUsage(f"--format trec is printed as trec_eval does; leave out --{name}")


def _one_of(measures: Mapping[str, Measure], name: str) -> str:
    """The name under which a measure was asked for, by this name or another of the same."""
    alike = [name] if name in measures else [n for n, m in measures.items() if m == parse(name)]
    if not alike:
        some = ", ".join([*measures][:3])
        raise BadUsage(f"--sort {name}: it is not among the measures asked for, such as {some}")
    return alike[0]


def _read_sets(path: str | None) -> pl.LazyFrame | None:
    """Only asked for query sets does the command pay for importing what they are made with."""
    if path is None:
        return None
    from ulframe.cli.scores import read_sets

    return read_sets(path)


def _with_all(sets: pl.LazyFrame | None, scores: pl.DataFrame) -> pl.LazyFrame | None:
    if sets is None:
        return None
    from ulframe.cli.scores import remark_on_sets, with_all

    remark_on_sets(sets, scores)
    return with_all(sets, scores)


# ---------------------------------------------------------------- printing
@dataclass(frozen=True)
class Shown:
    """All that the formats print from."""

    done: Evaluated
    sets: pl.LazyFrame | None
    options: argparse.Namespace

    def summary(self, make: Callable[..., pl.LazyFrame]) -> pl.DataFrame:
        """The rows of `means` or `summarise`, in the order asked for."""
        undefined, coverage = self.options.undefined, self.done.coverage.lazy()
        rows = make(self.done.scores, sets=self.sets, undefined=undefined, coverage=coverage)
        return _best_first(rows.collect(), ROWS, "mean", self.options.sort)

    @property
    def scores(self) -> pl.DataFrame:
        """Query by query, in the order asked for."""
        return _best_first(self.done.scores, KEYS, "score", self.options.sort)


def _best_first(rows: pl.DataFrame, names: list[str], value: str, by: str | None) -> pl.DataFrame:
    """Rows by what they have of a measure, the best first, within the first of the names."""
    if by is None:
        return rows
    first, _ = names
    key = rows.filter(measure=by).select(*names, key=value)
    joined = rows.with_columns(place=pl.col(first).rle_id()).join(key, on=names, how="left")
    order = joined.sort(
        "place", "key", descending=[False, True], nulls_last=True, maintain_order=True
    )
    return order.select(rows.columns)


def _table(shown: Shown) -> None:
    options = shown.options
    digits = options.digits or DECIMALS
    labels = with_gain(shown.done.measures, shown.done.highest)
    labelled = pl.col("measure").replace(labels)
    if options.per_query:
        wide = output.wide(shown.scores.with_columns(labelled), KEYS, "score")
        output.table(wide, names=len(KEYS), digits=digits)
        return
    rows = shown.summary(summarise if options.intervals else means)
    _remark_on_counts(rows, options.undefined)
    index = ["run"] if shown.sets is None else [*ROWS, "n_queries"]
    of_all = pl.col("n_queries").max().over(ROWS)
    cell = _with_interval(digits) if options.intervals else pl.col("mean")
    cells = rows.with_columns(labelled, n_queries=of_all, mean=cell)
    output.table(output.wide(cells, index, "mean"), names=len(index), digits=digits)


def _with_interval(digits: int) -> pl.Expr:
    """`0.4321 (0.3987 to 0.4650)`."""
    mean, low, high = (
        pl.col(name).map_elements(lambda x: f"{x:.{digits}f}", pl.String)
        for name in ("mean", "ci_low", "ci_high")
    )
    return pl.format("{} ({} to {})", mean, low, high).fill_null(NONE)


def _remark_on_counts(rows: pl.DataFrame, undefined: str) -> None:
    """How many queries the means are over, and in how many a measure was undefined."""
    of_all = rows.filter(pl.col("set") == "all")
    said = [f"means over {_span(of_all['n_queries'], 'query')}"]
    alike: dict[str, list[str]] = {}
    lacking = of_all.filter(pl.col("n_undefined").max().over("measure") > 0)
    for (name,), part in lacking.group_by("measure", maintain_order=True):
        alike.setdefault(_span(part["n_undefined"], "query"), []).append(str(name))
    for queries, names in alike.items():
        more = [f"and {len(names) - FEW} others"] if len(names) > FEW else []
        said.append(f"undefined in {queries} ({TAKEN[undefined]}): {', '.join(names[:FEW] + more)}")
    output.remark("; ".join(said))


def _span(counts: pl.Series, noun: str) -> str:
    """`5 queries`, or `3 to 5 queries` where these are not the same everywhere."""
    low, *others = counts.unique().sort().to_list()
    most = output.counted(others[-1] if others else low, noun)
    return f"{low} to {most}" if others else most


def _rows(shown: Shown) -> pl.DataFrame:
    """All columns, unrounded unless digits are asked for."""
    rows = shown.scores if shown.options.per_query else shown.summary(summarise)
    digits = shown.options.digits
    return rows if digits is None else rows.with_columns(cs.float().round(digits))


def _trec(shown: Shown) -> None:
    totals = shown.summary(means).select("run", "measure", query_id="set", score="mean")
    for (name,), total in totals.group_by("run", maintain_order=True):
        sys.stdout.write(f"{'runid':<22}\tall\t{visible(name)}\n")
        if shown.options.per_query:
            own = shown.done.scores.filter(pl.col("run") == name)
            sys.stdout.write(output.trec_lines(own, shown.done.measures))
        sys.stdout.write(output.trec_lines(total, shown.done.measures))


SHOW: dict[str, Callable[[Shown], None]] = {
    "table": _table,
    "trec": _trec,
    "csv": lambda shown: output.csv(_rows(shown), shown.options),
    "json": lambda shown: output.json(_rows(shown)),
}
