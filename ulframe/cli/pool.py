"""Which documents to judge, and whether a smaller pool changes the conclusions.

  ulframe pool 'runs/*.gz' qrels.txt -o effects.parquet --charts effects.html
  ulframe pool runs.parquet qrels.txt --methods depth mtf --sizes 10 50 100 -m AP 'V2(AP)'
  ulframe pool runs.parquet qrels.txt --order mine=order.csv
  ulframe pool 'runs/*.gz' --depth 100 -o to_judge.parquet
  ulframe pool 'runs/*.gz' qrels.txt --methods mtf --next 100 -o next.csv

With judgements, the systems are compared by the first documents of each query's judging list alone,
and by all judgements. Methods: depth (round robin), mtf (Move-to-Front), rboost and rsvm (RankBoost
and a ranking SVM, trained on other queries). An order of your own is a table with query_id, doc_id,
priority (the highest is judged first). Printed is what each method needs until the order of the
systems agrees for good, as Kendall's tau tells, and the factor that it saves; -o has everything:
its recall is the share of a query's relevant documents that the pool has, in the mean over queries.

rboost and rsvm draw the queries that they train on: with --draws N the shares and taus are means
over N draws, and recall_sd and tau_sd how far they scatter.

Without judgements, --depth N lists the union of the top N of all runs, in the order of judging.
With those so far, --next N lists the N documents to judge next by one of the methods, queries in
turn: judge them, add their labels to QRELS, and ask again. What is not judged counts as not
relevant.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import polars as pl

from ulframe.analysis.transforms import TRANSFORMS
from ulframe.cli import output
from ulframe.cli.options import (
    add_columns,
    add_metrics,
    add_pool,
    add_writing,
    columns_of,
    count,
)
from ulframe.cli.progress import working
from ulframe.cli.provenance import provenance
from ulframe.cli.scores import read_table
from ulframe.evaluation.evaluate import examine
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.mapping import scan_both
from ulframe.frames.second_look import explained
from ulframe.frames.sources import scan_runs
from ulframe.frames.write import refuse_table
from ulframe.report.pictures import ENDINGS, refuse_picture, save_chart
from ulframe.studies.pooling import (
    as_list,
    depth_n,
    effects,
    move_to_front,
    next_to_judge,
    rboost,
    rsvm,
    savings,
)
from ulframe.studies.pooling.effects import EFFECTS, FULL, LEVEL, MEASURES, SIZES
from ulframe.studies.pooling.learned import SEED, TRAINED_DEPTH, TRAINED_QUERIES, Training

Listing = Callable[[pl.DataFrame, pl.DataFrame, argparse.Namespace], pl.LazyFrame]

METHODS: dict[str, Listing] = {
    "depth": lambda qrels, runs, options: depth_n(runs),
    "mtf": lambda qrels, runs, options: move_to_front(qrels, runs, rel=options.rel),
    "rboost": lambda qrels, runs, options: rboost(qrels, runs, **_training(options)),
    "rsvm": lambda qrels, runs, options: rsvm(qrels, runs, **_training(options)),
}

STUDY = {
    "methods": list(METHODS),
    "order": [],
    "sizes": list(SIZES),
    "measures": list(MEASURES),
    "rel": 1.0,
    "charts": None,
    "level": LEVEL,
    "transform": "ranks",
    "pool": "judged",
    "training_queries": TRAINED_QUERIES,
    "training_depth": TRAINED_DEPTH,
    "seed": SEED,
    "draws": 1,
    "format": "table",
}
"""The options that mean something with QRELS only, and their defaults."""

OF_EFFECTS = ("sizes", "measures", "rel", "level", "transform", "pool")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe pool`."""
    add_metrics(parser)
    parser.add_argument("runs", metavar="RUNS", help="a file, glob or folder of runs")
    parser.add_argument("qrels", metavar="QRELS", nargs="?", help="judgements")
    parser.add_argument("-o", dest="out", metavar="FILE", help="write everything to this table")
    add_writing(parser)
    parser.add_argument("--depth", type=int, metavar="N", help="make a new pool, without QRELS")
    parser.add_argument(
        "--next", dest="many", type=count, metavar="N",
        help="list what to judge next, after QRELS, by the one of --methods",
    )  # fmt: skip
    add_columns(parser)
    study = parser.add_argument_group("with QRELS")
    study.add_argument("--methods", nargs="*", choices=METHODS)
    study.add_argument("--order", nargs="+", metavar="NAME=FILE", help="orders of your own")
    study.add_argument("--sizes", nargs="+", type=int, metavar="M", help="documents per query")
    study.add_argument("-m", dest="measures", nargs="+", metavar="MEASURE")
    study.add_argument("--rel", type=float, help="the lowest relevant label")
    study.add_argument("--charts", metavar="FILE", help=f"draw them ({ENDINGS})")
    study.add_argument("--level", type=float, help="tau that counts as agreement (%(default)s)")
    study.add_argument("--transform", choices=TRANSFORMS, help="before Tukey's HSD (%(default)s)")
    add_pool(study)
    study.add_argument(
        "--training-queries", type=int, metavar="N",
        help="in each of two groups that rboost and rsvm train on (%(default)s)",
    )  # fmt: skip
    study.add_argument(
        "--training-depth", type=int, metavar="N",
        help="rank down to which these are judged (%(default)s)",
    )  # fmt: skip
    study.add_argument("--seed", type=int, help="of drawing them (%(default)s)")
    study.add_argument(
        "--draws", type=count, metavar="N", help="of training queries, from --seed on (%(default)s)"
    )
    study.add_argument("--format", choices=SHOW, help="of what is printed")
    parser.set_defaults(**STUDY)


def run(options: argparse.Namespace) -> None:
    """Make a pool, or tell what pools do."""
    if (options.qrels is None) == (options.depth is None):
        raise BadUsage("give either QRELS, to learn what pools do, or --depth N, to make one")
    try:
        if options.qrels is None:
            _make(options)
        elif options.many:
            _next(options)
        else:
            _study(options)
    except pl.exceptions.PolarsError as error:
        raise explained(error, options.runs, *filter(None, [options.qrels])) from error


def _make(options: argparse.Namespace) -> None:
    """The documents to judge, to a file with a line on what they are, or else as csv."""
    if options.depth < 1:
        raise BadUsage(f"--depth {options.depth} is below 1")
    if unused := [name for name, default in STUDY.items() if getattr(options, name) != default]:
        raise BadUsage(f"of no use without QRELS: {', '.join(unused)}")
    refuse_table(options.out, [options.runs], force=options.force)
    with working("pooling"):
        runs = scan_runs(options.runs, columns=columns_of(options) or None)
        pool = depth_n(runs).filter(pl.col("depth") <= options.depth)
        found = pool.drop("training").collect()
        if options.out:
            made = provenance([options.runs], {"depth": options.depth})
            output.write(found, options.out, options, made)
    if not options.out:
        output.csv(found, options)
        return
    sizes = found.group_by("query_id").len()["len"]
    total = pl.DataFrame({"queries": [sizes.len()], "documents": [found.height]})
    output.table(total.with_columns(fewest=pl.lit(sizes.min()), most=pl.lit(sizes.max())))


def _next(options: argparse.Namespace) -> None:
    """What to judge next."""
    if len(options.methods) != 1:
        raise BadUsage(f"--next goes by one method: --methods with one of {', '.join(METHODS)}")
    refuse_table(options.out, [options.runs, options.qrels], force=options.force)
    with working("pooling"):
        plans = scan_both(options.qrels, options.runs, columns_of(options))
        qrels, runs = pl.collect_all(plans)
        listing = METHODS[options.methods[0]](qrels, runs, options)
        found = next_to_judge(listing, qrels, options.many).collect()
        if options.out:
            made = provenance([options.qrels, options.runs], vars(options))
            output.write(found, options.out, options, made)
    if found.is_empty():
        output.remark("nothing is left: all that the runs returned is judged")
    elif options.out:
        queries = output.counted(found["query_id"].n_unique(), "query")
        output.remark(f"{output.counted(found.height, 'document')} of {queries} to judge")
    if not options.out:
        output.csv(found, options)


def _over_draws(draw: Callable[[int], pl.DataFrame], options: argparse.Namespace) -> pl.DataFrame:
    """Effects as means over draws of the training queries, and how far they scatter."""
    if options.draws == 1:
        return draw(options.seed)
    keys = ["method", "size", "measure"]
    found = pl.concat(draw(options.seed + at) for at in range(options.draws))
    numbers = [name for name, kind in EFFECTS.items() if kind == pl.Float64]
    means = found.group_by(keys, maintain_order=True).agg(
        pl.col("judged", "judged_with_training").max(),
        pl.col(numbers).mean(),
        pl.col("group_a").mean().round().cast(pl.Int64),
        *(pl.col(name).std(ddof=1).alias(f"{name}_sd") for name in ("recall", "tau")),
    )
    agrees = (pl.col("tau") >= options.level).fill_null(False)
    return means.with_columns(agrees=agrees).select(*EFFECTS, "recall_sd", "tau_sd")


def _study(options: argparse.Namespace) -> None:
    orders = _orders(options)
    read = [options.runs, options.qrels, *(order.partition("=")[2] for order in options.order)]
    refuse_table(options.out, read, force=options.force)
    refuse_picture(options.charts, read)
    with working("pooling") as progress:
        plans = scan_both(options.qrels, options.runs, columns_of(options))
        qrels, runs = pl.collect_all(plans)
        _refuse_nothing_relevant(qrels, options.rel)
        coverage = examine(qrels, runs, "P@1").coverage.collect()
        how = {name: getattr(options, name) for name in OF_EFFECTS}

        def draw(seed: int) -> pl.DataFrame:
            drawn = argparse.Namespace(**{**vars(options), "seed": seed})
            lists = {name: METHODS[name](qrels, runs, drawn) for name in options.methods}
            return effects(qrels, runs, lists | orders, progress=progress, **how).collect()

        found = _over_draws(draw, options)
        if options.out:
            made = provenance([options.qrels, options.runs], vars(options), coverage)
            output.write(found, options.out, options, made)
        if options.charts:
            _draw(found, options.charts)
    output.remark_on_coverage(coverage)
    SHOW[options.format](found, options)


def _training(options: argparse.Namespace) -> Training:
    return {
        "queries": options.training_queries,
        "depth": options.training_depth,
        "rel": options.rel,
        "seed": options.seed,
    }


def _orders(options: argparse.Namespace) -> dict[str, pl.LazyFrame]:
    """The user's own."""
    named = [order.partition("=") for order in options.order]
    if wrong := [name for name, equals, file in named if not (name and file)]:
        raise BadUsage(f"--order {wrong[0]}: write NAME=FILE")
    if taken := {name for name, _, _ in named} & set(options.methods):
        raise BadUsage(f"--order {min(taken)}=...: a method is called so")
    return {name: as_list(read_table(file), where=file) for name, _, file in named}


def _refuse_nothing_relevant(qrels: pl.DataFrame, rel: float) -> None:
    if not (qrels["label"] >= rel).any():
        raise BadData(
            f"nothing is relevant: no label is at least {rel:g}, the highest is "
            f"{qrels['label'].max()!r}; see --rel"
        )


def _draw(found: pl.DataFrame, path: str) -> None:
    from ulframe.studies.pooling.charts import page  # loads Altair

    save_chart(page(found), path)


# ---------------------------------------------------------------- printing
def _table(found: pl.DataFrame) -> None:
    """What each method needs until the order agrees for good."""
    saved = savings(found).collect()
    output.table(saved)
    output.remark("size: documents per query from which on the order agrees, for all larger sizes")
    tied = found.filter(pl.col("method") == FULL, pl.col("tau").is_null())["measure"].to_list()
    if tied:
        output.remark(f"all judgements tie all systems, so no order agrees: {', '.join(tied)}")
    never = saved.filter(pl.col("size").is_null() & ~pl.col("measure").is_in(tied))
    for (name,), rows in never.group_by("method", maintain_order=True):
        measures = ", ".join(rows["measure"])
        output.remark(f"{name} does not agree at the largest size that was tried: {measures}")


SHOW: dict[str, Callable[[pl.DataFrame, argparse.Namespace], None]] = {
    "table": lambda rows, options: _table(rows),
    "csv": output.csv,
    "json": lambda rows, options: output.json(rows),
}
