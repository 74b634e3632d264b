"""How numbers were made: what goes into the footer of the files that commands write."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from ulframe.frames.sources import File, spread

CHUNK = 1 << 20
NOTHING_MISSING = pl.DataFrame(
    schema={"run": pl.String, "query_id": pl.String, "in_qrels": pl.Boolean, "in_run": pl.Boolean}
)


def provenance(
    sources: Iterable[str], options: Mapping[str, Any], coverage: pl.DataFrame = NOTHING_MISSING
) -> dict[str, str]:
    """One key, `ulframe`, of JSON.

    It holds the inputs with size and SHA-256, versions, options, for each run the queries of the
    qrels that it misses, and the queries that were dropped for want of qrels.
    """
    from ulframe import __version__

    missing = coverage.filter(~pl.col("in_run")).sort("run", "query_id")
    dropped = coverage.filter(~pl.col("in_qrels"))["query_id"].unique().sort()
    files = [file for source in sources if source != "-" for file in spread(source)]
    made = {
        "versions": {"ulframe": __version__, "polars": pl.__version__},
        "inputs": [_described(file) for file in files],
        "options": {name: value for name, value in options.items() if value is not None},
        "missing": dict(missing.group_by("run", maintain_order=True).agg("query_id").iter_rows()),
        "dropped": dropped.to_list(),
    }
    return {"ulframe": json.dumps(made)}


def _described(file: File) -> dict[str, str | int]:
    digest, size = hashlib.sha256(), 0
    with io.BytesIO(file.source) if isinstance(file.source, bytes) else file.source.open("rb") as f:
        while chunk := f.read(CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return {"path": file.where, "bytes": size, "sha256": digest.hexdigest()}
