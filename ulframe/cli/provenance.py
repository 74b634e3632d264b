"""How numbers were made: what goes into the footer of the files that commands write."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import polars as pl

from ulframe.frames.files import File, files_at

NOTHING_MISSING = pl.DataFrame(
    schema={"run": pl.String, "query_id": pl.String, "in_qrels": pl.Boolean, "in_run": pl.Boolean}
)


def provenance(
    sources: Iterable[str], options: Mapping[str, object], coverage: pl.DataFrame = NOTHING_MISSING
) -> dict[str, str]:
    """One key, `ulframe`, of JSON.

    It holds the inputs with size, time and SHA-256, versions, options, for each run the queries of
    the qrels that it misses, and the queries that were dropped for want of qrels.
    """
    from ulframe import __version__

    missing = coverage.filter(~pl.col("in_run")).sort("run", "query_id")
    dropped = coverage.filter(~pl.col("in_qrels"))["query_id"].unique().sort()
    made = {
        "versions": {"ulframe": __version__, "polars": pl.__version__},
        "inputs": [described(file) for file in _files(sources)],
        "options": {name: value for name, value in options.items() if value is not None},
        "missing": dict(missing.group_by("run", maintain_order=True).agg("query_id").iter_rows()),
        "dropped": dropped.to_list(),
    }
    return {"ulframe": json.dumps(made, default=str)}


def read_beside(sources: Iterable[str]) -> None:
    """Begin to read the inputs for their SHA-256, beside the work that reads them for itself.

    What cannot be read is left to that work to tell.
    """
    files = [file.given for file in _files(sources)]

    def read() -> None:
        with suppress(OSError):
            for file in files:
                _sha256(file)

    threading.Thread(target=read, daemon=True).start()


def described(file: File) -> dict[str, str | int]:
    """A file's path, size, time and SHA-256."""
    source = file.given
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    return {"path": file.where, "bytes": size, **_time(source), "sha256": _sha256(source)}


def _time(source: Path | bytes) -> dict[str, str]:
    """When a file was changed last, in UTC."""
    if isinstance(source, bytes):
        return {}
    return {"changed": datetime.fromtimestamp(source.stat().st_mtime, UTC).isoformat()}


def _files(sources: Iterable[str]) -> list[File]:
    paths = [Path(source) for source in sources if source != "-"]
    return [file for path in paths for file in files_at(path).values()]


def _sha256(source: Path | bytes) -> str:
    if isinstance(source, bytes):
        return hashlib.sha256(source).hexdigest()
    return _sha256_of(source, source.stat().st_mtime_ns)


@cache
def _sha256_of(path: Path, changed: int) -> str:
    """Of a file as it is since then; kept, since it takes as long as reading the file."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
