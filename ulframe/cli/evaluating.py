"""Qrels and runs evaluated, for the commands that print scores, compare or report them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import polars as pl

from ulframe.cli import output, resources
from ulframe.cli.words import DEFAULT
from ulframe.evaluation.evaluate import examine, least_rel
from ulframe.evaluation.parts import examine_in_parts
from ulframe.frames.columns import Columns
from ulframe.frames.errors import BadData, BadUsage
from ulframe.frames.files import files_at
from ulframe.frames.mapping import scan_both
from ulframe.frames.second_look import explained
from ulframe.metrics.grammar import named
from ulframe.metrics.measure import Measure

GOOD = 0.8  # of the highest rating: 4 of 5


@dataclass(frozen=True)
class Evaluated:
    """Scores by the names that `measures` were asked for, coverage, and how labels are spread."""

    scores: pl.DataFrame
    coverage: pl.DataFrame
    measures: Mapping[str, Measure]
    lowest: float
    highest: float


def measures_of(names: Sequence[str]) -> dict[str, Measure]:
    """The measures of these names, or the usual ones where there is none."""
    return named(names or DEFAULT)


def qrels_and_runs(files: Sequence[str]) -> tuple[str, list[str]]:
    """The first file, and the others; `BadUsage` where these are none."""
    if len(files) < 2:
        given = f"only {files[0]} is given" if files else "none is given"
        raise BadUsage(f"QRELS and at least one RUN are wanted, but {given}")
    return files[0], [*files[1:]]


def evaluate_files(
    files: Sequence[str],
    names: Sequence[str],
    parts: int | None = None,
    columns: Columns | None = None,
    *,
    memory: int | None = None,
    scratch: Path | None = None,
    progress: Callable[[float], None] = lambda share: None,
    **how: Any,
) -> Evaluated:
    """Evaluate runs against qrels, in as many parts as `memory` asks for, or in `parts`.

    `memory` is what is available, if it is not given; `scratch`, a folder in which parts are kept.
    `columns` maps those of both.
    """
    (qrels_at, runs_at), measures = qrels_and_runs(files), measures_of(names)
    inputs = {} if scratch is None else made_of(files)  # before they are read
    try:
        qrels, runs = scan_both(qrels_at, runs_at, columns)
        size = resources.need(runs_at)
        least = 1 if scratch is None else 2
        n = parts or max(least, resources.parts(size, memory))
        if n == 1:
            done = examine(qrels, runs, measures, **how)
        elif scratch is None:
            done = examine_in_parts(qrels, runs, measures, n, **how)
        else:
            from ulframe.engines.scratch import Job, examine_in_scratch

            terms = {name: f"{one} {one.term} {one.divisor}" for name, one in measures.items()}
            made = {**inputs, "measures": terms, "columns": columns, **how}
            job = Job(scratch, n, made)
            done = examine_in_scratch(qrels, runs, measures, job, progress=progress, **how)
        plans = [done.scores, done.coverage]
        scores, coverage = pl.collect_all(plans, engine=resources.engine(size))
        if how.get("queries") == "relevant":
            _remark_on_relevant(coverage, least_rel(measures))
        label = pl.col("label")
        spread = qrels.select(label.min().alias("low"), label.max().alias("high")).collect()
        lowest, highest = (value or 0.0 for value in spread.row(0))
    except pl.exceptions.PolarsError as error:
        raise explained(error, qrels_at, runs_at) from error
    return Evaluated(scores, coverage, measures, lowest, highest)


def made_of(files: Sequence[str]) -> dict[str, object]:
    """Versions, and of each input its size and time, by which a job that was killed is known.

    Raises `BadUsage` for standard input, which cannot be read again.
    """
    from ulframe import __version__

    if "-" in files:
        raise BadUsage("--scratch needs inputs that can be read again, and - is standard input")
    paths = [file.given for path in files for file in files_at(Path(path)).values()]
    known = [path for path in paths if isinstance(path, Path)]
    told = {str(path.resolve()): (path.stat().st_size, path.stat().st_mtime_ns) for path in known}
    return {"inputs": told, "ulframe": __version__, "polars": pl.__version__}


def remark_on(done: Evaluated, names: Sequence[str]) -> None:
    """Say what was not there on either side, and how names may be mistaken."""
    if not names:
        output.remark(f"no measure is named (-m), so these are taken: {', '.join(DEFAULT)}")
    output.remark_on_coverage(done.coverage)
    _remark_on_nothing_found(done.scores)
    output.remark_on_names(done.measures, done.highest)
    _remark_on_ratings(done)


def _remark_on_ratings(done: Evaluated) -> None:
    """Say so where every label is relevant, though labels differ: ratings from 1 to 5, say."""
    rel = least_rel(done.measures)
    if not any("rel" in measure.parameters for measure in done.measures.values()):
        return
    if rel <= done.lowest < done.highest:
        better = ceil(GOOD * done.highest)
        output.remark(
            f"every label is at least {rel:g}, so all that is judged is relevant; of ratings, say "
            f"from which on: AP(rel={better})"
        )


def _remark_on_nothing_found(scores: pl.DataFrame) -> None:
    """Say which runs have no document that counts: their ids may be written otherwise."""
    found = scores.group_by("run", maintain_order=True).agg(nothing=(pl.col("value") == 0).all())
    for name in found.filter("nothing")["run"].head(output.FEW):
        output.remark(
            f"run {name!r} returns nothing that counts for any measure; are its documents' ids "
            "written as in the qrels?"
        )


def _remark_on_relevant(coverage: pl.DataFrame, least: float) -> None:
    """How many queries `--queries relevant` leaves out, and from which label on it keeps one."""
    judged = coverage.filter("in_qrels").unique("query_id")
    without = judged.height - judged["has_relevant"].sum()
    of = f"{without} of {output.counted(judged.height, 'query')}"
    if without == judged.height:
        raise BadData(f"no query of the qrels has a label of at least {least:g}: nothing to score")
    output.remark(f"left out, for want of a label of at least {least:g}: {of}")
