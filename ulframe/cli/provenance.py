"""How numbers were made: what goes into the footer of the files that commands write."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
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
    paths = [Path(source) for source in sources if source != "-"]
    files = [file for path in paths for file in files_at(path).values()]
    made = {
        "versions": {"ulframe": __version__, "polars": pl.__version__},
        "inputs": [described(file) for file in files],
        "options": {name: value for name, value in options.items() if value is not None},
        "missing": dict(missing.group_by("run", maintain_order=True).agg("query_id").iter_rows()),
        "dropped": dropped.to_list(),
    }
    return {"ulframe": json.dumps(made, default=str)}


def described(file: File) -> dict[str, str | int]:
    """A file's path, size, time and SHA-256."""
    source = file.given
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
        size = opened.seek(0, io.SEEK_END)
    return {"path": file.where, "bytes": size, **_time(source), "sha256": digest}


def _time(source: Path | bytes) -> dict[str, str]:
    """When a file was changed last, in UTC."""
    if isinstance(source, bytes):
        return {}
    return {"changed": datetime.fromtimestamp(source.stat().st_mtime, UTC).isoformat()}
