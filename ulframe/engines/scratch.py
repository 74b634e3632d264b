"""A run larger than memory, part by part, by way of a folder: read once, and gone on with.

The run is written into the folder once, parted by a hash of the query; then each part is evaluated
by itself, and its scores and coverage are kept there as complete files. Who was killed goes on with
what is missing. When all is done, the folder's content is removed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

import polars as pl

from ulframe.engines.part import Frames, evaluate_part, merge
from ulframe.evaluation.evaluate import Evaluation, Options
from ulframe.evaluation.parts import part
from ulframe.frames.atomic import appearing, appearing_folder
from ulframe.frames.errors import BadUsage
from ulframe.frames.intake import FramesLike
from ulframe.frames.remarks import remark
from ulframe.frames.sources import scan_qrels, scan_runs
from ulframe.metrics.grammar import Asked

RUNS, NAMES, KEY = "runs", "names.parquet", "job.json"


@dataclass(frozen=True)
class Job:
    """Where an evaluation is worked at, and what tells it from others.

    - `folder`: for the parts; other jobs may use it too.
    - `parts`: how many.
    - `made`: all that the numbers come of - inputs with size and time, options, versions - as JSON
      can write it. A job is gone on with only where all of it is the same.
    """

    folder: Path
    parts: int
    made: Mapping[str, object]

    @property
    def own(self) -> Path:
        """The folder of this job alone."""
        return self.folder / f"ulframe-{hashlib.sha256(self.key.encode()).hexdigest()[:16]}"

    @property
    def key(self) -> str:
        """What tells it, as text."""
        return json.dumps({**self.made, "parts": self.parts}, sort_keys=True, default=str)


def examine_in_scratch(
    qrels: FramesLike,
    runs: FramesLike,
    measures: Asked,
    job: Job,
    *,
    progress: Callable[[float], None] = lambda share: None,
    **options: Unpack[Options],
) -> Evaluation:
    """What `examine` gives, collected, by way of a job's folder.

    The runs are read once; of each part, the rows of its queries are in memory. `progress` is
    called with the share that is done. Remarks that a job is gone on with. Takes and raises what
    `examine` does, and `BadUsage` for `ties="input"`: parting does not keep the order of rows.

    >>> import tempfile, ulframe as ul
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     job = Job(Path(folder), 3, {"inputs": "the sample"})
    ...     done = examine_in_scratch(ul.sample_qrels(), ul.sample_runs(), "nDCG@10", job)
    >>> done.scores.collect().shape
    (1600, 7)
    """
    if options.get("ties") == "input":
        raise BadUsage('ties="input" takes rows as they stand, which parting does not keep')
    judged = scan_qrels(qrels)
    if not job.own.is_dir():
        _part(scan_runs(runs, documents=qrels), job)
    names = pl.read_parquet(job.own / NAMES)["run"].to_list()
    done = [number for number in range(job.parts) if _kept(job, number) is not None]
    if done:
        remark(f"{job.own}: {len(done)} of {job.parts} parts are done, and gone on with")
    found: list[Frames] = []
    for number in range(job.parts):
        frames = _kept(job, number)
        if frames is None:
            frames = _evaluated(judged, number, measures, names, job, options)
        found.append(frames)
        progress((number + 1) / job.parts)
    merged = merge(found)
    shutil.rmtree(job.own)
    return merged


def _part(listed: pl.LazyFrame, job: Job) -> None:
    """Write the runs, parted, and their names: a folder that is there when it is complete."""
    number = (pl.col("query_id").hash() % job.parts).alias("part")
    with appearing_folder(job.own) as unfinished:
        target = pl.PartitionBy(unfinished / RUNS, key="part", include_key=False)
        listed.with_columns(number).sink_parquet(target, mkdir=True)
        names = pl.scan_parquet(f"{unfinished / RUNS}/**/*.parquet").select("run").unique()
        names.sort("run").sink_parquet(unfinished / NAMES)
        (unfinished / KEY).write_text(job.key, encoding="utf-8")


def _evaluated(
    judged: pl.LazyFrame,
    number: int,
    measures: Asked,
    names: list[str],
    job: Job,
    options: Options,
) -> Frames:
    """A part's scores and coverage, which are kept."""
    folder = job.own / RUNS / f"part={number}"
    empty = {"run": pl.String, "query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
    listed = (
        pl.scan_parquet(folder / "*.parquet", hive_partitioning=False)
        if folder.is_dir()
        else pl.LazyFrame(schema=empty)
    )
    frames = evaluate_part(part(judged, number, job.parts), listed, measures, names, **options)
    for path, frame in zip(_files(job, number), frames, strict=True):
        with appearing(path) as unfinished:
            frame.write_parquet(unfinished)
    return frames


def _kept(job: Job, number: int) -> Frames | None:
    """What is kept of a part, where both files are there."""
    scores, coverage = _files(job, number)
    if not (scores.is_file() and coverage.is_file()):
        return None
    return pl.read_parquet(scores), pl.read_parquet(coverage)


def _files(job: Job, number: int) -> tuple[Path, Path]:
    return job.own / f"scores-{number}.parquet", job.own / f"coverage-{number}.parquet"
