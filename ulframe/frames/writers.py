"""How a plan is run into a file of each format."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ulframe.frames.columns import DOC, LABEL, QUERY, RUN, SCORE
from ulframe.frames.errors import BadData
from ulframe.frames.packings import Word


@dataclass(frozen=True)
class Target:
    """Where a plan is to be written: to `path`, which messages call `where`."""

    path: Path
    where: str
    packing: Word = "uncompressed"
    metadata: dict[str, str] | None = None
    comment: str | None = None


COMMENT = "# ulframe: "
"""What begins a comment in csv and tsv."""

Writer = Callable[[pl.LazyFrame, Target], None]


def write_parquet(frame: pl.LazyFrame, target: Target) -> None:
    """Write parquet, with the metadata in its footer."""
    frame.sink_parquet(target.path, metadata=target.metadata)


def write_arrow(frame: pl.LazyFrame, target: Target) -> None:
    """Write an Arrow file, with the metadata in its schema, which Polars has no place for."""
    if not target.metadata:
        frame.sink_ipc(target.path)
        return
    import pyarrow as pa

    schema = frame.collect_schema().to_frame().to_arrow().schema.with_metadata(target.metadata)
    with pa.OSFile(str(target.path), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        for batch in frame.collect_batches(maintain_order=True):
            writer.write_table(batch.to_arrow().cast(schema))


def write_csv(frame: pl.LazyFrame, target: Target, *, separator: str) -> None:
    """Write a header and the values, as text between separators; a comment stands above."""
    with target.path.open("wb") as file:
        if target.comment is not None:
            file.write(f"{COMMENT}{target.comment}\n".encode())
        frame.sink_csv(file, separator=separator, compression=target.packing, check_extension=False)


def write_jsonl(frame: pl.LazyFrame, target: Target) -> None:
    """Write a JSON object a line."""
    frame.sink_ndjson(target.path, compression=target.packing, check_extension=False)


def write_trec(frame: pl.LazyFrame, target: Target) -> None:
    """Write qrels or runs as TREC text; a run's ranks follow its scores."""
    _trec_lines(frame, target.where).sink_csv(
        target.path,
        separator=" ",
        include_header=False,
        quote_style="never",
        compression=target.packing,
        check_extension=False,
    )


def _trec_lines(frame: pl.LazyFrame, where: str) -> pl.LazyFrame:
    """Lay a frame out as TREC text does; refuse ids that would not be read back as they are."""
    names = frame.collect_schema().names()
    ids = pl.col(*(name for name in names if name not in (LABEL, SCORE)))
    bad = pl.any_horizontal(ids.str.contains(r"^$|\s"), pl.col(QUERY).str.starts_with("#"))

    def check(batch: pl.DataFrame) -> pl.DataFrame:
        if batch.select(bad.any()).item():
            row = batch.filter(bad).row(0, named=True)
            raise BadData(
                f"{where}: TREC text holds no empty id, no id with a blank and no query that "
                f"begins with '#', but there is {row}"
            )
        return batch

    checked = frame.map_batches(check, streamable=True)
    if LABEL in names:
        return checked.select(QUERY, pl.lit(0), DOC, LABEL)
    rank = pl.col(SCORE).rank("ordinal", descending=True).over(RUN, QUERY)
    return checked.select(QUERY, pl.lit("Q0"), DOC, rank.alias("rank"), SCORE, RUN)
