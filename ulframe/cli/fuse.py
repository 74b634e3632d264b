r"""Make one run of several: by scores, by ranks, by votes, or as learned from judgements.

  ulframe fuse bm25.run colbert.run -o fused.parquet
  ulframe fuse *.run --method 'rrf(k=10)' --depth 100 -o fused.run
  ulframe fuse bm25.run colbert.run --method combsum --norm z --weights bm25=1 colbert=3 -o f.run
  ulframe fuse bm25.run colbert.run --tune nDCG@10 --qrels qrels.txt -o fused.parquet
  ulframe fuse *.run --method probfuse --qrels qrels.txt --folds 10 -o fused.parquet

With --tune, and for the methods that learn, each query is fused by what was chosen or learned on
the other folds' queries, so that the run can be evaluated. Without -o the run is printed as csv.
"""

from __future__ import annotations

import argparse

import polars as pl

from ulframe.cli import output
from ulframe.cli.coverage import remark_on_queries
from ulframe.cli.options import add_columns, add_force, add_metrics, add_safe_csv, columns_of, count
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.frames.errors import BadUsage
from ulframe.frames.mapping import scan_both
from ulframe.frames.second_look import explained
from ulframe.frames.sources import scan_runs
from ulframe.frames.write import convert, refuse_run
from ulframe.metrics.grammar import named
from ulframe.systems.fusion.fuse import fuse
from ulframe.systems.fusion.methods import METHODS
from ulframe.systems.fusion.norms import NORMS
from ulframe.systems.fusion.trained import TRAINED, fuse_trained
from ulframe.systems.fusion.tuning import Tuned, tune_weights


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe fuse`."""
    add_metrics(parser)
    parser.add_argument("runs", metavar="RUN", nargs="+", help="files, globs or folders")
    parser.add_argument(
        "--method", help="rrf(k=60) by default, with --tune combsum; one of "
        f"{', '.join(METHODS)}; with --qrels, {', '.join(TRAINED)}",
    )  # fmt: skip
    parser.add_argument(
        "--norm", metavar="NORM", help=f"min-max by default, of scores; or {', '.join(NORMS)}"
    )
    parser.add_argument(
        "--weights", metavar="RUN=W", nargs="+", help="what the runs count, by their names"
    )
    parser.add_argument("--qrels", metavar="QRELS", help="what is learned or tuned from")
    parser.add_argument("--tune", metavar="MEASURE", help="choose the weights by this measure")
    parser.add_argument(
        "--step", type=float, default=0.1, help="weights are multiples of it (default 0.1)"
    )
    parser.add_argument("--folds", type=count, default=5, help="of the queries (default 5)")
    parser.add_argument(
        "--depth", type=count, default=1000, help="documents a query (default 1000)"
    )
    parser.add_argument("--name", default="fused", help="what the run is called (default fused)")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write the run, in any format")
    add_force(parser)
    add_safe_csv(parser)
    add_columns(parser)


def run(options: argparse.Namespace) -> None:
    """Fuse, and write or print."""
    sources = [*options.runs, *filter(None, [options.qrels])]
    refuse_run(options.out, sources, force=options.force)
    _refuse_contradictions(options)
    with working("fusing"):
        try:
            fused = _fused(options).collect()
        except pl.exceptions.PolarsError as error:
            raise explained(error, *sources) from error
    if options.out:
        convert(fused, options.out, metadata=provenance(sources, vars(options)))
    else:
        output.csv(fused, options)


def _fused(options: argparse.Namespace) -> pl.LazyFrame:
    columns = columns_of(options) or None
    last = {"depth": options.depth, "name": options.name}
    if options.qrels is None:
        method = options.method or "rrf"
        runs = scan_runs(options.runs, columns=columns)
        return fuse(runs, method, norm=options.norm, weights=_weights(options), **last)
    qrels, runs = scan_both(options.qrels, options.runs, columns)
    remark_on_queries(qrels, runs)
    if options.tune is None:
        return fuse_trained(
            qrels, runs, options.method, norm=options.norm, folds=options.folds, **last
        )
    output.remark_on_names(named(options.tune))
    tuned = tune_weights(
        qrels, runs, options.tune, method=options.method or "combsum", norm=options.norm,
        step=options.step, folds=options.folds, **last,
    )  # fmt: skip
    _remark_on_tuning(tuned, options)
    return tuned.run


def _weights(options: argparse.Namespace) -> dict[str, float] | None:
    if options.weights is None:
        return None
    weights = {}
    for pair in options.weights:
        name, _, number = pair.rpartition("=")
        try:
            weights[name] = float(number)
        except ValueError:
            name = ""
        if not name:
            raise BadUsage(f"--weights {pair}: write RUN=NUMBER, as in bm25=0.3")
    return weights


def _refuse_contradictions(options: argparse.Namespace) -> None:
    learns = (options.method or "").partition("(")[0].lower() in TRAINED
    if learns and options.tune:
        raise BadUsage(f"{options.method} learns by itself; --tune is for weights, as of combsum")
    if (learns or options.tune) and options.qrels is None:
        raise BadUsage(f"{options.tune or options.method} needs judgements: --qrels QRELS")
    if (learns or options.tune) and options.weights:
        raise BadUsage("--weights are given, or chosen by --tune, or learned: one of these")
    if options.qrels and not (learns or options.tune):
        raise BadUsage(
            "--qrels would have no effect: choose weights by --tune MEASURE, or take a --method "
            f"that learns, {', '.join(TRAINED)}; to evaluate, ulframe eval QRELS FUSED"
        )


def _remark_on_tuning(tuned: Tuned, options: argparse.Namespace) -> None:
    """What was chosen, and what that is worth on queries that it was not chosen on."""
    pairs = " ".join(f"{run}={weight:g}" for run, weight in tuned.weights.items())
    output.remark(f"best weights, chosen on all queries: --weights {pairs}")
    output.remark(
        f"{options.tune} {tuned.trained:.4f} on the queries they were chosen on, which says too "
        f"much; {tuned.tested:.4f} on others ({options.folds} folds), equal weights "
        f"{tuned.equal:.4f}"
    )
    if tuned.tested <= tuned.equal:
        output.remark("on other queries tuned weights are no better than equal ones: take these")
