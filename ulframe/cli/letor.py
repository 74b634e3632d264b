"""Train the eight learning-to-rank methods on folds of feature files; write their test runs.

  ulframe letor MQ2008 -o runs.parquet
  ulframe letor MSLR-WEB30K -o runs.parquet --sample-queries 10000 --seed 1
  ulframe letor MQ2008 -o runs.parquet --methods RNet LMART --measure nDCG@10

The folder holds Fold1, Fold2, ... with train, vali and test files, or LETOR's parts S1 ... S5, or
one fold's files: LETOR text, also as .gz or .zst, or parquet. Every method learns on train, stops
where the measure is best on vali, and ranks test. Where a fold has no vali file, a fifth of its
training queries, drawn with the seed, stands in. Beside runs.parquet, whose footer holds the
settings, stands runs.qrels.parquet, the judgements of the same queries. What was done when an
interruption came is in runs.parquet.parts, and is not done again.

  ulframe eval runs.qrels.parquet runs.parquet -m AP nDCG@10 -o scores.parquet
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from ulframe import __version__
from ulframe.cli import output
from ulframe.cli.options import add_force, add_metrics
from ulframe.cli.provenance import described
from ulframe.frames.columns import DOC, QUERY, RUN
from ulframe.frames.errors import BadUsage
from ulframe.frames.features import sizes_beside
from ulframe.frames.files import File
from ulframe.frames.second_look import explained
from ulframe.frames.write import refuse_file, write_table
from ulframe.metrics.grammar import parse
from ulframe.metrics.measure import Measure
from ulframe.systems.letor.experiment import HELD_OUT, Split, judgements, load, ranking
from ulframe.systems.letor.folds import Fold, Survey, find_folds, sample_queries, survey
from ulframe.systems.letor.methods import METHODS, SEEDED, Method, method, refuse_measure, settings
from ulframe.systems.letor.objective import objective

PACKAGES = ("polars", "numpy", "scipy", "lightgbm")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `ulframe letor`."""
    add_metrics(parser)
    parser.add_argument("folder", metavar="FOLDS_DIR", type=Path, help="where the folds are")
    parser.add_argument(
        "-o", dest="out", metavar="FILE", type=Path, required=True, help="the runs: a parquet file"
    )
    add_force(parser)
    parser.add_argument(
        "--methods", nargs="+", metavar="METHOD", default=list(METHODS),
        help=f"some of {', '.join(METHODS)} (all)",
    )  # fmt: skip
    parser.add_argument(
        "--measure", default="AP", help="what to stop by, and to maximise where a "
        "method can: AP, nDCG@10, P@10 ... (AP)",
    )  # fmt: skip
    parser.add_argument(
        "--sample-queries", type=int, metavar="N", help="only so many of all queries, by --seed"
    )
    parser.add_argument(
        "--least-label", type=float, metavar="N",
        help="leave out documents with lower labels: 0 for the -1 of semi-supervised files",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of the sample and of the methods (0)")


@dataclass(frozen=True)
class Job:
    """All that decides what the methods learn."""

    folds: list[Fold]
    known: Survey
    sample: pl.Series | None
    measure: Measure
    seed: int
    least: float | None  # label
    made: Mapping[str, object]  # how the numbers come about, for the footer


def run(options: argparse.Namespace) -> None:
    """Look, train, write."""
    out, methods = options.out, list(dict.fromkeys(options.methods))
    beside = out.with_suffix(".qrels.parquet")
    if out.suffix != ".parquet":
        raise BadUsage(f"-o {out}: the runs are a .parquet file, whose footer holds the settings")
    for file in (out, beside):
        refuse_file(file, force=True)  # whether it may be replaced is asked with the inputs
    for name in methods:  # what cannot be must show before hours of training
        method(name)
        refuse_measure(name, parse(options.measure))
    job = _job(options, [out, beside])
    parts = out.with_name(f"{out.name}.parts")
    runs = pl.concat(_train(job, methods, parts))
    parts_of_qrels = [judgements(fold, job.sample, least=job.least) for fold in job.folds]
    qrels = pl.concat(parts_of_qrels, how="vertical_relaxed")
    write_table(qrels.sort(QUERY, DOC), beside, _footer(job.made))
    chosen = {name: settings(method(name)) for name in methods}
    by_method = pl.col(RUN).cast(pl.Enum(methods))
    write_table(
        runs.sort(by_method, QUERY, maintain_order=True),
        out,
        _footer(job.made, methods=chosen, seeded=[name for name in methods if name in SEEDED]),
    )
    shutil.rmtree(parts)
    output.remark(f"wrote {out} and {beside}")


def _job(options: argparse.Namespace, outputs: list[Path]) -> Job:
    measure = parse(options.measure)
    folds = find_folds(options.folder)
    files = list(dict.fromkeys(file for fold in folds for file in fold.files))
    for out in outputs:
        refuse_file(out, map(str, files), force=options.force)
    try:
        known = survey(folds)
    except pl.exceptions.PolarsError as error:
        raise explained(error, [str(file) for file in files]) from error
    n, seed = options.sample_queries, options.seed
    sample = None if n is None else sample_queries(folds, known, n, seed)
    sizes = [sizes_beside(file) for file in files if file.suffix != ".parquet"]
    inputs = [*files, *filter(None, sizes)]
    made = {
        "versions": {"ulframe": __version__}
        | {name: version(name) for name in PACKAGES if find_spec(name)},
        "inputs": [described(File(file, str(file))) for file in dict.fromkeys(inputs)],
        "options": {
            "measure": str(measure),
            "sample_queries": n,
            "seed": seed,
            **({} if options.least_label is None else {"least_label": options.least_label}),
        },
        "held_out": _held_out(folds),
    }
    return Job(folds, known, sample, measure, seed, options.least_label, made)


def _held_out(folds: list[Fold]) -> dict[str, str]:
    """By the folds that have no file for it, what validates; said, since it changes results."""
    says = f"1 of {HELD_OUT} training queries, drawn with the seed"
    lacking = {fold.name: says for fold in folds if not fold.vali}
    for name in lacking:
        output.remark(f"{name} has no file for 'vali': {says}, validates")
    return lacking


def _train(job: Job, methods: list[Method], parts: Path) -> list[pl.LazyFrame]:
    """Fit every method on every fold where that is not done yet; all their runs."""
    runs = []
    with _progress(len(job.folds) * len(methods)) as (say, advance):
        for fold in job.folds:
            files = {name: parts / f"{fold.name}.{name}.parquet" for name in methods}
            footers = {
                name: _footer(job.made, fold=fold.name, method=name, set=settings(method(name)))
                for name in methods
            }
            todo = [name for name in methods if not _holds(files[name], footers[name])]
            advance(len(methods) - len(todo))
            split = _split(job, fold) if todo else None
            for name in todo:
                assert split is not None
                say(f"{fold.name} {name}: {_fit(job, name, split, files[name], footers[name])}")
                advance(1)
            runs += [pl.scan_parquet(file) for file in files.values()]
    return runs


def _split(job: Job, fold: Fold) -> Split:
    return load(fold, job.known, job.sample, seed=job.seed, least=job.least)


def _fit(job: Job, name: Method, split: Split, part: Path, footer: dict[str, str]) -> str:
    start = time.perf_counter()
    scorer = method(name)(split.train, split.valid, job.measure, job.seed)
    part.parent.mkdir(exist_ok=True)
    write_table(ranking(name, split.test, scorer).lazy(), part, footer)
    reached = objective(job.measure, split.valid)(scorer(split.valid)).mean()
    seconds = time.perf_counter() - start
    return f"{job.measure} {reached:.4f} on the validation queries, {seconds:.1f} s"


def _footer(made: Mapping[str, object], **more: object) -> dict[str, str]:
    return {"ulframe": json.dumps({**made, **more})}


def _holds(part: Path, footer: dict[str, str]) -> bool:
    """Whether this part was made before, from the same input with the same settings."""
    return part.exists() and footer.items() <= pl.read_parquet_metadata(part).items()


@contextmanager
def _progress(total: int) -> Iterator[tuple[Callable[[str], None], Callable[[int], None]]]:
    """A bar on stderr where that is a terminal: how to say a line above it, how to move it on."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("training", total=total)
        yield console.print, lambda steps: bar.advance(task, steps)
