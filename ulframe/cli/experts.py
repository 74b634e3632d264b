"""Compare rankings of people, which may be tied and incomplete.

  ulframe experts judges.csv
  ulframe experts judges.csv --reference jury -m pairs.P pairs.R P@5 nDCG -o scores.parquet
  ulframe experts skate/ --others -m 'mean(pairs.nCG)' --complete
  ulframe experts judges.csv --reference-order ann,bo,cy -m tau_b rho 'rbo(p=0.9)'
  ulframe experts judges.csv --aggregate borda kemeny -m tau_b --runs aggregated.txt
  ulframe experts judges.csv --heat-map agreement.html --curves curves.svg

RANKINGS are tables with the columns ranking, item, position (equal positions are ties; lower is
better), or ranking, better, worse for orders with incomparable people, and contest where there are
several; files of PrefLib (.soc .soi .toc .toi), a contest each; `query,voter,item,rank` without a
header; or folders of these.

Every ranking is compared with every other of its contest, with one (--reference), with one order
given for all contests (--reference-order), or with the mean of the others (--others); --aggregate
makes one ranking of all of a contest and compares that with each. Printed is, for each ranking,
the mean over what it is compared with.

Measures over ordered pairs: pairs.P, pairs.R, pairs.F, pairs.fallout, pairs.CG, pairs.nCG,
pairs.agreement, pairs.disagreement, pairs.uncertain; with parameters, as in pairs.F(beta=2); and
their means both ways, as in mean(pairs.P); Kendall's tau_a, tau_b, tau_c. Over lists: rho,
footrule, kendall(p=0.5) for top-k lists, rbo(p=0.9). Over people: P@k, the overlap of both top k's;
and AP, Rprec, CG, DCG, nDCG and others of `ulframe eval`, with relevance from the reference, linear
in its ranks; so of many people take a linear gain too: nDCG(gain=linear), as by default.
`python -m pydoc ulframe.studies.experts` tells which are symmetric, bounded, sensitive to order.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import polars as pl

from ulframe.cli import output
from ulframe.cli.options import add_columns, add_metrics, add_writing, columns_of
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.frames.errors import BadUsage
from ulframe.frames.second_look import explained
from ulframe.frames.write import convert, refuse_run, refuse_table
from ulframe.report.pictures import ENDINGS, refuse_picture, save_chart
from ulframe.studies.experts import (
    LINEAR,
    MEASURES,
    METHODS,
    aggregate,
    compare,
    every_pair,
    scan_rankings,
    to_others,
    to_reference,
    to_runs,
    top,
    with_order,
    with_others,
)
from ulframe.studies.experts.charts import curves, cutoffs, heat_map

GIVEN = "reference order"
KEYS = ["contest", "ranking"]
CURVES = ["P", "CG"]
MOST = 1_000_000  # comparisons of all pairs
FORMATS: dict[str, Callable[[pl.DataFrame, argparse.Namespace], None]] = {
    "table": lambda rows, options: output.table(rows),
    "csv": output.csv,
    "json": lambda rows, options: output.json(rows),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe experts`."""
    add_metrics(parser)
    add_columns(parser)
    parser.add_argument("rankings", metavar="RANKINGS", nargs="+", help="tables, files, folders")
    against = parser.add_mutually_exclusive_group()
    against.add_argument("--reference", metavar="NAME", help="compare all with this ranking")
    against.add_argument("--others", action="store_true", help="compare with the others' mean")
    against.add_argument(
        "--reference-order", type=_order, metavar="A,B,C", help="compare all with this order"
    )
    against.add_argument(
        "--aggregate", choices=METHODS, nargs="+", metavar="METHOD",
        help=f"make one ranking of all, and compare it with each: {', '.join(METHODS)}",
    )  # fmt: skip
    parser.add_argument("--runs", metavar="FILE", help="write what --aggregate makes as runs")
    parser.add_argument(
        "-m", "--measures", metavar="MEASURE", nargs="+", action="extend",
        help=f"(default: {' '.join(MEASURES)})",
    )  # fmt: skip
    parser.add_argument(
        "--no-homogenise", dest="homogenise", action="store_false",
        help="compare all people whom either ranks, not only those whom both do",
    )  # fmt: skip
    parser.add_argument(
        "--complete", action="store_true",
        help="maximal similarity: close what a ranking leaves open as the other has it",
    )  # fmt: skip
    parser.add_argument(
        "--relevance", type=_relevance, default=LINEAR, metavar="linear|top:K",
        help="of people: linear in the reference's rank, or 1 for its top K and 0 for the others",
    )  # fmt: skip
    parser.add_argument("-o", dest="out", metavar="FILE", help="write all scores to this table")
    add_writing(parser)
    parser.add_argument("--format", choices=FORMATS, default="table", help="of what is printed")
    parser.add_argument("--heat-map", metavar="FILE", help=f"draw the first measure ({ENDINGS})")
    parser.add_argument("--curves", metavar="FILE", help=f"draw P@k and CG@k over k ({ENDINGS})")


def _order(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _relevance(text: str) -> pl.Expr:
    name, _, k = text.partition(":")
    if text == "linear":
        return LINEAR
    if name == "top" and k.isdigit() and int(k):
        return top(int(k))
    raise argparse.ArgumentTypeError(f"{text!r} is neither linear nor top:K, as in top:10")


def run(options: argparse.Namespace) -> None:
    """Compare, write, draw, print."""
    measures = options.measures or list(MEASURES)
    refuse_table(options.out, options.rankings, force=options.force)
    refuse_run(options.runs, options.rankings, force=options.force)
    if options.runs and not options.aggregate:
        raise BadUsage("--runs writes what --aggregate makes; say which: --aggregate borda")
    for path in (options.heat_map, options.curves):
        refuse_picture(path, options.rankings)
    rankings, comparisons = _asked(options)
    procedure = {name: getattr(options, name) for name in ("homogenise", "complete", "relevance")}
    with working("comparing"):
        try:
            scores = compare(rankings, comparisons, measures, **procedure).collect()
            if options.curves:
                swept = cutoffs(CURVES, scores["n"].to_list())
                along = compare(rankings, comparisons, swept, **procedure).collect()
                save_chart(curves(along), options.curves)
        except pl.exceptions.PolarsError as error:
            raise explained(error, *options.rankings) from error
        if options.heat_map:
            save_chart(heat_map(scores, scores["measure"][0]), options.heat_map)
        if options.runs:
            names = [*options.aggregate]
            made_of_all = rankings.filter(pl.col("ranking").is_in(names))
            convert(to_runs(made_of_all), options.runs)
        if options.out:
            made = provenance(options.rankings, vars(options))
            output.write(scores, options.out, options, made)
    _remark(scores)
    FORMATS[options.format](_means(scores), options)


def _asked(options: argparse.Namespace) -> tuple[pl.LazyFrame, pl.LazyFrame]:
    """The rankings, and what is compared with what."""
    rankings = scan_rankings(options.rankings, columns=columns_of(options) or None)
    if options.others:
        return with_others(rankings), to_others(rankings)
    if options.reference is not None:
        return rankings, to_reference(rankings, options.reference)
    if options.reference_order is not None:
        given = with_order(rankings, options.reference_order, GIVEN)
        return given, to_reference(given, GIVEN)
    if options.aggregate:
        made = pl.concat([aggregate(rankings, method) for method in options.aggregate])
        return pl.concat([rankings, made]), _with_each(made, rankings)
    _refuse_many(rankings)
    return rankings, every_pair(rankings)


def _with_each(made: pl.LazyFrame, rankings: pl.LazyFrame) -> pl.LazyFrame:
    """What was made of a contest's rankings, with each of these."""
    names = ["contest", "ranking"]
    each = rankings.select("contest", reference="ranking").unique(maintain_order=True)
    ours = made.select(names).unique(maintain_order=True)
    return ours.join(each, on="contest", maintain_order="left").select(*names, "reference")


def _refuse_many(rankings: pl.LazyFrame) -> None:
    """What all pairs give is held in memory."""
    sizes = rankings.group_by("contest").agg(n=pl.col("ranking").n_unique().cast(pl.Int64))
    pairs = int(sizes.select((pl.col("n") * (pl.col("n") - 1)).sum()).collect().item())
    if pairs > MOST:
        raise BadUsage(
            f"every ranking with every other makes {pairs:,} comparisons, more than {MOST:,}: "
            "compare with one ranking (--reference) or with the others' mean (--others)"
        )


def _remark(scores: pl.DataFrame) -> None:
    """What is undefined, or a bound only."""
    compared = scores.unique([*KEYS, "reference"], maintain_order=True)
    for n, what in ((0, "no person"), (1, "a single person")):
        few = compared.filter(pl.col("n") == n)
        if few.height:
            contest, ranking, reference = few.row(0)[:3]
            output.remark(
                f"{output.counted(few.height, 'comparison')} of rankings that share {what}, first "
                f"{ranking!r} and {reference!r} of contest {contest!r}; what is undefined there is "
                "left out of the means"
            )
    bounds = compared.filter(pl.col("completion") == "bound").height
    if bounds:
        counted = output.counted(bounds, "comparison")
        output.remark(f"in {counted} maximal similarity is a bound, of pairs one by one")


def _means(scores: pl.DataFrame) -> pl.DataFrame:
    means = scores.group_by(*KEYS, "measure", maintain_order=True).agg(pl.col("score").mean())
    return output.wide(means, KEYS, "score")
