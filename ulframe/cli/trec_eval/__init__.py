"""trec_eval, with its own command line and its own output: a script needs one word changed.

  ulframe trec_eval qrels.txt run.txt
  ulframe trec_eval -q -c -M1000 qrels.txt run.txt
  ulframe trec_eval -m all_trec -m P.5,7 -miprec_at_recall..10,.20 -l2 qrels.txt run.txt

A measure may be a name (map), a name with parameters (P.5,10, ndcg.1=3,2=9, utility.2,-1,0,0), or
one of the lists official (the default), all_trec and set. Preferences (-R prefs, -m prefs) and
several judges (-R qrels_jg) are not offered. Files are read in any format that eval reads.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from ulframe.cli.options import add_columns, columns_of
from ulframe.cli.progress import working
from ulframe.cli.trec_eval.asked import RELSTRING, RUNID, asked_for, printed_names
from ulframe.cli.trec_eval.relstrings import relstrings
from ulframe.cli.trec_eval.zscores import read_zscores, standardised
from ulframe.evaluation.evaluate import examine
from ulframe.evaluation.summarise import AGGREGATES
from ulframe.frames.columns import LABEL
from ulframe.frames.errors import BadUsage
from ulframe.frames.mapping import scan_both
from ulframe.frames.second_look import explained
from ulframe.frames.visible import visible
from ulframe.metrics.catalog import NumQ
from ulframe.metrics.measure import Measure
from ulframe.metrics.trec_names import family_of, trec_measure

LENGTH = "10"  # of a relstring

FLAGS = {
    ("-q", "--query_eval_wanted"): ("queries", "print each query too"),
    ("-n", "--nosummary"): ("no_summary", "print no summary"),
    ("-c", "--complete_rel_info_wanted"): ("complete", "average over all queries of the qrels"),
    ("-J", "--Judged_docs_only"): ("judged_only", "drop unjudged documents from the ranking"),
    ("-o", "--Output_old_results_format"): ("old", "ignored, as trec_eval ignores it"),
}
NUMBERS = {
    ("-l", "--level_for_rel"): ("level", 1, "the smallest label that is relevant"),
    ("-M", "--Max_retrieved_per_topic"): ("depth", None, "read so many documents of each query"),
    ("-N", "--Number_docs_in_coll"): ("docs", 0, "documents of the collection, for utility"),
}
WORDS = {
    ("-Z", "--Zscore"): ("zscores", None, "print z-scores by this file's means and deviations"),
    ("-R", "--Rel_info_format"): ("rel_format", "qrels", "qrels"),
    ("-T", "--Results_format"): ("results_format", "trec_results", "trec_results"),
    ("-D", "--Debug_level"): ("debug", None, "ignored"),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of trec_eval."""
    add = parser.add_argument
    for names, (dest, text) in FLAGS.items():
        add(*names, dest=dest, action="store_true", help=text)
    for names, (dest, number, text) in NUMBERS.items():
        add(*names, dest=dest, type=int, default=number, metavar="NUM", help=text)
    for names, (dest, word, text) in WORDS.items():
        add(*names, dest=dest, default=word, help=text)
    add("-m", "--measure", dest="measures", action="append", help="NAME, NAME.PARAMETERS or a list")
    add("-v", "--version", action="version", version="trec_eval version 10.0, by ulframe")
    add_columns(parser)
    add("qrels", metavar="QRELS", help="judgements")
    add("run", metavar="RUN", help="the run, or - for standard input")


def run(options: argparse.Namespace) -> None:
    """Evaluate the run and print as trec_eval does."""
    if options.rel_format != "qrels":
        raise BadUsage(f"-R {options.rel_format} is not offered, only -R qrels")
    if options.results_format != "trec_results":
        raise BadUsage(f"-T {options.results_format} is not offered, only -T trec_results")
    if options.level < 0:
        raise BadUsage(f"-l {options.level}: a label below 0 is no judgement; from 0 on they are")
    asked = asked_for(options.measures or ["official"])
    names = list(printed_names(asked))
    measures = {name: m for name in names if (m := _measure(name, options)) is not None}
    with working("evaluating"):
        try:
            results = _results(options, measures, asked)
        except pl.exceptions.PolarsError as error:
            raise explained(error, options.qrels, options.run) from error
    if options.queries:
        sys.stdout.writelines(_query_lines(results, names))
    if not options.no_summary:
        sys.stdout.writelines(_summary_lines(results, names))


def _measure(name: str, options: argparse.Namespace) -> Measure | None:
    """The measure of that name, with what the command line says about all of them."""
    measure = trec_measure(name)
    if measure is None:
        return None
    # of a level of 0 the labels are raised, see `_by_level`
    general = {"rel": options.level or 1, "docs": options.docs, "judged_only": options.judged_only}
    return measure(**{key: value for key, value in general.items() if key in measure.parameters})


# ---------------------------------------------------------------- numbers
@dataclass(frozen=True)
class Results:
    """All that is printed: the run's tag, scores by query and measure, relstrings by query."""

    tag: str
    scores: Mapping[str, Mapping[str, float]]
    strings: Mapping[str, str]
    measures: Mapping[str, Measure]
    standardised: bool


def _results(
    options: argparse.Namespace, measures: Mapping[str, Measure], asked: Mapping[str, str]
) -> Results:
    qrels, runs = scan_both(options.qrels, options.run, columns_of(options))
    one = runs.with_columns(run=pl.lit("run"))
    evaluated = [
        examine(
            judged, one, some,
            queries="qrels" if options.complete else "both", depth=options.depth, in_order=True,
        ).scores.select("query_id", "measure", "score")
        for judged, some in _by_level(options.level, qrels, measures or {"num_q": NumQ})
    ]  # fmt: skip
    plans = [pl.concat(evaluated), runs.select("run").head(1)]
    if RELSTRING in asked:
        length = int(float(asked[RELSTRING] or LENGTH))
        plans.append(relstrings(qrels, one, length, options.depth, options.judged_only))
    found, tag, *strings = pl.collect_all(plans)
    found = _before_averaging(found, measures)
    if options.zscores:
        found = standardised(found, read_zscores(options.zscores))
    scores: dict[str, dict[str, float]] = {}
    for query, name, score in found.iter_rows():
        scores.setdefault(query, {})[name] = score
    by_query = dict(strings[0].iter_rows()) if strings else {}
    return Results(tag.item(), scores, by_query, measures, bool(options.zscores))


def _by_level(
    level: int, qrels: pl.LazyFrame, measures: Mapping[str, Measure]
) -> Iterator[tuple[pl.LazyFrame, dict[str, Measure]]]:
    """What is evaluated on which qrels: on those given, but where `-l 0` makes label 0 relevant.

    Measures of what labels are worth know of no level; for the others all labels are raised by 1.
    """
    of_worth = {name: m for name, m in measures.items() if level or "gains" in m.parameters}
    others = {name: m for name, m in measures.items() if name not in of_worth}
    if of_worth:
        yield qrels, of_worth
    if others:
        judged = pl.col(LABEL) >= 0
        yield qrels.with_columns(pl.when(judged).then(pl.col(LABEL) + 1).otherwise(LABEL)), others


def _before_averaging(scores: pl.DataFrame, measures: Mapping[str, Measure]) -> pl.DataFrame:
    """Undefined scores are 0, and what is averaged geometrically enters as a logarithm."""
    score = pl.col("score").fill_null(0.0)
    geometric = [name for name, m in measures.items() if m.metric.aggregate == "geometric mean"]
    logarithm = AGGREGATES["geometric mean"].before(score)
    chosen = pl.when(pl.col("measure").is_in(geometric)).then(logarithm).otherwise(score)
    return scores.with_columns(score=chosen)


def _averages(results: Results) -> dict[str, float]:
    """Of each measure over all queries, summed from the first to the last, as trec_eval does."""
    table = pl.DataFrame(list(results.scores.values()))
    averages = {
        name: table.select(
            AGGREGATES[m.metric.aggregate].after(_mean_in_order(name), pl.len())
        ).item()
        for name, m in results.measures.items()
    }
    return averages | {"num_q": table.height}


def _mean_in_order(name: str) -> pl.Expr:
    return pl.col(name).cum_sum().last() / pl.len()


# ---------------------------------------------------------------- lines
def _query_lines(results: Results, names: list[str]) -> Iterator[str]:
    shown = [name for name in names if _is_of_queries(name)]
    for query, scores in results.scores.items():
        for name in shown:
            if name in scores:
                yield _number(name, query, scores[name], results)
            else:
                yield f"{name:<22}\t{visible(query)}\t'{results.strings.get(query, '')}'\n"


def _is_of_queries(name: str) -> bool:
    return name.startswith(RELSTRING) or (name != RUNID and family_of(name).of_queries)


def _summary_lines(results: Results, names: list[str]) -> Iterator[str]:
    averages = _averages(results)
    for name in names:
        if name == RUNID:
            yield f"{name:<22}\tall\t{visible(results.tag)}\n"
        elif name in results.measures:
            yield _number(name, "all", averages[name], results)


def _number(name: str, query: str, value: float, results: Results) -> str:
    if results.standardised:
        return f"Z{name:<22}\t{visible(query)}\t{value:6.4f}\n"
    if results.measures[name].metric.aggregate == "sum":
        return f"{name:<22}\t{visible(query)}\t{value:.0f}\n"
    return f"{name:<22}\t{visible(query)}\t{value:6.4f}\n"
