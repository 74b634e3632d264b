r"""Score runs by the subtopics of a query that they answer: novelty and diversity, as ndeval does.

  ulframe diversity qrels.txt run.txt
  ulframe diversity qrels.txt *.run -m alpha_nDCG@5,10,20 nERR_IA@20 StRecall@20 -o scores.parquet
  ulframe diversity qrels.txt run.txt -m 'V2(P_IA@10)' 'RLB(alpha_DCG@20)' --per-query

A line of the qrels is `query subtopic document label`; tables have query_id, subtopic, doc_id and
label. With a cutoff: alpha_DCG(alpha=0.5) alpha_nDCG ERR_IA(alpha=0.5) nERR_IA StRecall P_IA.
Without: NRBP(alpha=0.5,beta=0.5) nNRBP MAP_IA. RLB(...) is what a random ranking scores.
"""

from __future__ import annotations

import argparse
import re

import polars as pl

from ulframe.cli import output
from ulframe.cli.coverage import remark_on_queries
from ulframe.cli.options import add_writing
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.evaluation.diversity import diversity
from ulframe.evaluation.summarise import means
from ulframe.frames.second_look import explained
from ulframe.frames.sources import scan_runs
from ulframe.frames.subtopics import scan_subtopics
from ulframe.frames.write import refuse_table

DEFAULT = ("alpha_nDCG@20", "nERR_IA@20", "StRecall@20", "P_IA@20", "MAP_IA")
SEVERAL = re.compile(r"(?P<before>.*@)(?P<cutoffs>\d+(?:,\d+)+)(?P<after>\)*)")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe diversity`."""
    parser.add_argument("qrels", metavar="QRELS", help="judgements by subtopic")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="files, globs or folders")
    parser.add_argument(
        "-m", dest="measures", metavar="MEASURE", nargs="+", default=DEFAULT,
        help=f"default {' '.join(DEFAULT)}",
    )  # fmt: skip
    parser.add_argument(
        "--rel", type=float, default=1, help="the least label that is relevant (default 1)"
    )
    parser.add_argument("--per-query", action="store_true", help="print every query, as csv")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write every query's scores")
    add_writing(parser)


def run(options: argparse.Namespace) -> None:
    """Score, write, print."""
    sources = [options.qrels, *options.runs]
    refuse_table(options.out, sources, force=options.force)
    measures = [name for text in options.measures for name in _single(text)]
    with working("scoring"):
        try:
            judged, runs = scan_subtopics(options.qrels), scan_runs(options.runs)
            scores = diversity(judged, runs, measures, rel=options.rel).collect()
            remark_on_queries(judged.lazy(), runs)
        except pl.exceptions.PolarsError as error:
            raise explained(error, *sources) from error
    if options.out:
        output.write(scores, options.out, options, provenance(sources, vars(options)))
    if options.per_query:
        output.csv(scores, options)
        return
    undefined = scores.filter(pl.col("score").is_null())["query_id"].n_unique()
    queries = output.counted(scores["query_id"].n_unique(), "query")
    zeros = f"; undefined in {undefined} (taken as 0)" if undefined else ""
    output.remark(f"means over {queries}{zeros}")
    output.table(output.wide(means(scores.lazy()).collect(), ["run"], "mean"))


def _single(text: str) -> list[str]:
    """`ERR_IA@5,10` as two."""
    read = SEVERAL.fullmatch(text)
    if not read:
        return [text]
    return [f"{read['before']}{k}{read['after']}" for k in read["cutoffs"].split(",")]
